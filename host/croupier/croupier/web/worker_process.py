"""The page in a process of its own, so that viewers take no time from the table, and nothing else.

The page is a `ChildProcess`. To it go the port on which it listens, the refereed steps of the live game, the
state of the `LiveTable` after each change, and camera frames on request; back come `page_messages`. If the process
dies, it is restarted on the same port.

The process is a child of the table, with its rights, or that of a unit of systemd with a user of its own
(`UNIT_SOCKET`). It writes nothing: the table keeps codes, sessions and sheets, too. Of the journal it only reads the
file.
"""

from __future__ import annotations

import logging
import os
import socket
import stat
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Lock, Thread
from typing import Any, Final, Self, TypeVar

from croupier.child_process import Channel, ChildProcess, python, serve
from croupier.errors import BadLog, BadMessage, CannotServe, CannotWrite, NoAnswer
from croupier.game_views.statistics import LeftOut
from croupier.game_views.story import LiveStep
from croupier.i18n import _, localize, of_table, use
from croupier.supervisor import Supervisor
from croupier.table_api.live_table import (
    CameraOrder,
    CameraView,
    ChangeSettings,
    LiveTable,
    LiveTableState,
    PileClip,
    PileVerdict,
    SettingsAnswer,
)
from croupier.table_api.messages import (
    MOST_BYTES,
    AppealRequest,
    CameraRequest,
    ClipRequest,
    Followers,
    KeepSheet,
    LeaveOut,
    Message,
    NewCodes,
    Request,
    Sessions,
    decode,
    encode,
)
from croupier.web.accounts import Accounts
from croupier.web.addresses import NetworkAddress, network_address
from croupier.web.picture_reader import PictureReader
from croupier.web.score_sheets import ScoreSheets, store_in
from croupier.web.serving import ServerThread, WebServer, listen, local_url

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

UNIT_SOCKET: Final = "CROUPIER_PAGE_SOCKET"
"""The environment variable with the socket at which systemd starts the page as a user of its own
(`deploy/croupier-page.socket`). Without it the table starts the page itself."""

_PAGE: Final = python("croupier.web.worker_process:serve_page")

_ANSWER_S: Final = 2.0
"""A table that is too busy to answer by then has no picture to show, and keeps no codes."""

_SETUP_S: Final = 20.0
"""The same for the setup of the camera, which may read cards on a slow machine and close a camera that hangs, and for a
clip or an appeal, which is worked out first."""

_START_S: Final = 120.0
"""A process that is not up by then is given up."""

_LONGEST_NAME: Final = 200

_FIRST_FD: Final = 3
"""The first descriptor that systemd passes (sd_listen_fds(3))."""

_MAX_QUEUED_STEPS: Final = 1000
"""If the page is slower, the oldest steps are dropped; the page reads the gap from the journal."""


@dataclass(frozen=True, slots=True)
class _Startup:
    """The first message to the process."""

    journal: Path
    codes: str
    sessions: str
    state: LiveTableState
    name: str
    address: NetworkAddress | None
    deck_profile: Path | None


