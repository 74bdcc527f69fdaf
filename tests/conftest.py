"""What all tests share."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from functools import partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from croupier import i18n
from tests.namespaces import NoNamespaces, World
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

# What a helper of the tests asserts is told with its values, as in a test.
pytest.register_assert_rewrite(*(f"tests.{folder.name}" for folder in Path(__file__).parent.iterdir()))

# How long one example takes says more about the machine than about the code. CI tries the same examples each time;
# at home and in `make nightly` every run looks at new ones. The Makefile chooses the profile.
for _name, _examples, _is_new in (("short", 25, False), ("long", 100, False), ("nightly", 100, True)):
    _is_same = "CI" in os.environ and not _is_new
    settings.register_profile(_name, deadline=None, derandomize=_is_same, max_examples=_examples)
settings.load_profile("short")


# The thousands of journals that tests write wait for no disk where memory can hold them.
with suppress(OSError):
    if shutil.disk_usage("/dev/shm").free > 4 << 30:
        os.environ.setdefault("TMPDIR", "/dev/shm")
        tempfile.tempdir = None  # asks the environment again

gc.disable()  # until all is collected

for _variable in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
    os.environ.pop(_variable, None)  # what the program says is tested in English, wherever the tests run

os.environ["XDG_DATA_DIRS"] = "/nonexistent"  # what the program draws has the fonts that it brings along

MAY_BE_SKIPPED = ("only root may mount a small disk",)
"""How the reasons begin for which CI, too, may skip a test. What else is missing there is an error."""


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """One test's language is not the next one's."""
    yield
    i18n.use("en")


@pytest.fixture
def world() -> Iterator[World]:
    """Machines and networks of their own; skipped where this user may make none, but not in CI."""
    with ExitStack() as stack:
        try:
            made = stack.enter_context(World())
        except NoNamespaces as err:
            pytest.skip(f"this user may make no network namespaces (unshare -rnm): {err}")
        yield made


_DRIVER_LOOP = pytest.StashKey[asyncio.AbstractEventLoop]()


@pytest.fixture(scope="session")
def playwright(request: pytest.FixtureRequest) -> Iterator[Playwright]:
    """The driver of all browsers."""
    from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

    for kind in (BrowserContext, Browser):
        kind.close = partialmethod(_close_in_time, reason=None)  # type: ignore[assignment]
    Page.close = partialmethod(_close_in_time, reason=None, run_before_unload=None)  # type: ignore[assignment]
    for name in ("new_context", "new_page"):
        setattr(Browser, name, partialmethod(_open_patient, getattr(Browser, name)))
    with sync_playwright() as driver:
        request.session.stash[_DRIVER_LOOP] = asyncio.get_running_loop()
        yield driver


def _open_patient(self: Browser, open_one: Callable[..., Any], **options: Any) -> Any:
    """Open a context, or a page in one of its own, which waits as long for what it presses as `expect` for a text: with
    Playwright's own half a minute, a test fails on a busy machine."""
    made = open_one(self, **options)
    made.set_default_timeout(1000 * PATIENCE_S)
    return made


def _close_in_time(self: Any, **options: None) -> None:
    """Close a page, a context or a browser. Playwright waits for ever if Chromium does not answer, as happens now and
    then to a page that is closed while it goes elsewhere; the end of the browser takes along what was left."""
    with suppress(TimeoutError):
        self._sync(asyncio.wait_for(self._impl_obj.close(**options), PATIENCE_S))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Show the loop of the browsers' driver, which runs in the tests' thread, to tests with a browser alone."""
    _show_driver_loop(item, "playwright" in getattr(item, "fixturenames", ()))
    try:
        return (yield)
    finally:
        _show_driver_loop(item, False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Show it where the last test of a module gives back the module's browser, whether that test has one or not."""
    _show_driver_loop(item, True)


def _show_driver_loop(item: pytest.Item, is_shown: bool) -> None:
    asyncio._set_running_loop(item.session.stash.get(_DRIVER_LOOP, None) if is_shown else None)


class _ToldAtOnce:
    """A suite that is stopped before its end has told what failed, and tells what it waited for."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal
        self._running: set[str] = set()
        signal.signal(signal.SIGTERM, self._stop)

    def _stop(self, *_: object) -> None:
        self._terminal.write_line("\n".join(["\nstopped while these ran:", *sorted(self._running)]))
        raise KeyboardInterrupt

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running.add(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._running.discard(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            why = [line for line in report.longreprtext.splitlines() if line.startswith("E ")]
            self._terminal.write_line("\n".join([f"\nfailed: {report.nodeid} ({report.when})", *why[-20:]]))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let the process that prints the results, and no worker of it, tell at once."""
    if (terminal := config.pluginmanager.get_plugin("terminalreporter")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_ToldAtOnce(terminal))


LEFT_TO_NIGHTLY = pytest.StashKey[Counter[str]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run what takes minutes first, so that nobody waits for it alone at the end; then what is quick."""
    nightly = Counter(item.nodeid.partition("::")[0] for item in items if item.get_closest_marker("nightly"))
    config.stash[LEFT_TO_NIGHTLY] = nightly
    items.sort(key=lambda item: (-_minutes(item), item.get_closest_marker("slow") is not None))


def _minutes(item: pytest.Item) -> float:
    long = item.get_closest_marker("long")
    return float(long.kwargs.get("minutes", 0)) if long else 0


def pytest_collection_finish() -> None:
    """Spare the garbage collector all that was imported: it is there to the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear from the workers, all of which collect the same tests, which of them are left to `make nightly`."""
    node.config.stash[LEFT_TO_NIGHTLY] = Counter(getattr(node, "workeroutput", {}).get("nightly", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were left out."""
    config = terminalreporter.config
    left = config.stash.get(LEFT_TO_NIGHTLY, Counter())
    if left and config.getoption("markexpr") == "long and not nightly":
        terminalreporter.section(f"left to make nightly: {left.total()} tests")
        terminalreporter.write_line(", ".join(f"{file} {n}" for file, n in sorted(left.items())))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Pass if the files given to `make test-long` have no long test."""
    if hasattr(session.config, "workeroutput"):
        left: Counter[str] = session.config.stash.get(LEFT_TO_NIGHTLY, Counter())
        session.config.workeroutput["nightly"] = dict(left)
    is_long = session.config.getoption("markexpr").startswith("long")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and is_long and session.config.args_source.name == "ARGS":
        session.exitstatus = pytest.ExitCode.OK


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """More workers than cores, since tests wait for processes, ports and browsers: short ones a third of their time."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # xdist takes that number
    return (os.cpu_count() or 1) + (2 if "not long" in config.getoption("markexpr") else 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one in CI."""
    report = yield
    if "CI" in os.environ and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if not reason.removeprefix("Skipped: ").startswith(MAY_BE_SKIPPED):
            report.outcome, report.longrepr = "failed", f"CI skips no test; {reason}"
    return report


@pytest.fixture(scope="session")
def chromium_of_session(playwright: Playwright) -> Iterator[Browser]:
    from tests.web import chromium

    with chromium.started(playwright) as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(chromium_of_session: Browser) -> Iterator[Browser]:
    """A browser without pages: those that a module has left open go with it."""
    yield chromium_of_session
    for context in chromium_of_session.contexts:
        context.close()
