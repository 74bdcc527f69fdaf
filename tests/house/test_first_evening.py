"""Every situation of a first evening names tests that exist, or what is missing; its page is as the table."""

from __future__ import annotations

import ast
import shutil
from types import SimpleNamespace

import pytest

from tools import first_evening
from tools.first_evening import KINDS, PAGE, Outcomes, Situation, report, situations
from tools.lock import ROOT

ROWS = situations()


def row(*tests: str, missing: str = "") -> Situation:
    return Situation("names", "Zoë", "one player", "one form", tests, open=missing)


@pytest.mark.parametrize("test", sorted({test for one in ROWS for test in (*one.tests, *one.nightly)}))
def test_each_test_that_is_named_exists(test: str) -> None:
    file, _, name = test.partition("::")
    function, _, parameter = name.partition("[")
    source = (ROOT / file).read_text(encoding="utf-8")
    functions = ast.parse(source).body
    assert function in {one.name for one in functions if isinstance(one, ast.FunctionDef)}
    assert not parameter or f'"{parameter.removesuffix("]")}"' in source


def test_a_situation_has_tests_or_says_what_is_missing() -> None:
    assert [one.what for one in ROWS if bool(one.tests) == bool(one.open)] == []
    assert {one.kind for one in ROWS} == set(KINDS)


def test_the_page_is_as_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == first_evening.page()


@pytest.mark.parametrize(
    ("ended", "said", "is_good"),
    [
        pytest.param({"a.py::x[1]": "passed", "a.py::x[2]": "passed", "a.py::y": "passed"}, "passed", True, id="all"),
        pytest.param({"a.py::x[1]": "passed", "a.py::x[2]": "failed", "a.py::y": "passed"}, "failed", False, id="one"),
        pytest.param({"a.py::x": "skipped", "a.py::y": "passed"}, "skipped", False, id="skipped"),
        pytest.param({"a.py::x": "passed", "a.py::yes": "passed"}, "did not run", False, id="not-run"),
    ],
)
def test_a_situation_passes_if_all_its_tests_do(ended: dict[str, str], said: str, is_good: bool) -> None:
    outcomes = Outcomes()
    for test, outcome in ended.items():
        for phase in ("passed", outcome, "passed"):
            outcomes.pytest_runtest_logreport(SimpleNamespace(nodeid=test, outcome=phase))
    lines, passed = report([row("a.py::x", "a.py::y")], outcomes)
    assert lines[1].split("  ")[1].strip() == said
    assert passed == is_good


def test_what_is_missing_is_said_and_fails_nothing() -> None:
    lines, passed = report([row(missing="a test")], Outcomes())
    assert passed
    assert "missing: a test" in lines[1]


def test_where_no_machines_can_be_made_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None if program == "ip" else f"/bin/{program}")
    assert first_evening.main() == 2
    told = capsys.readouterr().err
    assert told.endswith("install iproute2\n")
    assert told.count("\n") == 1
