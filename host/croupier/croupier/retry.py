"""When a failed attempt is made again: one kind of policy for cameras, ports, pins, connections and processes.

A policy is data, and the clock of a `Backoff` is an argument.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff: a pause of ``first_s`` seconds after the first failed attempt, twice as long after each
    further one, never longer than ``longest_s``."""

    first_s: float = 1.0
    longest_s: float = 30.0

    def pauses_s(self) -> Iterator[float]:
        """The pauses after the first, second, … failed attempt (s), without end."""
        pause = self.first_s
        while True:
            yield pause
            pause = min(2 * pause, self.longest_s)


RETRY: Final = RetryPolicy()
"""Connections and processes."""

CAMERA: Final = RetryPolicy(1.0, 4.0)
"""The camera of a table: a person who plugs it in again stands there and waits."""

PORT: Final = RetryPolicy(0.25, 0.25)
"""The search for a serial port. It lists ports and opens none."""

RING: Final = RetryPolicy(5.0, 5.0)
"""Frames that a ring on the Pi's pins does not take. An attempt delays the shoe on the other pins."""


class Backoff:
    """Attempts at one thing. ``clock``: returns seconds."""

    def __init__(self, policy: RetryPolicy, clock: Callable[[], float] = time.monotonic) -> None:
        self._policy, self._clock = policy, clock
        self._due, self._pauses = float("-inf"), policy.pauses_s()

    @property
    def is_due(self) -> bool:
        """True unless the pause after a failed attempt lasts."""
        return self._clock() >= self._due

    def fail(self) -> float:
        """Note a failed attempt; returns the pause before the next one (s)."""
        pause = next(self._pauses)
        self._due = self._clock() + pause
        return pause

    def reset(self) -> None:
        """Note an attempt that worked: the next pause is the first again."""
        self._pauses = self._policy.pauses_s()
