"""Files of score sheets: the one that was changed last is the newest, whatever the clock of the machine says."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from croupier.errors import BadLog, CannotWrite
from croupier.files import locked, put
from croupier.i18n import marked
from croupier_tally.score_sheet import SUFFIX, ScoreSheet, read_sheet

_STEP_NS: Final = 10_000_000
"""Between two files; some file systems keep no shorter times."""

MEANWHILE: Final = marked("Somebody else changed this score sheet meanwhile. Check what is there now.")
_DATE: Final = len("2000-01-01")

_CACHED: Final = 64
"""Sheets that need not be refereed again while their files stay the same."""


def sheet_files(folder: Path) -> list[Path]:
    """The score sheets in a folder, the one that was changed last first."""
    return sorted(folder.glob(f"*{SUFFIX}"), key=_changed_ns, reverse=True)


def day_in(name: str) -> date | None:
    """The day with which the name of a sheet begins; None if it begins otherwise."""
    try:
        return date.fromisoformat(name[:_DATE])
    except ValueError:
        return None


class Stamp(NamedTuple):
    """Numbers of a file that are others when it has changed."""

    inode: int
    changed_ns: int
    size: int


def stamp_of(file: Path) -> Stamp:
    """The stamp of a file. Raises OSError."""
    stat = file.stat()
    return Stamp(stat.st_ino, stat.st_mtime_ns, stat.st_size)


def load_sheet(file: Path) -> ScoreSheet:
    """The score sheet in a file; as long as that stays the same, the one that was loaded before. Raises `BadLog`."""
    try:
        stamp = stamp_of(file)
    except OSError:
        return read_sheet(file)
    return _loaded(file, stamp)


@lru_cache(_CACHED)
def _loaded(file: Path, _stamp: Stamp) -> ScoreSheet:
    return read_sheet(file)


def put_newest(file: Path, content: bytes, *, after: str, mode: int | None = None) -> None:
    """Write a score sheet, and make it the newest in its folder. ``after``: the version of the sheet that was changed;
    "": the file is new.

    Raises:
        CannotWrite: it cannot be written, or the file is another one by now: somebody else changed it.
    """
    with locked(file.parent):
        if version_of(file) != after:
            raise CannotWrite(MEANWHILE)
        put(file, content, mode)
        make_newest(file)


def version_of(file: Path) -> str:
    """The version of the sheet in a file; "" without a file, "?" if it is damaged."""
    try:
        return load_sheet(file).version if file.exists() else ""
    except BadLog:
        return "?"


def make_newest(file: Path) -> None:
    """Give a file a time after those of the other sheets in its folder, where the clock has jumped back."""
    newest_ns = max((_changed_ns(other) for other in sheet_files(file.parent) if other.name != file.name), default=0)
    if _changed_ns(file) <= newest_ns:
        with suppress(OSError):  # it is listed later then, and nothing else
            os.utime(file, ns=(newest_ns + _STEP_NS, newest_ns + _STEP_NS))


def _changed_ns(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
