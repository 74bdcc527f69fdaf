"""Something else on the board's port: a pseudo-terminal on which a device talks that is no board of ours."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

GPS: Final = b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
PYTHON: Final = b"\r\nMicroPython v1.24.1 on 2024-11-29; Raspberry Pi Pico with RP2040\r\n>>> "
NOISE: Final = bytes(range(128, 256)) + b"\r\n"

AGAIN_S: Final = 0.2


@contextmanager
def talking(port: Path, line: bytes) -> Iterator[None]:
    """A device at ``port`` says its ``line`` again and again, and hears nothing."""
    mine, theirs = pty.openpty()
    tty.setraw(theirs)
    os.set_blocking(mine, False)
    port.symlink_to(os.ttyname(theirs))
    is_over = Event()

    def talk() -> None:
        while not is_over.wait(AGAIN_S):
            with suppress(OSError):  # nobody has read the last ones
                os.write(mine, line)
            with suppress(OSError):
                os.read(mine, 4096)

    thread = Thread(target=talk)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        port.unlink()
        os.close(mine)
        os.close(theirs)
