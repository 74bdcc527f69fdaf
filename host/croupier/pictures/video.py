"""x"""

from __future__ import annotations

import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import sleep
from types import FrameType
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.errors import CutOff, NoCamera, NoFrame, NoMoreFrames
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Frame, Source
from cardsight.sources.frames import VideoFile
from croupier.cards import UNREAD
from croupier.config import CONFIG, load
from croupier.i18n import _
from croupier.pictures import table_reader
from croupier.pictures.readings import Read, Seen, Unreadable, picture_read, see, unseen

VIDEOS: Final = (".mp4", ".m4v", ".mov", ".mkv", ".avi", ".webm", ".mpg", ".mpeg")
EVERY_S: Final = 0.12
"""Frames are compared so often: quicker than a hand lays two cards."""
SMALL_PX: Final = 160
DIFFERENT: Final = 20
STILL: Final = 0.01
"""A picture stands still where, shrunk to `SMALL_PX`, less than this part of it has changed by `DIFFERENT` levels."""
MOVED: Final = 0.06
"""A card has another outline where its corners are further off than this part of its length."""
RECENT: Final = 5


def read_each(
    images: Sequence[str], read: Read, command: str, config: Path = CONFIG
) -> Iterator[tuple[int, Seen | Unreadable]]:
    """As `read_sources`, each with the place of its file among ``images``: one may be named twice."""
    for place, image in enumerate(images):
        for seen in read_sources([image], read, command, config):
            yield place, seen


def read_sources(images: Sequence[str], read: Read, command: str, config: Path = CONFIG) -> Iterator[Seen | Unreadable]:
    """As `pictures.see`; and of a video, or of the camera that the file ``config`` names, each card shown there, as a
    picture of its own."""
    for image in images:
        if not is_video(image):
            yield from see([image], read, command)
            continue
        try:
            with open_frames(image, config) as frames:
                if is_camera(image):
                    print(
                        _("camera: lay one card on the other, or hold them up one by one; Ctrl-C when done"),
                        file=sys.stderr,
                    )
                    frames = in_white_light(frames, config)
                yield from new_cards(image, frames, read)
        except NoCamera as fault:
            yield unseen(image, NoCamera(str(fault).removeprefix(f"{image}: ")), command)


def new_cards(image: str, frames: Iterable[Frame], read: Read) -> Iterator[Seen]:
    """Each time that cards come to lie before the camera: a picture of just these. Raises `NoCamera` where none do."""
    is_told = False
    for frame, lying, new in settled_cards(frames, read):
        beside = tuple(card for card in (*lying.cards, *lying.backs) if card not in new.cards)
        yield picture_read(f"{image} at {frame.t:.1f} s", frame.image, new, beside)
        is_told = True
    if not is_told:
        raise NoCamera(_("no card lay still in it; lay them, or hold them up, each for half a second"))


def is_video(image: str) -> bool:
    """Whether it is a video or the table's camera, and no picture."""
    return is_camera(image) or Path(image).suffix.lower() in VIDEOS


@contextmanager
def open_frames(image: str, config: Path = CONFIG) -> Iterator[Iterator[Frame]]:
    """The frames of a video, or of the camera that the file ``config`` names until Ctrl-C. Raises `NoCamera`."""
    if not is_camera(image):
        video = VideoFile(image)
        try:
            yield frames(video, StopFlag())
        finally:
            video.close()
        return
    with camera(config) as source, until_ctrl_c() as ended:
        begin = source.now()
        yield (replace(frame, t=frame.t - begin) for frame in frames(source, ended))


def first_still_frame(frames: Iterable[Frame]) -> Frame | None:
    """The first frame in which nothing moves, or the last one; ``None`` where there is none."""
    before, frame, next_t = None, None, -1.0
    for frame in frames:
        if frame.t < next_t:
            continue
        next_t = frame.t + EVERY_S
        small = _shrunk(frame)
        if before is not None and _changed_share(small, before) < STILL:
            return frame
        before = small
    return frame


