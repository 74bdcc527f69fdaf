"""Every way in and out: equal in is equal out, no two that look alike, the same reason everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.names.ways import WAYS_IN, incoming, outgoing

SLOW = ("next_game", "qr_code")


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.slow] if way in SLOW else [], id=way) for way in WAYS_IN]
)
def test_a_name_that_comes_in_on_any_way_is_the_same_or_refused_for_the_same_reason(way: str, tmp_path: Path) -> None:
    assert incoming(way, tmp_path) == []


@pytest.mark.slow
def test_names_are_whole_wherever_they_are_shown(tmp_path: Path) -> None:
    assert [*outgoing(tmp_path)] == []
