"""Which long tests CI runs after a change."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.patience import PATIENCE_S
from tools import affected, ci, nightly, test_times
from tools.affected import SUITES, file_of, graph, long_tests, select, source_of, stands_for
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
        pytest.param("hosted.py", "tests/web", ["tests/web/test_hosted_round.py"], ["tests/extras/test_luck.py"],
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


@pytest.mark.parametrize(
    "changed",
    [
        "pyproject.toml", "vision/pyproject.toml", "requirements/dev.txt", "tests/apt.txt", "Makefile", ".ci/run",
        "tools/affected.py", "tools/ci.py", "vision/cardsight/py.typed", "a-file/that/nobody.knows",
    ],
)  # fmt: skip
def test_what_may_change_everything_selects_everything(changed: str) -> None:
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
    assert {"tests/extras/test_run.py", "tests/hub/test_run.py"} <= set(chosen.tests)


@pytest.mark.parametrize(
    ("changed", "selected"),
    [
        pytest.param("croupier.pictures.worker", "tests/web/test_score_page.py", id="a-child-of-the-page"),
        pytest.param("croupier_extras.voice.player", "tests/extras/test_run.py", id="a-child-of-the-table"),
        pytest.param("croupier_bench.attackers", "tests/runtime/test_bench_page.py", id="a-child-of-a-bench"),
        pytest.param("croupier_bench.emulated", "tests/firmware/test_bench.py", id="a-bench"),
        pytest.param("croupier_sim.shoe_trial", "tests/extras/test_shoe_trial.py", id="a-plug-in-by-its-group"),
        pytest.param("croupier_sim.cli", "tests/hub/test_simulated.py", id="the-command-of-a-plug-in"),
        pytest.param("croupier_extras.stream", "tests/extras/test_overlay.py", id="a-page-of-a-plug-in"),
        pytest.param("croupier_hub.table_observer", "tests/hub/test_run.py", id="an-observer-of-a-plug-in"),
    ],
)
def test_a_module_that_is_found_by_its_name_is_what_a_test_depends_on(changed: str, selected: str) -> None:
    path = file_of(changed)
    assert path.exists()
    tests = select([str(path.relative_to(ROOT))]).tests
    assert tests is not None
    assert selected in tests


def test_a_word_in_a_helper_that_asks_for_no_plug_in_is_no_plug_in() -> None:
    """A machine called "phone", and the command ip link."""
    assert '"link"' in source_of("tests.namespaces")
    assert '"phone"' in source_of("tests.test_namespaces")
    of_tests = graph().find_upstream_modules("tests.test_namespaces")
    assert not {"croupier_extras.link_console.command", "croupier_extras.phone_camera"} & of_tests


def test_a_change_of_the_hub_runs_no_test_of_the_table() -> None:
    hub = ROOT / "host/croupier-hub/croupier_hub"
    for changed in (file_of("croupier_hub.store"), next(hub.glob("**/*.html")), hub / "i18n/de.po"):
        tests = select([str(changed.relative_to(ROOT))]).tests
        assert tests
        assert "tests/hub/test_pages.py" in tests
        of_the_table = ("tests/config", "tests/journal", "tests/runtime", "tests/vision", "tests/firmware", "tests/web")
        assert not {test for test in tests if test.startswith(of_the_table)}


@pytest.mark.parametrize(
    ("deleted", "selected"),
    [
        pytest.param("vision/cardsight/track/gone.py", "tests/vision/test_track.py", id="a-module"),
        pytest.param("vision/cardsight/gone/gone.py", "tests/vision/test_track.py", id="a-package"),
        pytest.param("tests/vision/gone.py", "tests/vision/test_track.py", id="a-helper-of-tests"),
        pytest.param("host/croupier/croupier/web/templates/gone.html", "tests/web/test_browser.py", id="a-template"),
        pytest.param("firmware/pico/gone.py", "tests/firmware/test_ring.py", id="a-module-of-the-firmware"),
    ],
)
def test_what_was_deleted_stands_for_what_was_around_it(deleted: str, selected: str) -> None:
    tests = select([deleted]).tests
    assert tests is None or selected in tests


@pytest.mark.parametrize(
    ("changed", "reader"),
    [
        pytest.param("docs/croupier.toml", "tests.docs.test_commands", id="a-file"),
        pytest.param("host/croupier/croupier/i18n/words.toml", "croupier.i18n.rules", id="read-by-another"),
        pytest.param("deploy/new.service", "tests.house.test_deploy", id="a-folder"),
    ],
)
def test_a_file_stands_for_what_names_it(changed: str, reader: str) -> None:
    assert reader in affected.modules_in(changed, stands_for(changed) or ())


@pytest.mark.parametrize(
    ("changed", "suites"),
    [
        pytest.param("vision/cardsight/reader.py", {"test-pi"}, id="the-reader"),
        pytest.param("sim/croupier_sim/drawing.py", {"test-pi"}, id="what-draws-cards-for-the-reader"),
        pytest.param("host/croupier-extras/croupier_extras/gpio/pins.py", {"test-gpio"}, id="pins"),
        pytest.param("tools/gpio-sim", {"test-gpio"}, id="the-simulated-kernel"),
        pytest.param("hardware/power.py", {"test-hardware"}, id="a-part-of-the-machine"),
        pytest.param("firmware/lib/tablewire/pins.py", {"test-hardware"}, id="what-the-machine-is-wired-by"),
        pytest.param("host/croupier-hub/croupier_hub/store.py", set(), id="the-hub"),
        pytest.param("docs/glossary.md", set(), id="a-document"),
    ],
)
def test_other_suites_run_if_one_of_their_tests_may_break(changed: str, suites: set[str]) -> None:
    assert (ROOT / changed).exists()
    chosen = select([changed])
    assert suites <= set(chosen.suites)
    assert not chosen.suites or suites
    assert set(chosen.suites) | set(chosen.suites_left_out) == set(ALL_SUITES)


@pytest.mark.long
def test_every_file_with_a_long_test_is_known() -> None:
    """A file that is not known would never be selected."""
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-qq", "-m", "long")
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = {line.partition(":")[0] for line in told.splitlines() if line.startswith("tests/")}
    assert len(found) > 100
    assert found <= set(long_tests())


def test_every_file_has_a_rule_or_lies_in_a_package() -> None:
    """What is new selects everything until `affected.RULES` says what it stands for; these files do so on purpose."""
    packages = "host|vision|sim|benchmarks|firmware"
    on_purpose = rf"(.*/)?pyproject\.toml|tests/apt\.txt|(requirements|{packages})/.*"
    unknown = [path for path in tracked() if stands_for(path) is None and not re.fullmatch(on_purpose, path)]
    assert [path for path in unknown if not any(fnmatch(path, judge) for judge in affected.JUDGES)] == []


def test_every_module_is_in_the_graph() -> None:
    """A folder without __init__.py is in none: neither the choice of tests nor the import contracts would see it."""
    no_packages = ("vm", "migrations")  # run by MicroPython and by Alembic; each stands for the package around it
    modules = {path: affected.module_of(path) for path in tracked() if path.endswith(".py")}
    unknown = [
        path for path, module in modules.items() if module is not None and module not in affected.graph().modules
    ]
    assert [path for path in unknown if not any(f"/{folder}/" in path for folder in no_packages)] == []


def test_without_a_base_everything_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CROUPIER_BASE", raising=False)
    monkeypatch.setattr(affected, "TIMES", ROOT / "docs/none.md")
    assert affected.selection().tests is None
    monkeypatch.setenv("CROUPIER_BASE", "0" * 40)
    assert "not an ancestor" in affected.selection().why
    monkeypatch.setenv("CROUPIER_BASE", "none")
    assert affected.selection().suites == ALL_SUITES


AT, BEFORE = "b" * 40, "a" * 40
PASSED, FAILED = test_times.Outcome("`make sim`", "seeds", 0, 1.0), test_times.Outcome("`make fuzz`", "damage", 2, 1.0)


@pytest.fixture
def times(tmp_path: Path) -> test_times.Times:
    root = ElementTree.Element("testsuite")
    for name, time in (("a", "1.5"), ("b[1|2]", "2.0")):
        ElementTree.SubElement(root, "testcase", classname="tests.house.test_tools", name=name, time=time)
    ElementTree.ElementTree(root).write(tmp_path / "test.xml")
    return test_times.Times.read([tmp_path / "test.xml", tmp_path / "none.xml"])


def test_the_base_is_the_commit_at_which_all_of_ci_passed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, times: test_times.Times
) -> None:
    head = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, check=True, capture_output=True, text=True).stdout
    (tmp_path / "times.md").write_text(test_times.page(head.strip(), [PASSED], times, "", is_base=True))
    monkeypatch.delenv("CROUPIER_BASE", raising=False)
    monkeypatch.setattr(affected, "TIMES", tmp_path / "times.md")
    assert affected.base_of() == (head.strip(), "")


def test_a_run_that_is_not_whole_or_fails_keeps_the_base_and_the_rows_of_others(times: test_times.Times) -> None:
    old = test_times.page(BEFORE, [PASSED], times, "", is_base=True)
    new = test_times.page(AT, [FAILED], None, old, is_base=False)
    assert f"passed at `{BEFORE}`" in new
    assert PASSED.row(BEFORE) in new
    assert FAILED.row(AT) in new
    assert "| `tests/house/test_tools.py` | 2 | 3.5 |" in new
    again = test_times.page(AT, [PASSED], None, new, is_base=False)
    assert PASSED.row(BEFORE) not in again
    assert PASSED.row(AT) in again


def test_the_page_of_times_has_one_head_before_any_whole_run() -> None:
    old = test_times.page(BEFORE, [], None, "", is_base=False)
    new = test_times.page(AT, [PASSED], None, old, is_base=False)
    assert new == f"{old}{PASSED.row(AT)}\n"


def test_the_page_of_times_sums_up_the_tests_of_a_file(times: test_times.Times) -> None:
    assert "| `tests/house/test_tools.py` | 2 | 3.5 |" in times.rows()
    assert times.rows()[4] == "| `tests/house/test_tools.py::b[1\\|2] (test)` | 2.0 |"


@pytest.mark.parametrize("goes_wrong", ["", "test-pi"])
def test_a_whole_run_that_passes_writes_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, goes_wrong: str
) -> None:
    written: list[tuple[str, ...]] = []

    def write(outcomes: Iterable[test_times.Outcome], results: object, *, is_base: bool) -> bool:
        assert is_base
        written.append(tuple(outcome.name for outcome in outcomes))
        return True

    monkeypatch.setenv("CROUPIER_BASE", "none")
    monkeypatch.setattr(ci, "write", write)
    monkeypatch.setattr(ci, "run", lambda command, *_: int(goes_wrong != "" and goes_wrong in command))
    monkeypatch.setattr(ci, "RESULTS", tmp_path)
    assert ci.main("1") == bool(goes_wrong)
    assert written == ([] if goes_wrong else [tuple(f"`make {target}`" for target in ci.ABOUT)])


def test_suites_run_beside_the_long_tests_and_show_what_they_print_when_they_have_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    long_runs, suite_has_run = threading.Event(), threading.Event()
    goals = list[list[str]]()
    run = ci.run

    def run_of(command: list[str], limit_s: float, environment: dict[str, str], output: Path | None) -> int | None:
        goals.append(command)
        if command[1] == "test-long":
            long_runs.set()
            assert suite_has_run.wait(PATIENCE_S)
            return 0
        assert long_runs.wait(PATIENCE_S)
        program = (
            "import os, sys; print('2 workers' * (os.environ['PYTEST_XDIST_AUTO_NUM_WORKERS'] == '2')); sys.exit(3)"
        )
        status = run([sys.executable, "-c", program], limit_s, environment, output)
        assert capfd.readouterr().out == ""
        suite_has_run.set()
        return status

    monkeypatch.setattr(ci, "RESULTS", tmp_path)
    monkeypatch.setattr(ci, "run", run_of)
    left_s = lambda: 1000.0  # noqa: E731
    with ThreadPoolExecutor() as pool:
        long = pool.submit(ci.run_lane, [["test-long"]], left_s, False)
        suites = pool.submit(ci.run_lane, [["test-pi"]], left_s, True)
    assert [one.has_failed for one in (*long.result(), *suites.result())] == [False, True]
    assert "2 workers\n== make test-pi: ended with 3 after" in capfd.readouterr().out


def test_what_suites_need_is_installed_before_they_run_side_by_side(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ci, "RESULTS", tmp_path)
    commands = list[list[str]]()

    def run(command: list[str], *_: object) -> int:
        commands.append(command)
        return 1

    monkeypatch.setenv("CROUPIER_BASE", "none")
    monkeypatch.setattr(ci, "run", run)
    assert ci.main("1") == 1
    assert commands[0] == ["make", *(f"needs-{target}" for target in ("test-long", *ALL_SUITES))]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in commands[0][1:]:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
        assert re.search(rf"^{target.removeprefix('needs-')}: {target} ", makefile, re.MULTILINE)


def test_a_run_of_what_a_change_selects_writes_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ci, "RESULTS", tmp_path)
    monkeypatch.setattr(ci, "selection", lambda: select(["docs/glossary.md"]))
    monkeypatch.setattr(ci, "run", lambda *_: 0)
    monkeypatch.setattr(ci, "write", lambda *_, **__: pytest.fail("not all has run"))
    assert ci.main("1") == 0


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


def test_the_night_runs_every_suite_that_ci_knows() -> None:
    targets = {suite.key for suite in nightly.suites()}
    assert targets >= {*ALL_SUITES, "test", "test-long", "fuzz", "sim", "mutants"}
    assert {suite.key for suite in nightly.suites() if suite.is_of_ci} == set(ci.ABOUT)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
