"""The guard: switches the motors off when the host is silent or they lose their supply, whatever the rest of the
firmware does.

The main loop runs it in each round. A timer's interrupt runs it where the main loop has not, so it works while that
hangs; the hardware watchdog stands behind it. While the loop goes round the interrupt only counts down, so that a
press which comes during the interrupt is stamped late by less than 50 µs.
"""

from array import array

import micropython
from micropython import const
from pico import clock

from tablewire.messages import SILENCE_MS

LOOK_MS = const(25)
"""Longest time between two looks of the guard."""
_PERIOD_MS = const(8)
_SPARED = const(2)
"""Period of its interrupt, and how many interrupts the main loop's look stands for: the third looks itself, as do those
that follow, until the loop goes on."""

WATCHDOG_MS = const(2_000)
"""Time-out of the watchdog for the main loop. A write to a host that stopped reading takes half a second."""

_HEARD, _IS_SILENT, _HAS_CUT, _LOST_POWER = range(4)
_SPARES = const(4)  # compiled into the interrupt handler, which saves it a search for the name


class Guard:
    """The guard. ``every(period_ms, handler)`` calls the handler from a timer's interrupt; ``motors_off()``,
    ``is_powered()`` and ``find_jam()``, which stops the feed motor at a jam, must not allocate."""

    def __init__(self, every, motors_off, is_powered, find_jam):
        self._motors_off, self._is_powered, self._find_jam = motors_off, is_powered, find_jam
        self._kept = array("i", [clock.ticks_ms(), 1, 0, 0, 0])
        every(_PERIOD_MS, self.at_period)

    def heard(self, at_ms):
        """Record the time of the host's last line."""
        kept = self._kept
        if at_ms != kept[_HEARD]:
            kept[_HEARD] = at_ms
            kept[_IS_SILENT] = 0

    def has_cut(self):
        """True if the motors were switched off since the last call, even if the host is back."""
        has_cut = self._kept[_HAS_CUT]
        self._kept[_HAS_CUT] = 0
        return has_cut == 1

    def has_lost_power(self):
        """True if the motors had no supply at a moment since the last call, even if it is back."""
        has_lost = self._kept[_LOST_POWER]
        self._kept[_LOST_POWER] = 0
        return has_lost == 1

    @micropython.native
    def at_period(self, _timer):
        """Look if the main loop has not looked for too long. Interrupt handler: allocates nothing."""
        kept = self._kept
        spares = kept[_SPARES]
        if spares:
            kept[_SPARES] = spares - 1
        else:
            self._look()

    def look(self):
        """Look, in the main loop."""
        self._kept[_SPARES] = _SPARED
        self._look()

    def _look(self):
        """Switch the motors off if the host is silent, a card is stuck, or the supply is gone: when it comes back,
        nothing may move by itself. Allocates nothing."""
        self._find_jam()
        kept = self._kept
        # Not the whole time: it looks only now and then, and the main loop reads a line up to 50 ms after it came.
        if kept[_IS_SILENT] or clock.ticks_diff(clock.ticks_ms(), kept[_HEARD]) > SILENCE_MS - 3 * LOOK_MS:
            kept[_IS_SILENT] = kept[_HAS_CUT] = 1
            self._motors_off()
        if not self._is_powered():
            kept[_LOST_POWER] = 1
            self._motors_off()
