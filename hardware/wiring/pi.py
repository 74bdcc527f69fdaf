"""The wiring of the Pi's own pins: the panel with its keys, UNO buttons, ring and small shoe (docs/panel.md)."""

from __future__ import annotations

from typing import Final

from croupier_extras.gpio.wiring import KeyPin, ShoePins, Wiring
from hardware import parameters as p
from hardware.wiring.model import Device, Harness, Plan, Terminal, Wire
from hardware.wiring.parts import (
    BEARS_LOGIC,
    GROUND,
    LOGIC,
    blocks,
    button,
    contact_filter,
    exit_and_hopper,
    eye,
    feed,
    feed_wires,
    gives,
    ground,
    ground_rail,
    light_wires,
    lights,
    motor_switch,
    motor_wires,
    rail,
    stop,
    two_legs,
)  # fmt: skip

TABLE: Final = Wiring(
    keys=(
        KeyPin(key="red", gpio=2), KeyPin(key="yellow", gpio=3), KeyPin(key="green", gpio=4),
        KeyPin(key="blue", gpio=5),
        KeyPin(key="accept", gpio=6), KeyPin(key="challenge", gpio=12),
        KeyPin(key="go", gpio=13), KeyPin(key="pause", gpio=16), KeyPin(key="undo", gpio=27),
    ),
    buttons=(21, 22, 23, 24, 25, 26),
    shoe=ShoePins(forward=17, back=18, exit=19, hopper=20),
    ring=True,
    memory="/run/croupier/shoe",
)  # fmt: skip
"""The wiring in docs/panel.md; a test compares them."""

PULLED: Final = (2, 3)
"""Pins with 1.8 k to 3.3 V on the Pi itself: 1 k in series would leave a pressed key at 1.2 V, which is not low."""

RING_GPIO: Final = 10
"""MOSI of SPI 0."""

_COLORS: Final = {"red": "red", "yellow": "yellow", "green": "green", "blue": "blue", "accept": "white",
                  "challenge": "violet", "go": "orange", "pause": "gray", "undo": "brown"}  # fmt: skip
_SEATS: Final = ("brown", "red", "orange", "yellow", "green", "blue")


def _devices(wiring: Wiring) -> dict[str, Device]:
    pins = {f"GPIO{gpio}": Terminal(BEARS_LOGIC) for gpio in range(2, 28)}
    outputs = [RING_GPIO] if wiring.ring else []
    if wiring.shoe is not None:
        outputs += [wiring.shoe.forward, wiring.shoe.back]
    pins |= {f"GPIO{gpio}": gives(LOGIC) for gpio in outputs}
    all_of_them = (
        Device("Pi", "pi", {**pins, "3V3": gives(LOGIC), "5V": gives(5.0), "GND": GROUND}),
        ground_rail(),
        rail("3V3"),
        *(button(f"key {one.key}", "panel-key") for one in wiring.keys),
        *(part for one in wiring.keys for part in _filter(f"key {one.key}", one.gpio)),
        *(part for seat, gpio in enumerate(wiring.buttons) for part in _filter(f"seat {seat}", gpio)),
        *(button(f"seat {seat}", "seat-button") for seat in range(len(wiring.buttons))),
        *lights(),
        Device("supply", "supply-12v", {"+": gives(12.0), "-": GROUND}, note="for a small shoe only"),
        two_legs("fuse", "fuse", note="2.5 A slow"),
        stop(),
        motor_switch(),
        blocks("store", "bulk-capacitor", "+", "-", "1000 µF"),
        *feed(),
        *exit_and_hopper(),
    )
    return {device.name: device for device in all_of_them}


def _filter(name: str, gpio: int) -> tuple[Device, ...]:
    return contact_filter(name, name, p.PULLED_OHM if gpio in PULLED else p.SEAT_OHM)


def _contact(name: str, gpio: int, color: str) -> tuple[Wire, ...]:
    """Return the wires of a key or a button: its cable meets the suppressor first, the pin the capacitor last."""
    return (
        Wire(f"Pi.GPIO{gpio}", f"R {name}.a", color), Wire(f"R {name}.a", f"C {name}.+", color),
        Wire(f"R {name}.b", f"TVS {name}.cathode", color), Wire(f"R {name}.b", f"{name}.switch 1", color),
        *ground(f"{name}.switch 2", f"C {name}.-", f"TVS {name}.anode"),
    )  # fmt: skip


def _panel(wiring: Wiring) -> Harness:
    wires = [*ground("Pi.GND")]
    for one in wiring.keys:
        wires += _contact(f"key {one.key}", one.gpio, _COLORS[one.key])
    return Harness("panel", "Panel: keys on the Pi", tuple(wires))


def _buttons(wiring: Wiring) -> Harness:
    wires: list[Wire] = []
    for seat, gpio in enumerate(wiring.buttons):
        wires += _contact(f"seat {seat}", gpio, _SEATS[seat])
    return Harness("pi-seat-buttons", "UNO buttons on the Pi (a table without a Pico)", tuple(wires))


def _lights() -> Harness:
    return Harness("pi-ring", "Ring on the Pi (a table without a Pico)", light_wires(f"Pi.GPIO{RING_GPIO}", "Pi.5V"))


def _small_shoe(shoe: ShoePins) -> Harness:
    wires = [
        *feed_wires(f"Pi.GPIO{shoe.forward}", f"Pi.GPIO{shoe.back}"),
        *ground("feed driver.POWER -", "supply.-", "store.-"),
        Wire("supply.+", "fuse.a", "red"), Wire("fuse.b", "stop.a", "red"),
        Wire("stop.b", "motor switch.a", "red"), Wire("motor switch.b", "feed driver.POWER +", "red"),
        Wire("motor switch.b", "store.+", "red"), *motor_wires(),
        Wire("Pi.3V3", "3V3.out", "red"), *eye("exit", "exit barrier", f"Pi.GPIO{shoe.exit}", "yellow"),
    ]  # fmt: skip
    if shoe.hopper is not None:
        wires += eye("hopper", "hopper sensor", f"Pi.GPIO{shoe.hopper}", "green")
    return Harness("pi-small-shoe", "Small shoe on the Pi (a table without a Pico)", tuple(wires))


def plan(wiring: Wiring = TABLE) -> Plan:
    """Return the wiring of the panel and, for a table without a Pico, its buttons, ring and small shoe."""
    shoe = () if wiring.shoe is None else (_small_shoe(wiring.shoe),)
    return Plan(_devices(wiring), (_panel(wiring), _buttons(wiring), _lights(), *shoe))
