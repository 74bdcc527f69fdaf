"""The page in a process of its own, so that viewers take no time from the table, and nothing else.

The page is a `ChildProcess`. To it go the port on which it listens, and then messages (`table_api.messages`), as they
come back: the lines of the live game, the state of the `LiveTable` after each change, and answers to requests. If the
process dies, it is restarted on the same port.

The process is a child of the table, with its rights, or that of a unit of systemd with a user of its own
(`UNIT_SOCKET`). It writes nothing: the table keeps codes, sessions and what plug-ins keep, too. Of the journal it only
reads the file.
"""

from __future__ import annotations

import logging
import os
import socket
import ssl
import stat
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, Self, TypeVar

from pydantic import TypeAdapter

from croupier.child_process import Channel, ChildProcess, python, serve
from croupier.commands import Command
from croupier.errors import BadMessage, CannotServe, CannotWrite, NoAnswer
from croupier.i18n import _, localize, of_table, use
from croupier.networks import LOOK_S, NetworkWatch, networks_at
from croupier.plugins import ServerCertificate
from croupier.supervisor import Supervisor
from croupier.table_api.live_table import CameraRequest, ChangeSettings, LiveLine, LiveTable, LiveTableState, Request
from croupier.table_api.messages import (
    FROM_PAGE,
    FROM_TABLE,
    MOST_BYTES,
    Answer,
    Followers,
    KeepForPlugin,
    NewCodes,
    News,
    Order,
    PageMessage,
    Reachable,
    Sessions,
    Startup,
    WriteFailed,
    decode_content,
    encode_content,
)
from croupier.web.accounts import Accounts
from croupier.web.addresses import PageAddresses, local_url
from croupier.web.pages import keep_for_plugin, page_plugins
from croupier.web.picture_reader import PictureReader
from croupier.web.serving import ServerThread, WebServer, listen

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

UNIT_SOCKET: Final = "CROUPIER_PAGE_SOCKET"
"""The environment variable with the socket at which systemd starts the page as a user of its own
(`deploy/croupier-page.socket`). Without it the table starts the page itself."""

_PAGE: Final = python("croupier.web.worker_process:serve_page")

_START_S: Final = 120.0
"""A process that is not up by then is given up."""

_FIRST_FD: Final = 3
"""The first descriptor that systemd passes (sd_listen_fds(3))."""

_MAX_QUEUED_LINES: Final = 1000
"""If the page is slower, the oldest lines are dropped; the page reads the gap from the journal."""


