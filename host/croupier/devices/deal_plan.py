"""Plans the opening deal: which seat gets how many cards when, so that the turntable turns least and nobody is favored.

Theory of operation. Feeding takes the same time in any order; only turns can be saved. The seats stand on a circle
that the cable does not let the turntable close, so one sweep from one end of the seats to the other is the least it can
turn: that, and the feeds, are the mechanical limit. From a shuffled deck every way of parting it is as fair as another.
A deck that was shuffled badly still has runs of cards that lay together on the discard pile, and the more passes the
deal goes round in, the fewer of a run come to one seat; each pass sweeps back over the seats, so that its first seat
needs no turn. The plan takes as many passes as the time allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import radians, sqrt
from typing import Final

CLOSE: Final = 1.2
"""A plan may take so many times the mechanical limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the motors can do, as configured.

    ``feed_s``: from one card to the next. ``stop_s``: what each stop at a seat costs beside its cards and the turn,
    since the feed motor speeds up and comes to rest. ``acceleration`` of the turntable in rad/s², ``top_speed`` in
    revolutions a minute.
    """

    feed_s: float = 0.094
    stop_s: float = 0.11
    acceleration: float = 40.0
    top_speed: float = 80.0

    def turn_s(self, degrees: float) -> float:
        """How long a turn takes, from rest to rest."""
        way, top = radians(abs(degrees)), self.top_speed * radians(360) / 60
        if way * self.acceleration <= top * top:
            return 2 * sqrt(way / self.acceleration)
        return top / self.acceleration + way / top


@dataclass(frozen=True, slots=True)
class Plan:
    """``feeds``: seat and number of cards, one after the other. ``seconds``: what the whole takes. ``limit_s``: what
    the motors need at least for these seats and cards. ``passes``: how often each seat has its turn."""

    feeds: tuple[tuple[int, int], ...]
    seconds: float
    limit_s: float
    passes: int

    @property
    def ratio(self) -> float:
        """How many times the mechanical limit it takes."""
        return self.seconds / self.limit_s


def plan_deal(
    places: Mapping[int, float], n: int, machine: Machine = Machine(), *, start: float = 0.0, within: float = CLOSE
) -> Plan:
    """The opening deal of ``n`` cards to each seat.

    ``places``: the angle of each seat, in degrees clockwise from the magnet, -180 to 180. ``start``: where the
    turntable stands. Takes the most passes within ``within`` times the limit, but always one. Raises ValueError where
    there is nobody, or nothing, to deal to.
    """
    if not places or n < 1:
        raise ValueError("nothing is to be dealt")
    plans = (_sweeps(places, n, machine, start, passes) for passes in range(n, 0, -1))
    return next(plan for plan in plans if plan.ratio <= within or plan.passes == 1)


def _sweeps(places: Mapping[int, float], n: int, machine: Machine, start: float, passes: int) -> Plan:
    seats = sorted(places, key=lambda seat: places[seat])
    if abs(places[seats[-1]] - start) < abs(places[seats[0]] - start):
        seats.reverse()
    sweep_s = machine.turn_s(places[seats[0]] - start)
    sweep_s += sum(machine.turn_s(places[b] - places[a]) for a, b in pairwise(seats))
    limit_s = sweep_s + len(seats) * n * machine.feed_s
    feeds: list[tuple[int, int]] = []
    for number in range(passes):
        count = n // passes + (number < n % passes)
        for seat in seats if number % 2 == 0 else reversed(seats):
            if feeds and feeds[-1][0] == seat:
                feeds[-1] = (seat, feeds[-1][1] + count)  # it stands there already
            else:
                feeds.append((seat, count))
    seconds, stands_at = 0.0, start
    for seat, count in feeds:
        seconds += machine.turn_s(places[seat] - stands_at) + machine.stop_s + count * machine.feed_s
        stands_at = places[seat]
    return Plan(tuple(feeds), seconds, limit_s, passes)
