"""Why a device file cannot be opened: who uses it, and who may. What Linux knows; elsewhere nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from croupier.errors import first_line

PROC: Final = Path("/proc")


def users_of(path: Path | str, proc: Path = PROC) -> str:
    """Return the programs that have a device file open, such as ``minicom (PID 812)``; "" if none is known. Programs of
    other people do not show what they have open."""
    file = os.path.realpath(path)
    return ", ".join(sorted({name for pid, name in _programs(proc) if _has_open(proc / pid, file)}))


def _programs(proc: Path) -> Iterator[tuple[str, str]]:
    """Yield the number and the name of each other program."""
    with suppress(OSError):
        for process in proc.iterdir():
            if process.name.isdecimal() and process.name != str(os.getpid()):
                with suppress(OSError):
                    yield process.name, f"{first_line((process / 'comm').read_bytes())} (PID {process.name})"


def _has_open(process: Path, file: str) -> bool:
    with suppress(OSError):
        for opened in (process / "fd").iterdir():
            with suppress(OSError):
                if os.readlink(opened) == file:
                    return True
    return False


def group_of(path: Path | str) -> str:
    """Return the group that may use a device file which this program may not use; "" if it may, or there is none."""
    try:
        if os.access(path, os.R_OK | os.W_OK) or not (about := os.stat(path)).st_mode & 0o060:
            return ""
        import grp  # not on Windows

        return grp.getgrgid(about.st_gid).gr_name
    except (OSError, KeyError, ImportError):
        return ""
