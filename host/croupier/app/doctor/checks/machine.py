"""The computer itself: versions, memory, disk, clock, supply, heat."""

from __future__ import annotations

import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import croupier
from croupier.app.config.wired import hangs_on_pi, hangs_on_pico
from croupier.app.doctor.examined import Examined
from croupier.app.doctor.finding import Finding, absent, ok, warning, wrong

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

_UNDER_VOLTAGE, _THROTTLED, _BEFORE = 1, 4, 16
"""Bits of the firmware's `get_throttled`; those of what has been since the start stand 16 higher."""


def versions(table: Examined) -> Finding:
    """Do Python and the packages fit the program and the table?"""
    there = {name: _version(name) for name in PACKAGES}
    measured = {"python": platform.python_version(), "croupier": version("croupier"), "machine": platform.machine()}
    measured |= {name: found for name, found in there.items() if found}
    needed = {"fastapi": "web"} if table.config.page.on else {}
    needed |= {"pyserial": "pico"} if hangs_on_pico(table.config) else {}
    needed |= {"gpiozero": "gpio"} if hangs_on_pi(table.config) else {}
    missing = [name for name in needed if not there[name]]
    if missing:
        extras = ",".join(sorted({needed[name] for name in missing}))
        told = f"{', '.join(missing)} is not installed, and this table needs it."
        return wrong(told, f"pip install 'croupier[{extras}]', or run the installer again", **measured)
    told = f"Croupier {measured['croupier']}, Python {measured['python']}, {measured['machine']}."
    if not PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]:
        return warning(told, "take a Python from 3.11 to 3.13: no other is tested", **measured)
    return ok(told, **measured)


def memory(table: Examined) -> Finding:
    """Is there memory left?"""
    lines = _text(table.root / "proc/meminfo").splitlines()
    said = {name: int(rest.split()[0]) // 1024 for name, _, rest in (line.partition(":") for line in lines) if rest}
    if "MemAvailable" not in said:
        return absent("This system does not say how much memory is free.")
    free, whole = said["MemAvailable"], said.get("MemTotal", 0)
    told = f"{free} of {whole} MB are free."
    remedy = "end other programs; without a desktop a Raspberry Pi has more (raspi-config, Boot)"
    answer = wrong if free < TOO_LITTLE_MB else warning
    return ok(told, free_mb=free) if free >= LITTLE_MB else answer(told, remedy, free_mb=free)


def disk_space(table: Examined) -> Finding:
    """Is there room for the journal?"""
    folder = _existing(table.config.journal.file)
    free = shutil.disk_usage(folder).free // 1_000_000
    told = f"{free} MB are free where the journal lies."
    remedy = "remove what is not needed: sudo apt clean, old pictures, old journals (export them first)"
    answer = wrong if free < FULL_MB else warning
    return ok(told, free_mb=free) if free >= SMALL_MB else answer(told, remedy, free_mb=free)


def clock_sane(table: Examined) -> Finding:
    """Does the clock stand after everything that is known to have been?"""
    from croupier.journal import Archive

    now = table.clock()
    remedy = "set the clock: connect to a network, or sudo date -s; a Raspberry Pi without network forgets the time"
    newest = Path(croupier.__file__).stat().st_mtime
    if now < newest - 86_400:
        return warning("The clock stands before this program was installed.", remedy, behind_s=round(newest - now))
    if table.config.journal.file.exists():
        with Archive(table.config.journal.file) as archive:
            last = max((game.began for game in archive.games()), default=now)
        if now < last - 60:
            told = "The clock stands before the newest game of the journal."
            return warning(told, remedy, behind_s=round(last - now))
    is_synced = (table.root / "run/systemd/timesync/synchronized").exists()
    return ok("The clock is later than everything that was kept.", is_synchronized=is_synced)


def power_supply(table: Examined) -> Finding:
    """Has the voltage of the Raspberry Pi dropped?"""
    said = _text(table.root / "sys/devices/platform/soc/soc:firmware/get_throttled").strip()
    if not said:
        return absent("No Raspberry Pi that tells of its supply.")
    bits = int(said, 16)
    remedy = "take the supply of the Pi's maker and a short thick cable; feed motors and ring from another one"
    if bits & _UNDER_VOLTAGE:
        return wrong("The supply is too weak: its voltage is too low now.", remedy, bits=said)
    if bits & _UNDER_VOLTAGE << _BEFORE:
        return warning("The voltage has been too low since the start.", remedy, bits=said)
    if bits & _THROTTLED:
        return warning("The processor is slowed down.", "look at machine.heat and at the supply", bits=said)
    return ok("The supply has held its voltage.", bits=said)


def heat(table: Examined) -> Finding:
    """Is the processor cool enough to keep its speed?"""
    said = _text(table.root / "sys/class/thermal/thermal_zone0/temp").strip()
    if not said:
        return absent("This machine does not tell its temperature.")
    celsius = int(said) / 1000
    told = f"The processor has {celsius:.0f} °C."
    if celsius >= HOT_C:
        return warning(told, "give it air: a heat sink, a fan, an open case; it slows down, and frames are missed",
                       celsius=celsius)  # fmt: skip
    return ok(told, celsius=celsius)


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
