"""What every source gives: frames with their time, on one clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cardsight.sources.picture import Picture

Clock = Callable[[], float]
"""Seconds on the table's clock; `time.monotonic` unless something else is said."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture, taken at ``t`` give or take ``u`` (seconds)."""

    t: float
    image: Picture
    u: float = 0.0


class Source(Protocol):
    """A camera, or something that stands for one. Close it when it is not needed any more."""

    def frame(self) -> Frame:
        """The next frame of a file, the newest of a camera; none is given twice.

        Raises:
            NoFrame: there is none now. Ask again: a camera that comes back goes on by itself.
            NoMoreFrames: there will be none.
        """

    def now(self) -> float:
        """The clock that the frames' times are on."""

    def close(self) -> None:
        """Give the camera or the file back. A second time does nothing."""
