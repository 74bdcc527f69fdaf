"""A table without a Pico: everything that hangs on the Pi's own pins."""

from __future__ import annotations

import time
from collections.abc import Callable

from croupier.devices.gpio.lights import SpiLights
from croupier.devices.gpio.line import PiLine, registers
from croupier.devices.gpio.panel import GpioPanel
from croupier.devices.gpio.pins import Clock, Pins
from croupier.devices.gpio.wiring import KeyPin, Wiring
from croupier.devices.pico.layout import Layout
from croupier.devices.pico.pico import Pico
from croupier.devices.protocols import Key


class GpioTable:
    """What hangs on the pins, as ``panel``, ``ring`` and ``shoe``. Use it as a context manager.

    A shoe or ring that is not wired takes what it is told and does nothing; ``has_shoe`` and ``has_ring`` say so.
    ``now``: the table's clock. ``asked``: who pressed a key that stands once on the table (`Asked.seat`).

    Raises:
        NoGpio: this is no Raspberry Pi, or a pin cannot be used; nothing is held then.
    """

    def __init__(
        self, wiring: Wiring, layout: Layout, now: Callable[[], float], asked: Callable[[Key], int | None]
    ) -> None:
        self.has_shoe, self.has_ring = wiring.shoe is not None, wiring.ring
        self._pins = Pins(wiring.factory)
        self._line: PiLine | None = None
        try:
            clock = Clock(now, time.monotonic, self._pins.has_stamps)
            buttons = tuple(KeyPin(key="uno", gpio=gpio, seat=seat) for seat, gpio in enumerate(wiring.buttons))
            self.panel = GpioPanel(self._pins, clock, wiring.keys + buttons, asked)
            lights = SpiLights() if wiring.ring else None
            memory = registers(wiring.memory) if wiring.memory else None
            self._line = PiLine(self._pins, clock, wiring.shoe, lights, memory)
        except BaseException:
            self._pins.close()
            raise
        pico = Pico(self._line, layout)
        self.shoe, self.ring = pico.shoe, pico.ring
        pico.step()
        self._line.start()

    def __enter__(self) -> GpioTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def trouble(self) -> str:
        """What has failed since, in one line; "" while all is well."""
        return "" if self._line is None else self._line.trouble

    def close(self) -> None:
        """Motor and ring off, and all pins free."""
        if self._line is not None:
            self._line.close()
            self._line = None
            self._pins.close()
