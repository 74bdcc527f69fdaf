"""The page of a running table: the table's state for the page, the page's server, and the display of its address."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar, cast

from cardsight.annotate import annotate
from croupier import plugins
from croupier.alarms import AlarmRegistry
from croupier.commands import Command, PluginOrder
from croupier.config import Config
from croupier.errors import CannotServe, PluginUnavailable
from croupier.i18n import _, localize, of_table
from croupier.log_replay import Record
from croupier.optional_dependencies import WEB, requires_extra
from croupier.runtime.camera import TableWatch
from croupier.runtime.camera_places import jpeg
from croupier.runtime.camera_setup import CameraSetup
from croupier.runtime.settings import TableSettings
from croupier.runtime.table import Table
from croupier.runtime.terminal import Terminal
from croupier.table_api.live_table import (
    AppealRequest,
    CameraOrder,
    CameraRequest,
    ChangeSettings,
    ClipRequest,
    LiveTable,
    LiveTableState,
    PileClip,
    PileVerdict,
    Request,
    done,
)

if TYPE_CHECKING:
    from croupier.observers import TableObserver
    from croupier.plugins import ServerCertificate
    from croupier.web.accounts import Accounts
    from croupier.web.serving import WebServer
    from croupier.web.worker_process import WorkerProcess

T = TypeVar("T")

CODES: Final = "-codes"
SESSIONS: Final = "-sessions"
"""Suffixes of the journal's name for the files with the login codes, and with the open sessions."""


class WaitingTable:
    """A `LiveTable` before there is a table: it shows alarms, and does nothing. ``theme``: the colors of all pages."""

    def __init__(self, alarms: AlarmRegistry, theme: str = "auto", *, is_simulation: bool = False) -> None:
        self._alarms, self._theme, self._is_simulation = alarms, theme, is_simulation

    @property
    def state(self) -> LiveTableState:
        """Return the present state."""
        return LiveTableState(
            game=0,
            is_simulation=self._is_simulation,
            candidates=(),
            sightings=(),
            faults=(),
            alarms=self._alarms.active(),
            seen=self._alarms.seen(),
            has_camera=True,
            has_shoe=True,
            may_start_game=False,
            can_set_up_camera=False,
            language=of_table(),
            theme=self._theme,
            settings=None,
        )

    def ask(self, request: Request[T]) -> T | None:
        """As `LiveTable.ask`: nothing can be answered."""
        return None

    def submit(self, command: Command) -> Future[None]:
        """As `LiveTable.submit`: nobody carries it out."""
        return done()


class TablePage:
    """The table for the page: a `LiveTable` of `croupier.table_api`. ``camera_setup``, ``settings``: None if they
    cannot be changed on the page; ``plugins``: observers of plug-ins, by their names."""

    is_simulation = False
    faults: tuple[str, ...] = ()

    def __init__(
        self,
        table: Table,
        camera_setup: CameraSetup | None = None,
        settings: TableSettings | None = None,
        plugins: Mapping[str, TableObserver] = MappingProxyType({}),
    ) -> None:
        self._table, self._camera_setup, self._settings, self._plugins = table, camera_setup, settings, plugins

    @property
    def state(self) -> LiveTableState:
        """Return the present state."""
        table, run, settings = self._table, self._table.run, self._settings
        return LiveTableState(
            game=run.session.game,
            is_simulation=self.is_simulation,
            candidates=run.candidates,
            sightings=run.sequencer.sightings,
            faults=self.faults,
            alarms=table.alarms.active(),
            seen=table.alarms.seen(),
            has_camera=run.watch.has_camera,
            has_shoe=run.has_shoe,
            may_start_game=not self.is_simulation and table.may_start_game,
            can_set_up_camera=self._camera_setup is not None,
            language=of_table(),
            theme="auto" if settings is None else settings.theme,
            no_call="after" if settings is None else settings.no_call,
            settings=None if settings is None else settings.state,
            receipts=next((one.receipts for one in self._plugins.values() if one.receipts is not None), None),
            offers=run.session.offers,
            plugins=tuple((name, plugin.state) for name, plugin in self._plugins.items()),
            open_hands=run.open_hands,
        )

    def ask(self, request: Request[T]) -> T | None:
        """Carry out a request of the page; None where the table has nothing to answer."""
        table = self._table
        answer: object = None
        match request:
            case ChangeSettings() if self._settings is not None:
                answer = self._settings.change(request)
            case CameraOrder() if self._camera_setup is not None:
                answer = self._camera_setup.carry_out(request, table)
            case CameraRequest():
                answer = _picture(request, table.run.watch)
            case ClipRequest(t=t, until=until):
                answer = _clip(t, until, table)
            case AppealRequest(t=t):
                answer = _verdict(t, table)
            case _:
                pass
        return cast("T | None", answer)

    def submit(self, command: Command) -> Future[None]:
        """Submit a command. An order goes to its plug-in, if the table uses it; all others are for the game."""
        if not isinstance(command, PluginOrder):
            return self._table.submit(command)
        if (plugin := self._plugins.get(command.plugin)) is not None:
            names = self._table.run.position.names
            seat = command.seat
            plugin.order(command.order, names[seat] if seat is not None and seat < len(names) else "")
        return done()


def _picture(request: CameraRequest, watch: TableWatch) -> bytes | None:
    if (frame := watch.frame) is None or (request.is_pile and watch.zones is None):
        return None
    if request.is_pile and watch.zones is not None:
        left, top, right, bottom = watch.zones.pile
        return jpeg(frame.image[top:bottom, left:right])
    return jpeg(frame.image if request.plain else annotate(frame.image, watch.reading(frame.image)))


