"""What is packed: each distribution with all its data, and nobody's photographs."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from functools import cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import cv2
import pytest

import tools.version
from tests.vision.laid import Lying, picture
from tools.lock import DISTRIBUTIONS, ROOT, WORKSPACE
from tools.texts import PACKAGES as CATALOGS
from tools.texts import TRANSLATED, written

FOLDERS = dict(zip(DISTRIBUTIONS, map(ROOT.joinpath, WORKSPACE["tool"]["workspace"]["distributions"]), strict=True))
"""The folder of each distribution by its name."""

PACKAGES = {
    "croupier-rules": {"croupier_rules": "host/croupier-rules/croupier_rules"},
    "cardsight": {"cardsight": "vision/cardsight"},
    "croupier-core": {
        "croupier": "host/croupier/croupier", "tablewire": "firmware/lib/tablewire", "croupier/firmware": "firmware",
    },
    "croupier": {},
    "croupier-hub": {"croupier_hub": "host/croupier-hub/croupier_hub"},
    "croupier-extras": {"croupier_extras": "host/croupier-extras/croupier_extras"},
    "croupier-tally": {"croupier_tally": "host/croupier-tally/croupier_tally"},
    "croupier-sim": {"croupier_sim": "sim/croupier_sim"},
    "croupier-bench": {"croupier_bench": "benchmarks/croupier_bench"},
}  # fmt: skip
"""By distribution: each folder in its wheel, and the folder of the repository that it is."""

PHOTOGRAPHS = (".jpg", ".jpeg", ".heic", ".webp", ".tif", ".tiff", ".bmp")


def build(source: Path, folder: Path, *options: str) -> None:
    """Build the packages of a distribution without the network."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *options]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)


class Packed:
    """The wheel and the source package of a distribution, of what is checked in or about to be."""

    def __init__(self, name: str, folder: Path) -> None:
        build(FOLDERS[name], folder)
        (self.wheel,) = folder.glob("*-py3-none-any.whl")
        (self.source,) = folder.glob("*.tar.gz")

    def in_wheel(self) -> dict[str, bytes]:
        """The files of the wheel."""
        with zipfile.ZipFile(self.wheel) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}

    def in_source(self) -> set[str]:
        """The names of the files of the source package, from its own folder."""
        with tarfile.open(self.source) as source:
            return {name.partition("/")[2] for name in source.getnames()}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Packed]:
    folder = tmp_path_factory.mktemp("packed")
    return {name: Packed(name, folder / name) for name in FOLDERS}


