"""The pins of a GPIO chip of the kernel's own: its module gpio-sim, in the machine that `tools/gpio-sim` starts."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from croupier_extras.gpio.pins import MOTOR_HZ

CHIP: Final = os.environ.get("CROUPIER_GPIO_SIM", "")
"""The chip's folder in /sys; "" outside of that machine."""


class KernelPins:
    """What hangs on the pins. ``late_s``: how much later than it is driven an edge may be stamped; the module's
    simulated interrupts wait for the next tick of an emulated machine's timer."""

    late_s = 0.020

    def drive(self, gpio: int, level: int | None) -> None:
        """The world outside pulls a pin high or low, or lets go of it, and the Pi's resistor pulls it high."""
        self._file(gpio, "pull").write_text("pull-down" if level == 0 else "pull-up")

    def duties(self, gpio: int) -> tuple[float, float]:
        """What part of the time the pin is meant to be high: the least and the most that what it did allows.

        On a busy machine a pulse, high or low, takes longer than it was meant to. How much longer all of them took
        together is seen from their number; it may have been the high ones or the low ones.
        """
        file = self._file(gpio, "value")
        seen = [(int(file.read_text()), time.monotonic()) for _ in range(2000)]
        rises = [n for n in range(1, len(seen)) if seen[n - 1][0] < seen[n][0]]
        if len(rises) < 2:
            high = sum(level for level, _ in seen) / len(seen)
            return high, high
        first, last = rises[0], rises[-1]
        took, meant = seen[last][1] - seen[first][1], (len(rises) - 1) / MOTOR_HZ
        high = took * sum(level for level, _ in seen[first:last]) / (last - first)
        late = max(0.0, took - meant)
        return (high - late) / meant, high / meant

    def _file(self, gpio: int, name: str) -> Path:
        return Path(CHIP, f"sim_gpio{gpio}", name)
