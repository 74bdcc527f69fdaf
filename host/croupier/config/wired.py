"""What hangs on the pins of the Raspberry Pi and on the Pico, as the drivers take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from croupier.commands import Key
from croupier.config.model import Config

if TYPE_CHECKING:
    from croupier.devices.gpio import Wiring
    from croupier.devices.pico import Layout


def hangs_on_pico(config: Config) -> bool:
    """Whether anything hangs on a Pico."""
    return "pico" in (config.shoe.kind, config.buttons.kind, config.ring.kind)


def hangs_on_pi(config: Config) -> bool:
    """Whether anything hangs on the Pi's own pins."""
    return "pi" in (config.shoe.kind, config.buttons.kind, config.ring.kind) or config.panel != type(config.panel)()


def layout(config: Config) -> Layout:
    """How the table is built, as the shoe must know it."""
    from croupier.devices.pico import Layout

    shoe = config.shoe
    return Layout(
        seats=len(config.names()), angles=shoe.angles, lights=config.ring.lights, speed=shoe.speed,
        turn_speed=shoe.turn_speed, turn_acceleration=shoe.turn_acceleration,
    )  # fmt: skip


def wiring(config: Config) -> Wiring:
    """What hangs on the Pi's own pins.

    Raises:
        BadConfig: it cannot hang there.
    """
    from croupier.devices.gpio import KeyPin, ShoePins, Wiring

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
