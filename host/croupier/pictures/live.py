"""The table's own camera, for commands that otherwise take files: it goes by the name `CAMERA`.

People show cards, or lay them, and end with Ctrl-C; what was taken in until then counts.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import sleep
from types import FrameType
from typing import Final

from cardsight.errors import CutOff, NoCamera, NoFrame, NoMoreFrames
from cardsight.sources import Frame, Source
from croupier.config import CONFIG, load
from croupier.pictures import cameras

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
    source = cameras.camera(load(config).camera) if config.exists() else None
    if source is None:
        raise NoCamera(f'{config} names none; expected one in it, as in [camera] source = "usb:0"')
    try:
        yield source
    finally:
        source.close()


def in_white_light(frames: Iterator[Frame], config: Path = CONFIG) -> Iterator[Frame]:
    """Frames of that camera as they would be in white light, where its calibration knows that of the table: as
    `croupier run` reads them. Raises `BadCalibration` or `BadConfig`."""
    from cardsight.calibrate.white import balanced

    white = cameras.white(load(config).camera)
    return frames if white is None else (replace(frame, image=balanced(frame.image, white)) for frame in frames)


class Ended:
    """Whether a person has had enough."""

    def __init__(self) -> None:
        self.said = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        """Ctrl-C was pressed."""
        self.said = True


@contextmanager
def until_ctrl_c() -> Iterator[Ended]:
    """Ctrl-C does not break off what is going on, but is noted."""
    ended = Ended()
    before = signal.signal(signal.SIGINT, ended)
    try:
        yield ended
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def broken_off_by_ctrl_c() -> Iterator[None]:
    """Inside, Ctrl-C breaks off what is going on even where it is only noted else; there it is noted, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if isinstance(before, Ended):
            before.said = True
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def frames(source: Source, ended: Ended) -> Iterator[Frame]:
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
