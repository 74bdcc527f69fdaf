"""The record of the round, as people compare it with the cards that they have laid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from croupier.commands import NameCard
from croupier.events import CommandGiven
from croupier_rules.referee.corrections import Report, Was
from croupier_rules.referee.observations import Dealt, Observation, Play, Upcard
from croupier_sim.players import Agenda, SimKeys
from croupier_sim.table import SimTable

_KNOWN_S: Final = 3.0
"""Time after which the table has noticed a card, since its touch and since the end of a pause."""
_INSERTED: Final = 3
"""Number of later cards up to which a missing card is reported by naming each of them again."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """The first difference of a record and the cards laid: which of the ``play``s, and which of the cards ``laid``."""

    kind: Literal["misread", "missing", "extra"]
    play: int
    laid: int


def first_mistake(record: Sequence[str], laid: Sequence[str], optional: Sequence[bool]) -> Mistake | None:
    """Compare the faces of the record with those laid, by the fewest differences. The record may lack those that are
    ``optional``."""
    costs = [[0] * (len(laid) + 1) for _ in range(len(record) + 1)]

    def ways(i: int, j: int) -> list[tuple[int, int, int, Literal["misread", "missing", "extra"] | None]]:
        """The total cost of each next step, where it leads, and the mistake that it is."""
        steps: list[tuple[int, int, int, Literal["misread", "missing", "extra"] | None]] = []
        if i < len(record) and j < len(laid):
            is_same = record[i] == laid[j]
            steps.append((costs[i + 1][j + 1] + (not is_same), i + 1, j + 1, None if is_same else "misread"))
        if j < len(laid):
            steps.append((costs[i][j + 1] + (not optional[j]), i, j + 1, None if optional[j] else "missing"))
        if i < len(record):
            steps.append((costs[i + 1][j] + 1, i + 1, j, "extra"))
        return steps

    for i in range(len(record), -1, -1):
        for j in range(len(laid), -1, -1):
            costs[i][j] = min((cost for cost, *_ in ways(i, j)), default=0)
    i = j = 0
    while steps := ways(i, j):
        _, next_i, next_j, mistake = min(steps, key=lambda step: step[0])
        if mistake is not None:
            return Mistake(mistake, i, j)
        i, j = next_i, next_j
    return None


class Record:
    """The record on the page, and how people correct it. ``read``: returns the observations that stand."""

    def __init__(self, table: SimTable, agenda: Agenda, keys: SimKeys) -> None:
        self._table, self._agenda, self._keys = table, agenda, keys
        self.read: Callable[[], Sequence[Observation]] = lambda: ()

    def correct(self) -> bool:
        """Correct the first mistake in the cards of this round. Returns False if people find none that they can
        correct."""
        table, first, standing = self._table, self._table.round_began, self.read()
        dealt = max((n for n, one in enumerate(standing) if isinstance(one, Dealt)), default=-1)
        plays = [one for one in standing[dealt + 1 :] if isinstance(one, Play | Upcard)]
        laid = table.laid[first:]
        known = table.now - _KNOWN_S
        optional = [
            n in table.taken_back or max(table.touched[n], self._agenda.resumed) > known
            for n in range(first, len(table.laid))
        ]
        found = first_mistake([play.card for play in plays], laid, optional)
        if found is None:
            return False
        play = plays[found.play] if found.play < len(plays) else None
        if play is None:
            seat = table.laid_by[first + found.laid]
            self._say(Report(Play(table.now, laid[found.laid], seat)))
        elif found.kind == "extra":
            self._say(Was(play, None))
        elif found.kind == "missing" and len(plays) - found.play > _INSERTED:
            return False
        elif play is plays[-1] and found.laid == len(laid) - 1:
            self._say(NameCard(laid[found.laid]))
        else:
            self._say(Was(play, replace(play, card=laid[found.laid])))
        return True

    def _say(self, command: NameCard | Report | Was) -> None:
        self._keys.submit(CommandGiven(t=self._table.now, command=command))
