"""Every test that there is, with new seeds and new fuzzing: `make nightly`. Hours, on two cores.

python -m tools.nightly             run all, and write the times into docs/test-times.md
python -m tools.nightly SUITE …     only these suites, such as ``sim`` or ``mutants``
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from tools import affected
from tools.lock import ROOT
from tools.mutants import PARTS
from tools.test_times import Outcome, write

RESULTS: Final = ROOT / "out/nightly"

ALL_MARKS: Final = "long or hypothesis or nightly"


@dataclass(frozen=True)
class Suite:
    """A suite: its name, the arguments of make, what it tests, and whether CI runs the same."""

    name: str
    goal: tuple[str, ...]
    about: str
    is_of_ci: bool = False

    @property
    def key(self) -> str:
        """The target of make, by which people ask for the suite."""
        return self.goal[0]


def run_number() -> int:
    """Return CROUPIER_RUN, or the number of commits: a run of a new commit tries seeds that no run before has tried."""
    count = ("git", "rev-list", "--count", "HEAD")
    chosen = os.environ.get("CROUPIER_RUN", "")
    return int(chosen or subprocess.run(count, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def suites() -> tuple[Suite, ...]:
    """Return all suites. Their seeds follow the `run_number`."""
    first = run_number() * 1000 + 1_000_000
    mutants = (
        Suite(f"`make mutants PART={part}`", ("mutants", f"PART={part}"), "does a test notice a change of the code?")
        for part in PARTS
    )
    return (
        Suite("`make test`", ("test",), "the checks, and every test of seconds", is_of_ci=True),
        Suite(
            "`make test-long`, all seeds", ("test-long", f"MARKS={ALL_MARKS}", "PROFILE=nightly"),
            "long tests, those of `nightly` too, and more examples of hypothesis", is_of_ci=True,
        ),
        *(Suite(f"`make {one.target}`", (one.target,), one.about, is_of_ci=True) for one in affected.SUITES),
        Suite("`make fuzz`", ("fuzz", "SECONDS=300"), "parsers with damaged input, 300 s each"),
        Suite("`make sim`", ("sim", f"SEEDS={first}-{first + 999}"), "1,000 new seeds of the deterministic simulation"),
        Suite(
            "`make sim OF=tournament`", ("sim", "OF=tournament", f"SEEDS={first}-{first + 999}"),
            "1,000 new seeds of a tournament with its hub",
        ),
        Suite("`make long-run`", ("long-run",), "1,000 games in a row in one program"),
        *mutants,
        Suite("`make audit`", ("audit",), "known vulnerabilities"),
    )  # fmt: skip


def results_of(suite: Suite) -> Path:
    """Return where the tests of a suite report their results."""
    return RESULTS / f"{suite.key}.xml"


def run(suite: Suite) -> Outcome:
    """Run a suite and return its outcome."""
    results_of(suite).unlink(missing_ok=True)
    began = monotonic()
    environment = {"CI": "1", "CROUPIER_LONG": "1", "CROUPIER_RUN": str(run_number())}
    print(f"== {' '.join(f'{name}={value}' for name, value in environment.items())} {suite.name}", flush=True)
    command = ("make", *suite.goal, f"RESULTS={results_of(suite)}")
    status = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=False).returncode
    outcome = Outcome(suite.name, suite.about, status, monotonic() - began)
    print(f"== {suite.name}: {'passed' if status == 0 else f'ended with {status}'}", flush=True)
    return outcome


def main(*names: str) -> int:
    """Run the suites of these names, or all. Returns 1 if one failed."""
    known = {suite.key for suite in suites()}
    if unknown := [name for name in names if name not in known]:
        print(f"nightly: there is no {unknown[0]}: expected one of {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    RESULTS.mkdir(parents=True, exist_ok=True)
    wanted = [suite for suite in suites() if not names or suite.key in names]
    outcomes = {suite: run(suite) for suite in wanted}
    has_all = all(suite in outcomes for suite in suites() if suite.is_of_ci)
    is_base = has_all and not any(outcome.status for suite, outcome in outcomes.items() if suite.is_of_ci)
    reports = [results_of(suite) for suite in outcomes] if has_all else None
    if not write(outcomes.values(), reports, is_base=is_base):
        print("== the files differ from the commit: docs/test-times.md stays as it was")
    for outcome in outcomes.values():
        print(f"== {outcome.name}: {'failed' if outcome.status else 'passed'}, {outcome.took_s:.0f} s")
    return 1 if any(outcome.status for outcome in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
