"""What import-linter cannot say: the rules and the referee use nothing but the standard library, and no clock of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import cv2
import grimp
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


@pytest.mark.parametrize("package", ["croupier_rules", "cardsight", "croupier", "croupier_hub", "croupier_tally"])
def test_imports_have_no_circles_those_for_types_included(package: str) -> None:
    graph = grimp.build_graph(package, exclude_type_checking_imports=False, cache_dir=None)
    TopologicalSorter({one: graph.find_modules_directly_imported_by(one) for one in graph.modules}).prepare()


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(RULES)))
def test_rules_and_referee_are_pure(path: Path) -> None:
    for name in imported(path.read_text(encoding="utf-8")):
        top = name.split(".")[0]
        assert top == "croupier_rules" or top in sys.stdlib_module_names - IMPURE, f"imports {name}"


OWN_JSON: dict[str, str] = {
    "croupier-hub/croupier_hub/plan_files.py": "a whole file, whose errors are its own",
    "croupier-hub/croupier_hub/table_log.py": "columns of the own outbox",
    "croupier/croupier/journal/head.py": "behind its checksum",
    "croupier/croupier/names.py": "a table of a library",
    "croupier/croupier/runtime/session.py": "a file of older programs, whose errors are caught",
    "croupier/croupier/runtime/settings.py": "the table's own file",
    "croupier/croupier/web/picture_reader.py": "what a child says",
    "croupier/croupier/web/serving.py": "what the table has just written",
    "croupier/croupier/installer.py": "what pip has written",
    "croupier/croupier/journal/journal.py": "what this program has just written",
    "croupier-extras/croupier_extras/voice/speaker.py": "what a child says",
    "croupier-extras/croupier_extras/statistics/routes.py": "a message of the page, whose errors are caught",
    "croupier-extras/croupier_extras/statistics/people.py": "the own file, and a change of it, whose errors are caught",
    "croupier-tally/croupier_tally/page/sheets.py": "a message of the page, whose errors are caught",
    "croupier-extras/croupier_extras/sealed/box.py": "what was sealed here",
    "croupier-extras/croupier_extras/phone_camera/camera.py": "what a child says",
}
"""Where JSON that is no line from outside is loaded, and why it may be."""


def test_lines_from_outside_go_through_the_one_parser() -> None:
    """Which also refuses what `json.loads` answers with a RecursionError, or with a ValueError of the interpreter."""
    host = ROOT / "host"
    found = {
        str(path.relative_to(host))
        for path in host.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("load", "loads") and ast.unparse(node.value) == "json"
    }
    assert found == OWN_JSON.keys()


@pytest.mark.parametrize("command", ["read", "tally"])
def test_the_first_result_waits_for_nothing_that_it_does_not_need(command: str, tmp_path: Path) -> None:
    """In a picture without a card no network but the detector is prepared, and the layout's is not even loaded. Both
    commands are plug-ins, which are found by their metadata."""
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), np.full((480, 640, 3), (60, 90, 120), np.uint8))
    code = f"""
import sys
from cardsight import networks
from croupier.cli import main
from croupier.pictures import table_reader
prepared, load = set(), networks.load_network
networks.load_network = lambda onnx: prepared.add(onnx) or load(onnx)
main.run([{command!r}, '--json', sys.argv[1]])
layouts = table_reader.shipped_layout.cache_info().misses
print(sorted(sys.modules.keys() & {SLOW!r}), len(prepared), layouts, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code, picture], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "['importlib.metadata'] 1 0\n"


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
