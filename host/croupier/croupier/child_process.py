"""A child process of this program, at the other end of a socket: a page, the reader of pictures, the voice.

    child = ChildProcess.start(python("croupier_extras.voice.player:play"), settings)
    child.post(message)
    answer = child.receive()

The parent sends objects, which are pickled, or bytes. It takes only bytes, which its user checks: a process that
strangers can reach must not make the table run anything. Each notices the end of the other. A child that answers
nothing is killed.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from multiprocessing.connection import Connection
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Condition, Lock, Thread
from time import monotonic
from typing import IO, Any, Final, NoReturn, Self

from croupier.process_exit import end_process

_MOST_SOCKETS: Final = 8
_LOOK_S: Final = 0.5
"""How often a child that has not answered is looked at."""
_GONE_S: Final = 5.0
"""A child that has hung up ends by itself within this time (s), on a machine with much to do as well."""
_ENDS_S: Final = 1.0
"""Time to end by itself after the channel has, and after SIGTERM."""
_LONGEST_LINE: Final = 300


class Channel:
    """Messages to and from the process at the other end. Any thread may send and hang up; one receives.

    Raises:
        EOFError, OSError: the other process has ended.
    """

    def __init__(self, link: socket.socket) -> None:
        self._link, self._connection, self._sending = link, Connection(os.dup(link.fileno())), Lock()

    def fileno(self) -> int:
        """The descriptor to select on."""
        return self._connection.fileno()

    def send(self, message: object) -> None:
        """Send an object to a child. Blocks while the child does not read."""
        with self._sending:
            self._connection.send(message)

    def receive(self) -> Any:
        """Return the next object of the parent."""
        return self._connection.recv()

    def send_bytes(self, message: bytes) -> None:
        """Send bytes to the parent, or to a child that expects them."""
        with self._sending:
            self._connection.send_bytes(message)

    def receive_bytes(self, most: int | None = None) -> bytes:
        """Return the next bytes. Raises OSError if they are more than ``most``."""
        return self._connection.recv_bytes(most)

    def poll(self, seconds: float | None) -> bool:
        """Wait for a message; True if there is one, or the other process has ended."""
        return self._connection.poll(seconds)

    def send_sockets(self, sockets: Sequence[socket.socket]) -> None:
        """Send open sockets before the first message."""
        socket.send_fds(self._link, [b"\0"], [one.fileno() for one in sockets])

    def receive_sockets(self) -> list[socket.socket]:
        """Return the sockets that were sent before the first message."""
        _byte, fds, _flags, _address = socket.recv_fds(self._link, 1, _MOST_SOCKETS)
        return [socket.socket(fileno=fd) for fd in fds]

    def finish(self) -> None:
        """Send no more."""
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_WR)

    def hang_up(self) -> None:
        """End the conversation; the other process notices."""
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)

    def on_end(self, end: Callable[[], object]) -> None:
        """Call ``end`` in a thread when the other process, which sends no more messages, has ended."""

        def wait() -> None:
            with suppress(EOFError, OSError):
                self._connection.recv_bytes()
            end()

        Thread(target=wait, daemon=True).start()

    def close(self) -> None:
        """Hang up, and release the sockets."""
        self.hang_up()
        self._connection.close()
        self._link.close()


class Outbox:
    """Messages that wait for a child, and for the next one if it ends. Of more than ``most`` the oldest are dropped."""

    def __init__(self, most: int) -> None:
        self._messages: deque[object] = deque(maxlen=most)
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self._messages)

    def put(self, message: object) -> None:
        """Add a message. Never waits."""
        with self._changed:
            self._messages.append(message)
            self._changed.notify_all()

    def notify(self) -> None:
        """Note that a child takes no more."""
        with self._changed:
            self._changed.notify_all()

    def take(self, child: ChildProcess) -> tuple[object] | None:
        """Wait for the next message for the child; None when the child takes no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._messages or child.is_ending or child.is_gone)
            return (self._messages.popleft(),) if self._messages and not child.is_gone else None


