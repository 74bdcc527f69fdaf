"""Files that an option of the command line names, and their errors."""

from __future__ import annotations

from pathlib import Path

from croupier.errors import CannotWrite
from croupier.files import write_whole
from croupier.i18n import _


def check_new(file: Path, option: str = "") -> None:
    """Raise `CannotWrite` if the file that ``option`` names exists already."""
    if file.exists():
        raise _exists(f"{option} {file}".lstrip())


def write_new(file: Path, content: bytes, option: str = "") -> None:
    """Write a new file, which ``option`` names. A file that was written in part is removed again.

    Raises:
        CannotWrite: the file exists already, or cannot be written.
    """
    called = f"{option} {file}".lstrip()
    try:
        with file.open("xb") as out:
            try:
                out.write(content)
                out.flush()
            except BaseException:
                file.unlink(missing_ok=True)
                raise
    except FileExistsError as err:
        raise _exists(called) from err
    except OSError as err:
        raise _unwritten(called, err) from err


def write_over(file: Path, content: bytes, option: str) -> None:
    """Write or replace, atomically, the file that ``option`` names. Raises `CannotWrite`."""
    try:
        write_whole(file, content)
    except OSError as err:
        raise _unwritten(f"{option} {file}", err) from err


def _exists(called: str) -> CannotWrite:
    return CannotWrite(f"{called}: " + _("this file already exists; remove it or choose another name"))


def _unwritten(called: str, err: OSError) -> CannotWrite:
    return CannotWrite(f"{called}: " + _("{why}; choose another place", why=err.strerror))
