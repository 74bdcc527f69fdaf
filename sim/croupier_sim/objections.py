"""What people say on the page where it has a card for another's than whose it was, or an open hand for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from croupier.events import CommandGiven
from croupier.referee.corrections import Was
from croupier.referee.observations import Observation, Play, Shown
from croupier_sim.keys import SimKeys
from croupier_sim.mind import Mind
from croupier_sim.table import SimTable

_SAYS_S: Final = 1.2
_HEARD_S: Final = 0.8  # after that, what the table asks follows from what was said
_SAME_S: Final = 0.5


class Objections:
    """Everybody saw whose hand laid the card, and sees an open hand; what is asked meanwhile, nobody does."""

    def __init__(self, table: SimTable, mind: Mind, keys: SimKeys) -> None:
        self._table, self._mind, self._keys = table, mind, keys
        self._wrong: tuple[Play, int] | None = None
        self._hands: list[Shown] = []

    @property
    def is_due(self) -> bool:
        """Whether somebody is about to object."""
        return self._wrong is not None or bool(self._hands)

    def read(self, play: Play, seat: int | None) -> None:
        """The page says that ``seat`` laid this card."""
        laid_by = self._laid_by(play)
        if laid_by is not None and laid_by != seat:
            self._wrong = play, laid_by
            self._say_soon(self._object)

    def read_anew(self, play: Play) -> None:
        """The page has the last card otherwise now."""
        if self._wrong is not None:
            self._wrong = play, self._wrong[1]

    def read_hand(self, shown: Shown) -> None:
        """The page says that these cards lie open."""
        if Counter(shown.cards) != Counter(self._table.hands[shown.seat]):
            self._hands.append(shown)
            self._say_soon(self._object_to_hand)

    def _say_soon(self, say: Callable[[], None]) -> None:
        self._mind.wait_until(self._table.now + _SAYS_S + _HEARD_S)
        self._mind.then(_SAYS_S, say)

    def _object(self) -> None:
        if self._wrong is not None:
            play, seat = self._wrong
            self._wrong = None
            self._say(play, replace(play, seat=seat))

    def _object_to_hand(self) -> None:
        shown = self._hands.pop(0)
        self._say(shown, replace(shown, cards=tuple(self._table.hands[shown.seat])))

    def _say(self, was: Observation, now: Observation) -> None:
        self._keys.say(CommandGiven(t=self._table.now, command=Was(was, now)))

    def _laid_by(self, play: Play) -> int | None:
        """None where no card touched the pile then. Of several it is one with this face, if there is one."""
        table = self._table
        then = [n for n, t in enumerate(table.touched) if abs(t - play.t) <= play.u + _SAME_S]
        n = min(then, key=lambda n: (table.laid[n] != play.card, abs(table.touched[n] - play.t)), default=None)
        return None if n is None else table.laid_by[n]
