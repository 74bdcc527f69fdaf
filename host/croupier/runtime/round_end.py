"""The end of a round: whose hand is to be laid open next, and whether the round is scored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier.devices.protocols import Ask
from croupier.referee.observations import Observation, Shown
from croupier.referee.position import Position
from croupier.referee.rulings import CannotTell, ChallengeOutcome, GameOver, Mismatch, Ruling, Score, ShowHand

_HANDS_ARE_SHOWN: Final = ("challenge", "round_over", "game_over", "paused")
"""In these phases a hand may lie open, or may still have to; in all others play goes on."""


class RoundEnd:
    """Follows what was told and ruled. ``hand_to_show``: as `Director.hand_to_show`. A challenge, too, has a hand
    shown, in the middle of a round."""

    def __init__(self, hand_to_show: Callable[[Position, frozenset[int]], Ask | None]) -> None:
        self._hand_to_show = hand_to_show
        self._shown: set[int] = set()
        self.hand_due: int | None = None
        """The seat whose hand is to be laid open now."""
        self.is_round_over = self.is_game_over = False
        """Whether the last round has been scored, and whether it was the game's last."""

    def begin_round(self) -> None:
        """Another one is begun."""
        self.is_round_over = False

    def follow(self, told: Observation, rulings: tuple[Ruling, ...], position: Position) -> Ask | None:
        """This was told and ruled, and the table stands so now; returns whose hand is to be asked for."""
        if position.phase not in _HANDS_ARE_SHOWN:
            # Also where somebody who went out, as it seemed, still holds cards, and the record was set right.
            self._shown.clear()
            self.hand_due = None
            self.is_round_over = self.is_game_over = False
        for ruling in rulings:
            match ruling:
                case ShowHand():
                    self.hand_due = ruling.seat
                case ChallengeOutcome():
                    self.hand_due = None
                case Score():
                    self.is_round_over = True
                case GameOver():
                    self.is_round_over = self.is_game_over = True
        if position.phase != "round_over":
            return None
        if isinstance(told, Shown) and not any(isinstance(ruling, Mismatch | CannotTell) for ruling in rulings):
            self._shown.add(told.seat)
        due = None if self.is_round_over else self._hand_to_show(position, frozenset(self._shown))
        was_due, self.hand_due = self.hand_due, due.seat if due else None
        return due if self.hand_due != was_due else None
