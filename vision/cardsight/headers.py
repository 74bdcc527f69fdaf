"""Picture sizes from file headers, before anything is decoded.

A file of some kilobytes may decode to gigabytes, so the size is checked first. Field names follow the specification of
each format.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", ".heic", ".heif", ".avif")
"""Suffixes of the picture files in a folder; those that cannot be read are named, never left out in silence."""

Size = tuple[int, int]
"""Stored width and height (px), before an EXIF rotation."""


def _png(data: bytes) -> Size:
    """Read IHDR (width, height), and walk all chunks (length, name, content, CRC) to IEND.

    OpenCV allocates the stated length of a chunk, up to 2 GB, before it reads the chunk; so all chunks must lie within
    the file.
    """
    place = 8
    while data[place + 4 : place + 8] != b"IEND":
        place += 12 + struct.unpack_from(">I", data, place)[0]
    return struct.unpack_from(">II", data, 16)


def _bmp(data: bytes) -> Size:
    """Read BITMAPCOREHEADER (12 bytes, 16 bit sizes) or a successor. A negative height means that the top row comes
    first."""
    if struct.unpack_from("<I", data, 14) == (12,):
        return struct.unpack_from("<HH", data, 18)
    width, height = struct.unpack_from("<ii", data, 18)
    return width, abs(height)


def _jpeg(data: bytes) -> Size:
    """Walk the segments (marker, length) to the start of frame (SOF0…SOF15)."""
    place = 2
    while True:
        marker, length = struct.unpack_from(">HH", data, place)
        if marker & 0xFFF0 == 0xFFC0 and marker not in (0xFFC4, 0xFFC8, 0xFFCC):  # DHT, JPG and DAC are no SOF
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        if marker < 0xFFC0:
            raise ValueError
        place += 1 if marker == 0xFFFF else 2 + length  # 0xFF may pad the space before a marker


def _webp(data: bytes) -> Size:
    """Read the first chunk: lossy (VP8), lossless (VP8L), or extended (VP8X: canvas width and height minus one)."""
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
    """Read ImageWidth (256) and ImageLength (257)."""
    fields = _fields(data, 256, 257)
    return fields[256], fields[257]


def _fields(tiff: bytes, *tags: int) -> dict[int, int]:
    """Read fields of SHORT (3) or LONG (4) from the first directory of a TIFF file."""
    order = "<" if tiff.startswith(b"II") else ">"
    (place,) = struct.unpack_from(order + "I", tiff, 4)
    (count,) = struct.unpack_from(order + "H", tiff, place)
    fields = {}
    for start in range(place + 2, place + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from(order + "HH", tiff, start)
        if tag in tags:
            (fields[tag],) = struct.unpack_from(order + {3: "H", 4: "I"}[kind], tiff, start + 8)
    return fields


def is_webp(data: bytes) -> bool:
    """True for a WebP picture."""
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"


def webp_orientation(data: bytes) -> int:
    """Return the orientation (1…8; EXIF 2.32, tag 274) of a WebP picture, from its chunk ``EXIF``; 1 without one."""
    place = 12
    try:
        for _ in range(_MOST_CHUNKS):
            kind, size = struct.unpack_from("<4sI", data, place)
            if kind == b"EXIF":
                return _fields(data[place + 8 : place + 8 + size].removeprefix(b"Exif\0\0"), 274).get(274, 1)
            place += 8 + size + size % 2  # chunks begin at even places
    except (struct.error, KeyError):
        pass
    return 1


_MOST_CHUNKS: Final = 100
"""Maximum number of chunks that are looked at: a picture has five, and a damaged file may seem to have millions."""


_FORMATS: Final[dict[bytes, Callable[[bytes], Size]]] = {
    b"\xff\xd8\xff": _jpeg,
    b"\x89PNG\r\n\x1a\n": _png,
    b"RIFF": _webp,
    b"II*\0": _tiff,
    b"MM\0*": _tiff,
    b"BM": _bmp,
}
"""Size parsers by file signature."""

FORMATS: Final = "JPEG, PNG, WebP, TIFF or BMP"


_HEIC: Final = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"))
_AVIF: Final = frozenset((b"avif", b"avis"))
_ANY_CODEC: Final = frozenset((b"mif1", b"msf1"))


def _brands(data: bytes) -> frozenset[bytes]:
    """The brands of an ISO base media file (ISO 14496-12, box ``ftyp``): the main one and all compatible ones."""
    if data[4:8] != b"ftyp":
        return frozenset()
    end = min(int.from_bytes(data[:4], "big"), _MOST_BRANDS)
    return frozenset((data[8:12], *(data[place : place + 4] for place in range(16, end, 4))))


_MOST_BRANDS: Final = 256
"""Bytes of the box that are looked at: a real one has ten brands."""


def is_heic(data: bytes) -> bool:
    """True for a picture as iPhones write it: HEVC in an ISO base media file, by its brands."""
    brands = _brands(data)
    return bool(brands & _HEIC) or (bool(brands & _ANY_CODEC) and not brands & _AVIF)


_NOT_READ: Final = (
    (b"8BPS", "Photoshop"), (b"\xff\x0a", "JPEG XL"), (b"\0\0\0\x0cJXL ", "JPEG XL"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"), (b"\xff\x4f\xff\x51", "JPEG 2000"), (b"\0\0\1\0", "ICO"),
    (b"FUJIFILMCCD-RAW", "raw"), (b"IIRO", "raw"), (b"IIRS", "raw"), (b"MMOR", "raw"), (b"IIU\0", "raw"),
    (b"\x76\x2f\x31\x01", "OpenEXR"),
)  # fmt: skip
"""Signatures of formats that are not read, and their names."""

_NEW_SUBFILE_TYPE, _SUB_IFDS, _DNG_VERSION = 254, 330, 50706


def _is_raw(data: bytes) -> bool:
    """True for a camera's sensor data in a TIFF file (CR2, NEF, ARW, DNG), of which only a thumbnail is decoded."""
    if not data.startswith((b"II*\0", b"MM\0*")):
        return False
    try:
        order = "<" if data.startswith(b"II") else ">"
        (place,) = struct.unpack_from(order + "I", data, 4)
        (count,) = struct.unpack_from(order + "H", data, place)
        tags = {struct.unpack_from(order + "H", data, place + 2 + 12 * n)[0] for n in range(count)}
    except struct.error:
        return False
    return data[8:10] == b"CR" or _DNG_VERSION in tags or {_NEW_SUBFILE_TYPE, _SUB_IFDS} <= tags


