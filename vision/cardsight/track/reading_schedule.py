"""When a changed frame of the discard pile is read: readings take long."""

from __future__ import annotations

from typing import Final

_PACE_S: Final = (0.06, 0.15, 0.25, 0.4, 0.6, 1.0)
"""Pause after each successive reading without result. While something moves, it is always the first one."""


class ReadingSchedule:
    """Decides whether a changed frame is worth a reading."""

    def __init__(self) -> None:
        self._still_since: float | None = None
        self._waiting_since: float | None = None
        self._next_t = 0.0
        self._fruitless = 0

    def is_due(self, t: float, *, is_moving: bool, lies_there: bool) -> bool:
        """True if the frame is to be read now. ``lies_there``: while something ``is_moving``, an area as large as a
        card is still."""
        if is_moving:
            if self._still_since is not None:
                self._still_since, self._next_t = None, t
            self._fruitless = 0
            return lies_there and t >= self._next_t
        if self._still_since is None:
            self._still_since = self._next_t = t
        if self._waiting_since is None:
            self._waiting_since = t
        return t >= self._next_t

    def later(self, t: float) -> None:
        """Record that the reading at ``t`` gave no result."""
        self._next_t = t + _PACE_S[min(self._fruitless, len(_PACE_S) - 1)]
        self._fruitless += 1

    def not_before(self, t: float) -> None:
        """Set the time of the next reading."""
        self._next_t = t

    def rested(self, t: float) -> float:
        """Return the time (s) since the last movement."""
        return 0.0 if self._still_since is None else t - self._still_since

    def waited(self, t: float) -> float:
        """Return the time (s) since the pending change was first still."""
        return 0.0 if self._waiting_since is None else t - self._waiting_since

    def relax(self) -> None:
        """Reset after a change was reported, or is gone."""
        self.interrupt()
        self._waiting_since = None

    def interrupt(self) -> None:
        """Reset the timing after an interruption of the camera."""
        self._still_since, self._next_t, self._fruitless = None, 0.0, 0
