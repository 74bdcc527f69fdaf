"""Converts the Pico's ticks to the table's clock.

Theory of operation. A ping leaves at ``sent`` and its answer is here at ``received``, both on the table's clock. The
Pico notes its ticks at the first byte of the ping and before it writes the last byte of the answer (which it reports
with the next answer). Whatever the line delays, the first ticks were not before ``sent`` and the second not after
``received``. The map from ticks to time is a line with an offset and
a rate. Each ping excludes the lines that break its bounds; the rest form a convex polygon. Between pings the polygon
grows by what a rate may change meanwhile. Any ticks then have an earliest and a latest time: the middle is the
estimate, half the width is its uncertainty, which holds for any jitter. Delayed pings exclude nothing and do no harm;
the quickest pings of each direction fix the line.

Klipper's `clocksync.py` fits a line through the middles of its pings, which is as good where both directions jitter
alike; it has no bounds from which an uncertainty would follow. (The polygon is the set-membership filter of Milanese
and Vicino, "Optimal estimation theory for dynamic systems with set membership uncertainty", Automatica 27, 1991.)

All values are seconds, except ticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tablewire.messages import TICKS

MAX_RATE: Final = 600e-6
"""The largest difference in rate of two clocks: two crystals of 50 ppm, and 500 ppm by which Linux slews its own."""

WANDER: Final = 0.2e-6
"""The largest change of a rate in a second: crystals of 1 ppm/K in a room that warms by a kelvin in five seconds."""

STAMP_S: Final = 100e-6
"""The uncertainty of a stamp on the Pico's own clock: its interrupts wait for each other. The largest delay that was
measured on an emulated RP2040 is 55 µs, while cards were fed; the emulator has no stalls of the flash."""

_STRETCH: Final = 1e-2
"""More than clocks differ, so that it changes nothing between moments far from each other."""

_TICK_S: Final = 1e-6
"""Ticks are whole: a moment may be so much later than its ticks say."""

_FAR: Final = 1e6
_CORNERS: Final = 32
_SPARE: Final = 2e-3
"""If there are more than `_CORNERS`, corners are removed by which the polygon grows by less than this share."""

Line = tuple[float, float]
"""Offset at the reference, and rate, both relative to a clock that runs true."""


@dataclass(frozen=True, slots=True)
class Ping:
    """One question for the Pico's clock: the times at which it left and was answered, and the Pico's ticks when it read
    the question and when it wrote the answer."""

    sent: float
    read: int
    answered: int
    received: float


class ClockMap:
    """Converts the Pico's ticks to table time, across their wrap. One for each start of the Pico."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._at = 0.0  # the reference of the offsets, in the Pico's seconds
        self._zero = 0.0  # table time at the first ping
        self._ticks = 0  # of the first ping
        self._latest: tuple[float, float] | None = None  # the last moment: the Pico's seconds, and the reported time
        self.restarts = 0
        """The number of times that no line was left: a clock jumped, or its rate changed faster than `WANDER`."""

    @property
    def is_known(self) -> bool:
        """True after the first ping."""
        return bool(self._lines)

    def learn(self, ping: Ping) -> None:
        """Take in an answered ping. They come in the order of their answers."""
        if not self._lines:
            self._zero, self._ticks = ping.sent, ping.read
            self._lines = _ANY
        read = self._seconds(ping.read, ping.sent)
        answered = read + (ping.answered - ping.read) % TICKS / 1e6
        self._move(answered)
        lines = self._within(ping, read)
        if not lines:
            self.restarts += 1
            self._latest = None
            self._lines = _ANY
            lines = self._within(ping, read)
        self._lines = lines

    def now(self, near: float) -> float:
        """The uncertainty of the time of ticks at ``near``."""
        return self.time(self._ticks + round((near - self._zero) * 1e6) % TICKS, near)[1]

    def time(self, ticks: int, near: float) -> tuple[float, float]:
        """The table time of ``ticks`` and its uncertainty. ``near``: a table time less than 8 minutes away from it."""
        at = self._seconds(ticks, near)
        away = at - self._at
        offsets = [offset + rate * away for offset, rate in self._lines]
        low, high = min(offsets), max(offsets)
        return self._zero + at + (low + high) / 2, (high - low) / 2 + WANDER * away * away / 2 + STAMP_S

    def moment(self, ticks: int, near: float) -> tuple[float, float]:
        """As `time`, for reports: corrections of the clock between two moments do not change the order of the moments.

        Two moments keep their distance to a hundredth; the uncertainty grows by what that takes.
        """
        t, u = self.time(ticks, near)
        at = self._seconds(ticks, near)
        if self._latest is not None:
            since = at - self._latest[0]
            kept, spare = self._latest[1] + since, abs(since) * _STRETCH
            kept = max(kept - spare, min(t, kept + spare))
            t, u = kept, u + abs(kept - t)
        if self._latest is None or at >= self._latest[0]:
            self._latest = at, t
        return t, u

    def _seconds(self, ticks: int, near: float) -> float:
        """The Pico's seconds since the first ping, unwrapped with the help of a ``near`` table time."""
        since = (ticks - self._ticks) % TICKS
        turns = round(((near - self._zero) * 1e6 - since) / TICKS)
        return (since + turns * TICKS) / 1e6

    def _move(self, at: float) -> None:
        """Move the reference of the offsets to ``at``; the rates may have changed meanwhile."""
        away = at - self._at
        self._at = at
        lines = _spread([(offset + rate * away, rate) for offset, rate in self._lines], WANDER * abs(away))
        for side in (1, -1):
            over = [MAX_RATE + side * rate for _, rate in lines]
            if min(over) < 0:
                lines = _cut(lines, over)
        self._lines = _with_fewer_corners(lines) if len(lines) > _CORNERS else lines

    def _within(self, ping: Ping, read: float) -> list[Line]:
        """The lines that leave the Pico's stamps between the ends of the ping."""
        away, earliest = read - self._at, ping.sent - self._zero - read - _TICK_S
        latest = ping.received - self._zero - self._at
        lines = _cut(self._lines, [offset + rate * away - earliest for offset, rate in self._lines])
        return _cut(lines, [latest - offset for offset, _ in lines])


