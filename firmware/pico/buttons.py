"""The buttons of the seats: who pressed and when, with no seat favored.

One interrupt handler serves all pins. It stamps first and then reads the whole input register, so buttons
pressed in the same instant have the same stamp, whatever their pins. With a handler for each pin the lowest GPIO
would always win (`docs/firmware.md`).
"""

from array import array

import micropython
from micropython import const
from pico import clock

from tablewire.messages import MOST_BOUNCES, PRESS_MS
from tablewire.pins import SEATS

DEBOUNCE_US = const(15_000)
"""Longest bounce of a contact. A press is its first edge; a button must be up for this long before it can be
pressed again."""

OPENING_US = const(2_000)
"""Longest time for which a contact that bounces is open between two closings. A closing after a longer opening is not
of the same press: what closed before was a disturbance of the wire."""

_PRESS_US = 1000 * PRESS_MS

STUCK_MS = const(10_000)
"""A button that is held for longer is a stuck button."""

_ROOM = const(128)
_EDGES = const(8)
"""Edges that one step looks at, so that no round of the loop takes long."""

_BOUNCE_BITS = const(3)
_SEAT_OF = {1 << seat: seat for seat in range(SEATS)}


class Buttons:
    """The buttons. ``pins.watch(handler)`` calls it at every edge; ``pins.read()`` is the input register, a bit for
    each GPIO.

    ``on_press(ticks, mask)``: these seats pressed in the same instant; bit 0 is seat 0. A press is reported, with the
    time of its first edge, when the contact has stayed closed for `PRESS_MS`. ``on_stuck(mask)``: the stuck buttons,
    after each change; the other buttons go on working.
    """

    def __init__(self, pins, seats, on_press, on_stuck):
        self._pins, self._on_press, self._on_stuck = pins, on_press, on_stuck
        self._all = (1 << seats) - 1
        self._ticks = array("i", [0] * _ROOM)
        self._levels = array("i", [0] * _ROOM)
        self._ends = array("i", [0, 0])  # written to, read to
        self.down = 0
        """The buttons that are held now; bit 0 is seat 0."""
        self._ready = self._all
        self._stuck = self._unsure = 0
        self._first_us = array("i", [0] * seats)
        self._closed_us = array("i", [0] * seats)
        self._up_us = array("i", [0] * seats)
        self._down_ms = array("i", [0] * seats)
        self._bounces = array("i", [0] * seats)
        pins.watch(self.at_edge)

    @property
    def is_unsure(self):
        """True while a press is neither reported nor known to be a disturbance."""
        return self._unsure != 0

    @property
    def is_behind(self):
        """True while edges wait to be looked at."""
        return self._ends[0] != self._ends[1]

    def at_edge(self, _pin):
        """Stamp an edge. Interrupt handler: allocates nothing."""
        ticks = clock.ticks_us()
        levels = self._pins.read()
        ends = self._ends
        head = ends[0]
        after = (head + 1) % _ROOM
        if after != ends[1]:  # when full, the first edges are kept: they are the presses
            self._ticks[head] = ticks
            self._levels[head] = levels
            ends[0] = after

    def step(self):
        """Report the presses since the last step; `is_behind` tells whether it could look at all edges."""
        ends = self._ends
        for _ in range(_EDGES):
            tail = ends[1]
            if tail == ends[0]:
                break
            self._look(self._ticks[tail], self._levels[tail])
            ends[1] = (tail + 1) % _ROOM
        # The pins themselves, in case an edge found no room; unless one came between.
        ticks = clock.ticks_us()
        levels = self._pins.read()
        if ends[1] == ends[0]:
            self._look(ticks, levels)
            if self._ready | self.down != self._all:
                self._rest(ticks)
        if self.down:
            self._find_stuck(clock.ticks_ms())

    def take_bounces(self):
        """Return how often each contact closed again while it bounced, since the last call: three bits for each seat,
        at most `MOST_BOUNCES`."""
        found = 0
        for seat in range(len(self._bounces)):
            found |= min(self._bounces[seat], MOST_BOUNCES) << _BOUNCE_BITS * seat
            self._bounces[seat] = 0
        return found

    @micropython.native
    def _look(self, ticks, levels):
        was = self.down
        down = ~levels & self._all
        if self._unsure & was:
            self._confirm(self._unsure & was, ticks)
        changed = down ^ was
        if not changed:
            return
        self.down = down
        up_us, diff = self._up_us, clock.ticks_diff
        while changed:
            bit = changed & -changed
            changed ^= bit
            seat = _SEAT_OF[bit]
            if not down & bit:
                up_us[seat] = ticks
                if self._stuck & bit:
                    self._stuck &= ~bit
                    self._on_stuck(self._stuck)
                continue
            self._down_ms[seat] = clock.ticks_ms()
            self._closed_us[seat] = ticks
            if self._ready & bit:
                self._ready &= ~bit
            elif diff(ticks, up_us[seat]) < (OPENING_US if self._unsure & bit else DEBOUNCE_US):
                self._bounces[seat] += 1
                continue
            self._first_us[seat] = ticks
            self._unsure |= bit

    @micropython.native
    def _confirm(self, closed, ticks):
        """Report those of the buttons ``closed`` until now that have stayed so for long enough."""
        sure = 0
        while closed:
            bit = closed & -closed
            closed ^= bit
            if clock.ticks_diff(ticks, self._closed_us[_SEAT_OF[bit]]) >= _PRESS_US:
                sure |= bit
        if sure:
            self._unsure &= ~sure
            self._report(sure)

    def _rest(self, ticks):
        """Make those buttons ready for a press that have been up for long enough."""
        resting = self._all & ~(self._ready | self.down)
        while resting:
            bit = resting & -resting
            resting ^= bit
            if clock.ticks_diff(ticks, self._up_us[_SEAT_OF[bit]]) >= DEBOUNCE_US:
                self._ready |= bit
                self._unsure &= ~bit

    @micropython.native
    def _report(self, mask):
        """Report these presses in the order of their first edges; those of one instant together."""
        while mask:
            first, seats, rest = 0, 0, mask
            while rest:
                bit = rest & -rest
                rest ^= bit
                at = self._first_us[_SEAT_OF[bit]]
                since = clock.ticks_diff(at, first) if seats else -1
                if since < 0:
                    first, seats = at, 0
                if since <= 0:
                    seats |= bit
            mask &= ~seats
            self._on_press(first, seats)

    def _find_stuck(self, now):
        for seat in range(len(self._down_ms)):
            bit = 1 << seat
            if self.down & ~self._stuck & bit and clock.ticks_diff(now, self._down_ms[seat]) > STUCK_MS:
                self._stuck |= bit
                self._on_stuck(self._stuck)
