"""A table without a Pico: everything that hangs on the Pi's own pins."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from croupier.commands import Key
from croupier.devices.gpio.lights import SpiLights
from croupier.devices.gpio.line import PiLine, registers
from croupier.devices.gpio.panel import GpioPanel
from croupier.devices.gpio.pins import Clock, Pins
from croupier.devices.gpio.wiring import KeyPin, Wiring
from croupier.devices.pico.layout import Layout
from croupier.devices.pico.pico import Pico


def _nobody() -> None:
    """Nobody waits for news."""


class GpioPins:
    """What hangs on the pins: the keys as ``panel``, shoe and ring as ``line``, which `Pico` speaks to. Use it as a
    context manager.

    ``now``: the table's clock. ``asked``: who pressed a key that stands once on the table (`Asked.seat`). ``on_news``:
    called, from any thread, when a key was pressed or the shoe reported.

    Raises:
        GpioUnavailable: this is no Raspberry Pi, or a pin cannot be used; nothing is held then.
    """

    def __init__(
        self,
        wiring: Wiring,
        now: Callable[[], float],
        asked: Callable[[Key], int | None],
        on_news: Callable[[], None] = _nobody,
    ) -> None:
        self._pins = Pins(wiring.factory, on_news)
        self._is_open = True
        lights: SpiLights | None = None
        try:
            clock = Clock(now, time.monotonic, self._pins.has_stamps)
            buttons = tuple(KeyPin(key="uno", gpio=gpio, seat=seat) for seat, gpio in enumerate(wiring.buttons))
            self.panel = GpioPanel(self._pins, clock, wiring.keys + buttons, asked)
            lights = SpiLights() if wiring.ring else None
            memory = registers(wiring.memory) if wiring.memory else None
            self.line = PiLine(self._pins, clock, wiring.shoe, lights, memory, on_news)
        except BaseException:
            if lights is not None:
                with suppress(Exception):  # what is told is why the pins cannot be used
                    lights.close()
            self._pins.close()
            raise

    def start(self) -> Self:
        """From now on the shoe is looked after."""
        self.line.start()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def trouble(self) -> str:
        """Why they must be opened anew, in one line; "" while all is well."""
        return self.line.trouble if self._is_open else ""

    @property
    def ring_trouble(self) -> str:
        """Why the ring takes no frames, in one line; "" while it does."""
        return self.line.ring_trouble if self._is_open else ""

    def close(self) -> None:
        """Motor and ring off, and all pins free."""
        if self._is_open:
            self._is_open = False
            self.line.close()
            self._pins.close()


class GpioTable(GpioPins):
    """What hangs on the pins, as ``panel``, ``ring`` and ``shoe``. Use it as a context manager.

    A shoe or ring that is not wired takes what it is told and does nothing; ``has_shoe`` and ``has_ring`` say so.

    Raises:
        GpioUnavailable: as `GpioPins`.
    """

    def __init__(
        self, wiring: Wiring, layout: Layout, now: Callable[[], float], asked: Callable[[Key], int | None]
    ) -> None:
        super().__init__(wiring, now, asked)
        self.has_shoe, self.has_ring = wiring.shoe is not None, wiring.ring
        pico = Pico(self.line, layout)
        self.shoe, self.ring = pico.shoe, pico.ring
        pico.step()
        self.start()
