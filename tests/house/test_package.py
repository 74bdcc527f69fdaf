"""What is packed: the three packages with all their data, and nobody's photographs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from croupier.i18n import LANGUAGES
from tools.lock import ROOT

PACKAGES = {"croupier": "host", "croupier_sim": "sim", "cardsight": "vision", "tablewire": "firmware/lib"}
"""Import name, and the folder it lies in."""

PHOTOGRAPHS = (".jpg", ".jpeg", ".heic", ".webp", ".tif", ".tiff", ".bmp")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source package of what is checked in or about to be."""
    folder = tmp_path_factory.mktemp("packed")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(packed: Path) -> list[str]:
    (file,) = packed.glob("croupier-*-py3-none-any.whl")
    return zipfile.ZipFile(file).namelist()


@pytest.fixture(scope="module")
def sdist(packed: Path) -> list[str]:
    (file,) = packed.glob("croupier-*.tar.gz")
    return [name.partition("/")[2] for name in tarfile.open(file).getnames()]


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_the_wheel_holds_every_file_of_each_package(wheel: list[str], package: str) -> None:
    folder = ROOT / PACKAGES[package]
    tracked = subprocess.run(
        ["git", "ls-files", package], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert f"{package}/py.typed" in tracked
    assert {name for name in tracked if not name.endswith(".po")} <= set(wheel)


@pytest.mark.slow
def test_the_wheel_holds_a_compiled_catalog_for_each_language_and_not_its_sources(wheel: list[str]) -> None:
    compiled = {f"croupier/i18n/{code}/catalog.mo" for code in LANGUAGES if code != "en"}
    assert {name for name in wheel if name.endswith((".mo", ".po"))} == compiled


@pytest.mark.slow
def test_the_wheel_holds_nothing_else(wheel: list[str]) -> None:
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == set(PACKAGES)


@pytest.mark.slow
def test_the_wheel_brings_the_firmware_along(wheel: list[str]) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "firmware"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "firmware/main.py" in tracked
    assert {f"croupier/{name}" for name in tracked} <= set(wheel)


@pytest.mark.slow
def test_the_wheel_offers_the_program_and_names_its_license(packed: Path, wheel: list[str]) -> None:
    (file,) = packed.glob("*.whl")
    about = next(name.split("/")[0] for name in wheel if ".dist-info/" in name)
    entries = zipfile.ZipFile(file).read(f"{about}/entry_points.txt")
    assert b"croupier = croupier.cli.main:main" in entries
    assert b"demo = croupier_sim.cli:app" in entries
    assert f"{about}/licenses/LICENSE" in wheel


@pytest.mark.slow
def test_the_source_package_can_be_built_and_tested_from(sdist: list[str]) -> None:
    for name in ("pyproject.toml", "Makefile", "README.md", "LICENSE", "tests/conftest.py", "tools/lock.py"):
        assert name in sdist


@pytest.mark.slow
def test_no_photograph_is_packed(wheel: list[str], sdist: list[str]) -> None:
    pictures = {name for name in wheel + sdist if name.lower().endswith(PHOTOGRAPHS)}
    assert pictures == {"docs/table.jpg", "docs/score.jpg", "docs/round.webp"}, "drawn by make pictures"


@pytest.mark.slow
def test_a_catalog_says_nothing_of_the_time_of_its_build(packed: Path, wheel: list[str]) -> None:
    (file,) = packed.glob("*.whl")
    for name in wheel:
        if name.endswith(".mo"):
            dates = re.findall(rb"\d{4}-\d\d-\d\d \d\d:\d\d", zipfile.ZipFile(file).read(name))
            assert set(dates) == {b"1970-01-01 00:00"}, name


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
            build = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / place / "dist")]
            environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
            subprocess.run(build, cwd=tmp_path / place, env=environment, check=True, capture_output=True)
        finally:
            os.umask(before)
        built.append({file.name: file.read_bytes() for file in (tmp_path / place / "dist").iterdir()})
    assert sorted(built[0]) == sorted(built[1])
    assert len(built[0]) == 2
    for name, content in built[0].items():
        assert content == built[1][name], name
