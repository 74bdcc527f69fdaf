"""Files that are made because somebody asked for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from croupier.errors import CannotWrite
from croupier.i18n import _


def check_new(file: Path, option: str) -> None:
    """Raises `CannotWrite` where the file is there already, which ``option`` names to be made later."""
    if file.exists():
        raise _exists(f"{option} {file}")


def write_new(file: Path, content: bytes, option: str = "") -> None:
    """Write a file that was not there before; ``option``: which one named it.

    Raises:
        CannotWrite: it is there already, or cannot be made.
    """
    called = f"{option} {file}".lstrip()
    try:
        with file.open("xb") as out, _whole(file):
            out.write(content)
            out.flush()
    except FileExistsError as err:
        raise _exists(called) from err
    except OSError as err:
        raise CannotWrite(f"{called}: " + _("{why}; choose another place", why=err.strerror)) from err


@contextmanager
def _whole(file: Path) -> Iterator[None]:
    """Half a file is of no use, and would stand in the way of the whole one."""
    try:
        yield
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _exists(called: str) -> CannotWrite:
    return CannotWrite(f"{called}: " + _("this file exists already; remove it or choose another name"))
