"""What CI runs behind `make test`: the long tests and suites that a change can break (`tools.affected`).

    python -m tools.ci SECONDS      SECONDS: what `make test` took

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
from contextlib import suppress
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


def run(command: list[str], limit_s: float, environment: dict[str, str] | None = None) -> int | None:
    """Run a command and return its exit status; ``None`` if it was stopped after ``limit_s``."""
    if limit_s <= 0:
        return None
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | (environment or {}), start_new_session=True)
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


def goals(chosen: Selection) -> list[list[str]]:
    """Return the arguments of make for each suite that is selected, the most telling first."""
    long = [] if chosen.tests == () else [["test-long", *([f"TESTS={' '.join(chosen.tests)}"] if chosen.tests else [])]]
    return [*long, *([suite] for suite in chosen.suites)]


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
    failed, stopped = [], []
    passed = [Outcome("`make test`", ABOUT["test"], 0, float(took_s))]
    for goal in goals(chosen):
        at, name, results = monotonic(), f"make {goal[0]}", RESULTS / f"{goal[0]}.xml"
        results.unlink(missing_ok=True)
        limit_s = left_s() - AUDIT_S - GRACE_S
        status = run(["make", *goal, f"RESULTS={results}"], limit_s, {"CROUPIER_RUN": "0"})
        if status is None:
            stopped.append(name)
        if status if status is not None else limit_s > 0 and has_failed(results):
            failed.append(name)
        if status == 0:
            passed.append(Outcome(f"`{name}`", ABOUT[goal[0]], 0, monotonic() - at))
        outcome = "passed" if status == 0 else f"ended with {status}" if status else "NOT RUN TO ITS END: out of time"
        print(f"== {name}: {outcome} after {monotonic() - at:.0f} s", flush=True)
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
