"""Picture files: whatever a phone, a camera or a scanner writes, as one plain array.

OpenCV decodes; what it leaves to its caller is done here: to know the size before decoding, to fill what is
transparent, and to say in one line why a file is not a picture.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.errors import NotAPicture
from cardsight.headers import FORMATS, stated_size

Picture = npt.NDArray[np.uint8]
"""Height x width x 3, the channels in the order blue, green, red."""

MIN_SIDE_PX: Final = 16
"""A card must be larger than this to be told from a speck; smaller pictures are a mistake."""
MAX_MEGAPIXELS: Final = 50
"""What phones take; decoded it is 150 MB, which a small Raspberry Pi can still hold."""
MAX_SIDE_PX: Final = 32766
"""OpenCV cuts nothing out of a picture that is larger to one side."""
MAX_MEGABYTES: Final = 200
"""More than an uncompressed picture of 50 megapixels needs; so that /dev/zero comes to an end."""

TRANSPARENT_BGR: Final = (128, 128, 128)
"""What shines through: mid gray, because the edge of a card is white and its middle may be black."""


def load_picture(path: str | Path) -> Picture:
    """The picture in a file (``-``: on standard input), turned upright as its EXIF data asks.

    Pixels, and so all outlines found, count in the picture as it is shown, in its full size. Gray, palette, CMYK and
    16 bit pictures become 8 bit color; what is transparent becomes mid gray.

    Raises `NotAPicture` where there is none: no such file, no right to read it, another format, damaged or cut off,
    smaller than `MIN_SIDE_PX` or larger than `MAX_MEGAPIXELS` or `MAX_SIDE_PX`.
    """
    return decode_picture(_read(path))


def decode_picture(data: bytes) -> Picture:
    """The picture in the bytes of a file, as `load_picture`."""
    if not data:
        raise NotAPicture("the file is empty; expected a picture")
    size = stated_size(data)
    if size is None:
        raise NotAPicture(f"not a picture, or one that is damaged; expected {FORMATS}")
    width, height = size
    if width * height > MAX_MEGAPIXELS * 10**6:
        raise NotAPicture(
            f"{width}x{height} is {width * height / 1e6:.0f} megapixels; expected at most {MAX_MEGAPIXELS}, "
            "1920x1080 is plenty"
        )
    if max(width, height) > MAX_SIDE_PX:
        raise NotAPicture(
            f"{width}x{height} is too long to one side; expected at most {MAX_SIDE_PX} pixels, 1920x1080 is plenty"
        )
    if min(width, height) < MIN_SIDE_PX:
        raise NotAPicture(f"{width}x{height} pixels are too few to show a card; expected at least {MIN_SIDE_PX} a side")
    with quiet_stderr():
        picture = _decode(np.frombuffer(data, np.uint8))
    if picture is None:
        raise NotAPicture("the picture is damaged or cut off; expected a whole one, copy or take it again")
    return picture


def _read(path: str | Path) -> bytes:
    most = MAX_MEGABYTES * 10**6
    try:
        if str(path) == "-":
            # Whoever started the program may have closed it.
            data = sys.stdin.buffer.read(most + 1) if sys.stdin else b""
        else:
            with Path(path).open("rb") as file:
                data = file.read(most + 1)
    except FileNotFoundError:
        raise NotAPicture("no such file; expected a picture") from None
    except IsADirectoryError:
        raise NotAPicture("this is a folder; expected a picture, as in FOLDER/*.jpg") from None
    except PermissionError:
        raise NotAPicture("no right to read this file; allow it, or ask its owner") from None
    except (OSError, ValueError) as err:  # a name too long, a drive taken out, a zero byte in the name
        raise NotAPicture(f"cannot be opened: {getattr(err, 'strerror', None) or err}") from None
    if len(data) > most:
        raise NotAPicture(f"more than {MAX_MEGABYTES} MB; expected a picture")
    return data


def _decode(data: npt.NDArray[np.uint8]) -> Picture | None:
    """What OpenCV makes of the bytes, or ``None`` where it cannot."""
    try:
        if bytes(data[:2]) != b"\xff\xd8":  # all but JPEG may be transparent, or deeper than 16 bit
            stored = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
            if stored is None:
                return None
            if stored.dtype not in (np.uint8, np.uint16):
                raise NotAPicture(f"its pixels are {stored.dtype} numbers; expected 8 or 16 bits for each color")
            if stored.ndim == 3 and stored.shape[2] == 4:
                # This comes from a program, not from a camera: there is no EXIF turn to heed.
                return _over_ground(stored)
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else picture.astype(np.uint8, copy=False)


def _over_ground(stored: npt.NDArray[Any]) -> Picture:
    """Blue, green, red and opacity (8 or 16 bit), laid over `TRANSPARENT_BGR`."""
    full = np.iinfo(stored.dtype).max
    ground = np.array(TRANSPARENT_BGR, np.float32)
    picture = np.empty((*stored.shape[:2], 3), np.uint8)
    for top in range(0, len(stored), 64):  # in bands: the fractions take many times the room of the picture
        band = stored[top : top + 64].astype(np.float32) / full
        colors, opacity = band[..., :3] * 255, band[..., 3:]
        picture[top : top + 64] = np.rint(colors * opacity + ground * (1 - opacity))
    return picture


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Keeps off standard error what the decoders' C libraries print there themselves: the fault is told in one line."""
    try:
        kept = os.dup(2)
    except OSError:  # closed: nothing can be printed there
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
