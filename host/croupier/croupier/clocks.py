"""Elapsed time and the time of day.

How long something lasts is measured by a clock that nobody sets: `time.monotonic`, or `elapsed`, which also counts
while the machine is suspended. The time of day (`time.time`) is only for people and for other machines: a Raspberry Pi
without a network starts with that of its last use and jumps by months as soon as it has one.
`tests/house/test_clocks.py` lists every use of the time of day with its reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

CLOCK_JUMP_S: Final = 60.0
"""A change of the time of day beside the elapsed time that is a jump (s): synchronization in small steps is less."""

OFF_S: Final = 86_400.0
"""The most that counts of the time for which a program was off: it comes from the time of day, which may have jumped
(s)."""

_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # macOS has no other


def elapsed() -> float:
    """Seconds since this machine started, suspension included."""
    return time.clock_gettime(_CLOCK)


def off_s(written: float, now: float) -> float:
    """How long a program was off (s) that wrote something when the time of day was ``written``; 0 to `OFF_S`."""
    return min(max(now - written, 0.0), OFF_S)


class ClockJumps:
    """Notices jumps of the time of day. ``wall``: seconds since 1970; ``elapsed``: of a clock that nobody sets.
    Thread-safe."""

    def __init__(self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed) -> None:
        self._wall, self._elapsed, self._lock = wall, elapsed, Lock()
        self._ahead = wall() - elapsed()

    def jump_s(self) -> float:
        """By how much the time of day has jumped since this was last asked (s); 0.0 if it has not."""
        with self._lock:
            ahead = self._wall() - self._elapsed()
            by = ahead - self._ahead
            if abs(by) <= CLOCK_JUMP_S:
                return 0.0
            self._ahead = ahead
            return by
