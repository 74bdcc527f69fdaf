"""A stand-in of the module `lgpio` with pins made of numbers: what gpiozero and rpi-lgpio call, and no more.

`Pins` is the world outside: levels are driven from there, and every change of an output is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

IS_OUT: Final = 1 << 1
PULL_UP: Final = 1 << 5
PULL_DOWN: Final = 1 << 6
IS_CLAIMED_INPUT: Final = 1 << 8
IS_CLAIMED_OUTPUT: Final = 1 << 9
ALERT: Final = 1 << 10

_CONSTANTS: Final = {
    "SET_ACTIVE_LOW": 4, "SET_PULL_UP": PULL_UP, "SET_PULL_DOWN": PULL_DOWN, "SET_PULL_NONE": 1 << 7,
    "SET_BIAS_DISABLE": 1 << 7, "RISING_EDGE": 1, "FALLING_EDGE": 2, "BOTH_EDGES": 3, "GPIO_BUSY": -77,
}  # fmt: skip

Told = Callable[[int, int, int, int], None]


class Line:
    """One pin: how it was claimed, what drives it from outside (None: nothing), and what it puts out (0…1)."""

    def __init__(self) -> None:
        self.flags = 0
        self.outside: int | None = None
        self.output = 0.0
        self.frequency = 0.0
        self.debounce_us = 0

    def level(self) -> int:
        """What a reading gives."""
        if self.flags & IS_OUT:
            return int(self.output > 0)
        return self.outside if self.outside is not None else int(bool(self.flags & PULL_UP))


class FakePins:
    """The pins and what hangs on them. ``late_s``: how much later than it is driven an edge is stamped."""

    late_s = 0.0

    def __init__(self) -> None:
        self.lines = {gpio: Line() for gpio in range(54)}
        self.callbacks: list[tuple[int, Told]] = []
        self.on_output: Callable[[], None] = lambda: None
        self.sent: list[bytes] = []
        """What went out by SPI."""
        self.spi_handles = 0
        """How many of them are open."""

    def drive(self, gpio: int, level: int | None, at_ns: int | None = None) -> None:
        """The world outside pulls a pin high or low, or lets go of it (None); ``at_ns``: the kernel's stamp."""
        line = self.lines[gpio]
        before = line.level()
        line.outside = level
        if line.level() != before and line.flags & ALERT:
            stamp = time.monotonic_ns() if at_ns is None else at_ns
            for at, told in list(self.callbacks):
                if at == gpio:
                    told(0, gpio, line.level(), stamp)

    def duty(self, gpio: int) -> float:
        """What part of the time the pin is high."""
        return self.lines[gpio].output

    def duties(self, gpio: int) -> tuple[float, float]:
        """As `KernelPins.duties`: the same twice."""
        return self.duty(gpio), self.duty(gpio)

    def module(self) -> ModuleType:
        """The module `lgpio` on these pins."""
        module = ModuleType("lgpio")
        for name, value in _CONSTANTS.items():
            setattr(module, name, value)
        for name in dir(self):
            if name.startswith("do_"):
                setattr(module, name[3:], getattr(self, name))
        setattr(module, "error", type("error", (Exception,), {}))  # noqa: B010  # mypy knows no such attribute
        return module

    # The functions of lgpio, by their names.

    def do_error_text(self, code: int) -> str:
        return f"error {code}"

    def do_gpiochip_open(self, _chip: int) -> int:
        return 0

    def do_gpiochip_close(self, _handle: int) -> int:
        return 0

    def do_gpio_get_chip_info(self, _handle: int) -> list[Any]:
        return [0, len(self.lines), "gpiochip0", "pinctrl-fake"]

    def do_gpio_claim_input(self, _handle: int, gpio: int, flags: int = 0) -> int:
        self.lines[gpio].flags = flags | IS_CLAIMED_INPUT
        return 0

    def do_gpio_claim_output(self, _handle: int, gpio: int, level: int = 0, flags: int = 0) -> int:
        self.lines[gpio].flags = flags | IS_OUT | IS_CLAIMED_OUTPUT
        return self.do_gpio_write(0, gpio, level)

    def do_gpio_claim_alert(self, _handle: int, gpio: int, _edges: int, flags: int = 0) -> int:
        self.lines[gpio].flags = flags | ALERT | IS_CLAIMED_INPUT
        return 0

    def do_gpio_free(self, _handle: int, gpio: int) -> int:
        self.lines[gpio].flags = 0
        return 0

    def do_gpio_get_mode(self, _handle: int, gpio: int) -> int:
        edges = 3 << 17 if self.lines[gpio].flags & ALERT else 0
        return self.lines[gpio].flags | edges

    def do_gpio_read(self, _handle: int, gpio: int) -> int:
        return self.lines[gpio].level()

    def do_gpio_write(self, _handle: int, gpio: int, level: int) -> int:
        self.lines[gpio].output = float(level)
        self.on_output()
        return 0

    def do_gpio_set_debounce_micros(self, _handle: int, gpio: int, us: int) -> int:
        self.lines[gpio].debounce_us = us
        return 0

    def do_tx_pwm(self, _handle: int, gpio: int, frequency: float, duty: float) -> int:
        line = self.lines[gpio]
        line.frequency, line.output = frequency, duty / 100
        self.on_output()
        return 0

    def do_callback(self, _handle: int, gpio: int, edge: int = 3, func: Told | None = None) -> Any:
        assert func is not None
        entry = (gpio, func)
        self.callbacks.append(entry)

        class Callback:
            def cancel(_) -> None:  # noqa: N805
                self.callbacks.remove(entry)

        return Callback()

    def do_spi_open(self, _device: int, _channel: int, _baud: int, _flags: int = 0) -> int:
        self.spi_handles += 1
        return 7

    def do_spi_write(self, _handle: int, data: bytes) -> int:
        self.sent.append(bytes(data))
        return len(data)

    def do_spi_close(self, _handle: int) -> int:
        self.spi_handles -= 1
        return 0
