"""Plans the opening deal: the order of seats and numbers of cards with few turns of the turntable that favors nobody.

Theory of operation. Feeding takes the same time in any order; only turns can be saved. A long turn takes less time than
two short ones, and the cable keeps the turntable from going round, so the best order is not simply once along the
seats; for ten seats at most it is found by dynamic programming (Held and Karp, 1962). That order and the feeds are the
mechanical limit.

A well shuffled deck may be dealt in any order. A badly shuffled one has runs of cards that lay together on the discard
pile: the more passes a deal makes, the fewer cards of a run come to one seat. Each pass goes back the way of the one
before, so its first seat needs no turn. The plan makes as many passes as the time allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import radians, sqrt
from typing import Final

CLOSE: Final = 1.2
"""A plan may take this many times the mechanical limit."""

PITCH_MM: Final = 116.0
"""From the front of a card to that of the next, as they leave the shoe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorLimits:
    """The motors as configured.

    ``feed_s``: from one card to the next. ``stop_s``: the time for each stop at a seat besides its cards and the turn,
    since the feed motor starts and stops. ``acceleration`` of the turntable in rad/s², ``top_speed`` in 1/min.
    """

    feed_s: float = PITCH_MM / 1200
    stop_s: float = 0.11
    acceleration: float = 40.0
    top_speed: float = 80.0

    def turn_s(self, degrees: float) -> float:
        """The time of a turn from rest to rest."""
        way, top = radians(abs(degrees)), self.top_speed * radians(360) / 60
        if way * self.acceleration <= top * top:
            return 2 * sqrt(way / self.acceleration)
        return top / self.acceleration + way / top


@dataclass(frozen=True, slots=True)
class Plan:
    """``feeds``: seats and numbers of cards, in order. ``seconds``: the time of all. ``limit_s``: the mechanical limit
    for these seats and cards. ``passes``: the number of times that each seat is served."""

    feeds: tuple[tuple[int, int], ...]
    seconds: float
    limit_s: float
    passes: int

    @property
    def ratio(self) -> float:
        """The time as a multiple of the mechanical limit."""
        return self.seconds / self.limit_s


def plan_deal(
    places: Mapping[int, float],
    n: int,
    machine: MotorLimits = MotorLimits(),
    *,
    start: float = 0.0,
    within: float = CLOSE,
) -> Plan:
    """The opening deal of ``n`` cards to each seat.

    ``places``: the angle of each seat, in degrees clockwise from the magnet, -180 to 180. ``start``: the angle of the
    turntable. Makes the most passes within ``within`` times the limit, at least one. Raises ValueError if there are no
    seats or no cards.
    """
    if not places or n < 1:
        raise ValueError("nothing is to be dealt")
    order = _quickest(places, start, machine)
    plans = (_plan(places, order, n, machine, start, passes) for passes in range(n, 0, -1))
    return next(plan for plan in plans if plan.ratio <= within or plan.passes == 1)


def _quickest(places: Mapping[int, float], start: float, machine: MotorLimits) -> tuple[int, ...]:
    """The order of seats that needs the least time for turning."""
    best: dict[tuple[frozenset[int], int], tuple[float, tuple[int, ...]]] = {
        (frozenset({seat}), seat): (machine.turn_s(places[seat] - start), (seat,)) for seat in places
    }
    for _ in range(len(places) - 1):
        longer: dict[tuple[frozenset[int], int], tuple[float, tuple[int, ...]]] = {}
        for (served, last), (seconds, order) in best.items():
            for seat in places.keys() - served:
                key = (served | {seat}, seat)
                option = (seconds + machine.turn_s(places[seat] - places[last]), (*order, seat))
                longer[key] = min(longer.get(key, option), option)
        best = longer
    return min(best.values())[1]


def _plan(
    places: Mapping[int, float], order: tuple[int, ...], n: int, machine: MotorLimits, start: float, passes: int
) -> Plan:
    feeds: list[tuple[int, int]] = []
    for number in range(passes):
        count = n // passes + (number < n % passes)
        for seat in order if number % 2 == 0 else reversed(order):
            if feeds and feeds[-1][0] == seat:
                feeds[-1] = (seat, feeds[-1][1] + count)  # it stands there already
            else:
                feeds.append((seat, count))
    fed_s = len(order) * n * machine.feed_s
    limit_s = fed_s + _turning_s([start, *(places[seat] for seat in order)], machine)
    seconds = fed_s + _turning_s([start, *(places[seat] for seat, _ in feeds)], machine) + len(feeds) * machine.stop_s
    return Plan(tuple(feeds), seconds, limit_s, passes)


def _turning_s(way: list[float], machine: MotorLimits) -> float:
    return sum(machine.turn_s(b - a) for a, b in pairwise(way))
