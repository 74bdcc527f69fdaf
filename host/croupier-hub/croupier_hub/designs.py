"""Published designs: seatings that are as even as any can be, mostly computed from finite fields.

- Round robin, by the circle method: tables of two.
- Kirkman triple systems: tables of three, each pair once (Ray-Chaudhuri and Wilson, 1971).
- Resolvable block designs of blocks of four, each pair once (Bose, 1939).
- Transversal designs: as many groups as a table has seats; each pair of different groups once (MacNeish, 1922). Groups
  that are as large as a table, or have a design of their own, then play among themselves: an affine plane, for example.
- Whist tournaments: partners once, opponents twice (Moore, 1896). The tables of the first round are {x, ix, -x, -ix}
  for a root i of -1; or each table of four of another design is played with all three pairings. Where no formula is at
  hand, a first round that a long search found is in ``designs.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from croupier.errors import marked
from croupier_hub.fields import Ring, field, prime_powers
from croupier_hub.search import Round, Table, shift


@dataclass(frozen=True)
class Design:
    """``text``: the name and what holds after all ``rounds``; ``{all}`` stands for their number."""

    text: str
    rounds: tuple[Round, ...]


WHIST: Final = marked(
    "A whist tournament: in {all} rounds each player partners each other once and opposes each other twice."
)
THREE_TIMES: Final = marked(
    "A whist tournament, without partners: in {all} rounds everybody meets everybody three times."
)
ROUND_ROBIN: Final = marked("A round robin by the circle method: in {all} rounds everybody meets everybody once.")
KIRKMAN: Final = marked("A Kirkman triple system: in {all} rounds of three at a table everybody meets everybody once.")
PLANE: Final = marked("An affine plane: in {all} rounds everybody meets everybody once.")
BLOCKS: Final = marked("A resolvable block design: in {all} rounds everybody meets everybody once.")
TRANSVERSAL: Final = marked("A transversal design: in {all} rounds nobody meets anybody twice.")


def published(players: int, size: int, *, partners: bool) -> Iterator[Design]:
    """Yield the known designs for ``players``, ``size`` at a table or one less. One player may have a bye."""
    if not partners:
        tables = -(-players // size)
        for rounds in meetings(players, size, tables):
            if len(rounds) * (size - 1) < size * tables - 1:
                yield Design(TRANSVERSAL, rounds)
            else:
                others = PLANE if size == tables else BLOCKS
                yield Design({2: ROUND_ROBIN, 3: KIRKMAN}.get(size, others), rounds)
    if size == 4:
        for rounds in whists(players):
            yield Design(WHIST if partners else THREE_TIMES, rounds)


def whists(players: int) -> Iterator[tuple[Round, ...]]:
    """Yield whist tournaments: rounds in which one player has a bye if the tables need it."""
    if players % 4 == 1 and (turns := Ring(players).quarter_turns()):
        yield _shifted(turns, range(players), Ring(players).add)
    if first := _found().get(players):
        order = players - 1 + players % 4
        tables = [tuple(first[i : i + 4]) for i in range(0, len(first), 4)]
        yield _shifted(tables, range(order), lambda x, by: shift(players, order, x, by))
    for blocks in meetings(players, 4, players // 4) if players % 4 == 0 else ():
        rounds = [
            tuple((a, *others) for a, b, c, d in tables for others in [((b, c, d), (c, b, d), (b, d, c))[pairing]])
            for pairing in range(3)
            for tables in blocks
        ]
        group = len(blocks)
        if 3 * group == players - 1:
            yield tuple(rounds)
        elif group % 4 == 0 and (inside := next(whists(group), ())):
            yield tuple(rounds + _in_groups(inside, 4, group))


def meetings(players: int, size: int, tables: int) -> Iterator[tuple[Round, ...]]:
    """Yield rounds in which no two players meet twice. Tables may lack one player."""
    if players == size:
        yield ((tuple(range(size)),),)
    elif players == size * tables:
        if size == 2:
            pairs = [(players - 1, 0), *((x, players - 1 - x) for x in range(1, tables))]
            yield _shifted(pairs, range(players - 1), lambda x, by: shift(players, players - 1, x, by))
        elif size == 3:
            yield from _kirkman(players)
        elif size == 4 and players % 3 == 1 and (turns := Ring(players // 3).quarter_turns()):
            yield _bose(Ring(players // 3), turns)
    ring = Ring(tables)
    lacking = size * tables - players
    if ring.least >= size and lacking < tables and (lacking == 0 or size > 2):
        rounds = [
            tuple(
                tuple(x for g in range(size) if (x := g * tables + ring.add(table, ring.times(by, g))) < players)
                for table in range(tables)
            )
            for by in range(tables)
        ]
        whole = (one for one in meetings(tables, size, tables // size) if len(one) * (size - 1) == tables - 1)
        if lacking == 0 and tables % size == 0:
            rounds += _in_groups(next(whole, ()), size, tables)
        yield tuple(rounds)


def _kirkman(players: int) -> Iterator[tuple[Round, ...]]:
    """The designs of Ray-Chaudhuri and Wilson for 2q + 1 and 3q players, where q is a prime power 6t + 1."""
    for order, levels in ((players // 2, 2), (players // 3, 3)):
        if players % levels == 3 - levels and order % 6 == 1 and len(prime_powers(order)) == 1:
            yield _triples_on_two_levels(order) if levels == 2 else _triples_on_three_levels(order)


def _triples_on_two_levels(order: int) -> tuple[Round, ...]:
    numbers, t = field(order), order // 6
    # 2w**m = w**t + 1
    m = numbers.log(numbers.add(1, numbers.powers[t])) - numbers.log(numbers.add(1, 1))

    def at(level: int, exponent: int) -> int:
        return level * order + numbers.powers[exponent % (order - 1)]

    tables = [
        (2 * order, 0, order),
        *((at(0, i), at(0, i + t), at(1, i + m)) for n in (0, 2, 4) for i in range(n * t, n * t + t)),
        *((at(1, i + m + t), at(1, i + m + 3 * t), at(1, i + m + 5 * t)) for i in range(t)),
    ]
    return _shifted(tables, range(order), _by_levels(order, 2, numbers.add))


def _triples_on_three_levels(order: int) -> tuple[Round, ...]:
    numbers, t = field(order), order // 6

    def at(level: int, exponent: int) -> int:
        return level * order + numbers.powers[exponent % (order - 1)]

    moved = _by_levels(order, 3, numbers.add)
    across = [(at(0, i), at(1, i + 2 * t), at(2, i + 4 * t)) for i in range(6 * t)]
    even, odd = ([one for i, one in enumerate(across) if i // t % 2 == part] for part in (0, 1))
    inside = [(at(level, i), at(level, i + 2 * t), at(level, i + 4 * t)) for i in range(t) for level in range(3)]
    alone = [tuple(tuple(moved(x, by) for x in table) for by in range(order)) for table in even]
    return (*_shifted([(0, order, 2 * order), *inside, *odd], range(order), moved), *alone)


def _bose(ring: Ring, turns: Iterable[Table]) -> tuple[Round, ...]:
    order = ring.order
    levels = [(level * order, (level + 1) % 3 * order) for level in range(3)]
    tables = [(here + a, there + b, here + c, there + d) for a, b, c, d in turns for here, there in levels]
    return _shifted([(3 * order, 0, order, 2 * order), *tables], range(order), _by_levels(order, 3, ring.add))


def _by_levels(order: int, levels: int, add: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """How players on levels of ``order`` places move; a last one, beyond the levels, stays."""
    return lambda x, by: x if x == levels * order else x - x % order + add(x % order, by)


def _shifted(tables: Sequence[Table], by: Iterable[int], moved: Callable[[int, int], int]) -> tuple[Round, ...]:
    return tuple(tuple(tuple(moved(x, step) for x in table) for table in tables) for step in by)


def _in_groups(rounds: Iterable[Round], groups: int, order: int) -> list[Round]:
    """Rounds that each of ``groups`` groups of ``order`` players plays by itself, at the same time."""
    return [tuple(tuple(g * order + x for x in table) for g in range(groups) for table in tables) for tables in rounds]


def covering(players: int, rounds: int) -> tuple[Round, ...] | None:
    """The rounds at tables of four, found by a long search, in which the fewest pairs never meet; None: none is at
    hand."""
    found = _data()["meet"].get(f"{players} in {rounds}")
    if found is None:
        return None
    seats = [list(map(int, one.split())) for one in found.split(";")]
    return tuple(tuple(tuple(one[i : i + 4]) for i in range(0, players, 4)) for one in seats)


def _found() -> dict[int, list[int]]:
    """By number of players, the first round of a whist tournament; the last player of an even number never moves."""
    return {int(players): list(map(int, seats.split())) for players, seats in _data()["whist"].items()}


@cache
def _data() -> dict[str, dict[str, str]]:
    """The designs that searches found, by kind (``designs.toml``)."""
    return tomllib.loads((resources.files(__package__) / "designs.toml").read_text(encoding="utf-8"))
