"""The pins of the Raspberry Pi, by gpiozero, and the times of their edges on the table's clock.

lgpio hands on the kernel's own stamp of an edge, which is taken in the interrupt; with RPi.GPIO and rpi-lgpio an edge
is only as old as the call that reports it, and that is how its uncertainty is told.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Literal

from croupier.errors import GpioUnavailable, one_line

KERNEL_U: Final = 0.0005
"""From the edge to the kernel's stamp, with all interrupts that may come first (s)."""

ARRIVAL_S: Final = 0.020
"""From the edge to the call where there is no stamp: the library's thread waits for the others of the program."""

MOTOR_HZ: Final = 200
"""The feed motor's pulses. The libraries time them by software, which is tenths of a millisecond off now and then: with
a faster clock that would be much of a pulse."""

Handler = Callable[[float, bool], None]
"""Told of an edge, from a thread of the library: when (`time.monotonic`, which the kernel stamps with), and whether the
pin is high."""


class Clock:
    """Puts the stamps of edges on the table's clock. ``now``: the table's clock; ``stamps``: that of the stamps."""

    def __init__(self, now: Callable[[], float], stamps: Callable[[], float], has_stamps: bool) -> None:
        self.now, self.stamps = now, stamps
        self._early, self._u = (0.0, KERNEL_U) if has_stamps else (ARRIVAL_S / 2, ARRIVAL_S / 2)

    def moment(self, stamp: float) -> tuple[float, float]:
        """When that was on the table's clock, and how uncertain that is."""
        before, now, after = self.stamps(), self.now(), self.stamps()
        return stamp - self._early + now - (before + after) / 2, self._u + (after - before) / 2


class Pins:
    """The pins, held by this program until `close`. ``on_edge``: called after each edge was told.

    Raises:
        GpioUnavailable: gpiozero or its library is not there, or this is no Raspberry Pi.
    """

    def __init__(
        self, factory: Literal["lgpio", "rpigpio"] | Any = "lgpio", on_edge: Callable[[], None] = lambda: None
    ) -> None:
        self._on_edge = on_edge
        self.has_stamps = factory != "rpigpio"
        self._factory = _open(factory) if isinstance(factory, str) else factory
        self._pins: list[Any] = []
        self._handlers: list[Handler] = []  # gpiozero itself holds them only weakly

    def watch(self, gpio: int, handler: Handler) -> Callable[[], bool]:
        """Pull this input high, report its edges, and return what reads whether it is high."""
        pin = self._pin(gpio)
        try:
            pin.input_with_pull("up")
            pin.bounce = None  # the first edge is what counts
            pin.edges = "both"

            def told(ticks: float, state: float) -> None:
                handler(ticks, bool(state))
                self._on_edge()

            self._handlers.append(told)
            pin.when_changed = told
        except Exception as err:
            raise _refused(gpio, err) from err
        return lambda: bool(pin.state)

    def motor(self, forward: int, back: int) -> Motor:
        """The two inputs of a motor's driver, both off."""
        pair = []
        for gpio in (forward, back):
            pin = self._pin(gpio)
            try:
                pin.output_with_state(0)
                pin.frequency = MOTOR_HZ
                pin.state = 0
            except Exception as err:
                raise _refused(gpio, err) from err
            pair.append(pin)
        return Motor(*pair)

    def close(self) -> None:
        """Let go of all pins; motors are off before."""
        for pin in self._pins:
            with suppress(Exception):
                if pin.frequency is not None:
                    pin.frequency = None
                    pin.state = 0  # whatever level the last pulse left
                else:
                    pin.when_changed = None
        self._factory.close()

    def _pin(self, gpio: int) -> Any:
        try:
            pin = self._factory.pin(gpio)
        except Exception as err:
            raise _refused(gpio, err) from err
        self._pins.append(pin)
        return pin


class Motor:
    """A motor behind a DRV8871: both inputs high brake, both low let it run out. Duty is of 65,535."""

    def __init__(self, forward: Any, back: Any) -> None:
        self._forward, self._back = forward, back

    def forward(self, duty: int) -> None:
        """Feed."""
        self._back.state = 0
        self._forward.state = duty / 65_535

    def back(self, duty: int) -> None:
        """Pull back."""
        self._forward.state = 0
        self._back.state = duty / 65_535

    def brake(self) -> None:
        """Stand still within milliseconds."""
        self._forward.state = self._back.state = 1

    def off(self) -> None:
        """No current."""
        self._forward.state = self._back.state = 0


def library() -> Any:
    """The module `lgpio`. It leaves a pipe in the folder where it is first used: not in that of the user."""
    here = os.getcwd()
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        return importlib.import_module("lgpio")
    finally:
        os.chdir(here)  # it goes to that folder


def _open(name: str) -> Any:
    try:
        if name == "rpigpio":
            with suppress(ImportError):
                library()  # rpi-lgpio will use it, RPi.GPIO will not
            return importlib.import_module("gpiozero.pins.rpigpio").RPiGPIOFactory()
        library()
        return importlib.import_module("gpiozero.pins.lgpio").LGPIOFactory()
    except Exception as err:  # each library has its own
        raise GpioUnavailable(
            f"GPIO pins ({name}): {one_line(str(err)) or type(err).__name__}: expected a Raspberry Pi with "
            "croupier[gpio] installed and a user of the group gpio"
        ) from err


def _refused(gpio: int, err: Exception) -> GpioUnavailable:
    return GpioUnavailable(f"GPIO {gpio} cannot be used: {one_line(str(err))}: does another program hold it?")
