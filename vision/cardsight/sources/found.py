"""The cameras of this machine: the name of each in `croupier.toml`, the name that it gives itself, and the size of its
pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2

from cardsight.opencv_log import SILENT, set_log_level
from cardsight.sources.cameras import SIZE_PX

_LINUX: Final = Path("/sys/class/video4linux")
_BUSES: Final = ("/usb", "/virtual/")
"""Parts of the paths of cameras on USB, and of cameras that a program makes, such as one that shows a phone's."""
_TRIED: Final = 4
"""Numbers that are tried where the system has no list of cameras."""

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera. ``source``: such as ``usb:0``; ``size``: of its pictures (width, height), None while another program
    has it."""

    source: str
    name: str
    size: Size | None

    @property
    def size_text(self) -> str:
        """The size as in `croupier.toml`; "" if it is unknown."""
        return "" if self.size is None else "{}x{}".format(*self.size)


def picture_size(number: int) -> Size | None:
    """Return the size of a camera's pictures, at most `SIZE_PX`; None if it cannot be opened."""
    set_log_level(SILENT)
    capture = cv2.VideoCapture(number)
    try:
        if not capture.isOpened():
            return None
        capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))
        for side, px in zip((cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT), SIZE_PX, strict=True):
            capture.set(side, px)
        return round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    finally:
        capture.release()


def usb_cameras(
    listed: Path | None = _LINUX if sys.platform == "linux" else None,
    size_of: Callable[[int], Size | None] = picture_size,
) -> Iterator[FoundCamera]:
    """Yield the cameras on USB. ``listed``: the system's list; without one the first numbers are tried."""
    if listed is None:
        for number in range(_TRIED):
            if (size := size_of(number)) is None:
                return
            yield FoundCamera(f"usb:{number}", "", size)
        return
    for node in sorted(listed.glob("video*"), key=lambda node: int(node.name.removeprefix("video"))):
        # Further nodes of a camera have no pictures, and the nodes of a Pi's own processor are no cameras.
        is_camera = any(part in str(node.resolve()) for part in _BUSES)
        if is_camera and (node / "index").read_text().strip() == "0":
            number = int(node.name.removeprefix("video"))
            yield FoundCamera(f"usb:{number}", (node / "name").read_text().strip(), size_of(number))


def pi_cameras() -> Iterator[FoundCamera]:
    """Yield the cameras at the connectors of a Raspberry Pi."""
    try:
        from picamera2 import Picamera2
    except ImportError:
        return
    for about in Picamera2.global_camera_info():
        if "/usb" not in about["Id"]:
            yield FoundCamera(f"pi:{about['Num']}", about["Model"], SIZE_PX)


def find_cameras() -> tuple[FoundCamera, ...]:
    """Return the cameras at this machine. Each on USB is opened for a moment."""
    return (*pi_cameras(), *usb_cameras())
