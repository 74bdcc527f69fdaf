"""The page of a running table: served in a process of its own, kept up, and told of every line of the log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

import cv2

from cardsight.annotate import annotate
from croupier.alarms import AlarmRegistry
from croupier.cards import UNREAD
from croupier.commands import Command, Loudness, NameCard
from croupier.config import Config
from croupier.events import Amended, RefereedStep, SequencedEvent, UnsureCard
from croupier.i18n import _
from croupier.observers.voice.speaker import Speaker
from croupier.referee.observations import Play, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.table import Table
from croupier.runtime.terminal import Terminal
from croupier.supervisor import Supervisor

if TYPE_CHECKING:
    from croupier.web.accounts import Accounts
    from croupier.web.serving import WebServer

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
        self.candidates: tuple[str, ...] = ()
        self._alarms, self._speaker = alarms, speaker
        self._table: Table | None = None

    def attach(self, table: Table) -> None:
        """Show this table."""
        self._table = table

    @property
    def game(self) -> int:
        """The number of the game in the journal; 0 before there is one."""
        return 0 if self._table is None else self._table.run.session.game

    @property
    def alarms(self) -> tuple[tuple[str, str], ...]:
        """The alarms that are on: devices and kinds."""
        return self._alarms.active()

    @property
    def loudness(self) -> Loudness | None:
        """The volume of the voice; None without a voice."""
        return None if self._speaker is None else Loudness(self._speaker.volume, self._speaker.is_muted)

    def set_loudness(self, loudness: Loudness) -> None:
        """Set the volume of the voice, where there is one."""
        if self._speaker is not None:
            self._speaker.adjust(volume=loudness.volume, muted=loudness.muted)

    @property
    def has_camera(self) -> bool:
        """True where a camera sees the laid cards; otherwise people report them."""
        return self._table is None or self._table.run.watch.has_camera

    @property
    def has_shoe(self) -> bool:
        """True where a shoe deals; otherwise people do."""
        return self._table is None or self._table.run.has_shoe

    @property
    def may_start_game(self) -> bool:
        """True while another game may be started."""
        return self._table is not None and not self.is_simulation and self._table.may_start_game

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
            self.candidates = ()
        if self._table is not None:
            self._table.submit(command)

    def __call__(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Keep the candidates of the top card as long as nobody knows which it is."""
        match event:
            case UnsureCard():
                self.candidates = event.candidates
            case Amended():
                self.candidates = ()
            case Play() | Upcard() if event.card != UNREAD:
                self.candidates = ()
            case _:
                pass


class OpenPage(Protocol):
    """A page that is open."""

    @property
    def up(self) -> WebServer:
        """The served page."""

    def close(self) -> None:
        """Close the page."""


OpenPageFunction = Callable[[Config, Path, "Accounts", TablePage, Callable[[str], None]], OpenPage]
"""Opens the page for a configuration, a journal, the accounts and a table; the last argument is told why the page is
gone, and "" when it is up again."""


class WorkerPage:
    """The page in a worker process, open until `close`.

    Raises:
        CannotServe: the port is taken, or this machine has no such address.
    """

    def __init__(
        self, config: Config, journal: Path, accounts: Accounts, page: TablePage, report: Callable[[str], None]
    ) -> None:
        from croupier.web.worker_process import serve_in_process

        self._open = ExitStack()
        self.up = self._open.enter_context(
            serve_in_process(
                journal,
                accounts,
                page,
                host=config.page.address,
                port=config.page.port,
                name=config.page.name or "",
                report=report,
            )
        )

    def close(self) -> None:
        """Close the page."""
        self._open.close()


class PageServer:
    """Keeps the page up, says where it is, and passes on every line of the log: a `StepObserver`."""

    def __init__(
        self,
        config: Config,
        page: TablePage,
        alarms: AlarmRegistry,
        terminal: Terminal,
        open_page: OpenPageFunction = WorkerPage,
    ) -> None:
        self._config, self._terminal, self._alarms = config, terminal, alarms
        self._invitation: Invitation | None = None
        self._up: WebServer | None = None
        journal = config.journal.file
        self._supervisor: Supervisor[OpenPage] = Supervisor(
            "page",
            lambda: open_page(config, journal, self._accounts(journal), page, self._report),
            self._report,
            use=self._use,
        )

    def start(self) -> None:
        """Open the page soon."""
        self._supervisor.start()

    def close(self) -> None:
        """Close the page."""
        self._supervisor.close()
        self._invite(None)

    def ring(self) -> None:
        """Say that the state of the table has changed."""
        if (up := self._up) is not None:
            up.ring()

    def __call__(self, game: int, step: RefereedStep) -> None:
        """Pass on one line of the log with its rulings and position."""
        if (up := self._up) is not None:
            up.publish(game, step)

    def _accounts(self, journal: Path) -> Accounts:
        """Return who may do what on the page; the first code of the admin is shown once."""
        from croupier.web.accounts import Accounts, Person

        accounts = Accounts(Path(f"{journal}{CODES}"))
        if not accounts.has_admin:
            code = accounts.new_code(Person("admin"))
            self._terminal.line(_("The admin's code for the page, told only now: {code}", code=code))
        return accounts

    def _report(self, reason: str) -> None:
        self._alarms.set("page", "gone" if reason else "", reason)

    def _use(self, page: OpenPage | None) -> None:
        self._up = None if page is None else page.up
        if page is not None:
            self._report("")
        self._invite(self._up)

    def _invite(self, up: WebServer | None) -> None:
        if self._invitation is not None:
            self._invitation.close()
            self._invitation = None
        if up is not None:
            self._invitation = Invitation(self._config, up, self._terminal.line, with_code=self._terminal.is_terminal)


class Invitation:
    """Says where the page is, and announces its name in the network until `close`.

    ``line``: prints a line in a style; ``with_code``: with the QR code for phones."""

    def __init__(self, config: Config, up: WebServer, line: Callable[[str, str], None], *, with_code: bool) -> None:
        self._open = ExitStack()
        line(_("The page is at {address}", address=up.url), "")
        if up.network_address is None:
            return
        line(_("In your network it is at {address}", address=up.network_address.url), "")
        if with_code:
            for row in up.network_address.qr_lines():
                line(row, _LIGHT_ON_DARK)
        if config.page.name:
            self._announce(config.page.name, config.table.name, up.network_address.url, line)

    def close(self) -> None:
        """Take the name back."""
        self._open.close()

    def _announce(self, name: str, table: str, address: str, line: Callable[[str, str], None]) -> None:
        place = urlsplit(address)
        assert place.hostname is not None
        assert place.port is not None
        try:
            from croupier.web.addresses import MdnsAnnouncement

            announced = self._open.enter_context(MdnsAnnouncement(name, place.port, table, (place.hostname,)))
        except (OSError, ModuleNotFoundError) as err:
            line(_("The name {name}.local could not be announced: {why}", name=name, why=str(err)), "yellow")
        else:
            line(_("and at {address}", address=f"http://{announced.name}.local:{place.port}/"), "")
