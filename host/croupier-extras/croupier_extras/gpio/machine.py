"""A table without a Pico: everything that is connected to the Pi's own pins."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from threading import Event
from typing import Final

from croupier.commands import Key
from croupier.devices.pico import Layout, Pico
from croupier.devices.pico.pico import PicoRing
from croupier.devices.protocols import DeviceEvent, JobLog
from croupier.link.commands import Command
from croupier.link.conversation import Event as LineEvent
from croupier.link.conversation import Silent
from croupier.supervisor import Supervisor
from croupier_extras.gpio.line import PiLine, SpiLights, registers
from croupier_extras.gpio.panel import GpioPanel
from croupier_extras.gpio.pins import Clock, Pins
from croupier_extras.gpio.wiring import KeyPin, Wiring

CHECK_S: Final = 1.0
"""Period of the check whether the Pi's pins still work."""


class OpenPins:
    """The pins while they are open: the keys as ``panel``, shoe and ring as ``line``.

    ``now``: the table's clock. ``asked``: returns the seat that a key without a seat belongs to (`Asked.seat`).
    ``on_news``: called, from any thread, when a key was pressed or the shoe reported.

    Raises:
        GpioUnavailable: this is no Raspberry Pi, or a pin cannot be used; nothing is held then.
    """

    def __init__(
        self,
        wiring: Wiring,
        now: Callable[[], float],
        asked: Callable[[Key], int | None],
        on_news: Callable[[], None] = lambda: None,
    ) -> None:
        with ExitStack() as on_error:
            self._pins = pins = Pins(wiring.factory, on_news)
            on_error.callback(pins.close)
            clock = Clock(now, time.monotonic, pins.has_stamps)
            buttons = tuple(KeyPin(key="uno", gpio=gpio, seat=seat) for seat, gpio in enumerate(wiring.buttons))
            self.panel = GpioPanel(pins, clock, wiring.keys + buttons, asked)
            memory = registers(wiring.memory) if wiring.memory else None
            lights = SpiLights() if wiring.ring else None
            if lights is not None:
                on_error.callback(lights.close)
            self.line = PiLine(pins, clock, wiring.shoe, lights, memory, on_news)
            on_error.pop_all()
        self.line.start()

    def close(self) -> None:
        """Switch motor and ring off, and release all pins."""
        self.line.close()
        self._pins.close()


class PinsLine:
    """A `croupier.devices.pico.Line` to pins that a `Supervisor` opens, and opens again when they fail.

    ``now``: the table's clock.
    """

    def __init__(self, open_pins: Callable[[], OpenPins], now: Callable[[], float]) -> None:
        self._now = now
        self._is_lost = False
        self.pins: OpenPins | None = None
        """The pins while they are open."""
        self.trouble = ""
        """As `Line.trouble`."""
        self._supervisor = Supervisor("pi", open_pins, self._report, use=self.use, stay=_until_trouble)

    def use(self, pins: OpenPins | None) -> None:
        """Use these pins from now on; ``None``: no pins."""
        self._is_lost = self._is_lost or pins is None
        self.pins = pins
        if pins is not None:
            self.trouble = ""

    def start(self) -> None:
        """As `Line.start`."""
        self._supervisor.start()

    def close(self) -> None:
        """As `Line.close`."""
        self._supervisor.close()

    def send(self, command: Command) -> bool:
        """As `Line.send`."""
        pins = self.pins
        return pins is not None and pins.line.send(command)

    def watermark(self) -> float:
        """As `Line.watermark`."""
        pins = self.pins
        return self._now() if pins is None else pins.line.watermark()

    def events(self) -> list[LineEvent]:
        """As `Line.events`; the loss of the pins is a silence."""
        pins, events = self.pins, list[LineEvent]()
        if self._is_lost:
            self._is_lost = False
            events.append(Silent(t=self._now()))
        return events if pins is None else events + pins.line.events()

    def _report(self, reason: str) -> None:
        self.trouble = reason


def _until_trouble(pins: OpenPins, is_closing: Event) -> str:
    """Stay with the pins until one of them has failed."""
    while not (pins.line.trouble or is_closing.wait(CHECK_S)):
        pass
    return pins.line.trouble


class PiMachine(Pico):
    """Keys, shoe and ring on the Pi's own pins; implements `Machine`.

    ``wiring``, ``now``, ``asked``, ``on_news``: as `OpenPins`.
    """

    def __init__(
        self,
        wiring: Wiring,
        layout: Layout,
        now: Callable[[], float],
        asked: Callable[[Key], int | None],
        on_news: Callable[[], None] = lambda: None,
        job_log: JobLog | None = None,
    ) -> None:
        pins = PinsLine(lambda: OpenPins(wiring, now, asked, on_news), now)
        super().__init__(pins, layout, job_log)
        self._pins = pins
        self.ring = PicoRing(self.send, lambda: pins.pins.line.ring_trouble if pins.pins is not None else "")

    @property
    def stuck(self) -> tuple[str, ...]:
        """As `Machine.stuck`."""
        stuck = self._pins.pins.panel.stuck() if self._pins.pins is not None else ()
        return tuple(one.key if one.seat is None else f"{one.key} {one.seat}" for one in stuck)

    def poll(self) -> tuple[DeviceEvent, ...]:
        """As `EventSource.poll`."""
        pins = self._pins.pins
        return (*super().poll(), *(pins.panel.presses() if pins is not None else ()))
