"""Atomic file replacement: temporary file, fsync, rename."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from croupier.errors import CannotWrite, marked

CONFIG: Final = Path("croupier.toml")
"""The file that describes the table, in the folder where the program is started."""


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Let the file ``path`` be ``content``; when this returns, it is on the disk. A link stays a link.

    ``mode``: who may read and write it; None: as before, and a new one everybody may read.
    Raises `OSError`; the file is then as it was.
    """
    target = path.resolve()
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as new:
        try:
            new.write(content)
            new.flush()
            os.chmod(new.name, mode)
            os.fsync(new.fileno())
            os.replace(new.name, target)
        except BaseException:
            os.unlink(new.name)
            raise
    _keep_name(target.parent)


def put(path: Path, content: bytes, mode: int | None = None) -> None:
    """As `write_whole`, for files that people have to do with.

    Raises:
        CannotWrite: it could not be written, with what to do; the file is as it was.
    """
    try:
        write_whole(path, content, mode)
    except OSError as err:
        raise unwritten(path, err) from err


def unwritten(path: Path, err: OSError) -> CannotWrite:
    """What people are told of a file that could not be written."""
    text = marked("{file}: {why}: nothing was changed; make room, or let it be written")
    return CannotWrite(text, file=path, why=err.strerror)


def _keep_name(folder: Path) -> None:
    """Which file bears the name is written in its folder, and that must reach the disk too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
