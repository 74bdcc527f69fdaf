"""A serial port at which something else than a Pico with our firmware talks: a pty, as a program opens the port."""

from __future__ import annotations

import os
import pty
import select
import threading
import tty
from typing import Self

GPS = (
    b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n$GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5*39\r\n"
)
REPL = (
    b"\r\nMicroPython v1.28.0 on 2026-04-01; Raspberry Pi Pico with RP2040\r\n"
    b'Type "help()" for more information.\r\n>>> '
)
NOISE = bytes(range(128, 256)) * 2


class Talker:
    """Sends ``says`` whenever something was written to it, ``echoes`` what it got before. `path`: of the port."""

    def __init__(self, says: bytes = b"", *, echoes: bool = False) -> None:
        self._says, self._echoes = says, echoes
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._talk, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)

    def _talk(self) -> None:
        while not self._is_over.is_set():
            if select.select([self._master], [], [], 0.01)[0]:
                heard = os.read(self._master, 4096)
                if answer := (heard if self._echoes else b"") + self._says:
                    os.write(self._master, answer)
