"""A table log as text, one JSON object a line: its lines read and written."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final

from croupier.errors import BadLine, BadLog, marked
from croupier_rules.errors import json_object

STANDARD_INPUT: Final = "-"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: its number from 1, and the JSON object on it."""

    number: int
    data: dict[str, Any]


def text_of(line: Mapping[str, Any]) -> str:
    """Return a line of a table log without its end, ready for UTF-8: half a surrogate in a name stays an escape. No
    space stands between fields, as a journal keeps every line for ever; lines with spaces are read as well."""
    return (
        json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace").decode("utf-8")
    )


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Context that opens the file ``name`` (``-``: standard input) for reading.

    Raises:
        BadLog: the file cannot be opened or read.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:  # standard input is closed
            raise BadLog(marked("standard input is closed: expected a table log"))
        yield sys.stdin.buffer
        return
    try:
        with open(name, "rb") as file:
            yield file
    except OSError as err:
        raise BadLog(marked("{file}: {why}: expected a table log"), file=name, why=err.strerror) from err


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
        return json_object(raw.decode("utf-8"))
    except UnicodeDecodeError as err:
        raise BadLine(f"line {number}: byte {err.start + 1} is not UTF-8: expected a JSON object in UTF-8") from err
    except BadLog as err:
        raise BadLine(f"line {number}: {err}") from err
