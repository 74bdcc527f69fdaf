"""What import-linter cannot say: the rules and the referee use nothing but the standard library, and no clock of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tools.lock import ROOT

RULES = ROOT / "host/croupier-rules"
PURE = [*RULES.rglob("*.py")]
HEADER = '{"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 1, "given": {"top": "red-7"}}'
SLOW = {"croupier.config", "croupier_rules.rules", "importlib.metadata", "pydantic", "rich"}
IMPURE = {"asyncio", "datetime", "logging", "os", "random", "secrets", "socket", "subprocess", "threading", "time"}


def imported(source: str) -> set[str]:
    """Every module that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update([node.module] if node.module else [])
    return found


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(RULES)))
def test_rules_and_referee_are_pure(path: Path) -> None:
    for name in imported(path.read_text(encoding="utf-8")):
        top = name.split(".")[0]
        assert top == "croupier_rules" or top in sys.stdlib_module_names - IMPURE, f"imports {name}"


def test_the_first_result_waits_for_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), np.zeros((40, 60, 3), np.uint8))
    code = "import sys\nfrom croupier.cli import main\nassert main.run(['read', '--json', sys.argv[1]]) == 0\n"
    code += f"print(sorted(sys.modules.keys() & {SLOW!r}), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, picture], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "[]\n")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import croupier.events", id="events"),
        pytest.param(
            "import importlib, pkgutil, croupier.web, croupier.events\n"
            "for module in pkgutil.walk_packages(croupier.web.__path__, 'croupier.web.'):\n"
            "    importlib.import_module(module.name)",
            id="page-worker",
        ),
        pytest.param("from croupier.cli import main\nassert main.run(['referee', '-']) == 0", id="referee-command"),
    ],
)
def test_a_process_without_a_camera_does_not_load_opencv(code: str) -> None:
    code += "\nimport sys\nassert 'cv2' not in sys.modules, 'OpenCV was loaded'"
    done = subprocess.run(
        [sys.executable, "-c", code], input=f"{HEADER}\n", cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
