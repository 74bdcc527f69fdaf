"""The check of `croupier doctor` for the library of the Pi's pins, before a table finds out that it sees no press."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from croupier.config.model import uses_pi_pins
from croupier.doctor.check import Check, CheckContext
from croupier.doctor.finding import Finding, absent, ok, warning, wrong
from croupier.i18n import marked

NO_EDGES_SINCE: Final = (6, 6)
"""The kernel without what RPi.GPIO waits for edges with: it fails with "Failed to add edge detection"."""

_REPLACE: Final = marked('Replace it by croupier[rpi-lgpio], or write factory = "lgpio" in [gpio].')


def installed(package: str) -> str | None:
    """Return the version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def library(table: CheckContext, kernel: str | None = None, known: Callable[[str], str | None] = installed) -> Finding:
    """Check that the library of the pins sees presses with this kernel. ``kernel``: its release; the running one."""
    if not uses_pi_pins(table.config):
        return absent(marked("Nothing at this table is connected to the Pi's own pins."))
    if table.config.gpio.factory != "rpigpio":
        return ok(marked("The pins are read by lgpio, with the kernel's time of each press."))
    release = kernel or platform.release()
    numbers = re.match(r"(\d+)\.(\d+)", release)
    old, new = known("RPi.GPIO"), known("rpi-lgpio")
    if old and new:
        text = marked("RPi.GPIO and rpi-lgpio are both installed, under the same name: nobody knows which is used.")
        return warning(text, _REPLACE)
    if old and numbers and (int(numbers[1]), int(numbers[2])) >= NO_EDGES_SINCE:
        text = marked("RPi.GPIO {version} sees no press with this kernel ({kernel}).")
        return wrong(text, _REPLACE, version=old, kernel=release)
    return ok(marked("The library of the pins sees presses; it does not know their exact time."))


CHECKS: Final = (Check("pins.library", library, needs="config.valid"),)
