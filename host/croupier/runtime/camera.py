"""The camera of a running table: its newest frame, without ever waiting for one."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock
from typing import Final

from cardsight.errors import NoFrame, NoMoreFrames
from cardsight.sources import Frame, Source
from croupier.devices.supervisor import Bell
from croupier.supervisor import Supervisor, until_closed

_MISSED_S: Final = 0.1
"""After a frame that did not come, so long until the next is asked for: sources mostly wait themselves."""


class LiveCamera:
    """A `Camera`. A `Supervisor` opens the source and reads it, and rings the ``bell`` for each frame; what nobody took
    before the next one came is dropped. ``now``: the table's clock. ``misfit``: why pictures of a width and height are
    of no use; "" where they are."""

    def __init__(
        self,
        open_source: Callable[[], Source],
        now: Callable[[], float],
        bell: Bell,
        misfit: Callable[[int, int], str] = lambda width, height: "",
    ) -> None:
        self._now, self._bell, self._misfit = now, bell, misfit
        self.trouble = ""
        """Why there is no picture, in one line; "" while there is one."""
        self._lock = Lock()
        self._frame: Frame | None = None
        self.is_over = False
        """Whether the source was a file and has come to its end."""
        self._supervisor = Supervisor("camera", open_source, self._is_missing, stay=self._read)

    def start(self) -> None:
        """Begin to look."""
        self._supervisor.start()

    def frame(self) -> Frame:
        """The newest frame, once. Raises OSError where no new one has come."""
        with self._lock:
            frame, self._frame = self._frame, None
        if frame is None:
            raise NoFrame("no new picture")
        return frame

    def now(self) -> float:
        """The table's clock."""
        return self._now()

    def close(self) -> None:
        """Give the camera back; one that hangs is left to itself."""
        self._supervisor.close()

    def _read(self, source: Source, is_closing: Event) -> str:
        while not is_closing.is_set():
            try:
                frame = source.frame()
            except NoMoreFrames as end:
                self.is_over = True
                self._is_missing(str(end))
                return until_closed(source, is_closing)
            except NoFrame as err:
                self._is_missing(str(err))
                is_closing.wait(_MISSED_S)
                continue
            if misfit := self._misfit(frame.image.shape[1], frame.image.shape[0]):
                self._is_missing(misfit)
                continue
            with self._lock:
                self._frame, self.trouble = frame, ""
            self._bell.ring()
        return ""

    def _is_missing(self, why: str) -> None:
        self.trouble = why
        self._bell.ring()


class NoCamera:
    """A `Camera` where there is none; ``now``: the table's clock."""

    is_over = False
    trouble = ""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def start(self) -> None:
        """There is nothing to begin …"""

    def close(self) -> None:
        """… and nothing to give back."""

    def frame(self) -> Frame:
        """Raises OSError, always."""
        raise NoFrame("there is no camera")

    def now(self) -> float:
        """The table's clock."""
        return self._now()


class Paced:
    """A file as if it were a camera: each frame comes in its own time on the table's clock."""

    def __init__(self, file: Source, now: Callable[[], float], sleep: Callable[[float], None] = time.sleep) -> None:
        self._file, self._now, self._sleep = file, now, sleep

    def frame(self) -> Frame:
        """The next frame, when it is due."""
        frame = self._file.frame()
        self._sleep(max(0.0, frame.t - self._now()))
        return frame

    def now(self) -> float:
        """The table's clock."""
        return self._now()

    def close(self) -> None:
        """Give the file back."""
        self._file.close()
