"""`croupier run`: opens journal, parts and page, plays, and closes everything however it ends."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import time
from typing import Any, Final

import cv2
from rich.console import Console

from croupier.app.config import Config, load
from croupier.app.keeping import clock_doubt
from croupier.app.listeners.audience import Audience
from croupier.app.running.inviting import Invitation
from croupier.app.running.live import LiveTable
from croupier.app.running.makers import REAL, Makers
from croupier.app.running.notify import Notify
from croupier.app.running.parts import Troubles
from croupier.app.running.spoken import ON_ITS_WAY_S
from croupier.app.running.terminal import Terminal, Typed
from croupier.devices.protocols import Press
from croupier.journal import Journal
from croupier.languages import _

CODES: Final = "-codes"
"""Behind the name of the journal: who may do what on the page."""


def play(path: Path, *, is_new: bool = False, makers: Makers = REAL, console: Console | None = None) -> int:
    """Play at the table that the file ``path`` describes, until somebody ends the program.

    Raises:
        CroupierError: the file is wrong, what it names cannot be used, or the journal cannot.
    """
    config = load(path)
    # The pictures are small: more threads only wait for each other.
    cv2.setNumThreads(1)
    terminal = Terminal(console or Console())
    notify = Notify()
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(config.journal.file))
        if doubt := clock_doubt(journal, time()):
            terminal.line(doubt, "yellow")
        troubles = Troubles(terminal.trouble)
        audience = Audience(config, lambda line: terminal.line(line, "yellow"))
        stack.callback(audience.close)
        table = LiveTable(
            config, journal, troubles, terminal, is_new=is_new, makers=makers, notify=notify,
            listeners=lambda kept: [terminal.begin(kept.header), *audience.begin(kept)],
        )  # fmt: skip
        stack.callback(table.kit.close)
        table.desk.speaker = audience.voice.speaker if audience.voice else None
        audience.on_pause = lambda: table.kit.spoken.take(Press(t=table.now(), u=ON_ITS_WAY_S, seat=0, key="pause"))
        stack.enter_context(_ended_by_signal(table))
        names = ", ".join(table.run.referee.header.seats)
        game = table.desk.game
        terminal.line(
            _("Going on with game {game}: {names}.", game=game, names=names)
            if table.is_resumed
            else _("Game {game}: {names}.", game=game, names=names)
        )
        if config.page.on:
            page = _Page(config, table, terminal, makers)
            stack.callback(page.close)
        table.kit.start()
        if sys.stdin is not None and sys.stdin.isatty():
            Typed(
                sys.stdin, table.now, table.kit.spoken.take, terminal, len(config.names()), table.kit.asked.seat
            ).start()
        table.play()
    return 0


class _Page:
    """The page, opened and kept open, and told when something was written."""

    def __init__(self, config: Config, table: LiveTable, terminal: Terminal, makers: Makers) -> None:
        self._config, self._terminal = config, terminal
        self._invitation: Invitation | None = None
        self._people: Any = None
        self._up: Any = None
        journal = config.journal.file
        self._keeper = makers.keeper(
            "page", "gone", lambda: makers.page(config, journal, self._come_in(journal), table.desk),
            table.troubles, use=self._use,
        )  # fmt: skip
        self._troubles = table.troubles
        table.on_news = self._ring
        self._keeper.start()

    def close(self) -> None:
        self._keeper.close()
        self._invite(None)

    def _come_in(self, journal: Path) -> Any:
        """Who may do what; the admin's first code is told once."""
        from croupier.web.people import People, Person

        if self._people is None:
            self._people = People(Path(f"{journal}{CODES}"))
            if not self._people.has_admin:
                code = self._people.new_code(Person("admin"))
                self._terminal.line(_("The admin's code for the page, told only now: {code}", code=code))
        return self._people

    def _use(self, page: Any) -> None:
        self._up = None if page is None else page.up
        if page is not None:
            self._troubles.set("page", "")
        self._invite(self._up)

    def _invite(self, up: Any) -> None:
        if self._invitation is not None:
            self._invitation.close()
        self._invitation = (
            None
            if up is None
            else Invitation(self._config, up, self._terminal.line, with_code=self._terminal.is_terminal)
        )

    def _ring(self) -> None:
        if (up := self._up) is not None:
            up.ring()


@contextmanager
def _ended_by_signal(table: LiveTable) -> Iterator[None]:
    """A service is ended by SIGTERM."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: table.end())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