def remedy(data: bytes) -> str | None:
    """Return what to do about a file of a known kind that is no readable picture; ``None`` for any other file."""
    if data.startswith(b"%PDF"):
        return f"a PDF document; expected a picture: save its page as {FORMATS}, or photograph the cards"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return f"a GIF picture, which has too few colors; expected {FORMATS}: save it as one of these"
    brands = _brands(data)
    begin = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    kind = next((name for signature, name in _NOT_READ if data.startswith(signature)), None)
    if kind is None and brands & _AVIF:
        kind = "AVIF"
    elif kind is None and (b"crx " in brands or _is_raw(data)):
        kind = "raw"
    elif kind is None and (begin.startswith(b"<svg") or (begin.startswith(b"<?xml") and b"<svg" in begin)):
        kind = "SVG"
    if kind is not None:
        return f"a picture in the format {kind}, which is not read; expected {FORMATS}: save it as one of these"
    if begin.startswith((b"<!doctype html", b"<html")):
        return "a web page; expected a picture: open the page, and save the picture itself"
    if (brands and not is_heic(data)) or data.startswith(b"\x1aE\xdf\xa3") or data[8:12] == b"AVI ":
        return f"a video; expected a picture: {FORMATS}"
    return None


def stated_size(data: bytes) -> Size | None:
    """Return the width and height (px) in the header of a picture file; ``None`` if ``data`` is not one."""
    for signature, size in _FORMATS.items():
        if data.startswith(signature):
            try:
                return size(data)
            except (struct.error, ValueError, KeyError):
                return None
    return None
