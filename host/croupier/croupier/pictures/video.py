"""Videos, and the table's camera: their frames, and those in which nothing moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.errors import CutOff, NoCamera, NoFrame, NoMoreFrames
from cardsight.sources import Frame, Source
from cardsight.sources.frames import VideoFile
from croupier.ctrl_c import StopFlag, until_ctrl_c
from croupier.files import CONFIG
from croupier.i18n import _
from croupier.pictures import table_reader

VIDEOS: Final = (".mp4", ".m4v", ".mov", ".mkv", ".avi", ".webm", ".mpg", ".mpeg")
CAMERA: Final = "camera"
"""The name of the table's camera, for commands that otherwise take files."""
PAUSE_S: Final = 0.02
SILENT_S: Final = 5.0
"""Time without a frame after which a camera counts as broken."""
EVERY_S: Final = 0.12
"""Interval between compared frames: shorter than a hand needs for two cards."""
SMALL_PX: Final = 160
"""Width to which frames are reduced before they are compared."""
DIFFERENT: Final = 20
"""Difference in gray levels above which a pixel has changed."""
STILL: Final = 0.01
"""Fraction (0–1) of changed pixels below which a frame is still."""


def is_camera(image: str) -> bool:
    """True if ``image`` means the table's camera, and is not a file of that name."""
    return image == CAMERA and not Path(image).exists()


def is_video(image: str) -> bool:
    """True if ``image`` is a video or the table's camera."""
    return is_camera(image) or Path(image).suffix.lower() in VIDEOS


@contextmanager
def open_frames(image: str, config: Path = CONFIG) -> Iterator[Iterator[Frame]]:
    """Open a video, or the camera that the file ``config`` names until Ctrl-C. Raises `NoCamera` or `BadConfig`."""
    if not is_camera(image):
        video = VideoFile(image)
        try:
            yield frames(video, StopFlag())
        finally:
            video.close()
        return
    from croupier.config import load  # heavy, and a file needs no table

    source = table_reader.camera(load(config).camera) if config.exists() else None
    if source is None:
        example = '[camera] source = "usb:0"'
        raise NoCamera(_("{file} names none; expected one in it, as in {example}", file=config, example=example))
    try:
        with until_ctrl_c() as stop:
            begin = source.now()
            yield (replace(frame, t=frame.t - begin) for frame in frames(source, stop))
    finally:
        source.close()


def frames(source: Source, stop: StopFlag) -> Iterator[Frame]:
    """Yield the newest frame each time, until there are no more or ``stop`` is set.

    Raises `NoCamera` if no frame comes for `SILENT_S`, or if a video is cut off.
    """
    last_t = source.now()
    while not stop.is_set:
        try:
            frame = source.frame()
        except CutOff as fault:
            raise NoCamera(str(fault)) from fault
        except NoMoreFrames:
            return
        except NoFrame as fault:
            if source.now() - last_t > SILENT_S:
                text = _("no picture for {seconds} s: {why}", seconds=f"{SILENT_S:.0f}", why=fault)
                raise NoCamera(text) from fault
            sleep(PAUSE_S)
            continue
        last_t = frame.t
        yield frame


def first_still_frame(frames: Iterable[Frame]) -> Frame | None:
    """Return the first frame in which nothing moves, else the last frame; ``None`` if there is none."""
    frame = None
    for frame, is_still in sampled(frames):
        if is_still:
            return frame
    return frame


def sampled(frames: Iterable[Frame]) -> Iterator[tuple[Frame, bool]]:
    """Yield a frame every `EVERY_S`, and whether nothing has moved since the one before."""
    before: npt.NDArray[np.uint8] | None = None
    next_t = -1.0
    for frame in frames:
        if frame.t < next_t:
            continue
        next_t = frame.t + EVERY_S
        height, width = frame.image.shape[:2]
        size = (SMALL_PX, max(1, round(SMALL_PX * height / width)))
        small = np.asarray(cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA), np.uint8)
        changed = 1.0 if before is None else float((cv2.absdiff(small, before).max(axis=2) > DIFFERENT).mean())
        before = small
        yield frame, changed < STILL
