"""The page in a process of its own, so that viewers take no time from the table.

A pipe connects both processes. To the page go the refereed steps of the live game, the state of the `LiveTable` after
each change, and camera frames on request; back come commands, the number of followers, and changed accounts. If the
process dies, it is restarted on the same port.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import DEVNULL, Popen
from threading import Event, Lock, Thread
from typing import Final

from croupier.commands import Command
from croupier.errors import CannotServe
from croupier.i18n import language, use
from croupier.supervisor import Supervisor
from croupier.web.accounts import Accounts
from croupier.web.live_table import LiveTable, LiveTableState
from croupier.web.serving import ServerThread, WebServer, listen
from croupier.web.story import LiveStep

_CAMERA_TIMEOUT_S: Final = 2.0
"""A table that is too busy to answer by then has no picture to show."""

_MAX_QUEUED_STEPS: Final = 1000
"""If the page is slower, the oldest steps are dropped; the page reads the gap from the journal."""


@dataclass(frozen=True, slots=True)
class _Startup:
    """The first message to the process."""

    journal: Path
    accounts: Accounts
    state: LiveTableState
    language: str
    name: str


@dataclass(frozen=True, slots=True)
class _CameraFrame:
    """The request for a frame, and the answer."""

    jpeg: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Worker:
    """A running process, and the pipe to it."""

    process: Popen[bytes]
    pipe: Connection

    def kill(self) -> str:
        """End the process; returns how it ended."""
        self.process.kill()
        return f"exit status {self.process.wait()}"

    def close(self) -> None:
        self.pipe.close()
        self.kill()


class WorkerProcess(WebServer):
    """The table's side of a page that runs in another process; supervised from `start` until `stop`.

    ``accounts``: returns the accounts before the first process is started; later they live in the process.
    ``host``, ``port``: as in `serving.serve_in_thread`. ``name``: the host name in the network, without ``.local``.
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
        report: Callable[[str], None] = lambda why: None,
        on_up: Callable[[], None] = lambda: None,
    ) -> None:
        self._journal, self._create_accounts, self._live_table = journal, accounts, live_table
        self._host, self._port, self._name, self._report, self._on_up = host, port, name, report, on_up
        self._listener: socket.socket | None = None
        self._accounts: Accounts | None = None
        self._has_news, self._is_stopped = Event(), Event()
        self._steps: deque[LiveStep] = deque(maxlen=_MAX_QUEUED_STEPS)
        self._pipe: Connection | None = None
        self._process: Popen[bytes] | None = None
        self._sending = Lock()
        self._supervisor = Supervisor("page", self._start, report, use=self._use, stay=self._handle_messages)

    @property
    def pid(self) -> int:
        """The id of the process; 0 before it is started."""
        return self._process.pid if self._process is not None else 0

    def listen(self) -> socket.socket:
        """Open the port, unless it is open. Raises `CannotServe`."""
        if self._listener is None:
            self._listener = listen(self._host, self._port)
            self._set_addresses(self._listener)
        return self._listener

    def start(self) -> None:
        """Start serving soon."""
        self._supervisor.start()
        Thread(target=self._send_news, name="page sender", daemon=True).start()

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
        if self._process is not None:
            self._process.terminate()
        self._supervisor.close()
        if self._listener is not None:
            self._listener.close()

    def _start(self) -> _Worker:
        """Start a process; returns when it is up."""
        listener = self.listen()
        if self._accounts is None:
            self._accounts = self._create_accounts()
        # Ctrl-C is for the table; the child process inherits the mask.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        near, far = socket.socketpair()
        pipe = Connection(near.detach())
        try:
            with far:
                self._process = _popen(listener, far)
        except BaseException:
            pipe.close()
            raise
        worker = _Worker(self._process, pipe)
        self._send(pipe, _Startup(self._journal, self._accounts, self._live_table.state, language(), self._name))
        try:
            while not isinstance(message := pipe.recv(), int):
                self._handle(pipe, message)
        except (EOFError, OSError):
            worker.close()
            raise CannotServe(worker.kill()) from None
        return worker

    def _use(self, worker: _Worker | None) -> None:
        if worker is not None:
            self._pipe = worker.pipe
            self._has_news.set()  # changes since the process was started
            self._report("")
            self._on_up()
        else:
            self._pipe, self.followers = None, 0

    def _handle_messages(self, worker: _Worker, _is_closing: Event) -> str:
        """Handle messages of the page until the process or the table ends."""
        while True:
            try:
                self._handle(worker.pipe, worker.pipe.recv())
            except (EOFError, OSError):
                return worker.kill()

    def _handle(self, pipe: Connection, message: Command | _CameraFrame | Accounts | int) -> None:
        match message:
            case int():
                self.followers = message
            case Accounts():
                self._accounts = message  # for the next process
            case _CameraFrame():
                self._send(pipe, _CameraFrame(self._camera_jpeg()))
            case _:
                self._live_table.submit(message)
                self.ring()  # the loudness of the voice is not in the log

    def _camera_jpeg(self) -> bytes | None:
        try:
            return self._live_table.camera_jpeg()
        except Exception:  # a frame that cannot be drawn must not take down the page
            return None

    def _send_news(self) -> None:
        while not self._is_stopped.is_set():
            self._has_news.wait()
            self._has_news.clear()
            steps = [self._steps.popleft() for _ in range(len(self._steps))]
            if (pipe := self._pipe) is not None:
                for step in steps:
                    self._send(pipe, step)
                self._send(pipe, self._live_table.state)

    def _send(self, pipe: Connection, message: _Startup | LiveStep | LiveTableState | _CameraFrame) -> None:
        with suppress(OSError), self._sending:  # a dead process is restarted and starts anew
            pipe.send(message)


