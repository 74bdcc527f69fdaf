"""The camera of a table, and the zones in its pictures. `camera.TableWatch` tells what happens in them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cardsight.errors import NoFrame
from cardsight.sources import Frame, Source
from cardsight.track.blocks import Box
from croupier.table_api.live_table import CameraInvitation


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones in the picture (px): discard pile and open hands, and the length of a card there.

    ``seats_px``: positions of the people, mostly outside of the picture; empty if unknown. ``size``: width and height
    of the picture in which this was measured; None if unknown.
    """

    pile: Box
    show: Box
    pile_card_px: float
    show_card_px: float
    seats_px: tuple[tuple[float, float], ...] = ()
    size: tuple[int, int] | None = None

    def misfit(self, width: int, height: int) -> str:
        """Return in one line why the zones do not fit a picture of this size; "" if they do."""
        if self.size is not None and (width, height) != self.size:
            return f"its pictures are {width} x {height}, the calibration was made of {self.size[0]} x {self.size[1]}"
        if any(right > width or bottom > height for _, _, right, bottom in (self.pile, self.show)):
            return f"its pictures are {width} x {height}, and pile or show reach beyond that"
        return ""


class TableCamera(Protocol):
    """The camera of a table."""

    @property
    def trouble(self) -> str:
        """The reason why there is no picture, in one line; "" while there is one."""

    def start(self) -> None:
        """Open the camera in a thread of its own. Raises nothing."""

    def close(self) -> None:
        """Close the camera."""

    def frame(self) -> Frame:
        """Return the newest picture, once. Raises OSError if no new one has come."""

    def now(self) -> float:
        """Return the time of the table's clock (s)."""

    @property
    def is_wanted(self) -> bool:
        """True if the table is to have a camera, whether it is there yet or not."""

    @property
    def invitation(self) -> CameraInvitation | None:
        """How a device becomes the camera; None where it need not, and while the source is not open."""


class NullCamera:
    """A `TableCamera` without a device; ``now``: the table's clock."""

    is_over = is_wanted = False
    trouble = ""
    invitation = None

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def start(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def frame(self) -> Frame:
        """Raise OSError."""
        raise NoFrame

    def now(self) -> float:
        """Return the time of the table's clock (s)."""
        return self._now()


class PacedFile:
    """A `Source` that returns the frames of a file at their times on the table's clock, like a camera."""

    def __init__(self, file: Source, now: Callable[[], float], sleep: Callable[[float], None] = time.sleep) -> None:
        self._file, self._now, self._sleep = file, now, sleep

    def frame(self) -> Frame:
        """Wait until the next frame is due, and return it."""
        frame = self._file.frame()
        self._sleep(max(0.0, frame.t - self._now()))
        return frame

    def now(self) -> float:
        """Return the time of the table's clock (s)."""
        return self._now()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
