"""The page docs/test-times.md: how long each suite, test file and slow test takes, and the base of `tools.affected`.

`.ci/run` writes it when all long tests and suites have passed (`CROUPIER_BASE=none .ci/run`), `make nightly` each time.
A row that a run has not measured stays as it was.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tools.affected import TIMES
from tools.lock import ROOT

SLOWEST: Final = 40
"""Tests that have a row of their own."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a suite: its name, what it tests, its exit status and the seconds it took."""

    name: str
    about: str
    status: int
    took_s: float

    def row(self, commit: str) -> str:
        """Return its row of the page."""
        told = "failed" if self.status else "passed"
        return f"| {self.name} | {self.about} | {self.took_s:.0f} | {told} | `{commit[:12]}` |"


@dataclass(frozen=True)
class Times:
    """Seconds of the tests of a run, by the name of the test; the file of each."""

    tests: Mapping[str, float]
    files: Mapping[str, str]

    @classmethod
    def read(cls, results: Iterable[Path]) -> Times:
        """Read reports of JUnit; a report that is missing is left out. A test that ran in two suites counts twice."""
        tests: Counter[str] = Counter()
        files = {}
        for report in results:
            for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
                file = case.get("classname", "").replace(".", "/")
                while file and not (ROOT / f"{file}.py").exists():
                    file = file.rpartition("/")[0]  # a class of tests
                test = f"{file}.py::{case.get('name')} ({report.stem})"
                tests[test] += float(case.get("time", "0"))  # type: ignore[assignment]
                files[test] = f"{file}.py"
        return cls(tests, files)

    def rows(self) -> list[str]:
        """Return the tables of the slowest tests and of all files, the slowest first."""
        seconds, number = dict[str, float](), Counter(self.files.values())
        for test, file in self.files.items():
            seconds[file] = seconds.get(file, 0.0) + self.tests[test]
        slowest = sorted(self.tests, key=lambda test: -self.tests[test])[:SLOWEST]
        return [
            f"## The slowest of {len(self.tests):,} tests", "", "| test | seconds |", "|---|---:|",
            *(f"| `{_cell(test)}` | {self.tests[test]:.1f} |" for test in slowest),
            "", "## Each file", "", "Seconds of a file are the sum of its tests, which run side by side.", "",
            "| file | tests | seconds |", "|---|---:|---:|",
            *(f"| `{file}` | {number[file]} | {seconds[file]:.1f} |"
              for file in sorted(seconds, key=lambda file: (-round(seconds[file], 1), file))),
        ]  # fmt: skip


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")


def page(commit: str, outcomes: Iterable[Outcome], times: Times | None, old: str, *, is_base: bool) -> str:
    """Return the new page.

    Args:
        commit: what was tested, in full.
        outcomes: the suites that ran.
        times: of all tests, ``None`` if not all of them ran: the tables of ``old`` stay.
        old: the last page.
        is_base: all that CI runs has passed at ``commit``; else the base of ``old`` stays.
    """
    found = re.search(r"passed at `([0-9a-f]{40})`", old)
    base = commit if is_base else found[1] if found else ""
    rows = {row.split("|")[1].strip(): row for row in re.findall(r"^\| .+ \| `[0-9a-f]{12}` \|$", old, re.MULTILINE)}
    rows |= {outcome.name: outcome.row(commit) for outcome in outcomes}
    tables = "\n".join(times.rows()) if times is not None else "".join(old.partition("\n## ")[1:]).strip("\n")
    has_passed = f"All that CI runs last passed at `{base}`" if base else "CI has not yet run all of them and passed"
    return (
        "# How long the tests take\n\n"
        "Written by `CROUPIER_BASE=none .ci/run`, which runs all that CI knows, and by `make nightly`, which runs "
        f"every\ntest that there is. {os.cpu_count()} cores.\n\n"
        f"{has_passed}: `tools/affected.py` compares a change with that commit.\n\n"
        "| suite | what it tests | seconds | outcome | commit |\n|---|---|---:|---|---|\n"
        + "".join(f"{row}\n" for row in rows.values())
        + (f"\n{tables}\n" if tables else "")
    )


def write(outcomes: Iterable[Outcome], results: Iterable[Path] | None, *, is_base: bool) -> bool:
    """Write the page. ``results``: the reports of JUnit where all tests ran, else ``None``. Returns False, and leaves
    the page as it is, if the files that were tested differ from the commit."""
    changed = _git("status", "--porcelain", "--", ".", f":!{TIMES.relative_to(ROOT)}")
    if changed:
        return False
    old = TIMES.read_text(encoding="utf-8") if TIMES.exists() else ""
    times = None if results is None else Times.read(results)
    TIMES.write_text(page(_git("rev-parse", "HEAD"), outcomes, times, old, is_base=is_base), encoding="utf-8")
    return True


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
