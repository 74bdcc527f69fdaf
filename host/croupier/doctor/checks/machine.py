"""The computer itself: versions, memory, disk, clock, supply, heat."""

from __future__ import annotations

import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import croupier
from croupier.config.model import uses_pi_pins, uses_pico
from croupier.doctor.check_context import Examined
from croupier.doctor.finding import Finding, absent, ok, warning, wrong
from croupier.i18n import marked

PYTHONS: Final = ((3, 11), (3, 13))
"""The first and the last that this program is tested with."""

LITTLE_MB, TOO_LITTLE_MB = 300, 120
"""Memory that is free: reading cards takes some 200 MB."""

SMALL_MB, FULL_MB = 500, 50
"""Disk that is free: a game takes a few MB, a bundle and an update more."""

HOT_C: Final = 80.0
"""From here on a Raspberry Pi slows itself down."""

PACKAGES: Final = ("numpy", "opencv-python-headless", "pyserial", "gpiozero", "lgpio", "fastapi", "uvicorn", "zeroconf")
"""What a table rests on."""

SUPPLY: Final = "sys/devices/platform/soc/soc:firmware/get_throttled"
"""What a Raspberry Pi tells of its supply."""

_UNDER_VOLTAGE, _THROTTLED, _BEFORE = 1, 4, 16
"""Bits of the firmware's `get_throttled`; those of what has been since the start stand 16 higher."""


def versions(table: Examined) -> Finding:
    """Do Python and the packages fit the program and the table?"""
    there = {name: _version(name) for name in PACKAGES}
    measured = {"python": platform.python_version(), "croupier": version("croupier"), "machine": platform.machine()}
    measured |= {name: found for name, found in there.items() if found}
    needed = {"fastapi": "web"} if table.config.page.on else {}
    needed |= {"pyserial": "pico"} if uses_pico(table.config) else {}
    needed |= {"gpiozero": "gpio"} if uses_pi_pins(table.config) else {}
    missing = [name for name in needed if not there[name]]
    if missing:
        return wrong(
            marked("This table needs what is not installed: {missing}."),
            marked("Run the installer again, or: pip install 'croupier[{extras}]'"),
            missing=", ".join(missing), extras=",".join(sorted({needed[name] for name in missing})), **measured,
        )  # fmt: skip
    text = marked("Croupier {croupier}, Python {python}, {machine}.")
    if not PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]:
        return warning(text, marked("Take a Python from 3.11 to 3.13: no other is tested."), **measured)
    return ok(text, **measured)


def memory(table: Examined) -> Finding:
    """Is there memory left?"""
    lines = _text(table.root / "proc/meminfo").splitlines()
    said = {name: int(rest.split()[0]) // 1024 for name, _, rest in (line.partition(":") for line in lines) if rest}
    if "MemAvailable" not in said:
        return absent(marked("This system does not say how much memory is free."))
    free = said["MemAvailable"]
    measured = {"free_mb": free, "whole_mb": said.get("MemTotal", 0)}
    text = marked("{free_mb} of {whole_mb} MB of memory are free.")
    advice = marked("End other programs; without a desktop a Raspberry Pi has more (raspi-config, Boot).")
    answer = wrong if free < TOO_LITTLE_MB else warning
    return ok(text, **measured) if free >= LITTLE_MB else answer(text, advice, **measured)


def disk_space(table: Examined) -> Finding:
    """Is there room for the journal?"""
    folder = _existing(table.config.journal.file)
    free = shutil.disk_usage(folder).free // 1_000_000
    text = marked("{free_mb} MB are free where the journal lies.")
    advice = marked("Remove what is not needed: sudo apt clean, old pictures, old journals (export them first).")
    answer = wrong if free < FULL_MB else warning
    return ok(text, free_mb=free) if free >= SMALL_MB else answer(text, advice, free_mb=free)


def clock_sane(table: Examined) -> Finding:
    """Does the clock stand after everything that is known to have been?"""
    from croupier.journal import Archive

    now = table.clock()
    advice = marked("Connect to a network, or set it: sudo date -s. A Raspberry Pi without network forgets the time.")
    newest = Path(croupier.__file__).stat().st_mtime
    if now < newest - 86_400:
        text = marked("The clock stands before this program was installed.")
        return warning(text, advice, behind_s=round(newest - now))
    if table.config.journal.file.exists():
        with Archive(table.config.journal.file) as archive:
            last = max(archive.began().values(), default=now)
        if now < last - 60:
            text = marked("The clock stands before the newest game of the journal.")
            return warning(text, advice, behind_s=round(last - now))
    is_synced = (table.root / "run/systemd/timesync/synchronized").exists()
    return ok(marked("The clock is later than everything that was kept."), is_synchronized=is_synced)


def power_supply(table: Examined) -> Finding:
    """Has the voltage of the Raspberry Pi dropped?"""
    said = _text(table.root / SUPPLY).strip()
    if not said:
        return absent(marked("No Raspberry Pi that tells of its supply."))
    bits = int(said, 16)
    advice = marked("Take the supply of the Pi's maker and a short thick cable; feed motors and ring from another one.")
    if bits & _UNDER_VOLTAGE:
        return wrong(marked("The supply is too weak: its voltage is too low now."), advice, bits=said)
    if bits & _UNDER_VOLTAGE << _BEFORE:
        return warning(marked("The voltage has been too low since the start."), advice, bits=said)
    if bits & _THROTTLED:
        return warning(marked("The processor is slowed down."), marked("Look at machine.heat."), bits=said)
    return ok(marked("The supply has held its voltage."), bits=said)


def heat(table: Examined) -> Finding:
    """Is the processor cool enough to keep its speed?"""
    said = _text(table.root / "sys/class/thermal/thermal_zone0/temp").strip()
    if not said:
        return absent(marked("This machine does not tell its temperature."))
    celsius = round(int(said) / 1000)
    text = marked("The processor has {celsius} °C.")
    if celsius >= HOT_C:
        return warning(text, marked("Give it air: a heat sink, a fan, an open case."), celsius=celsius)
    return ok(text, celsius=celsius)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _existing(path: Path) -> Path:
    """The folder of a file that may not be there yet."""
    return next((folder for folder in path.absolute().parents if folder.is_dir()), Path("/"))