class ChildProcess:
    """The parent's end. ``process``: None where systemd has the child; it then ends when the channel does.

    ``startup``: the arguments of the child's main function after its channel and ``sockets``. ``outbox``: of `post`.
    ``hangs_s``: a child that answers no message for so long is killed. ``shows_errors``: its standard error goes to
    that of this process, too.
    """

    def __init__(
        self,
        link: socket.socket,
        process: Popen[bytes] | None,
        startup: Sequence[object],
        *,
        sockets: Sequence[socket.socket] = (),
        outbox: Outbox | None = None,
        hangs_s: float = inf,
        shows_errors: bool = True,
    ) -> None:
        self.channel, self._process = Channel(link), process
        self._outbox, self._hangs_s, self._shows_errors = Outbox(1) if outbox is None else outbox, hangs_s, shows_errors
        self._unanswered_since: float | None = monotonic()
        self.is_ending = self.is_gone = False
        """Whether the child gets no more than what waits; whether it gets nothing more."""
        self._last_error = ""
        self._errors: Thread | None = None
        if process is not None and process.stderr is not None:
            self._errors = Thread(
                target=self._read_errors, args=(process.stderr,), name="errors of a child", daemon=True
            )
            self._errors.start()
        with suppress(OSError):  # a child that has ended is noticed by `receive`
            self.channel.send_sockets(sockets)
            self.channel.send(tuple(startup))
        self._writer = Thread(target=self._write, name="writer to a child", daemon=True)
        self._writer.start()

    @classmethod
    def start(cls, command: Sequence[str], *startup: object, **options: Any) -> Self:
        """Start ``command``, as `python` returns it. Raises OSError if it cannot be started."""
        link, far = socket.socketpair()
        with far:
            # A session of its own: Ctrl-C is for the parent.
            process = Popen(
                [*command, str(far.fileno())], pass_fds=(far.fileno(),), stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE,
                start_new_session=True,
            )  # fmt: skip
        return cls(link, process, startup, **options)

    @property
    def pid(self) -> int:
        """The id of the process; 0 where systemd has it."""
        return 0 if self._process is None else self._process.pid

    @property
    def is_running(self) -> bool:
        """False once the process has ended."""
        return self._process is None or self._process.poll() is None

    def post(self, message: object) -> None:
        """Send an object as soon as the child takes it. Never waits."""
        self._outbox.put(message)

    def send(self, message: object) -> None:
        """Send an object now. Blocks while the child does not read; a child that has ended is noticed by `receive`."""
        self._unanswered_since = self._unanswered_since or monotonic()
        with suppress(OSError):
            self.channel.send(message)

    def send_bytes(self, message: bytes) -> None:
        """Send bytes now, as `send`, to a child that expects them."""
        with suppress(OSError):
            self.channel.send_bytes(message)

    def receive(self, most: int | None = None) -> bytes:
        """Return the next message of the child.

        Raises:
            EOFError, OSError: the child has ended, hangs, or sent more than ``most`` bytes.
        """
        while not self.channel.poll(None if self._hangs_s == inf else max(0.0, min(self._hangs_s, _LOOK_S))):
            since = self._unanswered_since
            if since is not None and monotonic() - since > self._hangs_s:
                self._kill()
                raise EOFError
        try:
            message = self.channel.receive_bytes(most)
        except (EOFError, OSError):
            if not self.is_gone:
                self._wait(_GONE_S)  # so that its exit status is its own
            raise
        self._unanswered_since = None
        return message

    def end(self, finish_s: float = 0.0) -> str:
        """End the child; it may handle what it was sent for ``finish_s`` seconds. Returns how it ended."""
        self.is_ending = True
        self._outbox.notify()
        until = monotonic() + finish_s
        if finish_s:
            self._writer.join(finish_s)
            self.channel.finish()
            self._wait(until - monotonic())
        if self.is_running:
            self.hang_up()
            self._wait(_ENDS_S)
        return self._kill()

    def hang_up(self) -> None:
        """Ask the child to end. Any thread may call it; does not wait."""
        self.is_gone = True
        self._outbox.notify()
        self.channel.hang_up()
        if self._process is not None:
            self._process.terminate()

    def close(self) -> None:
        """End the child at once, and release it."""
        self._kill()
        self._writer.join()
        self.channel.close()

    def _kill(self) -> str:
        self.is_gone = True
        self._outbox.notify()
        self.channel.hang_up()
        if self._process is None:
            return "it has ended"
        self._process.kill()
        status = self._process.wait()
        if self._errors is not None:
            self._errors.join(_ENDS_S)  # a grandchild may hold the pipe open
        why = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{why}: {self._last_error}" if status > 0 and self._last_error else why

    def _wait(self, seconds: float) -> None:
        if self._process is not None:
            with suppress(TimeoutExpired):
                self._process.wait(max(0.0, seconds))

    def _write(self) -> None:
        while (taken := self._outbox.take(self)) is not None:
            self.send(taken[0])

    def _read_errors(self, stderr: IO[bytes]) -> None:
        with stderr:
            for line in stderr:
                text = line.decode(errors="replace").rstrip()
                self._last_error = text[:_LONGEST_LINE] or self._last_error
                if self._shows_errors:
                    print(text, file=sys.stderr)


def python(main: str) -> tuple[str, ...]:
    """Return the command of a child whose main function is ``main``: ``module:function``."""
    # Not by multiprocessing, which would run the parent's own main program once more.
    module, _, function = main.partition(":")
    code = f"from croupier.child_process import run; from {module} import {function}; run({function})"
    return sys.executable, "-P", "-c", code


def run(main: Callable[..., object]) -> NoReturn:
    """The program of a child: call ``main`` with the channel to the parent, sockets, and the startup arguments."""
    with socket.socket(fileno=int(sys.argv[-1])) as link:
        serve(main, link)


def serve(main: Callable[..., object], link: socket.socket) -> NoReturn:
    """Call ``main`` as `run` does, for the parent at the other end of ``link``, and end the process when it has
    ended."""
    status = 0
    try:
        with suppress(EOFError, OSError):
            channel = Channel(link)
            main(channel, *channel.receive_sockets(), *channel.receive())
    except Exception:
        traceback.print_exc()
        status = 1
    end_process(status)
