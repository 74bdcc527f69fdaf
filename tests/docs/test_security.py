"""docs/security.md answers every provision of ETSI EN 303 645, and each test that it names exists."""

from __future__ import annotations

import ast
import re
from typing import Final

from tools.lock import ROOT

PAGE: Final = (ROOT / "docs/security.md").read_text(encoding="utf-8")

PROVISIONS: Final = {
    "5.1": 5, "5.2": 3, "5.3": 16, "5.4": 4, "5.5": 8, "5.6": 9, "5.7": 2, "5.8": 3, "5.9": 3, "5.10": 1, "5.11": 4,
    "5.12": 3, "5.13": 1,
}  # fmt: skip
"""How many provisions each section of version 2.1.1 has; those of section 6 are numbered 6-1 to 6-5."""


def answered() -> list[str]:
    """The provisions of the first column, ranges written out."""
    found = []
    for cell in re.findall(r"^\| ((?:5\.\d+|6)-\d[^|]*?) \|", PAGE, re.MULTILINE):
        numbers = r"((?:5\.\d+|6)-)(\d+)"
        for head, first, _, last in re.findall(rf"{numbers}(?: … {numbers})?", cell):
            found += [f"{head}{n}" for n in range(int(first), int(last or first) + 1)]
    return found


def test_every_provision_is_answered_once() -> None:
    wanted = [f"{section}-{n}" for section, most in PROVISIONS.items() for n in range(1, most + 1)]
    assert sorted(answered()) == sorted([*wanted, *(f"6-{n}" for n in range(1, 6))])


def test_each_test_that_is_named_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) > 20
    for file, test in named:
        functions = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
        assert test in {one.name for one in functions if isinstance(one, ast.FunctionDef)}, f"{file}::{test}"


def test_a_provision_without_a_test_says_that_it_is_not_met_or_what_is_promised() -> None:
    for row in re.findall(r"^\| (?:5\.\d+|6)-\d.*\| \|$", PAGE, re.MULTILINE):
        assert re.search(r"\*[Nn]o\*|no period is promised", row), row


def test_how_to_report_a_hole_is_said() -> None:
    section = PAGE.partition("## Report a hole")[2].partition("\n## ")[0]
    assert "privately" in section
    assert "within a week" in section
    assert "within 90 days" in section
