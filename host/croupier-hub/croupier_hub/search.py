"""Seatings by search, where no published design fits: one round is annealed, and its shifts are the other rounds.

Players stand in levels, as many in each as there are rounds; who is left over keeps the place. From round to round
everybody moves on by one in the level. How often two players meet depends on the distance of their places alone, so it
is enough to spread the distances within one round: n seats are searched instead of n in each round. Few players are
searched round by round; then every pair is a distance of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final

Table = tuple[int, ...]
"""The players at a table, clockwise. Partners sit across from each other."""

Round = tuple[Table, ...]
"""The tables of a round. Who sits at none has a bye."""

_PARTNER_WEIGHT: Final = 2
_HOT, _COLD = 0.6, 0.18
"""Temperatures in squared counts: in between, swaps that are slightly less even are sometimes made."""


@dataclass(frozen=True)
class Distances:
    """``of[a][b]``: the number of the distance of two players. ``weight``: by distance, what one meeting adds to the
    squared counts, by pair and round; more than 1 where few pairs share all the meetings of a distance."""

    of: Sequence[Sequence[int]]
    weight: Sequence[int]


def shift(players: int, rounds: int, player: int, by: int) -> int:
    """Return who takes the place of ``player`` when everybody has moved on ``by`` times."""
    level, place = divmod(player, rounds)
    return player if level >= players // rounds else level * rounds + (place + by) % rounds


def distances(players: int, rounds: int) -> Distances:
    """Return the distances of players who move on in levels of ``rounds`` places."""
    levels = players // rounds
    numbers: dict[tuple[int, ...], int] = {}
    weight: list[int] = []

    def number(a: int, b: int) -> int:
        (low, x), (high, y) = divmod(min(a, b), rounds), divmod(max(a, b), rounds)
        apart = (y - x) % rounds
        key: tuple[int, ...]
        if low >= levels:  # neither moves
            key, heavy = (min(a, b), max(a, b)), rounds
        elif high >= levels:
            key, heavy = (low, max(a, b)), 1
        elif low == high:
            apart = min(apart, rounds - apart)
            key, heavy = (low, low, apart), 2 if 2 * apart == rounds else 1
        else:
            key, heavy = (low, high, apart), 1
        if key not in numbers:
            numbers[key] = len(weight)
            weight.append(heavy)
        return numbers[key]

    return Distances([[number(a, b) if a != b else -1 for b in range(players)] for a in range(players)], weight)


def pairs(players: int) -> Distances:
    """Return each pair of players as a distance of its own."""
    of = [[max(a, b) * (max(a, b) - 1) // 2 + min(a, b) for b in range(players)] for a in range(players)]
    return Distances(of, [1] * (players * (players - 1) // 2))


def anneal(
    rounds: Sequence[Iterable[int]], sizes: Sequence[int], apart: Distances, rng: Random, swaps: int, *, partners: bool
) -> list[Round]:
    """Seat the players of each round at tables of ``sizes`` so that distances repeat as little as possible.

    Swaps two players of a round at a time, ``swaps`` times or until no distance can be rarer.
    """
    of, kinds = apart.of, len(apart.weight)
    weight = [*apart.weight, *(one * _PARTNER_WEIGHT for one in apart.weight)]
    counts = [0] * len(weight)
    seats = list[int]()
    for players in map(list, rounds):
        seats += rng.sample(players, len(players))
    starts = [sum(sizes[:table]) for table in range(len(sizes) + 1)]
    playing = starts[-1]
    table_of = [table for table, size in enumerate(sizes) for _ in range(size)]
    # By seat, those at the same table, each with what is added to the distance: partners are counted apart.
    others = [
        [
            (first + other, kinds if partners and (other - seat) % playing_size == 2 else 0)
            for other in range(starts[table], starts[table + 1])
            if other != seat
        ]
        for first in range(0, len(seats), playing)
        for seat, table in enumerate(table_of)
        for playing_size in (sizes[table],)
    ]
    for seat, beside in enumerate(others):
        for other, kind in beside:
            if other < seat:
                counts[of[seats[seat]][seats[other]] + kind] += 1
    cost = sum(w * c * c for w, c in zip(weight, counts, strict=True))
    best, best_seats = cost, list(seats)
    least = _least(counts[:kinds], weight[:kinds]) + _least(counts[kinds:], weight[kinds:])
    cooling = (_COLD / _HOT) ** (1 / swaps)
    heat = _HOT
    for _ in range(swaps):
        if best <= least:
            break
        heat *= cooling
        a = int(rng.random() * len(seats))
        first = a - a % playing
        b = first + int(rng.random() * playing)
        if table_of[a - first] == table_of[b - first]:
            continue
        x, y = seats[a], seats[b]
        of_x, of_y = of[x], of[y]
        change = 0
        for beside, leaving, coming in ((others[a], of_x, of_y), (others[b], of_y, of_x)):
            for other, kind in beside:
                z = seats[other]
                key = leaving[z] + kind
                change -= weight[key] * (2 * counts[key] - 1)
                counts[key] -= 1
                key = coming[z] + kind
                change += weight[key] * (2 * counts[key] + 1)
                counts[key] += 1
        if change <= 0 or rng.random() < exp(-change / heat):
            seats[a], seats[b] = y, x
            cost += change
            if cost < best:
                best, best_seats = cost, list(seats)
        else:
            for beside, leaving, coming in ((others[a], of_x, of_y), (others[b], of_y, of_x)):
                for other, kind in beside:
                    counts[leaving[seats[other]] + kind] += 1
                    counts[coming[seats[other]] + kind] -= 1
    return [
        tuple(tuple(best_seats[first + starts[t] : first + starts[t + 1]]) for t in range(len(sizes)))
        for first in range(0, len(seats), playing)
    ]


def _least(counts: Sequence[int], weight: Sequence[int]) -> int:
    """The squared counts if all distances of weight 1 were as even as they can be, and no other occurred."""
    kinds = max(1, sum(one == min(weight) for one in weight))
    each, more = divmod(sum(counts), kinds)
    return (kinds * each * each + more * (2 * each + 1)) * min(weight, default=0)
