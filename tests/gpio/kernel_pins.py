"""The pins of a GPIO chip of the kernel's own: its module gpio-sim, in the machine that `tools/gpio-sim` starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CHIP: Final = os.environ.get("CROUPIER_GPIO_SIM", "")
"""The chip's folder in /sys; "" outside of that machine."""


class KernelPins:
    """What hangs on the pins. ``late_s``: how much later than it is driven an edge may be stamped; the module's
    simulated interrupts wait for the next tick of an emulated machine's timer."""

    late_s = 0.020

    def drive(self, gpio: int, level: int | None) -> None:
        """The world outside pulls a pin high or low, or lets go of it, and the Pi's resistor pulls it high."""
        self._file(gpio, "pull").write_text("pull-down" if level == 0 else "pull-up")

    def duty(self, gpio: int) -> float:
        """What part of the time the pin is high."""
        file = self._file(gpio, "value")
        levels = [int(file.read_text()) for _ in range(2000)]
        return sum(levels) / len(levels)

    def _file(self, gpio: int, name: str) -> Path:
        return Path(CHIP, f"sim_gpio{gpio}", name)