_ANY: Final[list[Line]] = [(-_FAR, -MAX_RATE), (_FAR, -MAX_RATE), (_FAR, MAX_RATE), (-_FAR, MAX_RATE)]


def _cut(lines: list[Line], over: list[float]) -> list[Line]:
    """The part of the polygon above a straight line; ``over``: by how much each of its corners is above it."""
    kept: list[Line] = []
    for n, here in enumerate(lines):
        a, b = over[n - 1], over[n]
        if (a < 0) != (b < 0):
            before, part = lines[n - 1], a / (a - b)
            kept.append((before[0] + (here[0] - before[0]) * part, before[1] + (here[1] - before[1]) * part))
        if b >= 0:
            kept.append(here)
    return kept


def _spread(lines: list[Line], change: float) -> list[Line]:
    """The convex polygon, counterclockwise, whose rates are off by up to ``change``: its lower side moves down, its
    upper side up."""
    first = lines.index(min(lines))
    lines = lines[first:] + lines[:first]
    last = lines.index(max(lines))
    return [(offset, rate - change) for offset, rate in lines[: last + 1]] + [
        (offset, rate + change) for offset, rate in lines[last:] + lines[:1]
    ]


def _cross(a: Line, b: Line, c: Line) -> float:
    """Twice the area of the triangle; positive where it runs counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _with_fewer_corners(lines: list[Line]) -> list[Line]:
    """An outer polygon: where it grows little, the point where its neighbors meet replaces an edge."""
    spare = _SPARE * sum(_cross(lines[0], lines[n - 1], lines[n]) for n in range(2, len(lines)))
    fewer = [lines[-1]]
    for n in range(len(lines) - 1):
        a, b, c, d = lines[n - 2], fewer[-1], lines[n], lines[n + 1]
        if len(fewer) > 1:
            a = fewer[-2]
        tip = _meet(a, b, c, d)
        if tip and n and _cross(b, tip, c) <= spare:
            fewer[-1] = tip
        else:
            fewer.append(c)
    return fewer


def _meet(a: Line, b: Line, c: Line, d: Line) -> Line | None:
    """The point where ab and dc, extended beyond b and c, meet; None if they diverge."""
    turn = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
    if turn <= 0:
        return None
    far = ((c[0] - b[0]) * (d[1] - c[1]) - (c[1] - b[1]) * (d[0] - c[0])) / turn
    return b[0] + (b[0] - a[0]) * far, b[1] + (b[1] - a[1]) * far
