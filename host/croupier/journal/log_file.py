"""A table log as text, one JSON object a line: reading lines, and `LogFile`, which writes one game."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from croupier.errors import BadLine, BadLog, CannotWrite, unique_keys

STANDARD_INPUT: Final = "-"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: its number from 1, and the JSON object on it."""

    number: int
    data: dict[str, Any]


def text_of(line: Mapping[str, Any]) -> str:
    """Return a line of a table log without its end, ready for UTF-8: half a surrogate in a name stays an escape."""
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Context that opens the file ``name`` (``-``: standard input) for reading.

    Raises:
        BadLog: the file cannot be opened or read.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:  # closed by whoever started the program
            raise BadLog("standard input is closed: expected a table log")
        yield sys.stdin.buffer
        return
    try:
        with open(name, "rb") as file:
            yield file
    except OSError as err:
        raise BadLog(f"{name}: {err.strerror}: expected a table log") from err


def read_lines(lines: Iterable[bytes]) -> Iterator[Line]:
    """Yield the lines of a log; empty lines are skipped.

    Raises:
        BadLine: a line is not a JSON object in UTF-8; the text begins with ``line N: ``.
    """
    for number, raw in _filled(lines):
        yield Line(number, _object(number, raw))


def texts_of(lines: Iterable[bytes]) -> list[str]:
    """Return the lines of a log that `read_lines` accepted, as text without their ends; empty lines are skipped."""
    return [raw.rstrip(b"\r\n").decode("utf-8") for _, raw in _filled(lines)]


def _filled(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty with their numbers, and without a byte order mark."""
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
        if raw.strip():
            yield number, raw


def _object(number: int, raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(raw.decode("utf-8"), object_pairs_hook=unique_keys)
    except UnicodeDecodeError as err:
        raise BadLine(f"line {number}: byte {err.start + 1} is not UTF-8: expected a JSON object in UTF-8") from err
    except BadLog as err:
        raise BadLine(f"line {number}: {err}") from err
    except (ValueError, RecursionError) as err:
        raise BadLine(f'line {number}: expected a JSON object, such as {{"obs": "tick", "t": 1.0}}') from err
    if not isinstance(data, dict):
        raise BadLine(f'line {number}: expected a JSON object, such as {{"obs": "tick", "t": 1.0}}')
    return data


class LogFile:
    """The table log of one game, open for appending.

    With ``header`` a new file is made; without, an existing one is continued, and a last line that a power cut left
    without its end is dropped: nothing acted on it.

    Raises:
        CannotWrite: the file exists already, or does not exist, or cannot be written.
    """

    def __init__(self, path: Path, header: Mapping[str, Any] | None = None) -> None:
        try:
            self._file: IO[bytes] = path.open("xb" if header is not None else "r+b")
        except OSError as err:
            expected = "a new" if header is not None else "an old"
            raise CannotWrite(f"{path}: {err.strerror}: expected {expected} log") from err
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
    """Truncate the file after its last line end, and go there."""
    whole = file.read()
    file.truncate(whole.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)
