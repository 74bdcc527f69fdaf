"""Seating of each round: the most even of the published designs that fit and of what a search finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, permutations
from random import Random
from typing import Final

from croupier.errors import marked
from croupier_hub.designs import Design, covering, published
from croupier_hub.evenness import Evenness, measure
from croupier_hub.search import Distances, Round, Table, anneal, distances, pairs, shift

SEARCHED: Final = marked("Found by search: no published design that the program knows is more even here.")

_SWAPS: Final = 200_000
"""Swaps of a search that is not told how many, times the number of seats at a table: half a second."""
_FEW: Final = 600
"""Seats in all rounds together up to which the rounds are searched one by one."""
_TRIES: Final = 3
_SMALL: Final = 64
"""Up to so many players a search is tried again while it could be more even."""
_ORDERS: Final = 24
"""Orders of a table that are compared: all up to five players."""


@dataclass(frozen=True)
class Seating:
    """``text``: name and property of the design, with ``{all}`` for ``length``, the rounds after which it holds."""

    text: str
    length: int
    rounds: tuple[Round, ...]
    evenness: Evenness


def seat(
    players: int, sizes: Sequence[int], rounds: int, seed: int, *, partners: bool, swaps: int | None = None
) -> Seating:
    """Seat ``players`` at tables of ``sizes`` for some rounds, as evenly as can be. Who sits at no table has a bye.

    The seed draws the numbers of the players, and begins the search. ``swaps``: how many each search tries at most; a
    time would give another plan on another machine.
    """
    rng = Random(seed)
    found: list[tuple[Evenness, Design, list[Round]]] = []
    for design in _designs(players, sizes, rounds, rng, swaps or _SWAPS // max(sizes), partners=partners):
        played = list(islice(cycle(design.rounds), rounds))
        found.append((measure(players, played, partners=partners), design, played))
        if found[-1][0].is_best:
            break
    _even, design, played = min(found, key=lambda one: one[0].key)
    drawn = rng.sample(range(players), players)
    shown = [tuple(tuple(drawn[x] for x in table) for table in tables) for tables in played]
    turned = _turned(players, shown, partners=partners)
    choices = [(measure(players, one, partners=partners), one) for one in (shown, turned)]
    evenness, shown = min(choices, key=lambda one: (one[0].left[1] - one[0].left[0], one[0].squares[2]))
    return Seating(design.text, len(design.rounds), tuple(shown), evenness)


def _designs(
    players: int, sizes: Sequence[int], rounds: int, rng: Random, swaps: int, *, partners: bool
) -> Iterator[Design]:
    byes = players - sum(sizes)
    if not partners and not byes and set(sizes) == {4} and (best := covering(players, rounds)):
        yield Design(SEARCHED, best)
        return
    if byes == (players % 4 if partners else 0):
        yield from published(players, max(sizes), partners=partners)

    def search(seated: Sequence[Iterable[int]], apart: Distances) -> tuple[Round, ...]:
        return tuple(anneal(seated, sizes, apart, rng, swaps, partners=partners))

    if players * rounds <= _FEW:
        for _ in range(_TRIES):
            seated, had = list[set[int]](), [0] * players
            for _ in range(rounds):
                out = sorted(range(players), key=lambda player: (had[player], rng.random()))[:byes]
                had = [times + (player in out) for player, times in enumerate(had)]
                seated.append(set(range(players)).difference(out))
            yield Design(SEARCHED, search(seated, pairs(players)))
    # As many places in a level as rounds: nobody has two byes. All in one level: byes are spread over its rounds.
    turns = {players - (byes == 0): {-(-players * bye // byes) for bye in range(byes)}}
    if byes <= players // rounds:
        turns = {rounds: {level * rounds for level in range(byes)}} | turns
    for places, without in [*turns.items()] * (_TRIES if players <= _SMALL else 1):
        (first,) = search([set(range(players)) - without], distances(players, places))
        shifts = (tuple(tuple(shift(players, places, x, by) for x in table) for table in first) for by in range(places))
        yield Design(SEARCHED, tuple(shifts))


def _turned(players: int, rounds: Iterable[Round], *, partners: bool) -> list[Round]:
    """The same tables in an order in which everybody sits to the left of the same player as rarely as can be."""
    left = [[0] * players for _ in range(players)]

    def repeats(order: Table) -> int:
        return sum(left[a][order[seat - 1]] for seat, a in enumerate(order))

    shown = []
    for tables in rounds:
        turned = []
        for first, *others in tables:
            orders = [others, others[::-1]] if partners else islice(permutations(others), _ORDERS)
            best = min(((first, *order) for order in orders), key=repeats)
            for place, a in enumerate(best):
                left[a][best[place - 1]] += 1
            turned.append(best)
        shown.append(tuple(turned))
    return shown