class WorkerProcess(WebServer):
    """The table's side of a page that runs in another process; supervised from `start` until `stop`.

    ``accounts``: returns the accounts before the first process is started; later they live in the process.
    ``host``, ``port``: as in `serving.serve_in_thread`. ``name``: the host name in the network, without ``.local``.
    ``unit_socket``: as `UNIT_SOCKET`; empty: the table starts the page itself. ``deck_profile``: for pictures of hands.
    ``certificate``: with which the port speaks HTTPS, too.
    ``report``: takes the reason when the page is down, and "" when it is up. ``on_up``: called when it is up, and
    when the machine has other addresses.
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
        certificate: ServerCertificate | None = None,
        report: Callable[[str], None] = lambda why: None,
        on_up: Callable[[], None] = lambda: None,
    ) -> None:
        self._journal, self._create_accounts, self._live_table = journal, accounts, live_table
        self._host, self._port, self._name, self._report, self._on_up = host, port, name, report, on_up
        self._listener: socket.socket | None = None
        self._watch: NetworkWatch | None = None
        self.addresses = PageAddresses(0)
        self._accounts: Accounts | None = None
        self._has_news, self._has_sessions, self._is_stopped = Event(), Event(), Event()
        self._lines: deque[LiveLine] = deque(maxlen=_MAX_QUEUED_LINES)
        self._written: deque[tuple[ChildProcess, int]] = deque()
        """Orders of the page that are to be answered."""
        self._unit_socket, self._deck_profile, self._certificate = unit_socket, deck_profile, certificate
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
            host, port = self._listener.getsockname()[:2]
            watch = NetworkWatch(partial(networks_at, host))
            watch.look(monotonic())
            self.url, self.addresses = local_url(self._listener), PageAddresses(port, watch.networks)
            self._watch = watch
        return self._listener

    def start(self) -> None:
        """Start serving soon."""
        self._supervisor.start()
        Thread(target=self._send_news, name="page sender", daemon=True).start()
        self._keeper = Thread(target=self._keep_sessions, name="page sessions", daemon=True)
        self._keeper.start()

    def show(self, live_table: LiveTable) -> None:
        """Show another table from now on."""
        self._live_table = live_table
        self.ring()

    def append(self, line: LiveLine) -> None:
        """As in `WebServer`."""
        self._lines.append(line)  # a thread sends it, because the pipe may be full
        self._has_news.set()

    def ring(self) -> None:
        """As in `WebServer`."""
        self._has_news.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """As in `WebServer`."""
        return self._supervisor.join(timeout_s)

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
        self._renew()
        if self._unit_socket:
            _let_group_read(self._journal)
            worker = ChildProcess(self._unit_link(), None, (), sockets=[listener])
        else:
            worker = ChildProcess.start(_PAGE, sockets=[listener])
        self._worker = worker
        worker.send_bytes(FROM_TABLE.encode(Startup(
            self._journal, self._accounts.codes, self._accounts.sessions, self._live_table.state, self._name,
            self.addresses.port, self.addresses.networks, self._deck_profile,
            None if self._certificate is None else self._certificate.file.absolute(),
        )))  # fmt: skip
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
            worker.send_bytes(FROM_TABLE.encode(Reachable(self.addresses.networks)))
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

    def _handle(self, worker: ChildProcess, message: PageMessage) -> None:
        assert self._accounts is not None
        match message:
            case Followers(n=n):
                self.followers = n
            case Sessions(sessions=sessions):
                self._accounts.take_sessions(sessions)  # for the next process
                self._has_sessions.set()
            case Request(within_s=within_s) if within_s > Request.within_s:
                # In a thread: a press that comes meanwhile is stamped at once.
                Thread(target=self._answer_beside, args=(worker, message), name="page request", daemon=True).start()
            case Request():
                self._answer(worker, message)
            case Order(number=number, command=command):
                self._live_table.submit(command).add_done_callback(lambda _: self._report_written(worker, number))
                self.ring()  # what a plug-in shows is not in the log
            case _:
                self._live_table.submit(message)
                self.ring()

    def _report_written(self, worker: ChildProcess, number: int) -> None:
        """Answer an order, after the lines that follow from it."""
        self._written.append((worker, number))
        self._has_news.set()

    def _answer_beside(self, worker: ChildProcess, request: Request[Any]) -> None:
        """`_answer` in a thread of its own: a page that sends something else is ended."""
        try:
            self._answer(worker, request)
        except BadMessage:
            worker.hang_up()

    def _answer(self, worker: ChildProcess, request: Request[Any]) -> None:
        """Do what the page asks for, and answer it. Raises BadMessage."""
        try:
            content = encode_content(request, self._carry_out(request))
        except BadMessage:
            raise
        except Exception:  # what fails must not take down the page
            _log.exception("%s", type(request).__name__)
            content = b""
        if isinstance(request, ChangeSettings):
            self._send_state(worker)  # the page knows what was changed when it is answered
        worker.send_bytes(FROM_TABLE.encode(Answer(request.number, content)))

    def _carry_out(self, request: Request[Any]) -> object:
        assert self._accounts is not None
        try:
            match request:
                case NewCodes(codes=codes):
                    self._accounts.take_codes(codes)
                case KeepForPlugin(name=name, text=text):
                    keep_for_plugin(self._journal, name, text)
                case _:
                    return self._live_table.ask(request)
        except CannotWrite as err:
            return WriteFailed.of(err)
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

    def _send_news(self) -> None:
        while not self._is_stopped.is_set():
            has_news = self._has_news.wait(LOOK_S)
            self._look(monotonic())
            if not has_news:
                continue
            self._has_news.clear()
            written = [self._written.popleft() for _ in range(len(self._written))]
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            if (worker := self._up) is not None:
                self._send_state(worker, *lines)
            for asked_by, number in written:
                asked_by.send_bytes(FROM_TABLE.encode(Answer(number, b"")))

    def _look(self, now: float) -> None:
        """Look whether the machine has other addresses, and whether the certificate is to be renewed, if it is time.
        ``now``: monotonic seconds."""
        if self._watch is None or not self._watch.is_due(now):  # not with each card
            return
        has_moved, is_renewed = self._watch.look(now), self._renew()
        if not (has_moved or is_renewed):
            return
        self.addresses.networks = self._watch.networks
        if (worker := self._up) is not None:
            worker.send_bytes(FROM_TABLE.encode(Reachable(self._watch.networks)))
            self._on_up()

    def _renew(self) -> bool:
        """Make or renew the certificate, if it is time; whether it is another one. Where it cannot be written, the page
        goes on with what it has."""
        if self._certificate is None:
            return False
        try:
            is_new = self._certificate.renew()
        except CannotWrite as err:
            _log.warning("%s", err)
            return False
        if self._unit_socket:
            _add_group_read(self._certificate.file)
        return is_new

    def _send_state(self, worker: ChildProcess, *lines: LiveLine) -> None:
        worker.send_bytes(FROM_TABLE.encode(News(lines, self._live_table.state)))


def _received(worker: ChildProcess) -> PageMessage:
    """The next message of the page. Raises EOFError, OSError, and BadMessage for other bytes."""
    return FROM_PAGE.decode(worker.receive(MOST_BYTES))


def _let_group_read(journal: Path) -> None:
    """The page is in the group of the table, and no other file there is for the group but its certificate."""
    for suffix in ("", "-wal", "-shm", "-head"):
        _add_group_read(Path(f"{journal}{suffix}"))


def _add_group_read(file: Path) -> None:
    with suppress(OSError):
        file.chmod(stat.S_IMODE(file.stat().st_mode) | stat.S_IRGRP)


class _RemoteTable:
    """The page's side: a `LiveTable` whose state arrives by the pipe."""

    def __init__(self, state: LiveTableState, channel: Channel) -> None:
        self.take_state(state)
        self._channel, self._numbers = channel, count(1)
        self._waiting: dict[int, Queue[bytes]] = {}
        self._orders: dict[int, Future[None]] = {}

    def take_state(self, state: LiveTableState) -> None:
        """The table's state is this one now."""
        self.state = replace(state, plugins=tuple((name, _typed(name, one)) for name, one in state.plugins))

    def ask(self, request: Request[T]) -> T | None:
        request = replace(request, number=next(self._numbers))
        answer = self._waiting[request.number] = Queue[bytes]()
        self.send(request)  # type: ignore[arg-type]  # a union has no type of its own for all requests
        try:
            content = answer.get(timeout=request.within_s)
        except Empty:
            content = b""
        finally:
            del self._waiting[request.number]
        if not content and isinstance(request, CameraRequest):
            return None
        if not content:
            raise NoAnswer(_("The table does not answer: try again."))
        return decode_content(request, content)

    def keep(self, request: Request[WriteFailed]) -> None:
        """Have the table keep codes, or what a plug-in sends. Raises CannotWrite."""
        try:
            failed = self.ask(request)
        except NoAnswer as err:
            raise CannotWrite(str(err)) from err
        if failed is not None:
            raise CannotWrite(failed.text, **failed.words)

    def take(self, answer: Answer) -> None:
        """Give an answer to the one who waits for it; one that comes too late is dropped."""
        if (written := self._orders.pop(answer.number, None)) is not None:
            written.set_result(None)
        elif (waiting := self._waiting.get(answer.number)) is not None:
            waiting.put(answer.content)

    def submit(self, command: Command) -> Future[None]:
        number = next(self._numbers)
        written = self._orders[number] = Future[None]()
        self.send(Order(number, command))
        return written

    def send(self, message: PageMessage) -> None:
        """Send a message to the table."""
        with suppress(OSError):  # the table has ended
            self._channel.send_bytes(FROM_PAGE.encode(message))


