"""The site in a process of its own, so that those who look on take nothing from the table.

Over a pipe go there: what the `Desk` tells, whenever it changed, and pictures that were asked for; and back: what is
wished, and how many look on. A process that dies is started again on the same port; the table notices nothing.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import DEVNULL, Popen
from threading import Event, Lock, Thread
from typing import Any, Final

from croupier.commands import Command
from croupier.errors import CannotServe
from croupier.i18n import language, use
from croupier.supervisor import Supervisor
from croupier.web.accounts import People
from croupier.web.addresses import reach
from croupier.web.desk import Desk, DeskState
from croupier.web.serving import InThread, Served, address_of, listening

_PICTURE_S: Final = 2.0
"""So long a picture is waited for; a table that is so busy has none to show."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """What the process begins with."""

    journal: Path
    people: People
    told: DeskState
    language: str
    name: str


@dataclass(frozen=True, slots=True)
class _Picture:
    """Asked for (without ``jpeg``), and the answer."""

    jpeg: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process that is up, and the pipe to it."""

    process: Popen[bytes]
    pipe: Connection

    def ended(self) -> str:
        """How it ended."""
        self.process.kill()
        return f"exit status {self.process.wait()}"

    def close(self) -> None:
        self.pipe.close()
        self.ended()


@contextmanager
def served_apart(
    journal: Path,
    people: People,
    desk: Desk,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    name: str = "",
    wrong: Callable[[str], None] = lambda why: None,
) -> Iterator[Served]:
    """As `serving.served`, in a process of its own. ``people`` live there: make the first codes before. ``name``: what
    it is called in the network, without ``.local``. ``wrong`` is told why the page is gone, and "" when it is up.

    Raises:
        CannotServe: the port is taken, or there is no such address here.
    """
    with listening(host, port) as door:
        up = _Apart(door, journal, people, desk, name, wrong)
        try:
            yield up
        finally:
            up.end()


class _Apart:
    """The table's side."""

    def __init__(
        self,
        door: socket.socket,
        journal: Path,
        people: People,
        desk: Desk,
        name: str,
        wrong: Callable[[str], None],
    ) -> None:
        self.address, self.reach = address_of(door), reach(door)
        self._wrong = wrong
        self.followers = 0
        self._door, self._journal, self._people, self._desk, self._name = door, journal, people, desk, name
        self._rung, self._is_ended = Event(), Event()
        self._pipe: Connection | None = None
        self._process: Popen[bytes] | None = None
        self._sending = Lock()
        self._supervisor = Supervisor("page", self._begin, wrong, use=self._use, stay=self._listen)
        self._supervisor.start()
        Thread(target=self._tell, name="page teller", daemon=True).start()

    @property
    def pid(self) -> int:
        """As `Served` has it."""
        return self._process.pid if self._process is not None else 0

    def ring(self) -> None:
        """As `Served` has it: the telling is done by a thread, since a pipe may be full."""
        self._rung.set()

    def wait(self) -> None:
        """As `Served` has it."""
        self._supervisor.join()

    def end(self) -> None:
        """Stop serving."""
        self._supervisor.stop()
        self._is_ended.set()
        self._rung.set()
        if self._process is not None:
            self._process.terminate()
        self._supervisor.close()

    def _begin(self) -> _Worker:
        """Start a process; returns when it is up."""
        # Ctrl-C is the table's to answer; what is started from here does not even hear it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        near, far = socket.socketpair()
        pipe = Connection(near.detach())
        try:
            with far:
                self._process = _begun(self._door, far)
        except BaseException:
            pipe.close()
            raise
        worker = _Worker(self._process, pipe)
        told = DeskState.by(self._desk)
        self._send(pipe, _Setting(self._journal, self._people, told, language(), self._name))
        try:
            while not isinstance(received := pipe.recv(), int):
                self._receive(pipe, received)
        except (EOFError, OSError):
            worker.close()
            raise CannotServe(worker.ended()) from None
        return worker

    def _use(self, worker: _Worker | None) -> None:
        if worker is not None:
            self._pipe = worker.pipe
            self._rung.set()  # what changed while the process started
            self._wrong("")
        else:
            self._pipe, self.followers = None, 0

    def _listen(self, worker: _Worker, _is_closing: Event) -> str:
        """Do what is wished and asked there, until the process or the table ends."""
        while True:
            try:
                self._receive(worker.pipe, worker.pipe.recv())
            except (EOFError, OSError):
                return worker.ended()

    def _receive(self, pipe: Connection, said: Command | _Picture | People | int) -> None:
        match said:
            case int():
                self.followers = said
            case People():
                self._people = said  # the next process goes on with it
            case _Picture():
                self._send(pipe, _Picture(self._picture()))
            case _:
                self._desk.wish(said)
                self.ring()  # how loud the voice is stands in no log

    def _picture(self) -> bytes | None:
        try:
            return self._desk.camera()
        except Exception:  # a picture that cannot be drawn takes nobody the page
            return None

    def _tell(self) -> None:
        while not self._is_ended.is_set():
            self._rung.wait()
            self._rung.clear()
            if (pipe := self._pipe) is not None:
                self._send(pipe, DeskState.by(self._desk))

    def _send(self, pipe: Connection, said: _Setting | DeskState | _Picture) -> None:
        with suppress(OSError), self._sending:  # who has died is begun again, and asks anew
            pipe.send(said)


class _FarDesk:
    """The desk, on the page's side of the pipe."""

    def __init__(self, told: DeskState, pipe: Connection) -> None:
        self.told, self._pipe = told, pipe
        self._sending, self._asking = Lock(), Lock()
        self.has_picture = Event()
        self.picture: bytes | None = None

    def __getattr__(self, name: str) -> Any:
        """What was told last."""
        return getattr(self.told, name)

    def camera(self) -> bytes | None:
        with self._asking:
            self.has_picture.clear()
            self.send(_Picture())
            return self.picture if self.has_picture.wait(_PICTURE_S) else None

    def wish(self, wish: Command) -> None:
        self.send(wish)

    def send(self, said: Command | _Picture | People | int) -> None:
        with suppress(OSError), self._sending:
            self._pipe.send(said)


def _begun(door: socket.socket, far: socket.socket) -> Popen[bytes]:
    # Not by multiprocessing, which would run the table's own program once more.
    fds = door.fileno(), far.fileno()
    return Popen([sys.executable, "-P", "-m", "croupier.web", *map(str, fds)], pass_fds=fds, stdin=DEVNULL)


def serve(door_fd: int, pipe_fd: int) -> None:
    """The process: serve until the table ends, however it does."""
    with suppress(EOFError, OSError), Connection(pipe_fd) as pipe:
        setting: _Setting = pipe.recv()
        use(setting.language)
        desk = _FarDesk(setting.told, pipe)
        door = socket.socket(fileno=door_fd)
        people = setting.people
        people.on_change = lambda: desk.send(people)
        up = InThread(door, setting.journal, people, desk, desk.send, name=setting.name)
        desk.send(0)
        while True:
            match pipe.recv():
                case DeskState() as new:
                    desk.told = new
                    up.ring()
                case _Picture(jpeg):
                    desk.picture = jpeg
                    desk.has_picture.set()
