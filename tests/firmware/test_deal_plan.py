"""The opening deal, planned: everybody gets the same, the table turns least, and the time stays near the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.devices.deal_plan import CLOSE, MotorLimits, plan_deal

SQUARE = {0: -90.0, 1: 0.0, 2: 90.0, 3: 180.0}


@given(
    st.dictionaries(st.integers(0, 9), st.floats(-180, 180), min_size=2, max_size=10),
    st.integers(1, 10),
    st.floats(-180, 180),
    st.floats(1.0, 5.0),
)
def test_everybody_gets_the_same_within_the_time_allowed(
    places: dict[int, float], n: int, start: float, within: float
) -> None:
    plan = plan_deal(places, n, start=start, within=within)
    dealt = Counter[int]()
    for seat, count in plan.feeds:
        assert count > 0
        dealt[seat] += count
    assert dealt == dict.fromkeys(places, n)
    assert plan.ratio >= 1
    assert plan.passes == 1 or plan.ratio <= within
    assert all(a[0] != b[0] for a, b in pairwise(plan.feeds))


def test_four_times_seven_stays_within_the_limit() -> None:
    plan = plan_deal(SQUARE, 7)
    assert plan.ratio <= CLOSE
    assert sorted(seat for seat, _ in plan.feeds) == [0, 1, 2, 3]
    assert 28 * 0.094 + 3 * 0.396 < plan.limit_s < 28 * 0.094 + 4 * 0.396


@given(st.lists(st.floats(-180, 180), min_size=2, max_size=5), st.floats(-180, 180))
def test_no_order_turns_less(angles: list[float], start: float) -> None:
    machine = MotorLimits()

    def turning(order: Iterable[int]) -> float:
        return sum(machine.turn_s(b - a) for a, b in pairwise([start, *(angles[seat] for seat in order)]))

    plan = plan_deal(dict(enumerate(angles)), 3, machine, start=start, within=1)
    least = min(map(turning, permutations(range(len(angles)))))
    assert turning(seat for seat, _ in plan.feeds) == pytest.approx(least)
    assert plan.limit_s == pytest.approx(least + len(angles) * 3 * machine.feed_s)


def test_more_time_is_spent_on_more_passes() -> None:
    passes = [plan_deal(SQUARE, 7, within=within).passes for within in (1.0, 1.2, 1.6, 2.5, 9.0)]
    assert passes == sorted(passes)
    assert passes[0] == 1
    assert passes[-1] == 7


def test_the_deal_begins_where_the_turntable_stands() -> None:
    assert plan_deal(SQUARE, 7, start=170.0).feeds[0][0] == 3


@pytest.mark.parametrize(("degrees", "seconds"), [(90, 0.40), (36, 0.25), (0, 0)])
def test_a_turn_takes_as_long_as_its_motor(degrees: float, seconds: float) -> None:
    assert MotorLimits().turn_s(degrees) == pytest.approx(seconds, abs=0.005)


def test_top_speed_limits_a_long_turn() -> None:
    assert MotorLimits(top_speed=20).turn_s(180) > MotorLimits(top_speed=80).turn_s(180)


def test_dealing_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        plan_deal({}, 7)
    with pytest.raises(ValueError, match="nothing"):
        plan_deal(SQUARE, 0)
