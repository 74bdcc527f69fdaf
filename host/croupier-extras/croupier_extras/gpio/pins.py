"""The pins of the Raspberry Pi, by gpiozero, and the times of their edges on the table's clock.

lgpio passes on the kernel's stamp of an edge, which is taken in the interrupt. RPi.GPIO and rpi-lgpio have no stamp:
the time of the call that reports an edge stands for it, with a larger uncertainty.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal

from croupier.errors import GpioUnavailable, one_line
from croupier_rules.referee.observations import Clock as Stamps

KERNEL_U: Final = 0.0005
"""From the edge to the kernel's stamp, with all interrupts that may come first (s)."""

STAMP_S: Final = 0.0001
"""The uncertainty of the kernel's stamps among each other: pins that change while interrupts wait are stamped one right
after the other, in the same interrupt."""

ARRIVAL_S: Final = 0.020
"""From the edge to the call where there is no stamp: the library's thread waits for the others of the program."""

MOTOR_HZ: Final = 200
"""The frequency of the feed motor's pulses. Software times them, now and then with an error of tenths of a millisecond,
which would be a large part of a shorter pulse."""

_EXTRAS: Final = {"lgpio": "gpio", "rpigpio": "rpi-lgpio"}
"""Package that brings each library. RPi.GPIO itself does not know every Pi, and since kernel 6.6 it sees no edge."""

_NO_EDGES: Final = "add edge detection"
"""What RPi.GPIO says where the kernel (6.6 and newer) has taken away what it needs."""

Handler = Callable[[float, bool], None]
"""Takes an edge, in a thread of the library: its time (`time.monotonic`, as the kernel's stamps), and whether the pin
is high."""


class Clock:
    """Converts the stamps of edges to the table's clock. ``now``: the table's clock; ``stamps``: the clock of the
    stamps."""

    def __init__(self, now: Callable[[], float], stamps: Callable[[], float], has_stamps: bool) -> None:
        self.now, self.stamps, self.has_stamps = now, stamps, has_stamps
        self._early, self._u = (0.0, KERNEL_U) if has_stamps else (ARRIVAL_S / 2, ARRIVAL_S / 2)

    def moment(self, stamp: float) -> tuple[float, float]:
        """The time of a stamp on the table's clock, and its uncertainty (s)."""
        before, now, after = self.stamps(), self.now(), self.stamps()
        return stamp - self._early + now - (before + after) / 2, self._u + (after - before) / 2

    def stamped(self, stamp: float) -> tuple[float, float, Stamps | None]:
        """As `moment`, and the clock that stamped it: None where the stamp is the time of a call."""
        t, u = self.moment(stamp)
        # The two readings of the clocks move each stamp by less than their own uncertainty.
        return t, u, Stamps("pi", STAMP_S + u - KERNEL_U) if self.has_stamps else None


class Pins:
    """The pins, held by this program until `close`. ``on_edge``: called after the handler of each edge.

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
        """Pull this input high and report its edges to ``handler``. Returns a function: True if the pin is high."""

        def handle(ticks: float, state: float) -> None:
            handler(ticks, bool(state))
            self._on_edge()

        with self._taking(gpio) as pin:
            pin.input_with_pull("up")
            pin.bounce = None  # the first edge is what counts
            pin.edges = "both"
            self._handlers.append(handle)
            pin.when_changed = handle
        return lambda: bool(pin.state)

    def motor(self, forward: int, back: int) -> Motor:
        """Return the motor whose driver has these two inputs. Both inputs are off."""
        inputs = []
        for gpio in (forward, back):
            with self._taking(gpio) as pin:
                pin.output_with_state(0)
                pin.frequency = MOTOR_HZ
                pin.state = 0
                inputs.append(pin)
        return Motor(*inputs)

    def close(self) -> None:
        """Switch motors off and release all pins."""
        for pin in self._pins:
            with suppress(Exception):
                if pin.frequency is not None:
                    pin.frequency = None
                    pin.state = 0  # whatever level the last pulse left
                else:
                    pin.when_changed = None
        self._factory.close()

    @contextmanager
    def _taking(self, gpio: int) -> Iterator[Any]:
        """Context in which a pin is set up. Raises `GpioUnavailable` if that fails."""
        try:
            pin = self._factory.pin(gpio)
            self._pins.append(pin)
            yield pin
        except Exception as err:
            why = one_line(str(err))
            if _NO_EDGES in why:
                raise GpioUnavailable(
                    f"GPIO {gpio} cannot be used: {why}: RPi.GPIO sees no edges since kernel 6.6: replace it by "
                    "croupier[rpi-lgpio], or use factory lgpio"
                ) from err
            raise GpioUnavailable(f"GPIO {gpio} cannot be used: {why}: does another program hold it?") from err


class Motor:
    """A motor behind a DRV8871: both inputs high brake, both low let it run out. Duty is of 65,535."""

    def __init__(self, forward: Any, back: Any) -> None:
        self._forward, self._back = forward, back

    def forward(self, duty: int) -> None:
        """Feed."""
        self._forward.state = 1
        self._back.state = 1 - duty / 65_535

    def back(self, duty: int) -> None:
        """Pull back."""
        self._back.state = 1
        self._forward.state = 1 - duty / 65_535

    def brake(self) -> None:
        """Stand still within milliseconds."""
        self._forward.state = self._back.state = 1

    def off(self) -> None:
        """No current."""
        self._forward.state = self._back.state = 0


def library() -> Any:
    """The module `lgpio`. On import it leaves a pipe in the working folder, so that must not be the user's."""
    here = os.getcwd()
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        return importlib.import_module("lgpio")
    finally:
        os.chdir(here)  # the import changes the folder


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
            f"croupier[{_EXTRAS.get(name, name)}] installed and a user of the group gpio"
        ) from err
