"""One game written as text while it is played: each line is on the disk before anything acts on it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from croupier.errors import CannotWrite
from croupier.journal.lines import text_of


class LogFile:
    """The table log of one game, open for appending.

    With ``header`` a new log is begun; without, an old one goes on where it was. A last line that a power cut left
    without its end is dropped then: nothing acted on it.

    Raises:
        CannotWrite: the file is there already, or is not, or cannot be written.
    """

    def __init__(self, path: Path, header: Mapping[str, Any] | None = None) -> None:
        try:
            self._file: IO[bytes] = path.open("xb" if header is not None else "r+b")
        except OSError as err:
            raise CannotWrite(
                f"{path}: {err.strerror}: expected {'a new' if header is not None else 'an old'} log"
            ) from err
        if header is not None:
            self.append(header)
        else:
            _drop_torn_line(self._file)

    def append(self, *lines: Mapping[str, Any]) -> None:
        """Write JSON objects, a line each; when this returns, they are on the disk."""
        self._file.write("".join(text_of(line) + "\n" for line in lines).encode("utf-8"))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; all lines are on the disk already."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _drop_torn_line(file: IO[bytes]) -> None:
    """Cut the file behind its last line end, and stand there."""
    whole = file.read()
    file.truncate(whole.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)
