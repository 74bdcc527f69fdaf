"""The wiring of the kit of buttons and ring, from the table of pins: what the board connects, and what hangs on it."""

from __future__ import annotations

from typing import Final

from hardware import parameters as p
from hardware.circuit.design import board_nets
from hardware.wiring.model import Device, Harness, Plan, Terminal, Wire
from hardware.wiring.parts import (
    ANY,
    BEARS_LOGIC,
    GROUND,
    LOGIC,
    blocks,
    button,
    gives,
    ground,
    ground_rail,
    ring,
    takes,
    two_legs,
)
from tablewire.pins import FREE_GPIO, SEATS, pin

OFF_BOARD: Final = ("computer", "ring", "GND", *(f"seat {seat}" for seat in range(SEATS)))
"""Devices of the plan that are no parts of the board: at the end of a cable, or its ground."""


def _pico() -> Device:
    terminals = {f"GP{gpio}": Terminal(BEARS_LOGIC, None) for gpio in FREE_GPIO}
    terminals[f"GP{pin('ring').gpio}"] = Terminal(BEARS_LOGIC, LOGIC)
    terminals |= {"USB": takes(5.5), "VBUS": Terminal(5.5, 5.0), "GND": GROUND}
    return Device("Pico", "pico", terminals, note="fed by the computer's USB")


def _shifter() -> Device:
    terminals = {"VCC": takes(5.5), "GND": GROUND, "OE": takes(5.5), "A": takes(5.5), "Y": gives(5.0)}
    return Device("shifter", "one-buffer", terminals, note="74AHCT1G125 at 5 V: 2.0 V is high")


def _seat(seat: int) -> tuple[Device, ...]:
    return (
        two_legs(f"R seat {seat}", "smd-1k", note=f"{p.SEAT_OHM / 1000:g} k"),
        blocks(f"C seat {seat}", "smd-10n", "+", "-", f"{p.SEAT_NF:g} nF"),
        Device(f"TVS {seat}", "smd-suppressor", {"cathode": takes(p.KIT_SEAT_BEARS), "anode": GROUND}, note="5 V"),
        Device(f"socket {seat}", "jst-2", {"1": ANY, "2": ANY}),
        button(f"seat {seat}", "seat-button", lamp=True),
    )


def plan() -> Plan:
    """Return all devices and wires of the kit with its ten seats."""
    devices = (
        Device("computer", "laptop", {"USB": gives(5.0)}, note="a laptop: USB carries the line and feeds the kit"),
        _pico(),
        ground_rail("button-board"),
        two_legs("fuse", "ptc-fuse", note="0.5 A, closes again when it has cooled"),
        blocks("C 5V", "smd-10u", "+", "-", "10 µF: more may not hang on USB"),
        _shifter(),
        blocks("C shifter", "smd-100n", "+", "-", "100 nF"),
        two_legs("R ring", "smd-330", note="330 ohm"),
        Device("socket ring", "jst-3", {"1": ANY, "2": ANY, "3": ANY}),
        ring(),
        button("service", "service-button"),
        *(part for seat in range(SEATS) for part in _seat(seat)),
    )
    return Plan({device.name: device for device in devices}, (_power(), _ring(), _seats()))


def _power() -> Harness:
    return Harness("kit-power", "Kit: 5 V of USB", (
        Wire("computer.USB", "Pico.USB", "white"), Wire("Pico.VBUS", "fuse.a", "orange"),
        Wire("fuse.b", "C 5V.+", "orange"), Wire("fuse.b", "shifter.VCC", "orange"),
        Wire("fuse.b", "socket ring.1", "orange"), Wire("shifter.VCC", "C shifter.+", "orange"),
        *ground("Pico.GND", "C 5V.-", "C shifter.-", "shifter.GND", "shifter.OE", "socket ring.3"),
    ))  # fmt: skip


def _ring() -> Harness:
    service = pin("service")
    return Harness("kit-ring", "Kit: ring and service button", (
        Wire(f"Pico.GP{pin('ring').gpio}", "shifter.A", "blue"), Wire("shifter.Y", "R ring.a", "blue"),
        Wire("R ring.b", "socket ring.2", "blue"), Wire("socket ring.1", "ring.5V", "red"),
        Wire("socket ring.2", "ring.DIN", "yellow"), Wire("socket ring.3", "ring.GND", "black"),
        Wire(f"Pico.GP{service.gpio}", "service.switch 1", service.wire), *ground("service.switch 2"),
    ))  # fmt: skip


def _seats() -> Harness:
    wires = []
    for seat in range(SEATS):
        row = pin(f"button_{seat}")
        wires += [
            Wire(f"Pico.GP{row.gpio}", f"R seat {seat}.a", row.wire),
            Wire(f"R seat {seat}.a", f"C seat {seat}.+", row.wire),
            Wire(f"R seat {seat}.b", f"TVS {seat}.cathode", row.wire),
            Wire(f"TVS {seat}.cathode", f"socket {seat}.1", row.wire),
            Wire(f"socket {seat}.1", f"seat {seat}.switch 1", "red"),
            Wire(f"socket {seat}.2", f"seat {seat}.switch 2", "black"),
            *ground(f"C seat {seat}.-", f"TVS {seat}.anode", f"socket {seat}.2"),
        ]
    return Harness("kit-seats", "Kit: UNO buttons of the seats", tuple(wires))


def nets_on_board(wiring: Plan) -> dict[str, set[str]]:
    """Return the terminals on the board that belong together, by the name of their net."""
    names = {"GND.GND": "GND", "Pico.VBUS": "VBUS", "fuse.b": "RING_5V", "shifter.Y": "RING_5V_DATA",
             "R ring.b": "RING_DIN"}  # fmt: skip
    names |= {f"socket {seat}.1": f"SEAT_{seat}" for seat in range(SEATS)}
    return board_nets(wiring, (*OFF_BOARD, "Pico.USB"), names)
