"""What CI runs behind `make test`: the long tests and suites that a change can break (`tools.affected`).

    python -m tools.ci SECONDS      SECONDS: what `make test` took

The suites run beside the long tests, one after the other: they wait for one core, a virtual machine or an import where
the long tests compute, and the other way round. What they print is shown when each has ended.

A suite that fails, or hangs, decides. A suite that the clock (`CLOCK_S`) stops decides by the tests that have ended,
and is listed as not run to its end. What was left out, and why, is printed. The same seeds decide each time, so that a
change is judged by what it changed; new seeds and new fuzzing are for `make nightly`. A known vulnerability of a locked
package decides, too; a registry that does not answer is reported.

When all of it has run and passed, docs/test-times.md is written: its commit is the base of the next change.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final
from xml.etree import ElementTree

from tools.affected import SUITES, Selection, selection
from tools.lock import ROOT
from tools.test_times import Outcome, write

CLOCK_S: Final = 75 * 60
"""The whole run takes no longer."""

AUDIT_S: Final = 60
"""Kept for `make audit`, which comes last."""

RESULTS: Final = ROOT / "out/ci"
"""The results of each suite, as JUnit writes them."""

ABOUT: Final = {
    "test": "the checks, and every test of seconds",
    "test-long": "what takes longer than 2 s",
    **{suite.target: suite.about for suite in SUITES},
}
"""The suites of CI, and what they test."""

BAD: Final = ("failure", "error")

GRACE_S: Final = 30
"""Time for a stopped suite to print what failed and what was running."""

KNOWN_VULNERABILITY: Final = 1
"""Exit status of `tools.audit`; 2: a registry did not answer."""

BESIDE: Final = {"PYTEST_XDIST_AUTO_NUM_WORKERS": "2"}
"""The workers of a suite that runs beside the long tests."""


@dataclass(frozen=True)
class Ended:
    """The end of a suite. ``status``: exit status, ``None`` if the clock stopped it. ``has_failed``: it decides."""

    target: str
    status: int | None
    has_failed: bool
    took_s: float

    @property
    def name(self) -> str:
        """The command that people would type."""
        return f"make {self.target}"

    def report(self) -> str:
        """Return the line that tells the outcome."""
        how = {0: "passed", None: "NOT RUN TO ITS END: out of time"}.get(self.status, f"ended with {self.status}")
        return f"== {self.name}: {how} after {self.took_s:.0f} s"


def run(
    command: list[str], limit_s: float, environment: dict[str, str] | None = None, output: Path | None = None
) -> int | None:
    """Run a command and return its exit status; ``None`` if it was stopped after ``limit_s``. ``output``: the file for
    what it prints; ``None``: it prints to the output of this process."""
    if limit_s <= 0:
        return None
    with output.open("wb") if output else nullcontext() as file:
        told = None if file is None else subprocess.STDOUT
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | (environment or {}), start_new_session=True, stdout=file, stderr=told
        )
    with suppress(subprocess.TimeoutExpired):
        return process.wait(limit_s)
    process.terminate()  # make passes it on to pytest, which lets its workers print what failed
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return None


def has_failed(results: Path) -> bool:
    """True if a suite that was stopped reports a test that failed, or reports nothing at all."""
    try:
        return any(case.find(kind) is not None for case in ElementTree.parse(results).iter("testcase") for kind in BAD)
    except (OSError, ElementTree.ParseError):
        return True


def lanes(chosen: Selection) -> list[list[list[str]]]:
    """Return the arguments of make for each suite that is selected: those of a lane run one after the other, the lanes
    side by side."""
    long = [] if chosen.tests == () else [["test-long", *([f"TESTS={' '.join(chosen.tests)}"] if chosen.tests else [])]]
    return [lane for lane in (long, [[suite] for suite in chosen.suites]) if lane]


def run_lane(lane: list[list[str]], left_s: Callable[[], float], is_beside: bool) -> list[Ended]:
    """Run suites one after the other. ``left_s``: returns the time that is left. ``is_beside``: they run beside a lane
    whose output theirs must not interrupt."""
    return [_run_suite(goal, left_s, is_beside) for goal in lane]


def _run_suite(goal: list[str], left_s: Callable[[], float], is_beside: bool) -> Ended:
    began, target = monotonic(), goal[0]
    results, output = RESULTS / f"{target}.xml", RESULTS / f"{target}.txt"
    RESULTS.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    output.write_text("")
    limit_s = left_s() - AUDIT_S - GRACE_S
    environment, shown = (BESIDE, output) if is_beside else (None, None)
    status = run(["make", *goal, f"RESULTS={results}"], limit_s, environment, shown)
    decides = bool(status) if status is not None else limit_s > 0 and has_failed(results)
    ended = Ended(target, status, decides, monotonic() - began)
    print(f"{output.read_text(encoding='utf-8', errors='replace')}{ended.report()}", flush=True)
    return ended


def report(chosen: Selection) -> str:
    """Return the list of tests and suites that are left out, and the reason."""
    lines = []
    if chosen.tests is None:
        lines.append(f"== all long tests: {chosen.why}")
    else:
        lines.append(f"== {len(chosen.changed)} changed files select {len(chosen.tests)} files of long tests")
        lines += [f"== left out, since it imports nothing that has changed: {test}" for test in chosen.left_out]
    lines += [f"== left out, since nothing has changed there: make {suite}" for suite in chosen.suites_left_out]
    lines.append("== left out, since it decides about no change: make nightly (more seeds, fuzzing, mutants)")
    return "\n".join(lines)


def main(took_s: str = "0") -> int:
    """Run the selected tests and suites. Returns 1 if one of them failed."""
    began = monotonic() - float(took_s)

    def left_s() -> float:
        return CLOCK_S - (monotonic() - began)

    chosen = selection()
    print(report(chosen), flush=True)
    side_by_side = lanes(chosen)
    if side_by_side:
        run(["make", *(f"needs-{goal[0]}" for lane in side_by_side for goal in lane)], left_s())
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(run_lane, lane, left_s, at > 0) for at, lane in enumerate(side_by_side)]
    ended = [one for lane in running for one in lane.result()]
    failed = [one.name for one in ended if one.has_failed]
    stopped = [one.name for one in ended if one.status is None]
    passed = [
        Outcome("`make test`", ABOUT["test"], 0, float(took_s)),
        *(Outcome(f"`{one.name}`", ABOUT[one.target], 0, one.took_s) for one in ended if one.status == 0),
    ]
    if run([sys.executable, "-m", "tools.audit"], AUDIT_S) == KNOWN_VULNERABILITY:
        failed.append("make audit")
    print(f"== {monotonic() - began:.0f} s, {len(failed)} failed", *failed, sep="\n==   failed: ")
    if chosen.tests is None and not failed and not stopped:
        reports = [RESULTS / f"{target}.xml" for target in ABOUT]
        is_written = write(passed, reports, is_base=True)
        print("== all has passed:", "docs/test-times.md names" if is_written else "the files differ from", "the commit")
    if stopped:
        print("== not run to its end, by the clock:", ", ".join(stopped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
