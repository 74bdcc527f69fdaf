"""The guard: switches the motors off when the host has been silent, whatever the rest of the firmware is doing.

It looks from a timer's interrupt, so it also works while the main loop hangs; the hardware watchdog stands behind it.
"""

from array import array

from micropython import const
from pico import clock

from tablewire.messages import SILENCE_MS

LOOK_MS = const(25)
"""How often the guard looks."""

WATCHDOG_MS = const(2_000)
"""The Pico starts anew when the main loop hangs for so long. Writing to a host that does not read takes half a
second."""

_HEARD, _IS_SILENT, _HAS_CUT = range(3)


class Guard:
    """``every(period_ms, handler)`` calls the handler from a timer's interrupt; ``motors_off()`` must not allocate."""

    def __init__(self, every, motors_off):
        self._motors_off = motors_off
        self._kept = array("i", [clock.ticks_ms(), 1, 0])
        every(LOOK_MS, self.look)

    def heard(self, at_ms):
        """The host's last line came then."""
        kept = self._kept
        if at_ms != kept[_HEARD]:
            kept[_HEARD] = at_ms
            kept[_IS_SILENT] = 0

    def has_cut(self):
        """Whether the motors were switched off since this was asked last, even if the host is back by now."""
        has_cut = self._kept[_HAS_CUT]
        self._kept[_HAS_CUT] = 0
        return has_cut == 1

    def look(self, _timer):
        """Look whether the host still talks. An interrupt handler: allocates nothing."""
        kept = self._kept
        # Not the whole time, since it looks only now and then.
        if kept[_IS_SILENT] or clock.ticks_diff(clock.ticks_ms(), kept[_HEARD]) > SILENCE_MS - 2 * LOOK_MS:
            kept[_IS_SILENT] = kept[_HAS_CUT] = 1
            self._motors_off()
