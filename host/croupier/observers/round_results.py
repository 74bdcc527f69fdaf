"""Which round of the game it is: no position says so."""

from __future__ import annotations

from croupier.events import SequencedEvent
from croupier.referee.observations import Overrule
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling


class Rounds:
    """A listener that counts: ``number`` is 1 from the beginning of the game until the second round begins."""

    def __init__(self) -> None:
        self.number = 1
        self._phase = ""

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """A new round begins where one was over, unless somebody takes back its end."""
        if position.phase == "paused":
            return
        if self._phase == "round_over" != position.phase and position.phase != "game_over":
            self.number += not isinstance(told, Overrule)
        self._phase = position.phase
