"""The link: a conversation with the Pico over a real serial port (or a pty), in a thread of its own.

with Link("/dev/ttyACM0", clock) as link:
    link.send(commands.Go())
    for event in link.events():
        …

That thread stamps all that arrives, so that a program which is busy reading cards makes no stamp late. The port may go
away and come back at any time, also under another name; `croupier.link.conversation` says what happens then.
"""

from __future__ import annotations

import logging
import os
import selectors
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import Any, Final, Self

import serial
from serial.tools import list_ports

from croupier.errors import PortNotFound, one_line
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier.link.seen import AUTO, MOST_BYTES, USB, Board, describe, has_boot_loader, reason
from croupier.retry import PORT, Backoff

PICO_USB: Final = ((0x2E8A, 0x0005),)
"""Vendor and product of a Pico that runs MicroPython (Raspberry Pi's list of USB product ids)."""


class PortFinder:
    """Finds the port of one Pico.

    ``wanted``: ``auto``, a Pico on USB; ``usb:SERIAL``, the Pico whose serial number begins so; or a path, also
    with wildcards: ``/dev/ttyACM0``, ``/dev/serial/by-id/*Pico*``. With ``auto`` a Pico that has answered is then known
    by its serial number, whatever its path is, until it no longer answers; then the other Picos are tried first.
    ``usb``: lists the serial ports on USB, as pyserial does; ``files``: the paths that match a pattern; ``root``: of
    the file system, where Linux lists what is on USB.
    """

    def __init__(
        self,
        wanted: str = AUTO,
        usb: Callable[[], Iterable[Any]] = list_ports.comports,
        files: Callable[[str], list[str]] = glob,
        root: Path = Path("/"),
    ) -> None:
        self.wanted = wanted
        self._usb, self._files, self._root = usb, files, root
        self._serial = wanted.removeprefix(USB) if wanted.startswith(USB) else ""
        self._silent: dict[str, str] = {}
        """What was seen at the paths at which no Pico answered, the last one last."""

    def boards(self) -> list[Board]:
        """The Picos on USB, in the order of their ports."""
        picos = (Board.of(one) for one in self._usb() if (one.vid, one.pid) in PICO_USB)
        return sorted(picos, key=lambda board: board.path)

    def find(self) -> str | None:
        """The path of the port now; None where it does not exist, or where several are meant."""
        if self._serial:
            begun = [one for one in self._usb() if (one.serial_number or "").startswith(self._serial)]
            exact = [one for one in begun if one.serial_number == self._serial]
            found = exact or begun
            return str(found[0].device) if len(found) == 1 else None
        if self.wanted == AUTO:
            tried = [*self._silent]
            picos = [board.path for board in self.boards()]
            return min(picos, key=lambda path: tried.index(path) if path in tried else -1, default=None)
        return next(iter(sorted(self._files(self.wanted))), None)

    def only(self) -> str:
        """The path of the port, for what must not be done to another Pico.

        Raises:
            PortNotFound: it does not exist, or ``auto`` could mean several Picos.
        """
        boards = self.boards() if self.wanted == AUTO else []
        if len(boards) > 1:
            raise PortNotFound(
                f"{len(boards)} Picos are on USB, {', '.join(map(str, boards))}: name one by usb: and its serial number"
            )
        if (path := self.find()) is None:
            raise PortNotFound(self.missing())
        return path

    def named(self, path: str) -> str:
        """Return a path with the name that the device there gives itself, for messages."""
        place = os.path.realpath(path)
        with suppress(Exception):  # a device that vanishes meanwhile
            for one in self._usb():
                if one.device in (path, place) and (product := Board.of(one).product):
                    return f"{path} ({product})"
        return path

    def answered(self, path: str) -> None:
        """Remember which Pico answered at ``path``."""
        self._silent.clear()
        place = os.path.realpath(path)
        for one in self._usb():
            if one.device in (path, place) and one.serial_number:
                self._serial = one.serial_number

    def unanswered(self, path: str, seen: str = "") -> str:
        """Remember that no Pico answered at ``path``, and what was ``seen`` there. Return in one line what was seen at
        all ports; "" while other Picos were not tried yet."""
        self._silent.pop(path, None)
        self._silent[path] = f"{self.named(path)}: {seen}"
        if self.wanted == AUTO:
            self._serial = ""
            there = [board.path for board in self.boards()]
            if any(other not in self._silent for other in there):
                return ""
            self._silent = {place: text for place, text in self._silent.items() if place in there or place == path}
            return ", ".join(self._silent.values())
        return self._silent[path]

    def missing(self) -> str:
        """Return one line: the port that was searched for, what is there, and the remedy."""
        usb = list(self._usb())
        if self._serial:
            same = [str(Board.of(one)) for one in usb if (one.serial_number or "").startswith(self._serial)]
            if len(same) > 1:
                return f"{len(same)} devices have such a serial number, {', '.join(same)}: name one by all of it"
        if has_boot_loader(self._root):
            return (
                "a Pico is in its boot loader: copy MicroPython onto its drive, which is called RPI-RP2, then run "
                "croupier firmware install"
            )
        there = ", ".join(str(Board.of(one)) for one in usb if one.vid is not None)
        if self.wanted == AUTO:
            if there:
                return f"no Pico on USB, only {there}: plug the Pico in, or name its port"
            return "no Pico on USB: plug it in, or name its port, such as /dev/ttyACM0"
        if self.wanted.startswith(USB):
            if there:
                return f"no Pico with serial number {self._serial} on USB, only {there}: plug it in, or name its port"
            return f"no Pico with serial number {self._serial} on USB: plug it in, or name its port"
        if there:
            return f"{self.wanted}: no such port, only {there}: plug the Pico in, or name its port"
        return f"{self.wanted}: no such port: plug the Pico in, or name its port, such as /dev/ttyACM0"


