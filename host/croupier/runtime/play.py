"""`croupier run`: opens journal, parts and page, plays, and closes everything however it ends."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from time import time
from typing import Self

import cv2
from rich.console import Console

from croupier.alarms import AlarmRegistry
from croupier.config import load
from croupier.events import Press
from croupier.journal import Journal
from croupier.observers.notifier import Notifier
from croupier.runtime.command_queue import ON_ITS_WAY_S
from croupier.runtime.factories import REAL, Makers
from croupier.runtime.live import LiveTable
from croupier.runtime.page import KeptPage
from croupier.runtime.session import clock_doubt
from croupier.runtime.systemd import Notify
from croupier.runtime.terminal import Terminal, Typed, Unread


def play(path: Path, *, is_new: bool = False, makers: Makers = REAL, console: Console | None = None) -> int:
    """Play at the table that the file ``path`` describes, until somebody ends the program.

    Raises:
        CroupierError: the file is wrong, what it names cannot be used, or the journal cannot.
    """
    config = load(path)
    # The pictures are small: more threads only wait for each other.
    cv2.setNumThreads(1)
    terminal = Terminal(console or Unread())
    notify = Notify()
    with _Ending() as ending, ExitStack() as stack:
        journal = stack.enter_context(Journal(config.journal.file))
        if doubt := clock_doubt(journal, time()):
            terminal.line(doubt, "yellow")
        alarms = AlarmRegistry(terminal.show_alarm)
        notifier = Notifier(config, terminal, lambda line: terminal.line(line, "yellow"))
        stack.callback(notifier.close)
        table = LiveTable(
            config, journal, alarms, notifier.page, is_new=is_new, makers=makers, notify=notify,
            listeners=lambda kept: [
                terminal.begin(kept),
                *notifier.begin(kept.header, kept.game, kept.past, kept.referee.state()),
            ],
        )  # fmt: skip
        stack.callback(table.kit.close)
        table.desk.speaker = notifier.voice.speaker if notifier.voice else None
        notifier.on_pause = lambda: table.kit.spoken.take(Press(t=table.now(), u=ON_ITS_WAY_S, seat=0, key="pause"))
        ending.of(table)
        if config.page.on:
            page = KeptPage(config, table, terminal, makers)
            stack.callback(page.close)
        table.kit.start()
        if sys.stdin is not None and sys.stdin.isatty():
            Typed(
                sys.stdin, table.now, table.kit.spoken.take, terminal, len(config.names()), table.kit.asked.seat
            ).start()
        table.play()
    return 0


class _Ending:
    """A service is ended by SIGTERM, whenever that comes."""

    def __init__(self) -> None:
        self._table: LiveTable | None = None
        self._is_wished = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGTERM, self._end)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def of(self, table: LiveTable) -> None:
        """It is this table that ends then."""
        self._table = table
        if self._is_wished:
            table.end()

    def _end(self, *_: object) -> None:
        self._is_wished = True
        if self._table is not None:
            self._table.end()
