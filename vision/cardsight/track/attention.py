"""When a reading is worth its time: it takes as long as the comparisons of several frames."""

from __future__ import annotations

from typing import Final

_PACE_S: Final = (0.06, 0.15, 0.25, 0.4, 0.6, 1.0)
"""From one fruitless reading to the next. While something moves it is always the first."""


class Attention:
    """Asked in each frame in which something looks different from the settled picture."""

    def __init__(self) -> None:
        self._still_since: float | None = None
        self._waiting_since: float | None = None
        self._next_t = 0.0
        self._fruitless = 0

    def is_due(self, t: float, *, is_moving: bool, lies_there: bool) -> bool:
        """Whether to read now. ``lies_there``: while something ``is_moving``, enough for a card lies still."""
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
        """The reading at ``t`` was fruitless."""
        self._next_t = t + _PACE_S[min(self._fruitless, len(_PACE_S) - 1)]
        self._fruitless += 1

    def not_before(self, t: float) -> None:
        """The next reading is worth its time from ``t`` on."""
        self._next_t = t

    def rested(self, t: float) -> float:
        """For how long (seconds) nothing has moved."""
        return 0.0 if self._still_since is None else t - self._still_since

    def waited(self, t: float) -> float:
        """How long ago (seconds) something lay still for the first time that is not told yet."""
        return 0.0 if self._waiting_since is None else t - self._waiting_since

    def relax(self) -> None:
        """What lay there was told, or is gone."""
        self.interrupt()
        self._waiting_since = None

    def interrupt(self) -> None:
        """The camera saw nothing for a while."""
        self._still_since, self._next_t, self._fruitless = None, 0.0, 0
