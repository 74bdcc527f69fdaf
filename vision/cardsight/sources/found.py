"""The cameras of this machine: what identifies each, the name that it gives itself, and the size of its pictures.

A number such as ``usb:0`` is the order in which Linux met the cameras: after a restart or a swap of two plugs it is
another camera. An identity is what the maker or the plug says: the link below ``/dev/v4l/by-id`` (vendor, product,
serial number), or below ``/dev/v4l/by-path`` for cameras that only their plugs distinguish.
"""

from __future__ import annotations

import os
import re
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2

from cardsight.errors import NoCamera
from cardsight.opencv_log import SILENT, set_log_level
from cardsight.sources.cameras import SIZE_PX

ROOT: Final = Path("/")
_LISTED: Final = "sys/class/video4linux"
_LINKS: Final = ("dev/v4l/by-id", "dev/v4l/by-path")
_BUSES: Final = ("/usb", "/virtual/")
"""Parts of the paths of cameras on USB, and of cameras that a program makes, such as one that shows a phone's."""
_TRIED: Final = 4
"""Numbers that are tried where the system has no list of cameras."""

OPENS_WITHIN_S: Final = 5.0
"""A camera that takes longer to open does not answer. A webcam opens within 2 s, one that wakes up within 3."""

_QUERYCAP: Final = 0x80685600
"""VIDIOC_QUERYCAP of linux/videodev2.h; its answer has 104 bytes, with the capabilities of device and node at 84."""
_CAP_CAPTURE: Final = 0x1 | 0x1000
"""V4L2_CAP_VIDEO_CAPTURE, and that with several planes: the node delivers pictures. The second node of a UVC camera has
V4L2_CAP_META_CAPTURE only."""
_CAP_BY_NODE: Final = 0x80000000

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera. ``source``: what identifies it, as in `croupier.toml`; ``number``: what it is called until the next
    restart or replug, such as ``usb:0``; ``size``: of its pictures (width, height), None while another program has
    it, and of a camera that does not answer."""

    source: str
    name: str
    size: Size | None
    number: str = ""

    @property
    def size_text(self) -> str:
        """The size as in `croupier.toml`; "" if it is unknown."""
        return "" if self.size is None else "{}x{}".format(*self.size)


@dataclass(frozen=True, slots=True)
class VideoNode:
    """A device file of a camera. ``path``: below the root of the file system; ``model``: vendor, product and serial
    number, each "" if unknown; ``place``: its plug, such as ``1-1.2``; ``by_id``, ``by_path``: the links to it;
    ``has_pictures``: False for the node of its metadata."""

    number: int
    path: Path
    name: str
    model: tuple[str, str, str]
    place: str
    by_id: str
    by_path: str
    has_pictures: bool

    @property
    def label(self) -> str:
        """Its name for messages. Drivers repeat it, cut off: ``HD Webcam: HD Web``."""
        first, _, second = self.name.partition(": ")
        return first if first.startswith(second) else f"{first}, {second}"

    def is_same_model(self, other: VideoNode) -> bool:
        """True if both have the same vendor, product, serial number and name."""
        return self.model == other.model and self.name == other.name


def video_nodes(root: Path = ROOT) -> tuple[VideoNode, ...]:
    """Return the device files of cameras on USB that Linux lists, in the order of their numbers."""
    links: tuple[dict[str, str], ...] = tuple(
        {link.resolve().name: f"/{folder}/{link.name}" for link in sorted((root / folder).glob("*"))}
        for folder in _LINKS
    )
    listed = (one for one in (root / _LISTED).glob("video*") if one.name.removeprefix("video").isdecimal())
    return tuple(
        _node(listing, root, *(of.get(listing.name, "") for of in links))
        for listing in sorted(listed, key=lambda one: int(one.name.removeprefix("video")))
        # The nodes of a Pi's own processor are no cameras.
        if any(part in str(listing.resolve()) for part in _BUSES)
    )


def _node(listing: Path, root: Path, by_id: str, by_path: str) -> VideoNode:
    path = root / "dev" / listing.name
    device = next((one for one in listing.resolve().parents if (one / "idVendor").exists()), None)
    model = ("", "", "") if device is None else (
        _text(device / "idVendor"), _text(device / "idProduct"), _text(device / "serial")
    )  # fmt: skip
    has_pictures = _has_pictures(path)
    if has_pictures is None:  # it cannot be asked; the node of the pictures is a camera's first
        has_pictures = _text(listing / "index") in ("", "0")
    return VideoNode(
        int(listing.name.removeprefix("video")), path, _text(listing / "name"), model,
        "" if device is None else device.name, by_id, by_path, has_pictures,
    )  # fmt: skip


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""


def _has_pictures(path: Path) -> bool | None:
    """Ask a device file whether it delivers pictures; None if it cannot be asked. A camera answers in use, too."""
    import fcntl  # not on Windows, where there is nothing to ask

    try:
        file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        answer = fcntl.ioctl(file, _QUERYCAP, bytes(104))
    except OSError:
        return None
    finally:
        os.close(file)
    of_device, of_node = struct.unpack_from("=II", answer, 84)
    return bool((of_node if of_device & _CAP_BY_NODE else of_device) & _CAP_CAPTURE)


def identity(node: VideoNode, nodes: Iterable[VideoNode]) -> str:
    """Return what identifies a camera among all: its link by id, or by path where another camera has the same vendor,
    product and serial number; its name where there are no links; its number where nothing else is unique."""
    others = [one for one in nodes if one.has_pictures and one != node]
    if node.by_id and not any(one.model == node.model for one in others):
        return f"usb:{node.by_id}"
    if node.by_path:
        return f"usb:{node.by_path}"
    if node.name and not node.name.isdecimal() and not any(one.name == node.name for one in others):
        return f"usb:{node.name}"
    return f"usb:{node.number}"


class UsbFinder:
    """Finds one camera on USB, and finds it again whatever its number is then.

    ``wanted``: what stands behind ``usb:``: a number, a path such as a link in ``/dev/v4l/by-id``, or the name that the
    camera gives itself or its serial number, or a part of either. Once opened, the camera is known by its model and
    serial number: another one that has its number meanwhile is not taken for it.
    """

    def __init__(self, wanted: str = "", root: Path = ROOT) -> None:
        self._wanted, self._root = wanted or "0", root
        self._known: VideoNode | None = None

    @property
    def source(self) -> str:
        """The camera as in `croupier.toml`."""
        return f"usb:{self._wanted}"

    def find(self) -> VideoNode | None:
        """Return the camera; None where the system has no list of cameras, or the path is none of a camera.

        Raises:
            NoCamera: it is not there, or several are meant; the text says which cameras are there.
        """
        nodes = video_nodes(self._root)
        if not nodes and not (self._root / _LISTED).exists():
            return None
        if self._wanted.startswith("/"):
            path = self._root / self._wanted.lstrip("/")
            if path.exists() and not re.fullmatch(r"video\d+", path.resolve().name):
                return None  # a file in place of a camera
        cameras = [one for one in nodes if one.has_pictures]
        return self._again(cameras, self._known) if self._known is not None else self._chosen(nodes, cameras)

    def opened(self, node: VideoNode) -> None:
        """Remember the camera that was opened."""
        self._known = node

    def _matches(self, node: VideoNode) -> bool:
        if self._wanted.isdecimal():
            return node.number == int(self._wanted)
        if self._wanted.startswith("/"):
            return (self._root / self._wanted.lstrip("/")).resolve().name == node.path.name
        return any(self._wanted.casefold() in text.casefold() for text in (node.name, node.model[2]))

    def _chosen(self, nodes: Sequence[VideoNode], cameras: Sequence[VideoNode]) -> VideoNode:
        exact = [one for one in cameras if one.name == self._wanted]
        matching = exact or [one for one in cameras if self._matches(one)]
        if self._wanted.startswith("/dev/v4l/by-id/") and matching:
            # Of cameras without a serial number the link names the one that was plugged in last.
            matching = [one for one in cameras if one.model == matching[0].model]
        if len(matching) == 1:
            return matching[0]
        if matching:
            choices = ", ".join(identity(one, cameras) for one in matching)
            raise NoCamera(f"camera {self.source}: {len(matching)} cameras are called so; expected {choices}")
        if meta := next((one for one in nodes if self._matches(one)), None):
            same = [one for one in cameras if one.place == meta.place and one.is_same_model(meta)]
            instead = ", ".join(f"usb:{one.number}" for one in same or cameras)
            raise NoCamera(f"camera {self.source}: sends no pictures, only data about them; expected {instead}")
        raise NoCamera(f"camera {self.source}: not on USB; {_there(cameras)}")

    def _again(self, cameras: Sequence[VideoNode], known: VideoNode) -> VideoNode:
        same = [one for one in cameras if one.is_same_model(known)]
        at_its_place = [one for one in same if one.place == known.place]
        if self._wanted.startswith("/dev/v4l/by-path/"):
            same = at_its_place
        if found := at_its_place or same:
            if len(found) == 1:
                return found[0]
            choices = ", ".join(identity(one, cameras) for one in found)
            raise NoCamera(f"camera {self.source}: {len(found)} cameras are called so; expected {choices}")
        raise NoCamera(f'camera {self.source}: "{known.label}" was unplugged; {_there(cameras)}')


def _there(cameras: Sequence[VideoNode]) -> str:
    if not cameras:
        return "there is no camera on USB, plug it in"
    seen = ", ".join(f'usb:{one.number} "{one.label}"' for one in cameras)
    return f"plug it in, or name another: {seen}"


def picture_size(device: int | str) -> Size | None:
    """Return the size of a camera's pictures, at most `SIZE_PX`; None if it cannot be opened."""
    set_log_level(SILENT)
    capture = cv2.VideoCapture(device)
    try:
        if not capture.isOpened():
            return None
        capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))
        for side, px in zip((cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT), SIZE_PX, strict=True):
            capture.set(side, px)
        return round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    finally:
        capture.release()