_log: Final = logging.getLogger(__name__)

UNANSWERED_S: Final = 3.0
"""A port without an answer for this time is closed, and the search starts again."""


class Link:
    """Talks to one Pico, from `start` to `close`. Any thread may call its methods.

    ``port``: as `PortFinder` takes it. ``clock``: the table's clock (s). ``on_news``: called in the link's thread when
    `events` may have something.
    """

    def __init__(
        self,
        port: str | PortFinder = AUTO,
        clock: Callable[[], float] = time.monotonic,
        on_news: Callable[[], None] = lambda: None,
    ) -> None:
        self._finder = port if isinstance(port, PortFinder) else PortFinder(port)
        self._clock, self._on_news = clock, on_news
        self._conversation = Conversation()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)
        self._port: serial.Serial | None = None
        self._unwritten = b""
        self._path, self._was_unanswered = "", False
        self._is_closing, self._news = threading.Event(), threading.Event()
        self._seen = b""
        """What came from the port since it was opened, while no Pico answers."""
        self.trouble = ""
        """Why the port cannot be used, in one line; "" while it can. At a port at which no Pico answers: what was seen
        there."""

    def start(self) -> None:
        """Start the search for the port. Raises nothing: `trouble` has the reason of a failure."""
        self._thread.start()

    def close(self) -> None:
        """Close the port. The Pico's outputs go safe half a second later."""
        self._is_closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> Self:
        """Start. Raises PortNotFound if the port exists and cannot be opened."""
        path = self._find()
        if path is not None:
            try:
                serial.Serial(path, exclusive=True).close()
            except Exception as err:  # as in `_find`
                raise PortNotFound(f"{path}: {reason(path, err)}") from err
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def port(self) -> str:
        """The port that was searched for."""
        return self._finder.wanted

    def status(self) -> str:
        """Port, session, clock and damaged lines, in one line."""
        with self._lock:
            return f"{self.trouble or self._path}: {self._conversation.status(self._clock())}"

    def seen(self) -> str:
        """Describe what came from the port so far, where no Pico has answered."""
        return describe(self._seen)

    @property
    def has_seen(self) -> bool:
        """True if something came from the port, and no Pico has answered."""
        return bool(self._seen)

    @property
    def is_open(self) -> bool:
        """True while the Pico answers."""
        return self._conversation.is_open

    def send(self, command: Command) -> bool:
        """Send a command. Returns False if there is no session."""
        with self._lock:
            is_sent = self._conversation.send(command)
        if is_sent:
            self._write()
        return is_sent

    def events(self) -> list[Event]:
        """The events since the last call, in order."""
        with self._lock:
            self._news.clear()
            return self._conversation.events()

    def watermark(self) -> float:
        """As `Conversation.watermark`, now."""
        with self._lock:
            return self._conversation.watermark(self._clock())

    def wait(self, seconds: float) -> list[Event]:
        """As `events`; waits for the first event, at most ``seconds``."""
        events = self.events()
        if not events and self._news.wait(seconds):
            events = self.events()
        return events

    def _find(self) -> str | None:
        try:
            path = self._finder.find()
        except Exception as err:  # a device that vanishes meanwhile makes pyserial fail in many ways
            self.trouble = f"{self.port}: the ports cannot be listed: {one_line(str(err))}"
            return None
        if path is None:
            self.trouble = self._finder.missing()
        return path

    def _run(self) -> None:
        search = Backoff(PORT)
        while not self._is_closing.is_set():
            path = self._find()
            try:
                if path is not None and (port := self._open(path)):
                    self._talk(path, port.fileno())
            except Exception as err:  # whatever it is, the search goes on
                _log.exception("link failed")
                self.trouble = one_line(f"{path}: {type(err).__name__}: {err}")
            finally:
                self._disconnect()
            self._is_closing.wait(search.fail())

    def _open(self, path: str) -> serial.Serial | None:
        try:
            port = serial.Serial(path, baudrate=115200, exclusive=True, timeout=0)
        except Exception as err:  # as in `_find`
            self.trouble = f"{path}: {reason(path, err)}"
            return None
        with self._lock:
            if path != self._path or not self._was_unanswered:
                self.trouble, self._seen = "", b""
            self._path, self._port, self._was_unanswered = path, port, False
            self._conversation.connected(self._clock())
        return port

    def _talk(self, path: str, file: int) -> None:
        """Read and write until the port is gone or silent, or the link is closed."""
        heard, is_known = time.monotonic(), False
        with selectors.DefaultSelector() as selector:
            selector.register(file, selectors.EVENT_READ)
            self._write()
            while not self._is_closing.is_set():
                if self._conversation.is_open:
                    heard = time.monotonic()
                    if not is_known:
                        with suppress(Exception):  # as in `_find`
                            self._finder.answered(path)
                            is_known = True
                elif time.monotonic() - heard > UNANSWERED_S:
                    self.trouble = self._finder.unanswered(path, self.seen())
                    self._was_unanswered = bool(self.trouble)
                    return
                if not selector.select(self._conversation.pause(self._clock())):
                    self._write()
                elif not self._read(file):
                    return

    def _disconnect(self) -> None:
        with self._lock:
            if self._port is None:
                return
            with suppress(OSError):  # the port may have failed
                self._port.close()
            self._port, self._unwritten = None, b""
            self._conversation.disconnected(self._clock())
        self._notify()

    def _read(self, file: int) -> bool:
        """Read the bytes that have arrived. Returns False if the port has gone."""
        try:
            data = os.read(file, 4096)
        except BlockingIOError:
            return True
        except OSError:  # unplugged
            return False
        now = self._clock()
        with self._lock:
            self._conversation.receive(data, now)
            if self._conversation.is_open:
                self.trouble, self._seen = "", b""
            elif len(self._seen) < MOST_BYTES:
                self._seen += data
        self._write()
        self._notify()
        return bool(data)

    def _notify(self) -> None:
        self._news.set()
        self._on_news()

    def _write(self) -> None:
        """Write the pending bytes, from any thread. Bytes without room wait for the next call."""
        with self._lock:
            if self._port is None:
                return
            if not self._unwritten:
                self._unwritten = self._conversation.due(self._clock())
            if self._unwritten:
                with suppress(OSError):  # `_read` notices a port that is gone
                    written = os.write(self._port.fileno(), self._unwritten)
                    self._unwritten = self._unwritten[written:]