@dataclass(frozen=True, slots=True)
class _News:
    """The refereed ``steps`` since the last news, and the ``state`` of the table after them."""

    steps: tuple[LiveStep, ...]
    state: LiveTableState


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer ``to`` a message of the page. ``content``: None where there is nothing; `NoAnswer` where it failed."""

    to: Request
    content: object


class WorkerProcess(WebServer):
    """The table's side of a page that runs in another process; supervised from `start` until `stop`.

    ``accounts``: returns the accounts before the first process is started; later they live in the process.
    ``host``, ``port``: as in `serving.serve_in_thread`. ``name``: the host name in the network, without ``.local``.
    ``unit_socket``: as `UNIT_SOCKET`; empty: the table starts the page itself. ``deck_profile``: for pictures of hands.
    ``report``: takes the reason when the page is down, and "" when it is up. ``on_up``: called when it is up.
    """

    followers = 0

    def __init__(
        self,
        journal: Path,
        accounts: Callable[[], Accounts],
        live_table: LiveTable,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        name: str = "",
        unit_socket: str = "",
        deck_profile: Path | None = None,
        report: Callable[[str], None] = lambda why: None,
        on_up: Callable[[], None] = lambda: None,
    ) -> None:
        self._journal, self._create_accounts, self._live_table = journal, accounts, live_table
        self._host, self._port, self._name, self._report, self._on_up = host, port, name, report, on_up
        self._listener: socket.socket | None = None
        self._accounts: Accounts | None = None
        self._has_news, self._has_sessions, self._is_stopped = Event(), Event(), Event()
        self._steps: deque[LiveStep] = deque(maxlen=_MAX_QUEUED_STEPS)
        self._unit_socket, self._deck_profile = unit_socket, deck_profile
        self._store_sheet = store_in(journal.parent)
        self._up: ChildProcess | None = None
        """The process while it is up."""
        self._worker: ChildProcess | None = None
        self._keeper: Thread | None = None
        self._supervisor = Supervisor("page", self._start, report, use=self._use, stay=self._handle_messages)

    def __enter__(self) -> Self:
        """Open the port and start. Raises `CannotServe`."""
        self.listen()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The id of the process; 0 before it is started, and where systemd has it."""
        return self._worker.pid if self._worker is not None else 0

    def listen(self) -> socket.socket:
        """Open the port, unless it is open. Raises `CannotServe`."""
        if self._listener is None:
            self._listener = listen(self._host, self._port)
            self.url, self.network_address = local_url(self._listener), network_address(self._listener)
        return self._listener

    def start(self) -> None:
        """Start serving soon."""
        self._supervisor.start()
        Thread(target=self._send_news, name="page sender", daemon=True).start()
        self._keeper = Thread(target=self._keep_sessions, name="page sessions", daemon=True)
        self._keeper.start()

    def append(self, step: LiveStep) -> None:
        """As in `WebServer`."""
        self._steps.append(step)  # a thread sends it, because the pipe may be full
        self._has_news.set()

    def ring(self) -> None:
        """As in `WebServer`."""
        self._has_news.set()

    def wait(self) -> None:
        """As in `WebServer`."""
        self._supervisor.join()

    def stop(self) -> None:
        """As in `WebServer`."""
        self._supervisor.stop()
        self._is_stopped.set()
        self._has_news.set()
        if self._worker is not None:
            self._worker.hang_up()
        self._supervisor.close()
        self._has_sessions.set()
        if self._keeper is not None:
            self._keeper.join()
        if self._listener is not None:
            self._listener.close()

    def _start(self) -> ChildProcess:
        """Start a process; returns when it is up."""
        listener = self.listen()
        if self._accounts is None:
            self._accounts = self._create_accounts()
        startup = _Startup(
            self._journal,
            self._accounts.codes,
            self._accounts.sessions,
            self._live_table.state,
            self._name,
            self.network_address,
            self._deck_profile,
        )
        if self._unit_socket:
            _let_group_read(self._journal)
            worker = ChildProcess(self._unit_link(), None, (startup,), sockets=[listener])
        else:
            worker = ChildProcess.start(_PAGE, startup, sockets=[listener])
        self._worker = worker
        try:
            if not worker.channel.poll(_START_S):
                raise EOFError
            while not isinstance(message := _received(worker), Followers):
                self._handle(worker, message)
        except (BadMessage, EOFError, OSError):
            reason = worker.end()
            worker.close()
            raise CannotServe(reason) from None
        return worker

    def _unit_link(self) -> socket.socket:
        link = socket.socket(socket.AF_UNIX)
        try:
            link.connect(self._unit_socket)
        except OSError as err:
            link.close()
            why = os.strerror(err.errno) if err.errno is not None else str(err)
            raise CannotServe(
                _(
                    "the page’s service cannot be reached at {file}: {why}: run deploy/install again",
                    file=self._unit_socket,
                    why=why,
                )
            ) from err
        return link

    def _use(self, worker: ChildProcess | None) -> None:
        self._up = worker
        if worker is not None:
            self._has_news.set()  # changes since the process was started
            self._report("")
            self._on_up()
        else:
            self.followers = 0

    def _handle_messages(self, worker: ChildProcess, _is_closing: Event) -> str:
        """Handle messages of the page until the process or the table ends."""
        while True:
            try:
                self._handle(worker, _received(worker))
            except (EOFError, OSError):
                return worker.end()
            except BadMessage as err:
                worker.end()
                return localize(err)[0]

    def _handle(self, worker: ChildProcess, message: Message) -> None:
        assert self._accounts is not None
        match message:
            case Followers(n=n):
                self.followers = n
            case Sessions(sessions=sessions):
                self._accounts.take_sessions(sessions)  # for the next process
                self._has_sessions.set()
            case CameraOrder() | ChangeSettings() | ClipRequest() | AppealRequest():
                # In a thread: a press that comes meanwhile is stamped at once.
                Thread(target=self._answer, args=(worker, message), name="page request", daemon=True).start()
            case CameraRequest() | NewCodes() | KeepSheet() | LeaveOut():
                self._answer(worker, message)
            case _:
                self._live_table.submit(message)
                self.ring()  # the loudness of the voice is not in the log

    def _answer(self, worker: ChildProcess, message: Request) -> None:
        """Do what the page asks for, and answer it. Raises BadMessage."""
        try:
            content = _REQUESTS[type(message)].carry_out(self, message)
        except BadMessage:
            raise
        except Exception:  # what fails must not take down the page
            _log.exception("%s", type(message).__name__)
            content = NoAnswer()
        if isinstance(message, ChangeSettings):
            worker.send(_News((), self._live_table.state))  # the page knows what was changed when it is answered
        worker.send(_Answer(message, content))

    def _keep_codes(self, message: NewCodes) -> CannotWrite | None:
        assert self._accounts is not None
        try:
            self._accounts.take_codes(message.codes)
        except CannotWrite as err:
            return err
        return None

    def _keep_sessions(self) -> None:
        """Write the sessions after each change, in a thread of its own: a press must not wait for a disk."""
        is_last = False
        while not is_last:
            self._has_sessions.wait()
            self._has_sessions.clear()
            is_last = self._is_stopped.is_set()
            if self._accounts is not None:
                with suppress(CannotWrite):  # the journal's alarm tells of the disk
                    self._accounts.keep_sessions()

    def _keep_sheet(self, message: KeepSheet) -> CannotWrite | None:
        try:
            self._store_sheet(message.name, message.text)
        except CannotWrite as err:
            return err
        except BadLog as err:
            raise BadMessage from err
        return None

    def _leave_out(self, message: LeaveOut) -> CannotWrite | None:
        if len(message.name) > _LONGEST_NAME:
            raise BadMessage
        try:
            LeftOut(self._journal).set(message.name, is_out=message.is_out)
        except CannotWrite as err:
            return err
        except BadLog as err:
            return CannotWrite(localize(err)[0])
        return None

    def _picture(self, message: CameraRequest) -> bytes | None:
        table = self._live_table
        return table.pile_jpeg() if message.is_pile else table.camera_jpeg(plain=message.plain)

    def _clip(self, message: ClipRequest) -> PileClip | None:
        return self._live_table.pile_clip(message.t, message.until)

    def _appeal(self, message: AppealRequest) -> PileVerdict | None:
        return self._live_table.appeal(message.t)

    def _send_news(self) -> None:
        while not self._is_stopped.is_set():
            self._has_news.wait()
            self._has_news.clear()
            steps = [self._steps.popleft() for _ in range(len(self._steps))]
            if (worker := self._up) is not None:
                worker.send(_News(tuple(steps), self._live_table.state))


