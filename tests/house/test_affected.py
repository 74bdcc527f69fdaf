"""Which long tests CI runs after a change."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools import affected, ci, nightly
from tools.affected import SUITES, long_tests, module_of, select, stands_for
from tools.lock import ROOT

ALL_SUITES = tuple(suite.target for suite in SUITES)


def path_of(name: str, inside: str = "") -> str:
    """The path of the only file of that name in a folder, wherever the folder lies."""
    (found,) = (path for path in tracked() if path.endswith(f"/{name}") and inside in path)
    return found


def tracked() -> list[str]:
    return subprocess.run(("git", "ls-files"), cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("changed", "inside", "selected", "left_out"),
    [
        pytest.param("standings.py", "croupier_hub/", ["tests/hub/test_desk.py"], ["tests/vision/test_track.py"],
                     id="the-hub"),
        pytest.param("reader.py", "cardsight", ["tests/vision/test_track.py"], ["tests/wire/test_noise.py"],
                     id="the-reader"),
        pytest.param("ring.py", "firmware/pico", ["tests/firmware/test_ring.py"], ["tests/vision/test_track.py"],
                     id="firmware-runs-in-the-simulated-board"),
        pytest.param("base.html", "/web/", ["tests/web/test_browser.py"], ["tests/vision/test_track.py"],
                     id="a-template-stands-for-its-package"),
        pytest.param("test_desk.py", "tests/hub", ["tests/hub/test_desk.py"], ["tests/hub/test_logs.py"], id="a-test"),
        pytest.param("hosted.py", "tests/web", ["tests/web/test_hosted_round.py"], ["tests/web/test_luck.py"],
                     id="a-helper-of-tests"),
        pytest.param("glossary.md", "docs", [], ["tests/hub/test_desk.py"], id="a-document"),
    ],
)  # fmt: skip
def test_a_change_selects_the_long_tests_that_import_it(
    changed: str, inside: str, selected: list[str], left_out: list[str]
) -> None:
    chosen = select([path_of(changed, inside)])
    assert chosen.tests is not None
    assert set(selected) <= set(chosen.tests)
    assert set(left_out) <= set(chosen.left_out)
    assert sorted([*chosen.tests, *chosen.left_out]) == sorted(long_tests())


@pytest.mark.parametrize("changed", ["pyproject.toml", "Makefile", ".ci/run", "a-file/that/nobody.knows"])
def test_a_file_without_a_rule_selects_everything(changed: str) -> None:
    chosen = select([changed])
    assert chosen.tests is None
    assert chosen.suites == ALL_SUITES
    assert changed in chosen.why


def test_the_configuration_of_all_tests_selects_all_of_them() -> None:
    assert select(["tests/conftest.py"]).left_out == ()


def test_a_program_that_a_test_starts_is_what_it_depends_on() -> None:
    """`croupier run` in a process of its own: no import shows it."""
    chosen = select([path_of("planner.py", "runtime")])
    assert chosen.tests is not None
    assert {"tests/observers/test_run.py", "tests/hub/test_run.py"} <= set(chosen.tests)


def test_a_module_that_was_deleted_stands_for_its_package() -> None:
    assert stands_for("vision/cardsight/gone.py") == ("cardsight",) or module_of("vision/cardsight/gone.py") is not None


@pytest.mark.parametrize(
    ("changed", "suites"),
    [("reader.py", ("test-pi",)), ("power.py", ("test-hardware",)), ("glossary.md", ())],
)
def test_other_suites_run_if_what_they_test_changes(changed: str, suites: tuple[str, ...]) -> None:
    inside = {"reader.py": "cardsight", "power.py": "hardware/", "glossary.md": "docs"}[changed]
    chosen = select([path_of(changed, inside)])
    assert chosen.suites == suites
    assert set(chosen.suites) | set(chosen.suites_left_out) == set(ALL_SUITES)


def test_every_file_has_a_rule_or_lies_in_a_package() -> None:
    """What is new selects everything until `affected.RULES` says what it stands for; these files do so on purpose."""
    packages = "host|vision|sim|benchmarks|firmware"
    on_purpose = rf"(.*/)?pyproject\.toml|Makefile|tests/apt\.txt|(\.ci|requirements|{packages})/.*"
    assert [path for path in tracked() if stands_for(path) is None and not re.fullmatch(on_purpose, path)] == []


def test_without_a_base_everything_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CROUPIER_BASE", raising=False)
    monkeypatch.setattr(affected, "TIMES", ROOT / "docs/none.md")
    assert affected.selection().tests is None
    monkeypatch.setenv("CROUPIER_BASE", "0" * 40)
    assert "not an ancestor" in affected.selection().why
    monkeypatch.setenv("CROUPIER_BASE", "none")
    assert affected.selection().suites == ALL_SUITES


def test_the_base_is_the_commit_at_which_the_night_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    head = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, check=True, capture_output=True, text=True).stdout
    text = nightly.page(head.strip(), {suite.name: (0, 1.0) for suite in nightly.suites()})
    monkeypatch.delenv("CROUPIER_BASE", raising=False)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: text)
    monkeypatch.setattr(Path, "exists", lambda *_: True)
    assert affected.base_of() == (head.strip(), "")


def test_a_night_with_a_failure_keeps_the_commit_before() -> None:
    before = "everything passed at `" + "a" * 40 + "`"
    outcomes = {suite.name: (0, 1.0) for suite in nightly.suites()}
    assert "passed at `" + "a" * 40 in nightly.page("b" * 40, outcomes | {"make sim": (1, 1.0)}, before)
    assert "passed at `" + "b" * 40 in nightly.page("b" * 40, outcomes, before)


STOPPED = """
import os, signal, threading

