"""The size of a picture as its file states it, known before anything of it is decoded.

A file of some kilobytes may unpack to gigabytes, so the size has to be known first. What the formats' own documents
call the fields is given beside each.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp")
"""In a folder of pictures, what ends in one of these is one."""

Size = tuple[int, int]
"""Width and height in pixels as stored, before the turn that EXIF may ask for."""


def _png(data: bytes) -> Size:
    """The first chunk is always IHDR: width, height. Then chunk by chunk (length, name, content, check sum) to IEND.

    OpenCV makes room for a chunk before it reads it, 2 GB if its length says so; so all must lie within the file.
    """
    place = 8
    while data[place + 4 : place + 8] != b"IEND":
        place += 12 + struct.unpack_from(">I", data, place)[0]
    return struct.unpack_from(">II", data, 16)


def _bmp(data: bytes) -> Size:
    """BITMAPCOREHEADER (12 bytes, 16 bit sizes) or a successor; a negative height stores the top row first."""
    if struct.unpack_from("<I", data, 14) == (12,):
        return struct.unpack_from("<HH", data, 18)
    width, height = struct.unpack_from("<ii", data, 18)
    return width, abs(height)


def _jpeg(data: bytes) -> Size:
    """Segments of marker and length, up to the one that starts the frame (SOF0…SOF15)."""
    place = 2
    while True:
        marker, length = struct.unpack_from(">HH", data, place)
        if marker & 0xFFF0 == 0xFFC0 and marker not in (0xFFC4, 0xFFC8, 0xFFCC):  # DHT, JPG and DAC lie among them
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        if marker < 0xFFC0:
            raise ValueError
        place += 1 if marker == 0xFFFF else 2 + length  # FF may fill the space before a marker


def _webp(data: bytes) -> Size:
    """The first chunk: lossy (VP8), lossless (VP8L), or extended (VP8X, canvas width and height less one)."""
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    raise ValueError


def _tiff(data: bytes) -> Size:
    """The first directory: ImageWidth (256) and ImageLength (257), as SHORT (3) or LONG (4)."""
    order = "<" if data.startswith(b"II") else ">"
    (place,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, place)
    fields = {}
    for start in range(place + 2, place + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from(order + "HH", data, start)
        if tag in (256, 257):
            (fields[tag],) = struct.unpack_from(order + {3: "H", 4: "I"}[kind], data, start + 8)
    return fields[256], fields[257]


_FORMATS: Final[dict[bytes, Callable[[bytes], Size]]] = {
    b"\xff\xd8\xff": _jpeg,
    b"\x89PNG\r\n\x1a\n": _png,
    b"RIFF": _webp,
    b"II*\0": _tiff,
    b"MM\0*": _tiff,
    b"BM": _bmp,
}
"""Every format that is read, by the bytes its files begin with."""

FORMATS: Final = "JPEG, PNG, WebP, TIFF or BMP"


def stated_size(data: bytes) -> Size | None:
    """Width and height in pixels that the head of a picture file states, or ``None`` where ``data`` is not one."""
    for signature, size in _FORMATS.items():
        if data.startswith(signature):
            try:
                return size(data)
            except (struct.error, ValueError, KeyError):
                return None
    return None
