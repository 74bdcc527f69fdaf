"""Repair of SQLite's write-ahead log behind a damage.

SQLite reads frames up to the first wrong checksum and ignores all that follow: one flipped bit there costs every later
transaction. The format is described in "WAL-mode File Format" (sqlite.org/walformat.html): a header of 32 bytes, then
frames of 24 bytes and a page. Each checksum continues that of the frame before. Frames of an earlier use of the file
have another salt.
"""

from __future__ import annotations

import struct
from typing import Final

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_MAGIC: Final = 0x377F0682  # checksums over little-endian words
_VERSION: Final = 3007000


def repaired(log: bytes, page_size: int) -> bytes | None:
    """The log with corrected checksums, up to the last frame of its salt that ends a transaction; None if there is
    none.

    The reader has to check the pages.
    """
    frame_size = _FRAME.size + page_size
    starts = range(_HEADER.size, len(log) - frame_size + 1, frame_size)
    if not starts:
        return None
    salt, last = _salt(log), None
    for start in starts:
        _page, pages, *salt_of_frame, _, _ = _FRAME.unpack_from(log, start)
        if pages and salt_of_frame == salt:
            last = start
    if last is None:
        return None
    head = struct.pack(">6I", _MAGIC, _VERSION, page_size, 0, *salt)
    sums = _checksum(head, (0, 0))
    made = [head, struct.pack(">2I", *sums)]
    for start in range(_HEADER.size, last + 1, frame_size):
        page = log[start + _FRAME.size : start + frame_size]
        sums = _checksum(log[start : start + 8] + page, sums)
        made += [log[start : start + 8], struct.pack(">4I", *salt, *sums), page]
    return b"".join(made)


def _salt(log: bytes) -> list[int]:
    """The salt of the newest use: from the header if that is valid, else from the first frame."""
    magic, *_, salt_1, salt_2, sum_1, sum_2 = _HEADER.unpack_from(log)
    if magic == _MAGIC and _checksum(log[:24], (0, 0)) == (sum_1, sum_2):
        return [salt_1, salt_2]
    return list(_FRAME.unpack_from(log, _HEADER.size)[2:4])


def _checksum(data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    for even, odd in struct.iter_unpack("<2I", data):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
