"""What was seen at a serial port, or on USB, where no Pico with our firmware answers: the one place that describes it.

A description is one line: what is there, and after a semicolon what to do. What a foreign device sends is shown as
`first_line` has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from croupier.device_files import group_of, users_of
from croupier.errors import first_line, one_line

AUTO: Final = "auto"
USB: Final = "usb:"
"""Forms of ``port`` in `croupier.toml` that are no path."""

MOST_BYTES: Final = 2048
"""Bytes of a foreign device that are kept."""
_TEXT: Final = 0.9
"""Fraction of printable bytes from which they are text: at a wrong speed a UART delivers any bytes."""

_ECHO: Final = re.compile(rb"[0-9a-f]{4} \d+ \d+ hello \d+ \d+ \*[0-9a-f]{8}")
"""Our own greeting (`tablewire.frame`)."""
_OURS: Final = re.compile(rb"[0-9a-f]{4} \d+ \d+ \w.* \*[0-9a-f]{8}\s*")

_NAME_PORT: Final = "name the Pico's port"

_TALKERS: Final = (
    (re.compile(rb"(?m)^>>> |MicroPython v\d|^Traceback \(most recent"),
     "MicroPython's prompt answers, and not the firmware; run croupier firmware install"),
    (re.compile(rb"(?m)^\$(?:[A-Z]{2}[A-Z]{3}|P[A-Z]+),"), f'a GPS receiver sends "{{line}}"; {_NAME_PORT}'),
    (re.compile(rb"(?m)^(?:OK|ERROR|RING|NO CARRIER|\+C[A-Z]+[:=].*)\r*$"),
     f'a modem answers "{{line}}"; {_NAME_PORT}'),
)  # fmt: skip
"""What is known by what it sends (MicroPython; NMEA 0183; ITU-T V.250), and its description."""


def describe(data: bytes) -> str:
    """Describe who talks at a port, by the ``data`` that came from there in answer to our greeting."""
    lines = [line for line in data.splitlines() if line.strip(b"\0 \t")]
    if not lines:
        return "nothing answers; run croupier firmware install"
    if sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in data) < _TEXT * len(data):
        return f"{len(data)} bytes came that are no text, as at a wrong speed; {_NAME_PORT}"
    for pattern, text in _TALKERS:
        if found := pattern.search(data):
            return text.format(line=first_line(data[found.start() :]))
    foreign = [line for line in lines if not _ECHO.search(line)]
    if not foreign:
        return f"it sends back what it gets; {_NAME_PORT}"
    if any(_OURS.fullmatch(line) for line in foreign):
        return "another version of the firmware answers; run croupier firmware install"
    return f'something else sends "{first_line(foreign[0])}"; {_NAME_PORT}'


@dataclass(frozen=True, slots=True)
class Board:
    """A serial device on USB. ``path``: its port now; ``serial``: its serial number; ``product``: the name that it
    gives itself. Both "" if it has none."""

    path: str
    serial: str
    product: str

    @classmethod
    def of(cls, port: Any) -> Board:
        """Make it of what pyserial lists."""
        names = (getattr(port, "product", None), getattr(port, "description", None), "")
        product = next(name for name in names if name is not None and name != "n/a")
        return cls(port.device, port.serial_number or "", first_line(product.replace(":", " ")))

    @property
    def source(self) -> str:
        """What identifies it, as in ``port`` of `croupier.toml`: its serial number, else its port."""
        return f"usb:{self.serial}" if self.serial else self.path

    def __str__(self) -> str:
        name = f'"{self.product}" ' if self.product else ""
        return f"{name}{self.source} ({self.path})" if self.serial else f"{name}{self.path}"


BOOT_LOADERS: Final = (("2e8a", "0003"), ("2e8a", "000f"))
"""Vendor and product of a Pico, and of a Pico 2, in its boot loader: a drive, and no serial port."""


def has_boot_loader(root: Path) -> bool:
    """True if a Pico in its boot loader is on USB, as far as Linux says so below ``root``."""
    for device in (root / "sys/bus/usb/devices").glob("*"):
        try:
            ids = tuple((device / name).read_text().strip().lower() for name in ("idVendor", "idProduct"))
        except OSError:
            continue
        if ids in BOOT_LOADERS:
            return True
    return False


_REASONS: Final = {
    "lock": "another program uses this port: end it, or name another port",
    "Permission denied": "no permission: add yourself to the group of the port (usermod -aG dialout $USER) and log in "
    "again",
    "Is a directory": "this is a folder: name the Pico's port, such as /dev/ttyACM0",
    "No such file": "no such port: plug the Pico in, or name its port, such as /dev/ttyACM0",
}
"""By a part of pyserial's error: why the port cannot be opened, and what to do."""


def reason(path: str, err: Exception) -> str:
    """Describe why a port cannot be opened: who uses it, or which group may."""
    text = str(err)
    if ("lock" in text or "busy" in text) and (users := users_of(path)):
        return f"{users} uses this port; end that program, or name another port"
    if "Permission denied" in text and (group := group_of(path)):
        return f"no permission; join the group of the device (usermod -aG {group} $USER) and log in again"
    return next((why for part, why in _REASONS.items() if part in text), None) or (
        f"cannot be opened as a serial port: {one_line(text)}"
    )
