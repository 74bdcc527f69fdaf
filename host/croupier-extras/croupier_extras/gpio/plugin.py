"""The Pi's own pins as a table finds them: its `PiPins`."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import get_args

from croupier.commands import Key
from croupier.config import Config
from croupier.devices.pico import Layout
from croupier.devices.protocols import JobLog, Machine
from croupier.plugins import PiPins
from croupier_extras.gpio.wiring import KeyPin, ShoePins, Wiring


def wiring(config: Config) -> Wiring:
    """Return the devices on the Pi's own pins.

    Raises:
        BadConfig: the pins cannot be used so.
    """
    panel, shoe = config.panel, config.shoe
    keys = [KeyPin(key=key, gpio=gpio) for key in get_args(Key) if (gpio := getattr(panel, key, None)) is not None]
    keys += [KeyPin(key=one.key, gpio=one.pin, seat=one.seat) for one in panel.seat_keys]
    pins = None
    if shoe.kind == "pi" and shoe.forward is not None and shoe.back is not None and shoe.exit is not None:
        pins = ShoePins(forward=shoe.forward, back=shoe.back, exit=shoe.exit, hopper=shoe.hopper)
    return Wiring(
        keys=tuple(keys),
        buttons=config.buttons.pins if config.buttons.kind == "pi" else (),
        shoe=pins,
        ring=config.ring.kind == "pi",
        factory=config.gpio.factory,
        memory=shoe.memory,
    )


def open_machine(
    config: Config, layout: Layout, now: Callable[[], float], asked: Callable[[Key], int | None],
    wake: Callable[[], None], job_log: JobLog,
) -> Machine:  # fmt: skip
    """Make the machine on these pins, which opens them when it is started."""
    from croupier_extras.gpio.machine import PiMachine

    return PiMachine(wiring(config), layout, now, asked, wake, job_log)


def try_pins(config: Config) -> tuple[int, tuple[str, ...]]:
    """Take all pins for a moment. Returns their number, and which keys are down. Raises GpioUnavailable."""
    from croupier_extras.gpio.pins import Pins

    wired = wiring(config)
    named = [(f"the key {key.key}", key.gpio) for key in wired.keys]
    named += [(f"the UNO button of seat {seat + 1}", gpio) for seat, gpio in enumerate(wired.buttons)]
    with closing(Pins(wired.factory)) as pins:
        levels = [(what, pins.watch(gpio, lambda _at, _is_high: None)) for what, gpio in named]
        down = tuple(what for what, is_high in levels if not is_high())
    return len(list(wired.taken())), down


def shine(lights: int, seconds: float) -> None:
    """Let a ring of so many ``lights`` show the Pico's own test picture, by SPI. Raises GpioUnavailable."""
    from croupier_extras.gpio.firmware import Ticks, load
    from croupier_extras.gpio.line import SpiLights

    with closing(SpiLights()) as spi:
        load(Ticks(time.monotonic)).ring.Ring(spi, lights).test(round(seconds * 1000))
        time.sleep(seconds)


KIND = PiPins(check=wiring, open=open_machine, try_pins=try_pins, shine=shine)
