"""`croupier run`: opens journal, devices and page, plays, and closes everything at the end of the program."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic, time
from typing import Self, TypeVar

import cv2
from rich.console import Console

from croupier.alarms import AlarmRegistry
from croupier.commands import PressKey
from croupier.config import load
from croupier.errors import DiskFull
from croupier.i18n import localize
from croupier.journal import Journal
from croupier.observers import ObservedGame
from croupier.observers.notifier import Notifier
from croupier.runtime.camera_setup import CameraSetup
from croupier.runtime.devices import REAL, Factories
from croupier.runtime.page import PageServer, TablePage, WaitingTable
from croupier.runtime.session import clock_doubt
from croupier.runtime.settings import RENAMED, PendingNames, TableSettings
from croupier.runtime.systemd import Systemd
from croupier.runtime.table import WRITE_S, Hooks, open_table
from croupier.runtime.terminal import CommandReader, QuietConsole, Terminal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Host:
    """`croupier host`. ``cameras``: sources and names of the cameras found. ``greet``: called with the page's URL, with
    which an admin is logged in once, when the page is up; None if nobody is to open it."""

    cameras: Sequence[tuple[str, str]]
    greet: Callable[[str], None] | None


def run(
    path: Path,
    *,
    is_new: bool = False,
    factories: Factories = REAL,
    console: Console | None = None,
    host: Host | None = None,
) -> int:
    """Play at the table that the file ``path`` describes, until the program is ended.

    ``host``: how `croupier host` differs from `croupier run`.

    Raises:
        CroupierError: the file is invalid, or a device or the journal cannot be used.
    """
    config = load(path)
    # The pictures are small: several threads only wait for each other.
    cv2.setNumThreads(1)
    terminal = Terminal(console or QuietConsole())
    # The journal is closed last, without readers, so that its files are put in order.
    with _Termination() as termination, ExitStack() as last, ExitStack() as stack:
        alarms = AlarmRegistry(terminal.alarm)
        cameras, greet = (host.cameras, host.greet) if host is not None else ((), None)
        server = PageServer(config, alarms, terminal, greet) if config.page.on else None
        on_change = server.ring if server is not None else lambda: None
        notifier = Notifier(config, terminal, lambda line: terminal.line(line, "yellow"), on_change)
        stack.callback(notifier.close)
        if server is not None:
            stack.callback(server.close)
        systemd = Systemd()
        retry = _DiskRetry(alarms, systemd, termination, server, WaitingTable(alarms, config.page.theme))
        hooks = Hooks(on_news=on_change, retry=retry, is_ending=termination.is_asked)
        names = PendingNames(Path(f"{config.journal.file}{RENAMED}"))
        try:
            journal = last.enter_context(retry(lambda: Journal(config.journal.file)))
            if journal.recovery is not None:
                terminal.line(localize(journal.recovery.notice)[0], "red")
            if doubt := clock_doubt(journal, time()):
                terminal.line(doubt, "yellow")
            table = open_table(
                config,
                journal,
                alarms,
                notifier,
                is_new=is_new,
                factories=factories,
                observers=lambda session, submit: [
                    names,
                    terminal.begin(session),
                    *notifier.begin(
                        ObservedGame(
                            session.header,
                            session.game,
                            session.past,
                            session.position,
                            pause=lambda: submit(PressKey(0, "pause")),
                        )
                    ),
                ],
                step_observers=(server,) if server is not None else (),
                hooks=hooks,
                systemd=systemd,
            )
        except _Ended:
            return 0

        settings = TableSettings(table, path, config, terminal, notifier, names)
        if server is not None:
            camera_setup = CameraSetup(path, config, cameras, factories)
            server.start(TablePage(table, camera_setup, settings, notifier.plugins))
        stack.callback(table.manager.close)
        table.manager.start()
        if sys.stdin is not None and sys.stdin.isatty():
            CommandReader(
                sys.stdin, table.clock.now, table.inbox, terminal, table.page.seat, lambda: table.run.watch.has_camera
            ).start()
        table.play()
    return 0


class _Ended(Exception):
    """The program was ended before the table plays."""


class _DiskRetry:
    """A `Retry` without end: while the disk is full, the page shows an alarm and the write is repeated.

    ``server``: of the page; None without one. ``waiting``: what it shows.
    """

    def __init__(
        self, alarms: AlarmRegistry, systemd: Systemd, termination: _Termination, server: PageServer | None,
        waiting: WaitingTable,
    ) -> None:  # fmt: skip
        self._alarms, self._systemd, self._termination = alarms, systemd, termination
        self._server, self._waiting = server, waiting

    def __call__(self, write: Callable[[], T], /) -> T:
        """Repeat ``write`` until the disk has room. Returns its result."""
        while True:
            try:
                return write()
            except DiskFull as err:
                self._wait(localize(err)[0])

    def _wait(self, why: str) -> None:
        self._alarms.set("journal", "not-written", why)
        if self._server is not None:
            self._server.start(self._waiting)
        self._systemd.ready()
        self._systemd.status(why)
        self._systemd.alive(monotonic())
        if self._termination.wait(WRITE_S):
            raise _Ended


class _Termination:
    """Ends the program on SIGTERM, at any time."""

    def __init__(self) -> None:
        self._asked = Event()

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGTERM, self._end)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def is_asked(self) -> bool:
        """Return True if SIGTERM came."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for SIGTERM, at most ``seconds``. Returns True if it came."""
        return self._asked.wait(seconds)

    def _end(self, *_: object) -> None:
        self._asked.set()
