"""The guard: switches the motors off when the host has been silent, whatever the rest of the firmware is doing.

It looks from a timer's interrupt, so it also works while the main loop hangs; the hardware watchdog stands behind it.
"""

from array import array

from micropython import const
from pico import clock

SILENCE_MS = const(500)
"""The motors are off when no line of the host has come for so long."""

LOOK_MS = const(25)
"""How often the guard looks."""

WATCHDOG_MS = const(2_000)
"""The Pico starts anew when the main loop hangs for so long. Writing to a host that does not read takes half a
second."""

_HEARD, _IS_SILENT = range(2)


class Guard:
    """``every(period_ms, handler)`` calls the handler from a timer's interrupt; ``motors_off()`` must not allocate."""

    def __init__(self, every, motors_off):
        self._motors_off = motors_off
        self._kept = array("i", [clock.ticks_ms(), 1])
        every(LOOK_MS, self.look)

    def heard(self, at_ms):
        """The host's last line came then."""
        kept = self._kept
        if at_ms != kept[_HEARD]:
            kept[_HEARD] = at_ms
            kept[_IS_SILENT] = 0

    @property
    def is_silent(self):
        """Whether the host has been silent for too long, so that the motors are off."""
        return self._kept[_IS_SILENT] == 1

    def look(self, _timer):
        """Look whether the host still talks. An interrupt handler: allocates nothing."""
        kept = self._kept
        # Not the whole time, since it looks only now and then.
        if kept[_IS_SILENT] or clock.ticks_diff(clock.ticks_ms(), kept[_HEARD]) > SILENCE_MS - 2 * LOOK_MS:
            kept[_IS_SILENT] = 1
            self._motors_off()
