"""Mean lengths of rounds, for others to compare with: a number that a wrong rule shifts.

Players lay a card that fits, each place of the hand equally likely to be looked at first, then the places after it;
else they draw one card, and lay it if it fits. A color is named with equal chances. Wild Draw Fours are laid like other
cards and never challenged, UNO is always called. A turn is a card laid, or a draw that ends without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Final, NamedTuple

from croupier_bench.conformance.script import SHEET
from croupier_rules.referee import Header, Observation, Referee, Rulings
from croupier_rules.referee.observations import Pass, Play
from croupier_rules.rules import load
from croupier_sim.random_play import Habits, RandomTable

ROUNDS: Final = 10_000
SEATS: Final = range(2, 11)
_HABITS: Final = Habits(forgets_to_call=0, catches=0, challenges=0)
_SEED: Final = 1


class Length(NamedTuple):
    """Mean number of turns in a round, and its standard error."""

    seats: int
    rounds: int
    mean: float
    error: float


def measured(seats: Sequence[int] = SEATS, rounds: int | None = None) -> Iterator[Length]:
    """The mean length of a round for each number of players."""
    n = ROUNDS if rounds is None else rounds
    for players in seats:
        turns = _turns(players, n)
        yield Length(players, n, fmean(turns), stdev(turns) / sqrt(n))


def _turns(seats: int, rounds: int) -> list[int]:
    """The number of turns of each round."""
    count = 0

    class Counting(Referee):
        def observe(self, observation: Observation) -> Rulings:
            nonlocal count
            count += type(observation) in (Play, Pass)
            return super().observe(observation)

    header = Header(ruleset=load(SHEET), seats=tuple("ABCDEFGHIJ"[:seats]), dealer=0)
    table = RandomTable(header, _SEED, Counting, _HABITS)
    found = []
    for _ in range(rounds):
        count = 0
        table.play_round()
        found.append(count)
    return found
