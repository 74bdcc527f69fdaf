"""The situations of a first evening in a strange house: a page of the documentation, and a run of all their tests.

python -m tools.first_evening           run the tests of every situation, and print what they say
python -m tools.first_evening --page    write docs/first-evening.md
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tools.lock import ROOT
from tools.pages import renewed

TABLE: Final = ROOT / "tests/first_evening/situations.toml"
PAGE: Final = ROOT / "docs/first-evening.md"

KINDS: Final = {
    "names": "Names",
    "networks": "Networks",
    "devices": "Cameras and boards",
    "clocks": "Clocks",
    "phones": "Phones",
    "derived": "What is derived",
    "files": "Files",
    "strangers": "Strangers",
    "promises": "Promises",
}
"""The kinds of situations, with their headings, in the order of the page."""

NEEDED: Final = {"unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2", "cc": "gcc"}
"""Programs that the evenings need, each with its Debian package."""

OPEN: Final = "open"


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation of a ``kind``: what it is, what people see, what must be true, and the tests that show it, as pytest
    names them. ``nightly``: those that only `make nightly` runs; ``open``: what is missing where there is no test."""

    kind: str
    what: str
    sees: str
    holds: str
    tests: tuple[str, ...]
    nightly: tuple[str, ...] = ()
    open: str = ""


def situations() -> tuple[Situation, ...]:
    """Return the situations in the order of the page."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["situation"]
    found = [Situation(**{**row, **{key: tuple(row.get(key, ())) for key in ("tests", "nightly")}}) for row in rows]
    return tuple(sorted(found, key=lambda one: list(KINDS).index(one.kind)))


def tables() -> str:
    """Return the tables of the page."""
    lines: list[str] = []
    for kind, heading in KINDS.items():
        lines += [f"\n## {heading}\n", "| situation | people see | what must be true | shown by |", "|---|---|---|---|"]
        for one in situations():
            if one.kind == kind:
                names = [
                    *(f"`{test}`" for test in one.tests),
                    *(f"`{test}` (in `make nightly`)" for test in one.nightly),
                ]
                shown = ", ".join(names) or f"*missing: {one.open}*"
                lines.append(f"| {one.what} | {one.sees} | {one.holds} | {shown} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page, with its tables written anew."""
    return renewed(PAGE.read_text(encoding="utf-8"), tables())


class Outcomes:
    """Collects the outcomes of tests: a plug-in of pytest."""

    def __init__(self) -> None:
        self._of = dict[str, str]()

    def pytest_runtest_logreport(self, report: object) -> None:
        """Keep the outcome of one phase of a test; what failed stays so."""
        name, outcome = str(getattr(report, "nodeid", "")), str(getattr(report, "outcome", ""))
        if outcome != "passed" or name not in self._of:
            self._of[name] = self._of[name] if self._of.get(name) == "failed" else outcome

    def of(self, test: str) -> str:
        """Return the outcome of a test, or of a function with all its parameters: that of the worst."""
        found = {outcome for name, outcome in self._of.items() if name == test or name.startswith(f"{test}[")}
        return next((one for one in ("failed", "skipped", "passed") if one in found), "did not run")

    @property
    def all(self) -> Mapping[str, str]:
        """The outcomes by the names of tests."""
        return self._of


def outcome(one: Situation, outcomes: Outcomes) -> str:
    """Return what the tests of a situation say."""
    said = [outcomes.of(test) for test in one.tests]
    return next((bad for bad in ("failed", "did not run", "skipped") if bad in said), "passed" if said else OPEN)


def report(rows: Iterable[Situation], outcomes: Outcomes) -> tuple[list[str], bool]:
    """Return the lines of the result, and whether nothing failed."""
    lines, kind, is_good = list[str](), "", True
    for one in rows:
        if one.kind != kind:
            kind = one.kind
            lines.append(f"\n{KINDS[kind]}")
        said = outcome(one, outcomes)
        is_good = is_good and said in ("passed", OPEN)
        lines.append(f"  {said:12} {one.what}" + (f" (missing: {one.open})" if said == OPEN else ""))
        lines += [f"{'':15}{test}" for test in one.tests if outcomes.of(test) != "passed"]
    return lines, is_good


def main(*arguments: str) -> int:
    """Write the page, or run the tests of all situations and print what they say."""
    if arguments == ("--page",):
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    missing = {package: None for program, package in NEEDED.items() if shutil.which(program) is None}
    if sys.platform != "linux" or missing:
        wants = f"install {' '.join(missing)}" if missing and sys.platform == "linux" else "run it on Linux"
        print(f"make first-evening: machines and networks of its own cannot be made here: {wants}", file=sys.stderr)
        return 2
    import pytest

    rows, outcomes = situations(), Outcomes()
    tests = dict.fromkeys(test for one in rows for test in one.tests)
    os.chdir(ROOT)
    status = pytest.main([*tests, "-m", "not nightly", "-n", "auto", "--dist", "worksteal"], plugins=[outcomes])
    lines, is_good = report(rows, outcomes)
    print(*lines, sep="\n")
    return 0 if is_good and status == pytest.ExitCode.OK else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
