"""What people press and say on the page, beside the keys of the table."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from croupier.commands import Command, Loudness, PressKey, ProvokeFault, StartGame
from croupier.devices.protocols import Panel
from croupier.events import CommandGiven, Press

ON_ITS_WAY_S: Final = 0.25
"""A press on a phone is at most so old when it arrives: it is no button at the table, and its time is that unsure."""


class Spoken:
    """A `Panel` that also has what is wished on the page; ``now``: the table's clock. ``on_news``: called, from any
    thread, when something was wished; ``heard``: told of what was said, when the table takes it in."""

    def __init__(
        self,
        panel: Panel,
        now: Callable[[], float],
        on_news: Callable[[], None] = lambda: None,
        heard: Callable[[Press | CommandGiven], None] = lambda said: None,
    ) -> None:
        self._panel, self._now, self._on_news, self._heard = panel, now, on_news, heard
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

    def told_until(self) -> float:
        """All that was said before this comes with the next `presses`."""
        return self._now() - ON_ITS_WAY_S / 2

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed and said since the last call."""
        wished = [self._wished.popleft() for _ in range(len(self._wished))]
        typed = [self._typed.popleft() for _ in range(len(self._typed))]
        said = [*typed, *(one for wish in wished if (one := self._said(wish)) is not None)]
        for one in said:
            self._heard(one)
        return (*self._panel.presses(), *said)

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