def _in_time(size_of: Callable[[int | str], Size | None], device: int | str, limit_s: float) -> Size | None:
    """Return what ``size_of`` answers; None after ``limit_s`` seconds. A driver that hangs cannot be interrupted: its
    thread is left behind, and the end of the program does not wait for it."""
    answers: list[Size | None] = []
    opening = threading.Thread(target=lambda: answers.append(size_of(device)), daemon=True)
    opening.start()
    opening.join(limit_s)
    return answers[0] if answers else None


def device_of(node: VideoNode) -> int | str:
    """Return what OpenCV opens: the number of a device file, the path of a film in its place."""
    return node.number if node.path.is_char_device() or not node.path.exists() else str(node.path)


def usb_cameras(
    root: Path | None = ROOT if sys.platform == "linux" else None,
    size_of: Callable[[int | str], Size | None] = picture_size,
    limit_s: float = OPENS_WITHIN_S,
) -> Iterator[FoundCamera]:
    """Yield the cameras on USB. ``root``: of the file system; None where it has no list of cameras, and the first
    numbers are tried. ``limit_s``: how long each may take to open, in seconds."""
    if root is None:
        for number in range(_TRIED):
            if (size := _in_time(size_of, number, limit_s)) is None:
                return
            yield FoundCamera(f"usb:{number}", "", size, f"usb:{number}")
        return
    nodes = video_nodes(root)
    for node in nodes:
        if node.has_pictures:
            yield FoundCamera(
                identity(node, nodes), node.label, _in_time(size_of, device_of(node), limit_s), f"usb:{node.number}"
            )


def pi_cameras() -> Iterator[FoundCamera]:
    """Yield the cameras at the connectors of a Raspberry Pi."""
    try:
        from picamera2 import Picamera2
    except ImportError:
        return
    for about in Picamera2.global_camera_info():
        if "/usb" not in about["Id"]:
            yield FoundCamera(f"pi:{about['Num']}", about["Model"], SIZE_PX, f"pi:{about['Num']}")


def find_cameras() -> tuple[FoundCamera, ...]:
    """Return the cameras at this machine. Each on USB is opened for a moment."""
    return (*pi_cameras(), *usb_cameras())
