"""Virtual time, chance and the trace of one simulated run: whatever happens, happens in the order of one heap.

Nothing here waits, and nothing comes from the computer: two runs of one seed write the same trace.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from typing import Any, Final

Act = Callable[..., None]

_LONGEST_LINE: Final = 400


class Killed(BaseException):
    """The program is killed here. ``is_power_cut``: the computer lost its power, so the disk may be torn."""

    def __init__(self, where: str, *, is_power_cut: bool) -> None:
        super().__init__(where)
        self.where, self.is_power_cut = where, is_power_cut


class World:
    """``now``: seconds. `chance` gives a stream of random numbers by name, so that one part leaves the others alone.
    ``kept``: how many of the newest lines the trace keeps; None: all."""

    def __init__(self, seed: int, kept: int | None = None) -> None:
        self.seed, self.now = seed, 0.0
        self.trace: deque[str] = deque(maxlen=kept)
        self._due: list[tuple[float, int, Act, tuple[Any, ...]]] = []
        self._order = 0
        self._kill: tuple[int, bool] | None = None  # after so many points; is it a power cut?
        self._counts_waits = True
        self.points = 0
        """How many points were passed at which the program may be killed."""

    def chance(self, name: str) -> random.Random:
        """A stream of random numbers of its own; the same for the same seed and name."""
        return random.Random(f"{self.seed} {name}")

    def note(self, *words: object) -> None:
        """Write one line into the trace."""
        self.trace.append(f"{self.now:10.4f} {' '.join(map(str, words))[:_LONGEST_LINE]}")

    def at(self, when: float, act: Act, *arguments: Any) -> None:
        """Let ``act(*arguments)`` happen at ``when``, but not before now."""
        self._order += 1
        heapq.heappush(self._due, (max(when, self.now), self._order, act, arguments))

    def after(self, seconds: float, act: Act, *arguments: Any) -> None:
        """Let ``act(*arguments)`` happen in so many seconds."""
        self.at(self.now + seconds, act, *arguments)

    def run_to(self, end: float, until: Callable[[], bool] | None = None) -> None:
        """Let happen what is due up to ``end``; stop as soon as ``until()`` is true."""
        while self._due and self._due[0][0] <= end:
            when, _, act, arguments = heapq.heappop(self._due)
            self.now = when
            act(*arguments)
            if until is not None and until():
                return
        self.now = max(self.now, end)

    def kill_after(self, points: int, *, is_power_cut: bool, counts_waits: bool = True) -> None:
        """Kill the program at one of the next points; ``counts_waits``: a point at which it waits counts, too."""
        self._kill, self._counts_waits = (points, is_power_cut), counts_waits

    def calm(self) -> None:
        """Kill the program no more."""
        self._kill = None

    def will_kill(self, *, is_waiting: bool = False) -> bool:
        """Pass a point; returns True if the program is killed at it. `die` then kills it."""
        self.points += 1
        if self._kill is None or (is_waiting and not self._counts_waits):
            return False
        self._kill = self._kill[0] - 1, self._kill[1]
        return self._kill[0] <= 0

    def die(self, where: str) -> None:
        """Kill the program here."""
        assert self._kill is not None
        is_power_cut, self._kill = self._kill[1], None
        self.note("KILLED", where, "by a power cut" if is_power_cut else "")
        raise Killed(where, is_power_cut=is_power_cut)

    def point(self, where: str) -> None:
        """Pass a point at which the program may be killed."""
        if self.will_kill(is_waiting=where == "wait"):
            self.die(where)

    @property
    def is_power_cut_due(self) -> bool:
        """True if the kill that is due is a power cut."""
        return self._kill is not None and self._kill[1]
