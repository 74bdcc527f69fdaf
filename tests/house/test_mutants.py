"""The parts of the mutation run name files that there are."""

from __future__ import annotations

import pytest

from tools.lock import ROOT
from tools.mutants import PACKAGES, PARTS, is_equal


@pytest.mark.parametrize("name", PARTS)
def test_a_part_has_code_and_tests(name: str) -> None:
    part = PARTS[name]
    for pattern in part.mutated:
        assert [file for package in PACKAGES for file in package.parent.glob(pattern)], pattern
    assert [tests for tests in part.tests if not (ROOT / tests).exists()] == []


def test_hub_and_page_are_among_them() -> None:
    mutated = " ".join(pattern for part in PARTS.values() for pattern in part.mutated)
    assert "croupier_hub/" in mutated
    assert "croupier/web/" in mutated


def test_a_change_of_the_case_of_sql_changes_nothing() -> None:
    assert is_equal('-    "SELECT a"\n+    "select a"\n')
    assert not is_equal("-    a < b\n+    a <= b\n")
