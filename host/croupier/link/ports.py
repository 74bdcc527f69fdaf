"""Finds the Pico's serial port, and finds it again when it comes back under another name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from glob import glob
from typing import Any, Final

from serial.tools import list_ports

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
