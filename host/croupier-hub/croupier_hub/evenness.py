"""Evenness of a plan, counted from its rounds; the method that made them does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from croupier_hub.search import Round

Range = tuple[int, int]
"""Least and most."""


@dataclass(frozen=True)
class Evenness:
    """Least and most often that two players are ``partner``, ``opponent``, or one sits to the ``left`` of the other;
    that a player has a bye (``byes``) or goes to another table (``moves``)."""

    partner: Range
    opponent: Range
    left: Range
    byes: Range
    moves: Range
    squares: tuple[int, int, int]
    """Sums of the squared counts of partners, opponents and left neighbors: the smaller, the more even."""

    @property
    def key(self) -> tuple[int, ...]:
        """Return a key for comparison: of two plans with the same numbers, the more even one has the smaller key."""
        spreads = (most - least for least, most in (self.partner, self.opponent))
        return (*spreads, *self.squares[:2])

    @property
    def is_best(self) -> bool:
        """True if no two pairs differ by more than one, so that nothing can be more even."""
        return all(most - least <= 1 for least, most in (self.partner, self.opponent))


def measure(players: int, rounds: Sequence[Round], *, partners: bool) -> Evenness:
    """Count the rounds of a plan. Players are numbered from 0."""
    pairs = players * (players - 1) // 2
    together, partner, left = [0] * pairs, [0] * pairs, [0] * players**2
    byes, moves, at = [len(rounds)] * players, [0] * players, [-1] * players
    for tables in rounds:
        for number, table in enumerate(tables):
            for seat, a in enumerate(table):
                byes[a] -= 1
                moves[a] += at[a] not in (-1, number)
                at[a] = number
                left[a * players + table[seat - 1]] += 1
                for b in table[:seat]:
                    together[_pair(a, b)] += 1
            if partners:
                partner[_pair(table[0], table[2])] += 1
                partner[_pair(table[1], table[3])] += 1
    opponent = [meetings - own for meetings, own in zip(together, partner, strict=True)]
    del left[:: players + 1]  # nobody sits beside themselves
    spread = [(min(counts), max(counts)) for counts in (partner, opponent, left, byes, moves)]
    squares = [sum(map(mul, counts, counts)) for counts in (partner, opponent, left)]
    return Evenness(spread[0], spread[1], spread[2], spread[3], spread[4], (squares[0], squares[1], squares[2]))


def _pair(a: int, b: int) -> int:
    """The number of a pair of players."""
    return a * (a - 1) // 2 + b if a > b else b * (b - 1) // 2 + a