def settled_cards(frames: Iterable[Frame], read: Read) -> Iterator[tuple[Frame, Reading, Reading]]:
    """The cards that come to lie before the camera: the frame, its reading, and that of just the new ones."""
    before: npt.NDArray[np.uint8] | None = None
    recent: deque[Sighting] = deque(maxlen=RECENT)
    lying: tuple[Sighting, ...] = ()
    last: tuple[Sighting, ...] | None = None
    settled = False
    next_t = -1.0
    for frame in frames:
        if frame.t < next_t:
            continue
        next_t = frame.t + EVERY_S
        small = _shrunk(frame)
        is_still = before is not None and _changed_share(small, before) < STILL
        before = small
        if not is_still:
            last, settled = None, False
            continue
        if settled:
            continue
        reading = read(frame.image)
        if last is None or not _same_cards(last, reading.cards):
            last = reading.cards
            continue
        settled = True
        new = [card for card in reading.cards if not any(_is_same_card(card, other) for other in (*recent, *lying))]
        recent.extend(new)
        lying = reading.cards
        if new:
            yield frame, reading, replace(reading, cards=tuple(new), backs=())


def _shrunk(frame: Frame) -> npt.NDArray[np.uint8]:
    height, width = frame.image.shape[:2]
    size = (SMALL_PX, max(1, round(SMALL_PX * height / width)))
    return np.asarray(cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _changed_share(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> float:
    return float((cv2.absdiff(one, other).max(axis=2) > DIFFERENT).mean())


def _same_cards(one: Sequence[Sighting], other: Sequence[Sighting]) -> bool:
    return len(one) == len(other) and all(any(_is_same_card(card, b) for b in one) for card in other)


def _is_same_card(card: Sighting, other: Sighting) -> bool:
    """Whether both are one card, that lies where it lay. An outline may begin at either end of a card."""
    if card.face != other.face and UNREAD not in (card.face, other.face):
        return False
    here, there = np.array(card.corners_px), np.array(other.corners_px)
    length = float(np.linalg.norm(here[1] - here[2]))
    off = min(float(np.abs(here - np.roll(there, turn, axis=0)).max()) for turn in (0, 2))
    return off < MOVED * length


CAMERA: Final = "camera"
PAUSE_S: Final = 0.02
SILENT_S: Final = 5.0
"""After so long without a frame a camera is taken for one that gives none."""


def is_camera(image: str) -> bool:
    """Whether the table's camera is meant, and no file of that name."""
    return image == CAMERA and not Path(image).exists()


@contextmanager
def camera(config: Path = CONFIG) -> Iterator[Source]:
    """The camera that the file ``config`` names. Raises `NoCamera` or `BadConfig`."""
    source = table_reader.camera(load(config).camera) if config.exists() else None
    if source is None:
        raise NoCamera(f'{config} names none; expected one in it, as in [camera] source = "usb:0"')
    try:
        yield source
    finally:
        source.close()


def in_white_light(frames: Iterator[Frame], config: Path = CONFIG) -> Iterator[Frame]:
    """Frames of that camera as they would be in white light, where its calibration knows that of the table: as
    `croupier run` reads them. Raises `BadCalibration` or `BadConfig`."""
    from cardsight.light import balanced

    white = table_reader.white(load(config).camera)
    return frames if white is None else (replace(frame, image=balanced(frame.image, white)) for frame in frames)


class StopFlag:
    """Whether a person has had enough."""

    def __init__(self) -> None:
        self.said = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        """Ctrl-C was pressed."""
        self.said = True


@contextmanager
def until_ctrl_c() -> Iterator[StopFlag]:
    """Ctrl-C does not break off what is going on, but is noted."""
    ended = StopFlag()
    before = signal.signal(signal.SIGINT, ended)
    try:
        yield ended
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_by_ctrl_c() -> Iterator[None]:
    """Inside, Ctrl-C breaks off what is going on even where it is only noted else; there it is noted, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if isinstance(before, StopFlag):
            before.said = True
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def frames(source: Source, ended: StopFlag) -> Iterator[Frame]:
    """Its frames, the newest each time, until there are no more or people have ``ended`` it.

    Raises `NoCamera` where none comes for `SILENT_S`, or where a video ends too early.
    """
    heard = source.now()
    while not ended.said:
        try:
            frame = source.frame()
        except CutOff as fault:
            raise NoCamera(str(fault)) from fault
        except NoMoreFrames:
            return
        except NoFrame as fault:
            if source.now() - heard > SILENT_S:
                raise NoCamera(f"no picture for {SILENT_S:.0f} s: {fault}") from fault
            sleep(PAUSE_S)
            continue
        heard = frame.t
        yield frame