def _received(worker: ChildProcess) -> Message:
    """The next message of the page. Raises EOFError, OSError, and BadMessage for other bytes."""
    return decode(worker.receive(MOST_BYTES))


def _let_group_read(journal: Path) -> None:
    """The page is in the group of the table, and no other file there is for the group."""
    for suffix in ("", "-wal", "-shm", "-head"):
        with suppress(OSError):
            file = Path(f"{journal}{suffix}")
            file.chmod(stat.S_IMODE(file.stat().st_mode) | stat.S_IRGRP)


@dataclass(frozen=True, slots=True)
class _Request:
    """A message for whose answer a thread of the page waits, at most ``within_s``. ``carry_out``: what the table does;
    it returns the content of the answer."""

    carry_out: Callable[[WorkerProcess, Any], object]
    within_s: float = _ANSWER_S


_REQUESTS: Final[Mapping[type[Request], _Request]] = {
    CameraRequest: _Request(WorkerProcess._picture),
    ClipRequest: _Request(WorkerProcess._clip, _SETUP_S),
    AppealRequest: _Request(WorkerProcess._appeal, _SETUP_S),
    CameraOrder: _Request(lambda worker, order: worker._live_table.set_up_camera(order), _SETUP_S),
    ChangeSettings: _Request(lambda worker, change: worker._live_table.change_settings(change), _SETUP_S),
    NewCodes: _Request(WorkerProcess._keep_codes),
    KeepSheet: _Request(WorkerProcess._keep_sheet),
    LeaveOut: _Request(WorkerProcess._leave_out),
}


