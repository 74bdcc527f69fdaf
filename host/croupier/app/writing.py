"""Files that are made because somebody asked for them."""

from __future__ import annotations

from pathlib import Path

from croupier.errors import CannotWrite
from croupier.languages import _


def write_new(file: Path, content: bytes) -> None:
    """Write a file that was not there before.

    Raises:
        CannotWrite: it is there already, or cannot be made.
    """
    try:
        with file.open("xb") as out:
            out.write(content)
    except FileExistsError as err:
        raise CannotWrite(_("{file} is there already: name a new file", file=file)) from err
    except OSError as err:
        raise CannotWrite(_("{file}: {why}: expected a place for a new file", file=file, why=err.strerror)) from err
