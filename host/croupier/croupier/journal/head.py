"""The head of a journal, its newest line, in a small file of its own.

A database without its newest transactions is consistent. The head file names the newest line, so such a loss is
detected. It is written after each transaction and before the next: it is behind the journal by one transaction at most,
and never ahead of it.

The file has two records of fixed size, each with a checksum, written in turn. A power cut damages at most the record
that is being written, and the other one is a transaction older. Writing in place needs no room on a full disk and wears
an SD card by one block; a new file and its name would take several.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from croupier.files import keep_name, unwritten

NOTHING: Final = b""
"""The hash before the first line of a game."""

HEAD_SIZE: Final = 256
"""Bytes that a write of the head costs."""
_BLOCK: Final = 4096
"""Block size of disks; the second record begins with the second block."""


@dataclass(frozen=True, slots=True, order=True)
class Head:
    """The extent of a journal. A later head is greater.

    ``game``: the newest; ``lines``: their number in it; ``records``: number of records about jobs of the shoe (one for
    the job, one for its outcome); ``hash``: that of the last line.
    """

    game: int = 0
    lines: int = 0
    records: int = 0
    hash: bytes = NOTHING


def head_file(journal: Path) -> Path:
    """The path of the head file of ``journal``."""
    return Path(f"{journal}-head")


def read_head(journal: Path) -> Head | None:
    """The head of ``journal``; None if the file is missing, or neither record can be read."""
    try:
        raw = head_file(journal).read_bytes()
    except OSError:
        return None
    return max((head for head in _decoded(raw) if head is not None), default=None)


class HeadFile:
    """The head file of ``journal``, open for writing.

    Raises:
        CannotWrite: the place cannot be written.
    """

    def __init__(self, journal: Path) -> None:
        self._path = head_file(journal)
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            keep_name(self._path.parent)
            first, second = _decoded(os.pread(self._file, _BLOCK + HEAD_SIZE, 0))
        except OSError as err:
            raise unwritten(self._path, err) from err
        is_first_older = first is None or (second is not None and first < second)
        self._next = 0 if is_first_older else _BLOCK

    def write(self, head: Head) -> None:
        """Replace the older record; on return, the head is on the disk.

        Raises:
            CannotWrite: nothing was written, and the other record stays.
        """
        try:
            os.pwrite(self._file, _encode(head), self._next)
            os.fdatasync(self._file)
        except OSError as err:
            raise unwritten(self._path, err) from err
        self._next = _BLOCK - self._next

    def reset(self, head: Head) -> None:
        """Replace both records, so that ``head`` counts even if it is less than the last one. Raises as `write`."""
        self.write(head)
        self.write(head)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _encode(head: Head) -> bytes:
    text = json.dumps([head.game, head.lines, head.records, head.hash.hex()])
    return f"{text}\t{sha256(text.encode()).hexdigest()}".ljust(HEAD_SIZE - 1).encode() + b"\n"


def _decoded(raw: bytes) -> list[Head | None]:
    return [_decode(raw[start : start + HEAD_SIZE]) for start in (0, _BLOCK)]


def _decode(record: bytes) -> Head | None:
    text, _, checksum = record.rstrip().partition(b"\t")
    if sha256(text).hexdigest().encode() != checksum:
        return None
    game, lines, records, hash_ = json.loads(text)
    return Head(game, lines, records, bytes.fromhex(hash_))
