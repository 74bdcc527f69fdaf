"""Checks of the computer: versions, memory, disk, clock; and of the page."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import croupier
from croupier.config.model import uses_pi_pins, uses_pico
from croupier.doctor.check import CheckContext
from croupier.doctor.finding import Finding, absent, graded, ok, warning, wrong
from croupier.i18n import marked
from croupier.installer import how_to_install

PYTHONS: Final = ((3, 11), (3, 14))
"""The first and the last version that the tests run with."""

LITTLE_MB, TOO_LITTLE_MB = 300, 120
"""Limits of free memory; reading cards takes some 200 MB."""

SMALL_MB, FULL_MB = 500, 50
"""Limits of free disk space; a game takes a few MB, an update more."""

PACKAGES: Final = ("numpy", "opencv-python-headless", "pyserial", "gpiozero", "lgpio", "fastapi", "uvicorn", "zeroconf")
"""Packages whose versions are reported."""

PAGE_LINE: Final = "run/croupier-page.socket"
"""Socket of the page's service (`deploy/croupier-page.socket`)."""


def versions(table: CheckContext) -> Finding:
    """Check the versions of Python and of the packages that this table needs."""
    there = {name: _version(name) for name in PACKAGES}
    measured: dict[str, Any] = {
        "python": platform.python_version(),
        "croupier": version("croupier-core"),
        "machine": platform.machine(),
    }
    measured |= {name: found for name, found in there.items() if found}
    needed = {"fastapi": "web"} if table.config.page.on else {}
    needed |= {"pyserial": "pico"} if uses_pico(table.config) else {}
    needed |= {"gpiozero": "gpio"} if uses_pi_pins(table.config) else {}
    missing = [name for name in needed if not there[name]]
    if missing:
        return wrong(
            marked("This table needs packages that are not installed: {missing}."),
            marked("Run the installer again, or: {command}"),
            missing=", ".join(missing), **measured,
            command=how_to_install(f"croupier[{','.join(sorted({needed[name] for name in missing}))}]"),
        )  # fmt: skip
    text = marked("Croupier {croupier}, Python {python}, {machine}.")
    advice = marked("Use Python 3.11 to 3.14: no other version is tested.")
    is_tested = PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]
    return graded("", text, advice, warning=not is_tested, **measured)


def memory(table: CheckContext) -> Finding:
    """Check the free memory."""
    lines = _text(table.root / "proc/meminfo").splitlines()
    sizes = {name: int(rest.split()[0]) // 1024 for name, _, rest in (line.partition(":") for line in lines) if rest}
    if (free := sizes.get("MemAvailable")) is None:
        return absent(marked("This system does not report how much memory is free."))
    measured = {"free_mb": free, "whole_mb": sizes.get("MemTotal", 0)}
    text = marked("{free_mb} of {whole_mb} MB of memory are free.")
    advice = marked("Close other programs; a Raspberry Pi has more without a desktop (raspi-config, Boot).")
    return graded("", text, advice, wrong=free < TOO_LITTLE_MB, warning=free < LITTLE_MB, **measured)


def disk_space(table: CheckContext) -> Finding:
    """Check the free disk space at the journal."""
    folder = _existing(table.config.journal.file)
    free = shutil.disk_usage(folder).free // 1_000_000
    text = marked("{free_mb} MB are free on the journal's disk.")
    advice = marked("Free some space: sudo apt clean, old pictures, old journals (export them first).")
    return graded("", text, advice, wrong=free < FULL_MB, warning=free < SMALL_MB, free_mb=free)


def clock_sane(table: CheckContext) -> Finding:
    """Check that the clock is later than the installation and the newest game."""
    from croupier.journal import Archive

    now = table.clock()
    advice = marked(
        "Connect to a network, or set it with sudo date -s. A Raspberry Pi without a network loses the time."
    )
    newest = Path(croupier.__file__).stat().st_mtime
    if now < newest - 86_400:
        text = marked("The clock shows a time before this program was installed.")
        return warning(text, advice, behind_s=round(newest - now))
    if table.config.journal.file.exists():
        with Archive(table.config.journal.file) as archive:
            last = max(archive.began().values(), default=now)
        if now < last - 60:
            text = marked("The clock is behind the newest game in the journal.")
            return warning(text, advice, behind_s=round(last - now))
    is_synced = (table.root / "run/systemd/timesync/synchronized").exists()
    return ok(marked("The clock is later than every recorded time."), is_synchronized=is_synced)


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
    """Return the nearest folder that exists above a path."""
    return next((folder for folder in path.absolute().parents if folder.is_dir()), Path("/"))


LOCAL: Final = ("127.0.0.1", "localhost", "::1")


def page_port(table: CheckContext) -> Finding:
    """Check that the page can listen at its address and port."""
    page = table.config.page
    if not page.on:
        return absent(marked("This table has no page."))
    family = socket.AF_INET6 if ":" in page.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((page.address, page.port or 0))
        except OSError as err:
            return warning(
                marked("The page cannot use port {port} at {address}: {why}."),
                marked("Is the table already running? Otherwise another program is using it: choose "
                           "another port in [page]."),
                port=page.port, address=page.address, why=str(err.strerror),
            )  # fmt: skip
    some, given = (
        marked("A port is free for the page at {address}."),
        marked("Port {port} at {address} is free for the page."),
    )
    return ok(some if page.port is None else given, port=page.port, address=page.address)


def page_reach(table: CheckContext) -> Finding:
    """Check who can reach the page."""
    page = table.config.page
    if not page.on:
        return absent(marked("This table has no page."))
    if page.address in LOCAL:
        if not page.name:
            return ok(marked("The page can be opened only on this machine."))
        text = marked("The page can be opened only on this machine, and its name {name}.local is not announced.")
        return warning(text, marked('Set address = "0.0.0.0" in [page], or leave its name out.'), name=page.name)
    if not page.name:
        return ok(marked("The page is open to your network."))
    return ok(marked("The page is open to your network, as {name}.local."), name=page.name)


def page_user(table: CheckContext) -> Finding:
    """Check that the page runs as a user of its own."""
    if not table.config.page.on:
        return absent(marked("This table has no page."))
    line = table.root / PAGE_LINE
    if not line.exists():
        return absent(marked("The page runs with the rights of the table: its own service is not installed."))
    if not os.access(line, os.W_OK):
        text = marked("This user may not start the page’s service through {file}.")
        return warning(text, marked("Run this check as the user croupier."), file=str(line))
    return ok(marked("The page runs as a user of its own: it reads the journal and writes nothing."))