def test_a() -> None:
    assert {passes}

def test_b() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait()
"""


@pytest.mark.parametrize("passes", [True, False])
def test_a_suite_that_the_clock_stops_decides_by_what_has_ended(tmp_path: Path, passes: bool) -> None:
    (tmp_path / "test_stopped.py").write_text(STOPPED.format(passes=passes))
    results, options = tmp_path / "results.xml", ("-p", "tests.conftest", "-p", "no:cacheprovider")
    subprocess.run((sys.executable, "-m", "pytest", *options, f"--junitxml={results}", tmp_path), cwd=ROOT, check=False)
    assert ci.has_failed(results) == (not passes)


def test_a_suite_that_takes_longer_than_the_clock_is_stopped() -> None:
    assert ci.run([sys.executable, "-c", "import threading; threading.Event().wait()"], 0.1) is None


def test_a_suite_that_was_killed_without_a_result_has_failed(tmp_path: Path) -> None:
    assert ci.has_failed(tmp_path / "none.xml")
    (tmp_path / "half.xml").write_text("<testsuites>")
    assert ci.has_failed(tmp_path / "half.xml")


def test_the_status_of_a_suite_is_kept() -> None:
    assert ci.run([sys.executable, "-c", "raise SystemExit(3)"], 60) == 3
    assert ci.run([sys.executable, "-c", "raise SystemExit(0)"], 0) is None, "no time is left"


def test_the_page_of_times_sums_up_the_tests_of_a_file(tmp_path: Path) -> None:
    root = ElementTree.Element("testsuite")
    for name, time in (("a", "1.5"), ("b[1]", "2.0")):
        ElementTree.SubElement(root, "testcase", classname="tests.house.test_tools", name=name, time=time)
    ElementTree.ElementTree(root).write(tmp_path / "test.xml")
    assert nightly.files_of(tmp_path / "test.xml") == {"tests/house/test_tools.py": (2, 3.5)}


def test_the_night_runs_every_suite_that_ci_knows() -> None:
    targets = {suite.command[1] for suite in nightly.suites()}
    assert targets >= {*ALL_SUITES, "test", "test-long", "fuzz", "sim"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
