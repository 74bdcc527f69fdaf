"""What people press and say on the page, beside the keys of the table."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, assert_never

from croupier.devices.protocols import ChosenDealer, Correction, FromPage, NewRule, Panel, Press
from croupier.web.desk import Dealer, Named, Pressed, Provoked, Ruled, Wish

ON_ITS_WAY_S: Final = 0.25
"""A press on a phone is at most so old when it arrives: it is no button at the table, and its time is that unsure."""


class Spoken:
    """A `Panel` that also has what is wished on the page; ``now``: the table's clock."""

    def __init__(self, panel: Panel, now: Callable[[], float]) -> None:
        self._panel, self._now = panel, now
        self._wished: deque[Wish] = deque()

    def wish(self, wish: Wish) -> None:
        """Take in what was wished; may be called from any thread."""
        self._wished.append(wish)

    def presses(self) -> tuple[Press | FromPage, ...]:
        """What has been pressed and said since the last call."""
        wished = [self._wished.popleft() for _ in range(len(self._wished))]
        said = (self._said(wish) for wish in wished)
        return (*self._panel.presses(), *(one for one in said if one is not None))

    def _said(self, wish: Wish) -> Press | FromPage | None:
        u = ON_ITS_WAY_S / 2
        t = max(0.0, self._now() - u)
        match wish:
            case Pressed():
                return Press(t=t, u=u, seat=wish.seat, key=wish.key)
            case Named():
                return Correction(t=t, u=u, card=wish.card)
            case Dealer():
                return ChosenDealer(t=t, u=u, seat=wish.seat)
            case Ruled():
                return NewRule(t=t, u=u, seat=wish.seat, number=wish.number, text=wish.text)
            case Provoked():
                return None
            case _:
                assert_never(wish)
