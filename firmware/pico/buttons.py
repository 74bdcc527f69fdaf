"""The buttons of the seats: who pressed and when, with no seat favored.

One interrupt handler serves all pins. It stamps first and then reads the whole input register, so buttons
pressed in the same instant have the same stamp, whatever their pins. With a handler for each pin the lowest GPIO
would always win (`docs/firmware.md`).
"""

from array import array

from micropython import const
from pico import clock

DEBOUNCE_US = const(15_000)
"""Longest bounce of a contact. A press is its first edge; a button must be up for this long before it can be
pressed again."""

STUCK_MS = const(10_000)
"""A button that is held for longer is stuck."""

_ROOM = const(128)


class Buttons:
    """The buttons. ``pins.watch(handler)`` calls it at every edge; ``pins.read()`` is the input register, a bit for
    each GPIO.

    ``on_press(ticks, mask)``: these seats pressed in the same instant; bit 0 is seat 0. ``on_stuck(mask)``: the
    stuck buttons, after each change; the other buttons go on working.
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
        self._stuck = 0
        self._up_us = array("i", [0] * seats)
        self._down_ms = array("i", [0] * seats)
        pins.watch(self.at_edge)

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
        """Report the presses since the last step."""
        ends = self._ends
        while ends[1] != ends[0]:
            tail = ends[1]
            self._look(self._ticks[tail], self._levels[tail])
            ends[1] = (tail + 1) % _ROOM
        # The pins themselves, in case an edge found no room; unless one came between.
        ticks = clock.ticks_us()
        levels = self._pins.read()
        if ends[1] == ends[0]:
            self._look(ticks, levels)
        if self.down:
            self._find_stuck(clock.ticks_ms())

    def _look(self, ticks, levels):
        down = ~levels & self._all
        changed = down ^ self.down
        if not changed and self._ready == self._all & ~down:
            return
        first = 0
        for seat in range(len(self._up_us)):
            bit = 1 << seat
            if down & bit:
                if changed & bit:
                    self._down_ms[seat] = clock.ticks_ms()
                    if self._ready & bit or self._has_rested(seat, ticks):
                        first |= bit
                        self._ready &= ~bit
            elif changed & bit:
                self._up_us[seat] = ticks
                if self._stuck & bit:
                    self._stuck &= ~bit
                    self._on_stuck(self._stuck)
            elif not self._ready & bit and self._has_rested(seat, ticks):
                self._ready |= bit
        self.down = down
        if first:
            self._on_press(ticks, first)

    def _has_rested(self, seat, ticks):
        return clock.ticks_diff(ticks, self._up_us[seat]) >= DEBOUNCE_US

    def _find_stuck(self, now):
        for seat in range(len(self._down_ms)):
            bit = 1 << seat
            if self.down & ~self._stuck & bit and clock.ticks_diff(now, self._down_ms[seat]) > STUCK_MS:
                self._stuck |= bit
                self._on_stuck(self._stuck)
