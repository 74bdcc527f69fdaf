"""Picture files of phones, cameras and scanners, decoded to one array form.

OpenCV decodes, and libheif the pictures of iPhones. This module checks the size before decoding, fills transparent
pixels, and reports faults in one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.errors import NotAPicture
from cardsight.headers import FORMATS, is_heic, is_webp, remedy, stated_size, webp_orientation

if TYPE_CHECKING:
    from pillow_heif import HeifFile

Picture = npt.NDArray[np.uint8]
"""Array of height x width x 3; the channels are blue, green, red."""

MIN_SIDE_PX: Final = 16
"""Minimum side: a card in a smaller picture is a speck."""
MAX_MEGAPIXELS: Final = 50
"""Maximum size, that of a phone's camera. Decoded it is 150 MB, which a small Raspberry Pi can hold."""
MAX_SIDE_PX: Final = 32766
"""Maximum side: OpenCV cannot warp larger pictures."""
MAX_MEGABYTES: Final = 200
"""Maximum size of a file: more than an uncompressed picture of 50 megapixels. Endless files such as /dev/zero end
here."""

TRANSPARENT_BGR: Final = (128, 128, 128)
"""Background of transparent pixels: mid gray, because the edge of a card is white and its middle may be black."""


def load_picture(path: str | Path) -> Picture:
    """Load a picture file (``-``: standard input), rotated as its EXIF data say.

    Pixels count in the picture as shown, in full size. Gray, palette, CMYK and 16 bit pictures become 8 bit color;
    transparent pixels become mid gray.

    Raises `NotAPicture`: no such file, no permission, another format, damaged or truncated, smaller than `MIN_SIDE_PX`,
    or larger than `MAX_MEGAPIXELS` or `MAX_SIDE_PX`.
    """
    return decode_picture(_read(path))


def decode_picture(data: bytes) -> Picture:
    """Decode the content of a picture file, as `load_picture`."""
    if not data:
        raise NotAPicture("the file is empty; expected a picture")
    if (why := remedy(data)) is not None:  # before its size: OpenCV decodes some of these, as their thumbnail
        raise NotAPicture(why)
    heic = _open_heic(data) if is_heic(data) else None
    size = stated_size(data) if heic is None else heic.size
    if size is None:
        raise NotAPicture(f"not a picture, or one that is damaged; expected {FORMATS}")
    _check_size(*size)
    with quiet_stderr():
        picture = _decode(data) if heic is None else _decode_heic(heic)
    if picture is None:
        raise NotAPicture("the picture is damaged or cut off; expected a whole one, copy or take it again")
    return picture


def _check_size(width: int, height: int) -> None:
    """Raise `NotAPicture` for a picture that is too large or too small."""
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


def _open_heic(data: bytes) -> HeifFile:
    """Read the header of a HEIC picture; its pixels are decoded on access."""
    try:
        from pillow_heif import open_heif
    except ImportError:
        raise NotAPicture(
            "a HEIC picture; install the extra heic to read it, or set the phone to JPEG "
            "(iPhone: Settings, Camera, Formats, Most Compatible)"
        ) from None
    try:
        return open_heif(BytesIO(data), bgr_mode=True)
    except (OSError, ValueError, RuntimeError, SyntaxError):
        raise NotAPicture("a HEIC picture that is damaged or cut off; expected a whole one") from None


def _decode_heic(heic: HeifFile) -> Picture | None:
    """Decode a HEIC picture, upright as its own rotation says; ``None`` if it fails."""
    try:
        pixels = np.asarray(heic)
    except (OSError, ValueError, RuntimeError, SyntaxError):
        return None
    return _over_ground(pixels) if pixels.shape[2] == 4 else pixels.astype(np.uint8, copy=False)


def _read(path: str | Path) -> bytes:
    most = MAX_MEGABYTES * 10**6
    try:
        if str(path) == "-":
            # the parent process may have closed it
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


def _decode(data: bytes) -> Picture | None:
    """Decode with OpenCV; ``None`` if it fails."""
    content = np.frombuffer(data, np.uint8)
    try:
        if not data.startswith(b"\xff\xd8"):  # all formats but JPEG may be transparent, or deeper than 16 bit
            stored = cv2.imdecode(content, cv2.IMREAD_UNCHANGED)
            if stored is None:
                return None
            if stored.dtype not in (np.uint8, np.uint16):
                raise NotAPicture(f"its pixels are {stored.dtype} numbers; expected 8 or 16 bits for each color")
            if stored.ndim == 3 and stored.shape[2] == 4:
                # made by a program, not by a camera: no EXIF rotation
                return _over_ground(stored)
        if is_webp(data):
            stored = cv2.imdecode(content, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
            picture = None if stored is None else _upright(stored, webp_orientation(data))
        else:
            picture = cv2.imdecode(content, cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else picture.astype(np.uint8, copy=False)


def _upright(picture: cv2.typing.MatLike, orientation: int) -> cv2.typing.MatLike:
    """Turn a picture as its EXIF ``orientation`` asks. OpenCV does so with WebP from 4.13 on only."""
    picture = cv2.transpose(picture) if orientation >= 5 else picture
    return cv2.flip(picture, _FLIPS[orientation]) if orientation in _FLIPS else picture


_FLIPS: Final = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}
"""How each orientation is mirrored, the last four after the picture was transposed: as `cv2.flip` numbers it."""


def _over_ground(stored: npt.NDArray[Any]) -> Picture:
    """Blend blue, green, red and opacity (8 or 16 bit) with `TRANSPARENT_BGR`."""
    full = np.iinfo(stored.dtype).max
    ground = np.array(TRANSPARENT_BGR, np.float32)
    picture = np.empty((*stored.shape[:2], 3), np.uint8)
    for top in range(0, len(stored), 64):  # in bands: the fractions take many times the memory of the picture
        band = stored[top : top + 64].astype(np.float32) / full
        colors, opacity = band[..., :3] * 255, band[..., 3:]
        picture[top : top + 64] = np.rint(colors * opacity + ground * (1 - opacity))
    return picture


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Suppress output of the decoders' C libraries on standard error. Faults are reported in one line."""
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed
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