def _usable(certificate: Path | None) -> Path | None:
    """A certificate that this process can read; without one the page is served by HTTP alone."""
    try:
        if certificate is not None:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate)
    except OSError as err:
        _log.warning("%s: %s", certificate, err)
        return None
    return certificate


def _typed(name: str, state: Any) -> Any:
    """Return the state of the part of a plug-in, as its class."""
    plugin = page_plugins().get(name)
    if state is None or plugin is None or plugin.state is None:
        return state
    return TypeAdapter(plugin.state).validate_python(state)


def run_unit() -> None:
    """The main function of the unit of systemd, which passes the socket at which the table calls: serve one table until
    it hangs up. The next call starts the unit again."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        sys.exit("expected one socket of systemd: croupier-page.service is started by croupier-page.socket")
    with socket.socket(fileno=_FIRST_FD) as calls:
        link, _address = calls.accept()
    with link:
        serve(serve_page, link)


def serve_page(channel: Channel, listener: socket.socket) -> None:
    """The main function of the process: serve at the socket until the table ends."""
    startup = FROM_TABLE.decode(channel.receive_bytes())
    assert isinstance(startup, Startup)
    use(startup.state.language)
    table = _RemoteTable(startup.state, channel)
    accounts = Accounts.of(
        startup.codes, startup.sessions,
        lambda codes: table.keep(NewCodes(codes)), lambda sessions: table.send(Sessions(sessions)),
    )  # fmt: skip
    server = ServerThread(
        listener, startup.journal, accounts, table, lambda n: table.send(Followers(n)), name=startup.name,
        addresses=PageAddresses(startup.port, startup.networks),
        own={PictureReader: PictureReader(startup.deck_profile)},
        keep=lambda name, text: table.keep(KeepForPlugin(name, text)), certificate=_usable(startup.certificate),
    )  # fmt: skip
    table.send(Followers(0))
    while True:
        match FROM_TABLE.decode(channel.receive_bytes()):
            case News(lines=lines, state=state):
                table.take_state(state)  # first: it has what the table offers after the last of the lines
                for line in lines:
                    server.append(line)
                if state.language != of_table():
                    use(state.language)
                    server.end_streams()
                server.ring()
            case Reachable(networks=networks):
                server.addresses.networks = networks
                with suppress(OSError):  # it goes on with the one that it has
                    server.use_certificate()
                server.ring()
            case Answer() as answer:
                table.take(answer)
            case _:
                pass