class _RemoteTable:
    """The page's side: a `LiveTable` whose state arrives by the pipe."""

    def __init__(self, state: LiveTableState, channel: Channel) -> None:
        self.state, self._channel, self._waiting_lock = state, channel, Lock()
        self._waiting: list[tuple[Request, Queue[object]]] = []

    def camera_jpeg(self, *, plain: bool = False) -> bytes | None:
        with suppress(NoAnswer):  # a busy table shows no picture
            return self._content(CameraRequest(plain), bytes)
        return None

    def pile_jpeg(self) -> bytes | None:
        with suppress(NoAnswer):
            return self._content(CameraRequest(is_pile=True), bytes)
        return None

    def pile_clip(self, t: float, until: float) -> PileClip | None:
        return self._content(ClipRequest(t, until), PileClip)

    def appeal(self, t: float) -> PileVerdict | None:
        return self._content(AppealRequest(t), PileVerdict)

    def set_up_camera(self, order: CameraOrder) -> CameraView | None:
        return self._content(order, CameraView)

    def change_settings(self, change: ChangeSettings) -> SettingsAnswer | None:
        return self._content(change, SettingsAnswer)

    def keep(self, message: NewCodes | KeepSheet | LeaveOut) -> None:
        """Have the table keep codes, a score sheet or who is left out of the statistics. Raises CannotWrite."""
        try:
            failed = self._content(message, CannotWrite)
        except NoAnswer as err:
            raise CannotWrite(str(err)) from err
        if failed is not None:
            raise failed

    def _content(self, message: Request, kind: type[T]) -> T | None:
        """What the table answers, where it is of this kind. Others may ask meanwhile. Raises NoAnswer."""
        waiting = message, Queue[object]()
        with self._waiting_lock:
            self._waiting.append(waiting)
        self.submit(message)
        try:
            content = waiting[1].get(timeout=_REQUESTS[type(message)].within_s)
        except Empty:
            content = NoAnswer()
        with self._waiting_lock, suppress(ValueError):
            self._waiting.remove(waiting)
        if isinstance(content, NoAnswer):
            raise NoAnswer(_("The table does not answer: try again."))
        return content if isinstance(content, kind) else None

    def take(self, answer: _Answer) -> None:
        """Give an answer to the first who waits for it; one that comes too late is dropped."""
        with self._waiting_lock:
            waiting = next((one for one in self._waiting if one[0] == answer.to), None)
            if waiting is not None:
                self._waiting.remove(waiting)
                waiting[1].put(answer.content)

    def submit(self, message: Message) -> None:
        with suppress(OSError):  # the table has ended
            self._channel.send_bytes(encode(message))


def run_unit() -> None:
    """The main function of the unit of systemd, which passes the socket at which the table calls: serve one table until
    it hangs up. The next call starts the unit again."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        sys.exit("expected one socket of systemd: croupier-page.service is started by croupier-page.socket")
    with socket.socket(fileno=_FIRST_FD) as calls:
        link, _address = calls.accept()
    with link:
        serve(serve_page, link)


def serve_page(channel: Channel, listener: socket.socket, startup: _Startup) -> None:
    """The main function of the process: serve at the socket until the table ends."""
    use(startup.state.language)
    table = _RemoteTable(startup.state, channel)
    accounts = Accounts.of(
        startup.codes, startup.sessions,
        lambda codes: table.keep(NewCodes(codes)), lambda sessions: table.submit(Sessions(sessions)),
    )  # fmt: skip
    sheets = ScoreSheets(
        startup.journal.parent, PictureReader(startup.deck_profile), lambda *sheet: table.keep(KeepSheet(*sheet))
    )
    server = ServerThread(
        listener, startup.journal, accounts, table, lambda n: table.submit(Followers(n)), name=startup.name,
        address=startup.address, sheets=sheets,
        left_out=LeftOut(startup.journal, lambda name, is_out: table.keep(LeaveOut(name, is_out))),
    )  # fmt: skip
    table.submit(Followers(0))
    while True:
        match channel.receive():
            case _News(steps=steps, state=state):
                table.state = state  # first: it has what the table offers after the last of the steps
                for step in steps:
                    server.append(step)
                if state.language != of_table():
                    use(state.language)
                    server.end_streams()
                server.ring()
            case _Answer() as answer:
                table.take(answer)