def _clip(t: float, until: float, table: Table) -> PileClip | None:
    clips = table.run.watch.clips
    if clips is None or (clip := clips.clip(t, until, table.clock.now())) is None:
        return None
    return PileClip(clip.t, clip.u, clip.size, clip.outline, clip.frames)


def _verdict(t: float, table: Table) -> PileVerdict | None:
    appeals = table.run.watch.appeals
    if appeals is None or (verdict := appeals.judge(t, table.clock.now())) is None:
        return None
    return PileVerdict(verdict.face, verdict.shown, verdict.pictures, verdict.is_sure)


class PageServer:
    """Runs the page in a process of its own, prints its address, and forwards every line of the log: a
    `StepObserver`.

    ``greet``: called with the page's URL when the page is up. It has a code for one session of the admin behind a
    ``#``, which a browser sends to nobody; the page logs in with it.
    """

    def __init__(
        self, config: Config, alarms: AlarmRegistry, terminal: Terminal, greet: Callable[[str], None] | None = None
    ) -> None:
        self._config, self._alarms, self._terminal = config, alarms, terminal
        self._greet, self._invited = greet, ""
        self._server: WorkerProcess | None = None
        self._invitation: Invitation | None = None

    def start(self, table: LiveTable) -> None:
        """Show this table on the page, and start to open the page unless it is open; an alarm reports a failure."""
        if self._server is not None:
            self._server.show(table)
            return
        try:
            with requires_extra(WEB):
                from croupier.web.worker_process import UNIT_SOCKET, WorkerProcess
        except CannotServe as missing:
            self._alarms.set("page", "missing", localize(missing)[0])
            return
        page = self._config.page
        self._server = WorkerProcess(
            self._config.journal.file, self._accounts, table, host=page.address, port=page.port,
            name=page.name or "", unit_socket=os.environ.get(UNIT_SOCKET, ""),
            deck_profile=self._config.deck.profile, certificate=self._certificate(), report=self._report,
            on_up=self._invite,
        )  # fmt: skip
        self._server.start()

    def close(self) -> None:
        """Close the page."""
        if self._server is not None:
            self._server.stop()
        if self._invitation is not None:
            self._invitation.close()

    def ring(self) -> None:
        """Notify the page of a change of the table."""
        if self._server is not None:
            self._server.ring()

    def __call__(self, game: int, step: Record) -> None:
        """Forward one line of the log with its rulings and position."""
        if self._server is not None:
            self._server.publish(game, step)

    def _accounts(self) -> Accounts:
        """Return the page's accounts. The first start makes the admin's code, and prints it once."""
        from croupier.web.accounts import Accounts, Person

        journal = self._config.journal.file
        accounts = Accounts(Path(f"{journal}{CODES}"), sessions=Path(f"{journal}{SESSIONS}"))
        if not accounts.has_admin:
            code = accounts.new_code(Person("admin"))
            self._terminal.line(_("The admin code for the page, shown only this once: {code}", code=code))
        if self._greet is not None:
            self._invited = accounts.invite(Person("admin"))
        return accounts

    def _certificate(self) -> ServerCertificate | None:
        """The certificate for HTTPS, where somebody else than this machine can ask for it: that of the phone's camera,
        which phones may know."""
        from croupier.web.addresses import is_own_machine

        if is_own_machine(self._config.page.address):
            return None
        with suppress(PluginUnavailable):
            certificate: ServerCertificate = plugins.load(plugins.CERTIFICATES, plugins.OWN_CERTIFICATE)(
                self._config.camera.certificate
            )
            return certificate
        return None

    def _report(self, reason: str) -> None:
        self._alarms.set("page", "gone" if reason else "", reason)

    def _invite(self) -> None:
        """Print the page's addresses when it is up for the first time, and what has changed since."""
        assert self._server is not None
        is_first = self._invitation is None
        if self._invitation is None:
            terminal = self._terminal
            self._invitation = Invitation(self._config, self._server, terminal.line, with_code=terminal.is_terminal)
        self._invitation()
        if is_first and self._greet is not None:
            self._greet(f"{self._server.url}login#{self._invited}")


class Invitation:
    """Tells the page's addresses, and announces its name in the networks; each time that it is called, as they are now.

    ``line``: prints a line in a style. ``with_code``: also print QR codes for phones.
    """

    def __init__(self, config: Config, up: WebServer, line: Callable[[str, str], None], *, with_code: bool) -> None:
        from croupier.web.addresses import AddressReport

        self._up, self._line, self._name = up, line, config.page.name or ""
        self._report = AddressReport(up.addresses, line, with_code=with_code)
        line(_("The page is at {address}", address=up.url), "")
        self._responder: plugins.Responder | None = None
        if self._name:
            try:
                open_responder: plugins.OpenResponder = plugins.load(plugins.RESPONDERS, plugins.MDNS)
                self._responder = open_responder(self._name, up.addresses.port, config.table.name, self._report_name)
            except PluginUnavailable as err:
                self._report_name("", localize(err)[0])

    def __call__(self) -> None:
        """Report what is new."""
        self._report.print_new()
        if self._responder is not None:
            self._responder.announce(self._up.addresses.networks)

    def close(self) -> None:
        """Take the name back."""
        if self._responder is not None:
            self._responder.close()

    def _report_name(self, free: str, why: str) -> None:
        if free:
            self._line(_("and at {address}", address=f"http://{free}.local:{self._up.addresses.port}/"), "")
        else:
            self._line(_("The name {name}.local could not be announced: {why}", name=self._name, why=why), "yellow")
