"""What happened so soon after play came to rest that nobody can have known of it: it counts when play goes on.

A camera that fails is told a second later, and of a card that it did not see come nobody can say when it came; a hand
that is on its way when the ring begins to blink arrives; a card that was asked for before is fed. None of this is
against the rules, and nothing of it is to be done once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cardsight.track.events import Doubted, Lifted, Pushed, Recognized, TakenAway, Touched
from croupier.commands import LayCard, MakeHouseRule, NameCard
from croupier.events import CommandGiven, Press, ShoeReport

NOTICED_S: Final = 1.0
"""After so long everybody has noticed that play rests."""

_OF_THE_TABLE: Final = ("go", "pause", "undo")


class Unnoticed:
    """Keeps it while play rests."""

    def __init__(self) -> None:
        self._rests_since = float("-inf")
        self._kept: list[Any] = []

    def begin(self, t: float) -> None:
        """Play came to rest."""
        self._rests_since = t

    def keeps(self, source: Any, owed: Mapping[int, int]) -> bool:
        """Whether this counts only when play goes on; then it is kept. ``owed``: what each seat is still to get, which
        it may get all the same."""
        match source:
            case Touched() | CommandGiven(command=LayCard() | MakeHouseRule()):
                is_kept = self._may_be_unnoticed(source.t - source.u)
            case Press():
                is_kept = source.key not in _OF_THE_TABLE and self._may_be_unnoticed(source.t - source.u)
            case ShoeReport(kind="fed"):
                is_kept = 0 < source.n <= source.asked and not owed.get(source.seat)
            case Lifted() | Pushed() | Recognized() | Doubted() | TakenAway() | CommandGiven(command=NameCard()):
                # It may be of a card that is kept, and then does not come before it.
                is_kept = any(isinstance(one, Touched) for one in self._kept)
            case _:
                is_kept = False
        if is_kept:
            self._kept.append(source)
        return is_kept

    def end(self) -> list[Any]:
        """Play goes on: what was kept, in its order."""
        kept, self._kept = self._kept, []
        return kept

    def _may_be_unnoticed(self, t: float) -> bool:
        return t <= self._rests_since + NOTICED_S
