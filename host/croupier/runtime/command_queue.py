"""What people press and say on the page, beside the keys of the table."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from croupier.commands import Command, Loudness, PressKey, ProvokeFault, StartGame
from croupier.events import CommandGiven, Press

ON_ITS_WAY_S: Final = 0.25
"""A press on a phone is at most so old when it arrives: it is no button at the table, and its time is that unsure."""


class Spoken:
    """An `EventSource` of what is wished on the page and typed in the terminal.

    ``now``: the table's clock. ``on_news``: called, from any thread, when something was wished.
    """

    def __init__(self, now: Callable[[], float], on_news: Callable[[], None] = lambda: None) -> None:
        self._now, self._on_news = now, on_news
        self._wished: deque[Command] = deque()
        self._typed: deque[Press | CommandGiven] = deque()

    def wish(self, wish: Command) -> None:
        """Take in what was wished; may be called from any thread."""
        self._wished.append(wish)
        self._on_news()

    def take(self, said: Press | CommandGiven) -> None:
        """Take in what was said elsewhere, as in the terminal; may be called from any thread."""
        self._typed.append(said)
        self._on_news()

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return self._now() - ON_ITS_WAY_S / 2

    def poll(self) -> tuple[Press | CommandGiven, ...]:
        """As `EventSource.poll`."""
        wished = [self._wished.popleft() for _ in range(len(self._wished))]
        typed = [self._typed.popleft() for _ in range(len(self._typed))]
        return (*typed, *(one for wish in wished if (one := self._said(wish)) is not None))

    def _said(self, wish: Command) -> Press | CommandGiven | None:
        u = ON_ITS_WAY_S / 2
        t = max(0.0, self._now() - u)
        match wish:
            case PressKey():
                return Press(t=t, u=u, seat=wish.seat, key=wish.key)
            case ProvokeFault() | Loudness() | StartGame():
                return None
            case _:
                return CommandGiven(t=t, u=u, command=wish)
