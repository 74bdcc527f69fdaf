"""Frames from files: pictures one after the other, and videos."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from cardsight.errors import NoCamera, NoFrame, NoMoreFrames, NotAPicture
from cardsight.sources.frames import Frame
from cardsight.sources.picture import load_picture, quiet_stderr

USUAL_FPS: Final = 30.0
"""Of a video that does not say."""


class PictureFiles:
    """Pictures as frames, ``every_s`` seconds apart, the first at ``begin``."""

    def __init__(self, paths: Sequence[str | Path], *, every_s: float = 1.0, begin: float = 0.0) -> None:
        self._paths, self._every_s, self._begin = tuple(paths), every_s, begin
        self._next = 0
        self._now = begin

    def frame(self) -> Frame:
        """The next picture. One that cannot be read is left out, and told."""
        if self._next >= len(self._paths):
            raise NoMoreFrames(f"all {len(self._paths)} pictures have been shown")
        path = self._paths[self._next]
        self._now = self._begin + self._next * self._every_s
        self._next += 1
        try:
            return Frame(self._now, load_picture(path))
        except NotAPicture as wrong:
            raise NoFrame(f"{path}: {wrong}") from None

    def now(self) -> float:
        """The time of the last frame."""
        return self._now

    def close(self) -> None:
        """Show no more."""
        self._paths = ()


class VideoFile:
    """The frames of a video in any format that OpenCV decodes. Their times are the video's own, from ``begin`` on; they
    tell nothing of how long after its exposure a frame was stamped.

    Raises:
        NoCamera: the file is not there, or no video.
    """

    def __init__(self, path: str | Path, *, begin: float = 0.0) -> None:
        if not Path(path).is_file():
            raise NoCamera(f"{path}: no such file; expected a video")
        self._path, self._begin = path, begin
        with quiet_stderr():
            self._video = cv2.VideoCapture(str(path))
        if not self._video.isOpened():
            raise NoCamera(f"{path}: not a video, or one that is damaged; expected MP4, MKV, AVI or the like")
        rate = self._video.get(cv2.CAP_PROP_FPS)
        self._frame_s = 1 / (rate if 0 < rate < 1000 else USUAL_FPS)
        self._count = 0
        self._now = begin

    def frame(self) -> Frame:
        """The next frame."""
        stamp_s = self._video.get(cv2.CAP_PROP_POS_MSEC) / 1000 if self._video.isOpened() else 0.0
        with quiet_stderr():
            is_there, image = self._video.read()
        if not is_there:
            raise NoMoreFrames(f"{self._path}: the video has come to its end after {self._count} frames")
        # Some formats know no times of their own; what they say then does not go on.
        t = self._begin + stamp_s
        self._now = t if t > self._now or self._count == 0 else self._now + self._frame_s
        self._count += 1
        return Frame(self._now, np.asarray(image, np.uint8))

    def now(self) -> float:
        """The time of the last frame."""
        return self._now

    def close(self) -> None:
        """Give the file back."""
        self._video.release()