@cache
def tracked(folder: str) -> frozenset[str]:
    """The files of a folder of the repository, from there, with compiled catalogs for their sources."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "."]
    names = subprocess.run(listed, cwd=ROOT / folder, capture_output=True, text=True, check=True).stdout.splitlines()
    return frozenset(re.sub(r"\.po$", ".mo", name) for name in names if (ROOT / folder / name).is_file())


def test_every_distribution_says_what_it_packs() -> None:
    assert set(PACKAGES) == set(DISTRIBUTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_a_wheel_holds_every_file_of_its_packages_and_nothing_else(packed: dict[str, Packed], name: str) -> None:
    wheel = packed[name].in_wheel()
    wanted = {f"{at}/{file}" for at, folder in PACKAGES[name].items() for file in tracked(folder)}
    wanted |= {"croupier/commit.txt"} if name == "croupier-core" else set()
    assert {file for file in wheel if ".dist-info/" not in file} == wanted
    assert {f"{at}/py.typed" for at in [*PACKAGES[name]][:1]} <= set(wheel)


@pytest.mark.slow
def test_the_wheel_offers_the_program_and_those_of_sim_and_bench_their_commands(packed: dict[str, Packed]) -> None:
    def offered(name: str) -> str:
        return next(data for file, data in packed[name].in_wheel().items() if "entry_points" in file).decode()

    for name in ("croupier", "croupier-core"):
        assert "croupier = croupier.cli.main:main" in offered(name)
    assert "demo = croupier_sim.cli:app" in offered("croupier-sim")
    assert "bench = croupier_bench.cli:app" in offered("croupier-bench")


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_carries_the_license(packed: dict[str, Packed], name: str) -> None:
    license_text = (ROOT / "LICENSE").read_bytes()
    found = [data for file, data in packed[name].in_wheel().items() if file.endswith("dist-info/licenses/LICENSE")]
    assert found == [license_text]
    assert "LICENSE" in packed[name].in_source()


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_the_metadata_name_licenses_of_all_that_is_packed_and_every_python(
    packed: dict[str, Packed], name: str
) -> None:
    wheel = packed[name].in_wheel()
    told = message_from_bytes(next(data for file, data in wheel.items() if file.endswith("dist-info/METADATA")))
    classifiers = told.get_all("Classifier", [])
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)} <= set(classifiers)
    assert {file.rpartition("dist-info/licenses/")[2] for file in wheel if "dist-info/licenses/" in file} == {
        "LICENSE",
        *(file for file in wheel if "LICENSE" in file and "dist-info" not in file),
    }
    expected = {
        "croupier-core": "MIT AND OFL-1.1 AND 0BSD AND ISC",
        "croupier-extras": "MIT AND Bitstream-Vera",
    }
    assert told["License-Expression"] == expected.get(name, "MIT")


@pytest.mark.slow
def test_the_program_names_the_commit_that_its_wheel_was_built_from(packed: dict[str, Packed]) -> None:
    asked = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, check=True).stdout
    assert packed["croupier-core"].in_wheel()["croupier/commit.txt"] == commit
    assert "commit.txt" in packed["croupier-core"].in_source()


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_a_source_package_alone_builds_the_same_wheel(packed: dict[str, Packed], name: str, tmp_path: Path) -> None:
    with tarfile.open(packed[name].source) as source:
        source.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    build(unpacked, tmp_path / "built", "-t", "wheel")
    (wheel,) = (tmp_path / "built").iterdir()
    assert wheel.name == packed[name].wheel.name
    assert zipfile.ZipFile(wheel).namelist() == [*packed[name].in_wheel()]
    assert all(zipfile.ZipFile(wheel).read(file) == data for file, data in packed[name].in_wheel().items())


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_no_photograph_is_packed(packed: dict[str, Packed], name: str) -> None:
    files = {*packed[name].in_wheel(), *packed[name].in_source()}
    assert [file for file in files if file.lower().endswith(PHOTOGRAPHS)] == []


def in_wheel_of(packed: dict[str, Packed], package: str) -> dict[str, bytes]:
    """The files of the wheel with a package."""
    return packed[next(name for name, packages in PACKAGES.items() if package in packages)].in_wheel()


@pytest.mark.slow
@pytest.mark.parametrize("package", CATALOGS)
def test_a_wheel_has_the_translations_of_its_own_texts_and_of_no_others(
    packed: dict[str, Packed], package: str
) -> None:
    wheel, texts = in_wheel_of(packed, package), written("de")[package]
    catalog = GNUTranslations(BytesIO(wheel[f"{package}/i18n/de.mo"]))
    for message in texts:
        if isinstance(message.id, str) and message.id:
            assert catalog.gettext(message.id) == message.string
    others = [data for file, data in wheel.items() if file.endswith("/de.mo") and file != f"{package}/i18n/de.mo"]
    assert others == []


def test_every_distribution_with_texts_compiles_them_in_the_same_way() -> None:
    hooks = [folder.parent / "hatch_catalogs.py" for package, folder in CATALOGS.items() if package != "croupier"]
    assert len({hook.read_bytes() for hook in hooks}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("package", CATALOGS)
def test_a_catalog_says_nothing_of_the_time_of_its_build(packed: dict[str, Packed], package: str) -> None:
    wheel = in_wheel_of(packed, package)
    catalogs = {file: data for file, data in wheel.items() if file.endswith(".mo")}
    assert len(catalogs) == len(TRANSLATED)
    for file, data in catalogs.items():
        assert set(re.findall(rb"\d{4}-\d\d-\d\d \d\d:\d\d", data)) == {b"1970-01-01 00:00"}, file


@pytest.mark.long
def test_two_checkouts_give_the_same_bytes_whatever_their_place_their_times_and_the_umask(tmp_path: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = {name: (ROOT / name).read_bytes() for name in tracked.split("\0") if name and (ROOT / name).is_file()}
    built = []
    for place, umask in (("here", 0o022), ("elsewhere/deeper", 0o077)):
        before = os.umask(umask)
        try:
            for name, content in files.items():
                (tmp_path / place / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / place / name).write_bytes(content)
            for folder in FOLDERS.values():
                build(tmp_path / place / folder.relative_to(ROOT), tmp_path / place / "dist")
        finally:
            os.umask(before)
        built.append({file.name: file.read_bytes() for file in (tmp_path / place / "dist").iterdir()})
    assert sorted(built[0]) == sorted(built[1])
    assert len(built[0]) == 2 * len(FOLDERS)
    for name, content in built[0].items():
        assert content == built[1][name], name


# -- each alone ----------------------------------------------------------------------------------------------------


class Alone:
    """An environment with nothing but the wheels that are installed into it, without the network."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.python = folder / "bin/python"
        self._site = self.run("import sysconfig; print(sysconfig.get_path('purelib'))").strip()

    def install(self, *wheels: Packed) -> None:
        pip = [sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--no-index", "--target", self._site]
        subprocess.run([*pip, *(str(one.wheel) for one in wheels)], check=True, capture_output=True)

    def lend(self, *modules: str) -> None:
        """Make packages of this environment importable there, and no others."""
        for name in modules:
            (found,) = importlib.import_module(name).__path__
            for folder in Path(found).parent.glob(f"{Path(found).name}*"):
                (Path(self._site) / folder.name).symlink_to(folder)

    def run(self, code: str) -> str:
        """What a program prints there; ``started`` is what Python itself has loaded before it."""
        code = f"import sys; started = set(sys.modules)\n{code}"
        done = subprocess.run([self.python, "-I", "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


LOADED = "tops = {name.partition('.')[0] for name in sys.modules}; print(*tops - sys.stdlib_module_names - started)"


@pytest.mark.slow
def test_croupier_rules_alone_judges_and_loads_the_standard_library_only(
    packed: dict[str, Packed], tmp_path: Path
) -> None:
    alone = Alone(tmp_path / "alone")
    alone.install(packed["croupier-rules"])
    code = "from croupier_rules import Referee, Header, ruleset, observations, rulings, __version__\n"
    code += "referee = Referee(Header(ruleset=ruleset('g7942-en'), seats=('Ann', 'Ben'), dealer=0))\n"
    code += "(color, turn) = referee.observe(observations.Upcard(t=1.0, card='red-5'))\n"
    code += "assert isinstance(turn, rulings.Turn) and referee.state().turn == turn.seat == 1\nprint(__version__)\n"
    version, loaded = alone.run(code + LOADED).splitlines()
    assert version == tools.version.__version__
    assert set(loaded.split()) == {"croupier_rules"}


@pytest.mark.slow
def test_cardsight_alone_reads_with_numpy_opencv_and_the_names_of_the_cards(
    packed: dict[str, Packed], tmp_path: Path
) -> None:
    alone = Alone(tmp_path / "alone")
    alone.install(packed["croupier-rules"], packed["cardsight"])
    alone.lend("numpy", "cv2")
    cv2.imwrite(str(tmp_path / "table.png"), picture([Lying("red-7", 400, 300, 20, 150)]))
    code = "from cardsight import Reader, load_picture, PileTracker, Reading, Sighting, calibrate, enroll\n"
    code += "(card,) = Reader().read(load_picture(sys.argv[1])).cards\nprint(card.face)\n"
    code = f"import sys; sys.argv[1:] = [{str(tmp_path / 'table.png')!r}]\n{code}{LOADED}"
    face, loaded = alone.run(code).splitlines()
    assert face == "red-7"
    assert set(loaded.split()) - {"numpy", "cv2"} == {"cardsight", "croupier_rules"}


@pytest.mark.parametrize(
    ("described", "version"),
    [
        ("v0.3.0-0-gabc1234\n", "0.3.0"),
        ("v0.3.0-12-gabc1234", "0.3.1.dev12"),
        ("v1.10.2-1-g0", "1.10.3.dev1"),
        ("", tools.version.UNTAGGED),
        ("v1-3-gabc1234", tools.version.UNTAGGED),
    ],
)
def test_the_version_is_that_of_the_tag(described: str, version: str) -> None:
    assert tools.version.of_description(described) == version


def test_a_folder_without_git_has_the_version_before_any_tag(tmp_path: Path) -> None:
    assert tools.version.version(tmp_path) == tools.version.UNTAGGED
