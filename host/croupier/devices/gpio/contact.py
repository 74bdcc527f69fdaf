"""A key or button: which edges of its contact are presses."""

from __future__ import annotations

from threading import Lock
from typing import Final

DEBOUNCE_S: Final = 0.015
"""A contact bounces no longer than this. The press is its first edge; only what was up so long can be pressed again."""

STUCK_S: Final = 10.0
"""Nobody holds a key down for so long: it is stuck."""


class Contact:
    """One contact. Times are seconds on the clock of the kernel's stamps; edges may come from any thread."""

    def __init__(self, is_down: bool, now: float) -> None:
        self._is_down, self._changed = is_down, now
        self._up_at = now - DEBOUNCE_S
        self._presses: list[float] = []
        self._lock = Lock()

    def edge(self, at: float, is_down: bool) -> None:
        """The contact closed or opened."""
        with self._lock:
            self._take(at, is_down)

    def presses(self, now: float, is_down: bool) -> tuple[float, ...]:
        """When it was pressed since the last call. ``is_down``: how it is ``now``, in case an edge was lost."""
        with self._lock:
            if now - self._changed > DEBOUNCE_S:
                self._take(now, is_down)
            presses, self._presses = tuple(self._presses), []
            return presses

    def is_stuck(self, now: float) -> bool:
        """Whether it has been down for longer than anybody holds it."""
        return self._is_down and now - self._changed > STUCK_S

    def _take(self, at: float, is_down: bool) -> None:
        if is_down == self._is_down:
            return
        self._is_down, self._changed = is_down, at
        if not is_down:
            self._up_at = at
        elif at - self._up_at >= DEBOUNCE_S:
            self._presses.append(at)
