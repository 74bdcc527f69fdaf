"""The link: a conversation with the Pico over a real serial port (or a pty), in a thread of its own.

with Link("/dev/ttyACM0", clock) as link:
    link.send(commands.Go())
    for event in link.events():
        …

Everything is stamped in that thread, so that a program which is busy reading cards makes no stamp late. The port may
go away and come back at any time, under another name too; what happens then stands in `croupier.link.conversation`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from glob import glob
from types import TracebackType
from typing import Any, Final, Self

import serial
from serial.tools import list_ports

from croupier.errors import PortNotFound, one_line
from croupier.link.commands import Command
from croupier.link.conversation import TICK_S, Conversation, Event

AUTO: Final = "auto"
USB: Final = "usb:"

PICO_USB: Final = ((0x2E8A, 0x0005),)
"""Vendor and product of a Pico that runs MicroPython (Raspberry Pi's list of USB product ids)."""


class PortFinder:
    """Where to look for one Pico.

    ``wanted``: ``auto``, the first Pico on USB; ``usb:SERIAL``, the one with that serial number (or its beginning);
    or a path, which may have wildcards: ``/dev/ttyACM0``, ``/dev/serial/by-id/*Pico*``.

    A Pico that has answered is known by its serial number from then on, so that it is found whatever its path is; with
    ``auto`` until it falls deaf, and then another one is taken first.
    ``usb``: lists the serial ports on USB, as pyserial does; ``files``: the paths that match a pattern.
    """

    def __init__(
        self,
        wanted: str = AUTO,
        usb: Callable[[], Iterable[Any]] = list_ports.comports,
        files: Callable[[str], list[str]] = glob,
    ) -> None:
        self.wanted = wanted
        self._usb, self._files = usb, files
        self._serial = wanted.removeprefix(USB) if wanted.startswith(USB) else ""
        self._deaf: list[str] = []
        """Paths at which nobody answered, the last one last."""

    def find(self) -> str | None:
        """The path of the port now, or None where it is not there."""
        ports = list(self._usb())
        if self._serial:
            return next((one.device for one in ports if (one.serial_number or "").startswith(self._serial)), None)
        if self.wanted == AUTO:
            picos = [one.device for one in ports if (one.vid, one.pid) in PICO_USB]
            return min(picos, key=lambda path: self._deaf.index(path) if path in self._deaf else -1, default=None)
        return next(iter(sorted(self._files(self.wanted))), None)

    def answered(self, path: str) -> None:
        """A Pico answered at ``path``: remember which."""
        self._deaf.clear()
        for one in self._usb():
            if one.device == path and one.serial_number:
                self._serial = one.serial_number

    def deaf(self, path: str) -> None:
        """Nobody answered at ``path``."""
        if self.wanted == AUTO:
            self._serial = ""
            self._deaf = [*(one for one in self._deaf if one != path), path]

    def missing(self) -> str:
        """One line: what was looked for, and what to do."""
        if self.wanted == AUTO:
            return "no Pico on USB: plug it in, or name its port, such as /dev/ttyACM0"
        if self.wanted.startswith(USB):
            return f"no Pico with serial number {self._serial} on USB: plug it in, or name its port"
        return f"{self.wanted}: no such port: plug the Pico in, or name its port, such as /dev/ttyACM0"


_log: Final = logging.getLogger(__name__)

RETRY_S: Final = 0.25
"""How often to look for a port that is gone."""

DEAF_S: Final = 3.0
"""A port on which nobody answers for so long is closed and looked for anew."""


class Link:
    """Talks to one Pico, from `start` to `close`. ``clock``: the table's clock (s).

    ``port``: as `PortFinder` has it. ``on_news``: called, in the link's thread, when `events` may have something.
    """

    def __init__(
        self,
        port: str | PortFinder = AUTO,
        clock: Callable[[], float] = time.monotonic,
        on_news: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_news = on_news
        self._finder = port if isinstance(port, PortFinder) else PortFinder(port)
        self._clock = clock
        self._conversation = Conversation()
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="link", daemon=True)
        self._port: serial.Serial | None = None
        self._unwritten = b""
        self._gone = asyncio.Event()
        self._is_closing = False
        self._path = ""
        self._news = threading.Event()
        self.trouble = ""
        """Why there is no port, in one line; "" while there is one."""

    def start(self) -> None:
        """Begin to look for the port. Raises nothing: why there is none stands in `trouble`."""
        self._thread.start()

    def close(self) -> None:
        """Let go of the port. The Pico's outputs go safe half a second later."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end)
            self._thread.join()

    def __enter__(self) -> Self:
        """Start. Raises PortNotFound where the port is there but may not be opened."""
        path = self._find()
        if path is not None:
            self._try(path)
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def port(self) -> str:
        """Where the Pico was looked for."""
        return self._finder.wanted

    def status(self) -> str:
        """How the line is, in one line: the port, the session, the clock, what was damaged."""
        with self._lock:
            return f"{self.trouble or self._path}: {self._conversation.status(self._clock())}"

    @property
    def is_open(self) -> bool:
        """Whether the Pico has answered and is heard."""
        return self._conversation.is_open

    def send(self, command: Command) -> bool:
        """Tell the Pico; false while there is no session. Any thread may."""
        with self._lock:
            is_sent = self._conversation.send(command)
        if is_sent:
            self._write()
        return is_sent

    def events(self) -> list[Event]:
        """What happened since the last call, in order. Any thread may."""
        with self._lock:
            self._news.clear()
            return self._conversation.events()

    def watermark(self) -> float:
        """All that the Pico saw before this comes with the next `events` (`Conversation.watermark`)."""
        with self._lock:
            return self._conversation.watermark(self._clock())

    def wait(self, seconds: float) -> list[Event]:
        """As `events`, but waits for one at most so long."""
        events = self.events()
        if not events and self._news.wait(seconds):
            events = self.events()
        return events

    def _find(self) -> str | None:
        """Where the port is now; None where it is not, and why is told."""
        try:
            path = self._finder.find()
        except Exception as err:  # a device that vanishes while pyserial looks at it fails in many ways
            self.trouble = f"{self.port}: the ports cannot be listed: {one_line(str(err))}"
            return None
        if path is None:
            self.trouble = self._finder.missing()
        return path

    def _try(self, path: str) -> None:
        try:
            serial.Serial(path, exclusive=True).close()
        except Exception as err:  # as in `_find`
            raise PortNotFound(f"{path}: {_reason(err)}") from err

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._run())
        self._loop.close()

    def _end(self) -> None:
        self._is_closing = True
        self._gone.set()

    async def _run(self) -> None:
        while not self._is_closing:
            path = self._find()
            try:
                if path is not None and self._open(path):
                    await self._talk(path)
            except Exception as err:  # whatever it is, the port is looked for again
                _log.exception("link failed")
                self.trouble = one_line(f"{path}: {type(err).__name__}: {err}")
            finally:
                self._close()
            if not self._is_closing:
                await asyncio.sleep(RETRY_S)

    def _open(self, path: str) -> bool:
        try:
            port = serial.Serial(path, baudrate=115200, exclusive=True, timeout=0)
        except Exception as err:  # as in `_find`
            self.trouble = f"{path}: {_reason(err)}"
            return False
        self._gone.clear()
        with self._lock:
            self._path, self._port = path, port
            self._conversation.connected(self._clock())
        self._loop.add_reader(port.fileno(), self._read, port.fileno())
        self.trouble = ""
        return True

    async def _talk(self, path: str) -> None:
        """Until the port is gone, or nobody answers on it."""
        heard, is_known = self._loop.time(), False
        while not (self._gone.is_set() or self._is_closing):
            self._write()
            if self._conversation.is_open:
                heard = self._loop.time()
                if not is_known:
                    with suppress(Exception):  # as in `_find`
                        self._finder.answered(path)
                        is_known = True
            elif self._loop.time() - heard > DEAF_S:
                self._finder.deaf(path)
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), TICK_S)

    def _close(self) -> None:
        with self._lock:
            if self._port is None:
                return
            with suppress(OSError):  # the port may have failed
                self._loop.remove_reader(self._port.fileno())
                self._port.close()
            self._port, self._unwritten = None, b""
            self._conversation.disconnected(self._clock())
        self._tell_news()

    def _read(self, file: int) -> None:
        try:
            data = os.read(file, 4096)
        except BlockingIOError:
            return
        except OSError:  # unplugged
            data = b""
        now = self._clock()
        if not data:
            self._gone.set()
            self._loop.remove_reader(file)
            return
        with self._lock:
            self._conversation.receive(data, now)
        self._write()
        self._tell_news()

    def _tell_news(self) -> None:
        self._news.set()
        self._on_news()

    def _write(self) -> None:
        """Write what is due, from whichever thread. What finds no room waits for the next look."""
        with self._lock:
            if self._port is None:
                return
            if not self._unwritten:
                self._unwritten = self._conversation.due(self._clock())
            if self._unwritten:
                with suppress(OSError):  # a port that is gone is noticed where it is read
                    written = os.write(self._port.fileno(), self._unwritten)
                    self._unwritten = self._unwritten[written:]


def _reason(err: Exception) -> str:
    """Why a port could not be opened, with what to do."""
    text = str(err)
    if "lock" in text:
        return "another program uses this port: end it, or name another port"
    if isinstance(err, PermissionError) or "Permission denied" in text:
        return "no permission: add yourself to the group of the port (usermod -aG dialout $USER) and log in again"
    if isinstance(err, IsADirectoryError) or "Is a directory" in text:
        return "this is a folder: name the Pico's port, such as /dev/ttyACM0"
    if "No such file" in text:
        return "no such port: plug the Pico in, or name its port, such as /dev/ttyACM0"
    return f"cannot be opened as a serial port: {one_line(text)}"
