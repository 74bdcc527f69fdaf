"""The page of a running table: its state for the page, the page's server, and the invitation to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import cv2

from cardsight.annotate import annotate
from croupier.alarms import AlarmRegistry
from croupier.cards import UNREAD
from croupier.commands import Command, Loudness, NameCard
from croupier.config import Config
from croupier.errors import CannotServe
from croupier.events import Amended, RefereedStep, SequencedEvent, UnsureCard
from croupier.i18n import _, localize
from croupier.observers.voice.speaker import Speaker
from croupier.optional_dependencies import requires_extra
from croupier.referee.observations import Play, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.table import Table
from croupier.runtime.terminal import Terminal
from croupier.web.live_table import LiveTableState

if TYPE_CHECKING:
    from croupier.web.accounts import Accounts
    from croupier.web.serving import WebServer
    from croupier.web.worker_process import WorkerProcess

JPEG_QUALITY: Final = 80
"""Of the camera's picture: a third of the bytes of OpenCV's usual quality, and nothing less to see."""

CODES: Final = "-codes"
"""The suffix to the name of the journal for the file with the codes of the page."""

_LIGHT_ON_DARK: Final = "white on black"
"""Phones read a QR code only in these colors, whatever the colors of the terminal."""


class TablePage:
    """The table as the page sees it: a `croupier.web.live_table.LiveTable`, and an `Observer`.

    ``speaker``: the voice, where there is one."""

    is_simulation = False
    faults: tuple[str, ...] = ()

    def __init__(self, alarms: AlarmRegistry, speaker: Speaker | None = None) -> None:
        self._candidates: tuple[str, ...] = ()
        self._alarms, self._speaker = alarms, speaker
        self._table: Table | None = None

    def attach(self, table: Table) -> None:
        """Show this table."""
        self._table = table

    @property
    def state(self) -> LiveTableState:
        """The state now."""
        table, speaker = self._table, self._speaker
        return LiveTableState(
            game=0 if table is None else table.run.session.game,
            is_simulation=self.is_simulation,
            candidates=self._candidates,
            faults=self.faults,
            loudness=None if speaker is None else Loudness(speaker.volume, speaker.is_muted),
            alarms=self._alarms.active(),
            has_camera=table is None or table.run.watch.has_camera,
            has_shoe=table is None or table.run.has_shoe,
            may_start_game=table is not None and not self.is_simulation and table.may_start_game,
        )

    def set_loudness(self, loudness: Loudness) -> None:
        """Set the volume of the voice, where there is one."""
        if self._speaker is not None:
            self._speaker.adjust(volume=loudness.volume, muted=loudness.muted)

    def camera_jpeg(self) -> bytes | None:
        """Return the last frame with the readings drawn in, as JPEG; None if there is none."""
        watch = None if self._table is None else self._table.run.watch
        if watch is None or (frame := watch.frame) is None:
            return None
        drawn = annotate(frame.image, watch.reading(frame.image))
        _is_encoded, encoded = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        return encoded.tobytes()

    def submit(self, command: Command) -> None:
        """Take in a command. A named card answers the question for it, also where it is the card that was read."""
        if isinstance(command, NameCard):
            self._candidates = ()
        if self._table is not None:
            self._table.submit(command)

    def __call__(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Keep the candidates of the top card as long as nobody knows which it is."""
        match event:
            case UnsureCard():
                self._candidates = event.candidates
            case Amended():
                self._candidates = ()
            case Play() | Upcard() if event.card != UNREAD:
                self._candidates = ()
            case _:
                pass


class PageServer:
    """Keeps the page up in a process of its own, says where it is, and passes on every line of the log: a
    `StepObserver`."""

    def __init__(self, config: Config, page: TablePage, alarms: AlarmRegistry, terminal: Terminal) -> None:
        self._config, self._page, self._alarms, self._terminal = config, page, alarms, terminal
        self._server: WorkerProcess | None = None
        self._invitation: ExitStack | None = None

    def start(self) -> None:
        """Open the page soon; an alarm says why it is not up. Once it is open, only say what `ring` says."""
        if self._server is not None:
            self._server.ring()
            return
        try:
            with requires_extra("web"):
                from croupier.web.worker_process import WorkerProcess
        except CannotServe as missing:
            self._report(localize(missing)[0])
            return
        page = self._config.page
        self._server = WorkerProcess(
            self._config.journal.file, self._accounts, self._page, host=page.address, port=page.port,
            name=page.name or "", report=self._report, on_up=self._invite,
        )  # fmt: skip
        self._server.start()

    def close(self) -> None:
        """Close the page."""
        if self._server is not None:
            self._server.stop()
        if self._invitation is not None:
            self._invitation.close()

    def ring(self) -> None:
        """Say that the state of the table has changed."""
        if self._server is not None:
            self._server.ring()

    def __call__(self, game: int, step: RefereedStep) -> None:
        """Pass on one line of the log with its rulings and position."""
        if self._server is not None:
            self._server.publish(game, step)

    def _accounts(self) -> Accounts:
        """Return who may do what on the page; the first code of the admin is shown once."""
        from croupier.web.accounts import Accounts, Person

        accounts = Accounts(Path(f"{self._config.journal.file}{CODES}"))
        if not accounts.has_admin:
            code = accounts.new_code(Person("admin"))
            self._terminal.line(_("The admin code for the page, shown only this once: {code}", code=code))
        return accounts

    def _report(self, reason: str) -> None:
        self._alarms.set("page", "gone" if reason else "", reason)

    def _invite(self) -> None:
        """Say where the page is when it is up for the first time; it stays there."""
        assert self._server is not None
        if self._invitation is None:
            self._invitation, terminal = ExitStack(), self._terminal
            invited = invitation(self._config, self._server, terminal.line, with_code=terminal.is_terminal)
            self._invitation.enter_context(invited)


@contextmanager
def invitation(config: Config, up: WebServer, line: Callable[[str, str], None], *, with_code: bool) -> Iterator[None]:
    """Say where the page is, and announce its name in the network while the context manager is open.

    ``line``: prints a line in a style; ``with_code``: with the QR code for phones."""
    line(_("The page is at {address}", address=up.url), "")
    with ExitStack() as stack:
        if (address := up.network_address) is not None:
            line(_("On your network it is at {address}", address=address.url), "")
            if with_code:
                for row in address.qr_lines():
                    line(row, _LIGHT_ON_DARK)
            if config.page.name:
                stack.enter_context(_announced(config.page.name, config.table.name, address.url, line))
        yield


@contextmanager
def _announced(name: str, table: str, address: str, line: Callable[[str, str], None]) -> Iterator[None]:
    place = urlsplit(address)
    assert place.hostname is not None
    assert place.port is not None
    with ExitStack() as stack:
        try:
            from croupier.web.addresses import mdns_announcement

            free = stack.enter_context(mdns_announcement(name, place.port, table, (place.hostname,)))
        except (OSError, ModuleNotFoundError) as err:
            line(_("The name {name}.local could not be announced: {why}", name=name, why=str(err)), "yellow")
        else:
            line(_("and at {address}", address=f"http://{free}.local:{place.port}/"), "")
        yield
