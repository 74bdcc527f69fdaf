"""`croupier run`: opens journal, devices and page, plays, and closes everything however the program ends."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Self

import cv2
from rich.console import Console

from croupier.alarms import AlarmRegistry
from croupier.config import load
from croupier.events import Press
from croupier.i18n import localize
from croupier.journal import Journal
from croupier.observers.notifier import Notifier
from croupier.runtime.devices import REAL, Factories
from croupier.runtime.page import PageServer, TablePage
from croupier.runtime.session import clock_doubt
from croupier.runtime.systemd import Systemd
from croupier.runtime.table import ON_ITS_WAY_S, Hooks, Table, open_table
from croupier.runtime.terminal import CommandReader, QuietConsole, Terminal


def run(
    path: Path,
    *,
    is_new: bool = False,
    factories: Factories = REAL,
    console: Console | None = None,
) -> int:
    """Play at the table that the file ``path`` describes, until somebody ends the program.

    Raises:
        CroupierError: the file is wrong, a device that it names cannot be used, or the journal cannot.
    """
    config = load(path)
    # The pictures are small: more threads only wait for each other.
    cv2.setNumThreads(1)
    terminal = Terminal(console or QuietConsole())
    with _Termination() as termination, ExitStack() as stack:
        journal = stack.enter_context(Journal(config.journal.file))
        if journal.recovery is not None:
            terminal.line(localize(journal.recovery.notice)[0], "red")
        if doubt := clock_doubt(journal, time()):
            terminal.line(doubt, "yellow")
        alarms = AlarmRegistry(terminal.alarm)
        notifier = Notifier(config, terminal, lambda line: terminal.line(line, "yellow"), lambda: pause())
        stack.callback(notifier.close)
        table_page = TablePage(alarms, notifier.voice.speaker if notifier.voice else None)
        server = PageServer(config, table_page, alarms, terminal) if config.page.on else None
        hooks = Hooks(on_loudness=table_page.set_loudness)
        table = open_table(
            config,
            journal,
            alarms,
            notifier.page,
            is_new=is_new,
            factories=factories,
            observers=lambda session: [
                table_page,
                terminal.begin(session),
                *notifier.begin(session.header, session.game, session.past, session.position),
            ],
            step_observers=(server,) if server is not None else (),
            hooks=replace(hooks, on_news=server.ring) if server is not None else hooks,
            systemd=Systemd(),
        )

        def pause() -> None:
            """Somebody pressed pause in the house."""
            table.inbox.put(Press(t=table.clock.now(), u=ON_ITS_WAY_S, seat=0, key="pause"))

        table_page.attach(table)
        termination.watch(table)
        if server is not None:
            stack.callback(server.close)
            server.start()
        stack.callback(table.manager.close)
        table.manager.start()
        if sys.stdin is not None and sys.stdin.isatty():
            seats, asked = len(config.names()), table.page.seat
            CommandReader(sys.stdin, table.clock.now, table.inbox, terminal, seats, asked).start()
        table.play()
    return 0


class _Termination:
    """Ends the table when the service is ended by SIGTERM, whenever that comes."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._is_asked = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGTERM, self._end)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def watch(self, table: Table) -> None:
        """End this table then."""
        self._table = table
        if self._is_asked:
            table.end()

    def _end(self, *_: object) -> None:
        self._is_asked = True
        if self._table is not None:
            self._table.end()
