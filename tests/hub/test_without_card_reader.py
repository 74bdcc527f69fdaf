"""A hub has no camera: it runs where neither the card reader nor OpenCV nor NumPy is installed, nor much else."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lock import ROOT, resolved

OWN = ("host/croupier-rules/croupier_rules", "host/croupier/croupier", "host/croupier-extras/croupier_extras",
       "host/croupier-hub/croupier_hub", "firmware")  # fmt: skip
MOST_BYTES = 80_000_000
"""Of all that `pip install --no-compile croupier-hub` installs."""

WITHOUT = """
import json, sys
from importlib.abc import MetaPathFinder
missing = set(json.loads(sys.argv.pop(1)))

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""
EVERY_MODULE = """
import croupier_hub
from importlib import import_module
from pkgutil import walk_packages
names = [module.name for module in walk_packages(croupier_hub.__path__, "croupier_hub.")]
for name in names:
    import_module(name)
print(len(names))
"""
COMMAND = "from croupier.cli.main import run; sys.exit(run(sys.argv[1:]))"


@cache
def needed(requirement: str) -> frozenset[str]:
    """The distributions of others that come with a requirement, such as one of ours."""
    found, waiting = set[tuple[str, str]](), [(Requirement(one), "") for one in resolved(requirement)]
    while waiting:
        wanted, extra = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        for inner in ("", *wanted.extras):
            if (one := (canonicalize_name(wanted.name), inner)) not in found:
                found.add(one)
                waiting += [(Requirement(text), inner) for text in distribution(wanted.name).requires or ()]
    return frozenset(name for name, _ in found)


def bytes_of(distribution_: str) -> int:
    """Of the files of a distribution, without what Python compiles."""
    files = [Path(str(file.locate())) for file in distribution(distribution_).files or ()]
    return sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file())


def alone(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program with nothing but what croupier-hub requires."""
    missing = {"cardsight"}
    for module, names in packages_distributions().items():
        if not {*map(canonicalize_name, names)} & needed("croupier-hub"):
            missing.add(module)
    missing -= {Path(one).name for one in OWN} | {"tablewire", "tests"}
    command = [sys.executable, "-c", WITHOUT + code, json.dumps(sorted(missing)), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_hub_needs_no_card_reader_and_at_most_80_megabytes() -> None:
    assert not needed("croupier-hub") & {"opencv-python-headless", "numpy", "babel", "pillow", "fonttools"}
    own = [file for one in OWN for file in (ROOT / one).rglob("*") if file.suffix not in (".pyc", ".po")]
    size = sum(file.stat().st_size for file in own if file.is_file()) + sum(map(bytes_of, needed("croupier-hub")))
    assert MOST_BYTES // 2 < size <= MOST_BYTES


@pytest.mark.slow
def test_every_module_of_the_hub_is_loaded_with_nothing_but_what_it_requires() -> None:
    done = alone(EVERY_MODULE)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 20


@pytest.mark.slow
def test_the_pages_of_a_hub_say_nothing_of_packages_that_they_do_not_need() -> None:
    done = alone("from croupier_hub.pages.render import Renderer\nprint(Renderer().text('error', status=404, why='x'))")
    assert (done.returncode, done.stderr) == (0, "")
    assert "<html" in done.stdout


@pytest.mark.slow
def test_a_tournament_is_planned_without_a_card_reader() -> None:
    done = alone(COMMAND, "tournament", "plan", "--players", "8", "--language", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Table 1" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("tournament plan --players 8 --pdf x.pdf", "a PDF needs fpdf: install croupier with its extra paper"),
        (
            "tournament hub --database postgresql+psycopg:///hub --director " + "0" * 64,
            "PostgreSQL needs its library libpq: install Debian’s libpq5, or croupier-hub with its extra postgresql",
        ),
    ],
)
def test_what_an_extra_brings_is_named(
    command: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    without_libpq = "import ctypes.util\nctypes.util.find_library = lambda _name: None\n"
    done = alone(without_libpq + COMMAND, *command.split(), "--language", "en")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"croupier: {text}")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["read table.jpg", "doctor --only camera"])
def test_a_command_that_reads_cards_says_what_to_install(command: str) -> None:
    done = alone(COMMAND, *command.split(), "--language", "en")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"croupier: {command.split()[0]} needs ")
    assert line.endswith(f", which is not installed: make -C {ROOT} setup")
