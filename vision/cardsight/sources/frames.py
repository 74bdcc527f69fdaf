"""Frames and their sources: the protocol of all sources, picture files, and videos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from typing import Final, Protocol

import cv2
import numpy as np

from cardsight.errors import CutOff, NoCamera, NoFrame, NoMoreFrames, NotAPicture
from cardsight.sources.picture import Picture, load_picture, quiet_stderr

Clock = Callable[[], float]
"""Seconds on the table's clock; by default `time.monotonic`."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture taken at ``t`` ± ``u`` (s)."""

    t: float
    image: Picture
    u: float = 0.0


class Source(Protocol):
    """A camera, or a file in its place. Close it after use."""

    def frame(self) -> Frame:
        """Return the next frame of a file, or the newest of a camera; each is returned once.

        Raises:
            NoFrame: there is none now. Ask again.
            NoMoreFrames: there will be none.
            NoCamera: the camera is gone. Close it, and open it again.
        """

    def now(self) -> float:
        """Return the time (s) of the clock that stamps the frames."""

    def close(self) -> None:
        """Release the camera or the file. May be called twice."""


USUAL_FPS: Final = 30.0
"""Assumed frame rate of a video that states none."""
WHOLE: Final = 0.95
"""Fraction of the stated frames, or of their duration, from which a video counts as complete. Some formats only
estimate the number of frames, and some frames cannot be decoded."""
_BOXES: Final = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
"""Possible first boxes of an MP4 or QuickTime file."""


class PictureFiles:
    """Pictures as frames, ``every_s`` seconds apart, the first at ``begin``."""

    def __init__(self, paths: Sequence[str | Path], *, every_s: float = 1.0, begin: float = 0.0) -> None:
        self._paths, self._every_s, self._begin = tuple(paths), every_s, begin
        self._next = 0
        self._now = begin

    def frame(self) -> Frame:
        """Return the next picture. An unreadable one is skipped with `NoFrame`."""
        if self._next >= len(self._paths):
            raise NoMoreFrames(f"all {len(self._paths)} pictures have been shown")
        path = self._paths[self._next]
        self._now = self._begin + self._next * self._every_s
        self._next += 1
        try:
            return Frame(self._now, load_picture(path))
        except NotAPicture as fault:
            raise NoFrame(f"{path}: {fault}") from None

    def now(self) -> float:
        """Return the time of the last frame."""
        return self._now

    def close(self) -> None:
        """End the sequence."""
        self._paths = ()


class VideoFile:
    """The frames of a video in any format that OpenCV decodes.

    Times are those of the video, from ``begin`` on. They do not include the delay between exposure and stamping. A
    truncated file ends with `CutOff`.

    Raises:
        NoCamera: the file is missing, or no video.
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
        self._stated = self._video.get(cv2.CAP_PROP_FRAME_COUNT)
        self._count = 0
        self._now = begin

    def frame(self) -> Frame:
        """Return the next frame."""
        with quiet_stderr():
            is_there, image = self._video.read()
        if not is_there:
            if self._video.isOpened() and self._is_cut_off():
                raise CutOff(
                    f"{self._path}: cut off after {self._count} of {self._stated:.0f} frames; expected a whole video, "
                    "copy or take it again"
                )
            raise NoMoreFrames(f"{self._path}: the video has come to its end after {self._count} frames")
        # some formats have no times; then the position stands still
        t = self._begin + self._video.get(cv2.CAP_PROP_POS_MSEC) / 1000
        self._now = t if t > self._now or self._count == 0 else self._now + self._frame_s
        self._count += 1
        return Frame(self._now, np.asarray(image, np.uint8))

    def now(self) -> float:
        """Return the time of the last frame."""
        return self._now

    @property
    def length_s(self) -> float | None:
        """The length that the file states; None if it states none."""
        return self._stated * self._frame_s if self._stated > 0 else None

    def close(self) -> None:
        """Close the file."""
        self._video.release()

    def _is_cut_off(self) -> bool:
        least = WHOLE * self._stated
        shown_s = self._now - self._begin + self._frame_s
        return self._count < least and shown_s < least * self._frame_s and not _is_whole_mp4(Path(self._path))


def _is_whole_mp4(path: Path) -> bool:
    """True if all parts of an MP4 or QuickTime file are there. Its header also counts frames that a person trimmed off,
    so the number of frames proves nothing."""
    with path.open("rb") as file:
        end = file.seek(0, SEEK_END)
        at = 0
        while at < end:
            file.seek(at)
            head = file.read(16)
            length = int.from_bytes(head[:4])
            if length == 1:
                length = int.from_bytes(head[8:])
            if (at == 0 and head[4:8] not in _BOXES) or 0 < length < 8:
                return False
            if length == 0:  # up to the end of the file
                return True
            at += length
        return at == end