@contextmanager
def serve_in_process(
    journal: Path,
    accounts: Accounts,
    live_table: LiveTable,
    *,
    port: int | None = None,
    report: Callable[[str], None] = lambda why: None,
) -> Iterator[WorkerProcess]:
    """Like `serving.serve_in_thread`, in a `WorkerProcess`. Raises `CannotServe`."""
    server = WorkerProcess(journal, lambda: accounts, live_table, port=port, report=report)
    server.listen()
    server.start()
    try:
        yield server
    finally:
        server.stop()


class _RemoteTable:
    """The page's side: a `LiveTable` whose state arrives by the pipe."""

    def __init__(self, state: LiveTableState, pipe: Connection) -> None:
        self.state, self._pipe = state, pipe
        self._sending, self._asking = Lock(), Lock()
        self.has_frame = Event()
        self.frame: bytes | None = None

    def camera_jpeg(self) -> bytes | None:
        with self._asking:
            self.has_frame.clear()
            self.submit(_CameraFrame())
            return self.frame if self.has_frame.wait(_CAMERA_TIMEOUT_S) else None

    def submit(self, message: Command | _CameraFrame | Accounts | int) -> None:
        with suppress(OSError), self._sending:
            self._pipe.send(message)


def _popen(listener: socket.socket, far: socket.socket) -> Popen[bytes]:
    # Not with multiprocessing, which would run the table's own main program once more.
    fds = listener.fileno(), far.fileno()
    code = f"from croupier.web.worker_process import run; run{fds}"
    return Popen([sys.executable, "-P", "-c", code], pass_fds=fds, stdin=DEVNULL)


def run(listener_fd: int, pipe_fd: int) -> None:
    """The main function of the process: serve until the table ends."""
    with suppress(EOFError, OSError), Connection(pipe_fd) as pipe:
        startup: _Startup = pipe.recv()
        use(startup.language)
        table = _RemoteTable(startup.state, pipe)
        listener = socket.socket(fileno=listener_fd)
        accounts = startup.accounts
        accounts.on_change = lambda: table.submit(accounts)
        server = ServerThread(listener, startup.journal, accounts, table, table.submit, name=startup.name)
        table.submit(0)
        while True:
            match pipe.recv():
                case LiveStep() as step:
                    server.append(step)
                case LiveTableState() as state:
                    table.state = state
                    server.ring()
                case _CameraFrame(jpeg):
                    table.frame = jpeg
                    table.has_frame.set()
