"""Every test that there is, with new seeds and new fuzzing: `make nightly`. Hours, on two cores.

    python -m tools.nightly             run all, and write the times into docs/test-times.md
    python -m tools.nightly SUITE …     only these suites

The page names the commit at which everything last passed: `tools.affected` compares a change with it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final
from xml.etree import ElementTree

from tools.affected import TIMES
from tools.lock import ROOT

RESULTS: Final = ROOT / "out/nightly"

PYTEST_MARKS: Final = "long or hypothesis or nightly"


@dataclass(frozen=True)
class Suite:
    """A suite: its name, the command, and what it is for."""

    name: str
    command: tuple[str, ...]
    about: str


def _make(*goal: str, about: str) -> Suite:
    return Suite(f"make {goal[0]}", ("make", *goal), about)


def suites() -> tuple[Suite, ...]:
    """Return all suites, with seeds that no run before has tried: they begin at the number of the commits."""
    count = subprocess.run(("git", "rev-list", "--count", "HEAD"), cwd=ROOT, check=True, capture_output=True, text=True)
    first = int(count.stdout) * 1000 + 1_000_000
    return (
        _make("test", about="the checks, and every test of seconds"),
        _make("test-long", f"MARKS={PYTEST_MARKS}", about="long tests, all seeds of `nightly` tests"),
        _make("test-pi", about="card reader and cameras with older OpenCV and NumPy"),
        _make("test-gpio", about="pins of a real kernel"),
        _make("test-hardware", about="parts that can be printed and fit"),
        _make("fuzz", "SECONDS=300", about="parsers with damaged input, 300 s each"),
        _make("sim", f"SEEDS={first}-{first + 999}", about="1,000 new seeds of the deterministic simulation"),
        _make("long-run", about="1,000 games in a row in one program"),
        _make("audit", about="known vulnerabilities"),
    )


def files_of(results: Path) -> dict[str, tuple[int, float]]:
    """Return number of tests and seconds of each test file in a report of JUnit."""
    files: dict[str, tuple[int, float]] = {}
    for case in ElementTree.parse(results).iter("testcase") if results.exists() else ():
        file = case.get("classname", "").replace(".", "/")
        while file and not (ROOT / f"{file}.py").exists():
            file = file.rpartition("/")[0]  # a class of tests
        n, seconds = files.get(f"{file}.py", (0, 0.0))
        files[f"{file}.py"] = n + 1, seconds + float(case.get("time", "0"))
    return files


def run(suite: Suite) -> tuple[int, float]:
    """Run a suite. Returns its exit status and its seconds."""
    results = RESULTS / f"{suite.name.split()[1]}.xml"
    results.unlink(missing_ok=True)
    environment = {"CI": "1", "CROUPIER_LONG": "1", "PYTEST_ADDOPTS": f"--junitxml={results}"}
    began = monotonic()
    print(f"== {suite.name}", flush=True)
    status = subprocess.run(suite.command, cwd=ROOT, env=os.environ | environment, check=False).returncode
    print(f"== {suite.name}: {'passed' if status == 0 else f'ended with {status}'}", flush=True)
    return status, monotonic() - began


def page(commit: str, outcomes: dict[str, tuple[int, float]], old: str = "") -> str:
    """Return docs/test-times.md. ``outcomes``: exit status and seconds of each suite, by name; ``old``: the last page,
    whose commit is kept unless all have passed now."""
    has_passed = len(outcomes) == len(suites()) and not any(status for status, _ in outcomes.values())
    found = re.search(r"passed at `([0-9a-f]{40})`", old)
    passed = commit if has_passed else found[1] if found else ""
    lines = [
        "# How long the tests take\n\nWritten by `make nightly`, which runs every test that there is. "
        f"Here: {os.cpu_count()} cores, commit `{commit[:12]}`.\n"
        + (f"Everything last passed at `{passed}`." if passed else "Everything has not passed yet."),
        "\n| suite | what it tests | seconds | outcome |\n|---|---|---:|---|",
    ]
    for suite in suites():
        if suite.name in outcomes:
            status, took_s = outcomes[suite.name]
            lines.append(f"| `{suite.name}` | {suite.about} | {took_s:.0f} | {'failed' if status else 'passed'} |")
    lines += ["", "Seconds of a file are the sum of its tests, which run side by side.", ""]
    lines += ["| file | tests | seconds |", "|---|---:|---:|"]
    seconds, tests = dict[str, float](), Counter[str]()
    for results in sorted(RESULTS.glob("*.xml")):
        for file, (n, taken_s) in files_of(results).items():
            tests[file] += n
            seconds[file] = seconds.get(file, 0.0) + taken_s
    slowest_first = sorted(seconds, key=lambda file: -seconds[file])
    lines += [f"| `{file}` | {tests[file]} | {seconds[file]:.1f} |" for file in slowest_first]
    return "\n".join(lines) + "\n"


def main(*names: str) -> int:
    """Run the suites of these names, or all. Returns 1 if one failed."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    outcomes = {suite.name: run(suite) for suite in suites() if not names or suite.name.split()[1] in names}
    head = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, check=True, capture_output=True, text=True)
    TIMES.write_text(page(head.stdout.strip(), outcomes, TIMES.read_text() if TIMES.exists() else ""), encoding="utf-8")
    for name, (status, seconds) in outcomes.items():
        print(f"== {name}: {'failed' if status else 'passed'}, {seconds:.0f} s")
    return 1 if any(status for status, _ in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
