"""A hub has no camera: it runs where neither the card reader nor OpenCV nor NumPy is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.lock import ROOT

WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("cardsight", "cv2", "numpy"):
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


def without_card_reader(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_every_module_of_the_hub_is_loaded_without_a_card_reader() -> None:
    done = without_card_reader(EVERY_MODULE)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 20


@pytest.mark.slow
def test_a_tournament_is_planned_without_a_card_reader() -> None:
    done = without_card_reader(COMMAND, "tournament", "plan", "--players", "8", "--language", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Table 1" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ["read table.jpg", "doctor --only camera"])
def test_a_command_that_reads_cards_says_what_to_install(command: str) -> None:
    done = without_card_reader(COMMAND, *command.split(), "--language", "en")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"croupier: {command.split()[0]} needs ")
    assert line.endswith(f", which is not installed: make -C {ROOT} setup")
