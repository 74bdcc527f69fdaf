"""A panel whose keys are wired to pins, for the tests of keys."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from math import inf
from typing import Any

from croupier.devices.protocols import Ask, Asked, Say
from croupier_extras.gpio.panel import GpioPanel
from croupier_extras.gpio.pins import Clock, Handler, Pins
from croupier_extras.gpio.wiring import KeyPin

AHEAD_S = 1000.0
"""The table's clock is so much ahead of the kernel's."""

RED, ACCEPT, PAUSE, UNO_0, UNO_3 = 5, 6, 13, 16, 22
KEYS = (
    KeyPin(key="red", gpio=RED),
    KeyPin(key="accept", gpio=ACCEPT),
    KeyPin(key="pause", gpio=PAUSE),
    KeyPin(key="uno", gpio=UNO_0, seat=0),
    KeyPin(key="uno", gpio=UNO_3, seat=3),
)


class Paper:
    """A page that shows nothing."""

    def ask(self, ask: Ask) -> None: ...
    def say(self, say: Say) -> None: ...


class WatchedPins(Pins):
    """Pins. ``high_s``: by pin, how long it had been high each time when it went low, by the stamps of its edges."""

    def __init__(self, factory: Any) -> None:
        super().__init__(factory)
        self.high_s: defaultdict[int, list[float]] = defaultdict(list)

    def watch(self, gpio: int, handler: Handler) -> Callable[[], bool]:
        rose = -inf

        def handle(at: float, is_high: bool) -> None:
            nonlocal rose
            if is_high:
                rose = at
            else:
                self.high_s[gpio].append(at - rose)
            handler(at, is_high)

        return super().watch(gpio, handle)


class Wired:
    """The panel of `KEYS` on the pins of one of gpiozero's factories."""

    def __init__(self, factory: str) -> None:
        self.asked = Asked(Paper())
        self.pins = WatchedPins(factory)
        clock = Clock(lambda: time.monotonic() + AHEAD_S, time.monotonic, self.pins.has_stamps)
        self.panel = GpioPanel(self.pins, clock, KEYS, self.asked.seat)
