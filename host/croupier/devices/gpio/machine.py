"""A table without a Pico: everything that is connected to the Pi's own pins."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from threading import Event
from typing import Final

from croupier.commands import Key
from croupier.devices.gpio.line import PiLine, SpiLights, registers
from croupier.devices.gpio.panel import GpioPanel
from croupier.devices.gpio.pins import Clock, Pins
from croupier.devices.gpio.wiring import KeyPin, Wiring
from croupier.devices.pico import Layout, Pico
from croupier.devices.protocols import DeviceEvent, JobLog, Light
from croupier.link.commands import Command
from croupier.link.conversation import Event as LineEvent
from croupier.link.conversation import Silent
from croupier.supervisor import Supervisor

CHECK_S: Final = 1.0
"""How often the Pi's pins are asked whether they still work."""


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


class PiMachine:
    """Keys, shoe and ring on the Pi's own pins; implements `Machine`, and `Ring` where there is one.

    ``now``, ``asked``, ``on_news``: as `OpenPins`, which a `Supervisor` opens.
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
        self._line = ReopenedLine(now)
        self._pico = Pico(self._line, layout, job_log)
        self._pins: OpenPins | None = None
        self.shoe = self._pico.shoe if wiring.shoe is not None else None
        self.ring = self if wiring.ring else None
        self._supervisor = Supervisor(
            "pi", lambda: OpenPins(wiring, now, asked, on_news), self._report, use=self._use, stay=_until_trouble
        )

    @property
    def stuck(self) -> tuple[str, ...]:
        """As `Machine.stuck`."""
        stuck = self._pins.panel.stuck() if self._pins is not None else ()
        return tuple(one.key if one.seat is None else f"{one.key} {one.seat}" for one in stuck)

    @property
    def fault(self) -> str:
        """As `Ring.fault`."""
        return self._pins.line.ring_trouble if self._pins is not None else ""

    def show(self, light: Light) -> None:
        """As `Ring.show`."""
        self._pico.ring.show(light)

    def start(self) -> None:
        """As `Machine.start`."""
        self._supervisor.start()

    def close(self) -> None:
        """As `Machine.close`."""
        self._supervisor.close()

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return self._pico.watermark()

    def poll(self) -> tuple[DeviceEvent, ...]:
        """As `EventSource.poll`."""
        pins = self._pins
        return (*self._pico.poll(), *(pins.panel.presses() if pins is not None else ()))

    def alarm(self) -> tuple[str, str] | None:
        """As `Machine.alarm`: ``gone``."""
        return self._pico.alarm()

    def acknowledge(self) -> None:
        """As `Machine.acknowledge`: on the pins no report is lost."""

    def _use(self, pins: OpenPins | None) -> None:
        self._pins = pins
        self._line.use(None if pins is None else pins.line)

    def _report(self, reason: str) -> None:
        self._line.trouble = reason


def _until_trouble(pins: OpenPins, is_closing: Event) -> str:
    """Stay with the pins until one of them has failed."""
    while not (pins.line.trouble or is_closing.wait(CHECK_S)):
        pass
    return pins.line.trouble


class ReopenedLine:
    """A `croupier.devices.pico.Line` to pins that are opened, lost and opened again. ``now``: the table's clock."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._line: PiLine | None = None
        self._is_lost = False
        self.trouble = ""
        """Why the pins are not open, in one line."""

    def use(self, line: PiLine | None) -> None:
        """Use this line from now on; None: there is none."""
        self._is_lost = self._is_lost or line is None
        self._line = line
        if line is not None:
            self.trouble = ""

    def start(self) -> None:
        """The supervisor opens the pins."""

    def close(self) -> None:
        """The supervisor closes the pins."""

    def send(self, command: Command) -> bool:
        """As `Line.send`."""
        line = self._line
        return line is not None and line.send(command)

    def watermark(self) -> float:
        """As `Line.watermark`."""
        line = self._line
        return self._now() if line is None else line.watermark()

    def events(self) -> list[LineEvent]:
        """As `Line.events`; the loss of the line is a silence."""
        line, events = self._line, list[LineEvent]()
        if self._is_lost:
            self._is_lost = False
            events.append(Silent(t=self._now()))
        return events if line is None else events + line.events()
