"""A table without a Pico: everything that hangs on the Pi's own pins."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Final, Self

from croupier.commands import Key
from croupier.devices.gpio.line import PiLine, SpiLights, registers
from croupier.devices.gpio.panel import GpioPanel
from croupier.devices.gpio.pins import Clock, Pins
from croupier.devices.gpio.wiring import KeyPin, Wiring
from croupier.devices.pico import LateLine, Layout, Pico
from croupier.devices.protocols import DeviceEvent, JobLog, Light
from croupier.supervisor import Supervisor

CHECK_S: Final = 1.0
"""How often the Pi's pins are asked whether they still work."""


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


class PiMachine:
    """Keys, shoe and ring on the Pi's own pins; implements `Machine`. A `Supervisor` opens the pins.

    ``now``, ``asked``, ``on_news``: as `GpioPins`.
    """

    def __init__(
        self,
        wiring: Wiring,
        layout: Layout,
        now: Callable[[], float],
        asked: Callable[[Key], int | None],
        on_news: Callable[[], None] = _nobody,
        job_log: JobLog | None = None,
    ) -> None:
        self._line = LateLine(now)
        self._pico = Pico(self._line, layout, job_log)
        self._pins: GpioPins | None = None
        self.shoe = self._pico.shoe if wiring.shoe is not None else None
        self.ring = _PiRing(self) if wiring.ring else None
        self._supervisor = Supervisor(
            "pi",
            lambda: GpioPins(wiring, now, asked, on_news).start(),
            self._report,
            use=self._use,
            stay=_until_trouble,
        )

    @property
    def stuck(self) -> tuple[str, ...]:
        """As `Machine.stuck`."""
        stuck = self._pins.panel.stuck() if self._pins is not None else ()
        return tuple(one.key if one.seat is None else f"{one.key} {one.seat}" for one in stuck)

    @property
    def ring_trouble(self) -> str:
        """Why the ring takes no frames, in one line; "" while it does."""
        return self._pins.ring_trouble if self._pins is not None else ""

    def show(self, light: Light) -> None:
        """Show this on the ring from now on."""
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

    def _use(self, pins: GpioPins | None) -> None:
        self._pins = pins
        self._line.use(None if pins is None else pins.line)
        if pins is not None:
            self._line.trouble = ""

    def _report(self, reason: str) -> None:
        self._line.trouble = reason


class _PiRing:
    """The ring of a `PiMachine`."""

    def __init__(self, machine: PiMachine) -> None:
        self._machine = machine

    @property
    def fault(self) -> str:
        return self._machine.ring_trouble

    def show(self, light: Light) -> None:
        self._machine.show(light)


def _until_trouble(pins: GpioPins, is_closing: Event) -> str:
    """Stay with the pins until something has failed there."""
    while not (pins.trouble or is_closing.wait(CHECK_S)):
        pass
    return pins.trouble
