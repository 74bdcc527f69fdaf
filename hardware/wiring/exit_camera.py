"""The wiring of the camera at the card exit: the light barrier fires the flash at both edges of a card.

Two one-shots hang on the barrier's collector beside the Pico: one answers the rising edge (the front of a card), the
other the falling one (its tail). Either lights the flash for 0.45 x 10 k x 10 nF = 45 µs, whatever the Pico does.
"""

from __future__ import annotations

from typing import Final

from hardware import parameters as p
from hardware.wiring.model import Device, Harness, Plan, Terminal, Wire
from hardware.wiring.parts import (
    ANY,
    BEARS_LOGIC,
    GROUND,
    LOGIC,
    blocks,
    eye,
    gives,
    ground,
    ground_rail,
    logic,
    optical,
    rail,
    resistor,
    takes,
    two_legs,
)

_EDGES: Final = ("front", "tail")


def _one_shots() -> Device:
    terminals = {"VCC": takes(6.0), "GND": GROUND}
    for n in (1, 2):
        terminals |= {f"{n}A": takes(LOGIC + 0.5), f"{n}B": takes(LOGIC + 0.5), f"{n}CLR": takes(LOGIC + 0.5)}
        terminals |= {f"{n}RC": takes(LOGIC + 0.5), f"{n}C": ANY, f"{n}Q": gives(LOGIC)}
    return Device("one-shots", "one-shot", terminals, note="74HC123 at 3.3 V; 100 nF across VCC and GND")


def _devices() -> dict[str, Device]:
    edges = [
        part
        for edge in _EDGES
        for part in (
            resistor(f"R {edge}", "10 k"),
            two_legs(f"C {edge}", "seat-capacitor", note="10 nF"),
            Device(f"diode {edge}", "signal-diode", {"anode": ANY, "cathode": ANY}, (("anode", "cathode"),), "1N4148"),
        )
    ]
    all_of_them = (
        Device("Pi", "pi", {"USB 2": gives(5.0)}),
        Device("Pico", "pico", {"GP19": Terminal(BEARS_LOGIC), "3V3": gives(LOGIC)}),
        Device("exit camera", "exit-camera", {"USB": takes(5.5)}, note="its cable goes up through the axis"),
        ground_rail(),
        rail("3V3"),
        rail("5V"),
        Device("regulator", "regulator-5v", {"OUT": gives(5.0)}),
        optical("exit barrier", "exit-barrier"),
        resistor("R exit lamp", "150 ohm: 14 mA"),
        resistor("R exit", "4.7 k: quick edges"),
        _one_shots(),
        *edges,
        resistor("R gate", "10 k"),
        Device("flash switch", "flash-switch", {"gate": takes(16.0), "drain": takes(55.0), "source": GROUND}),
        Device("flash", "flash", {"anode": takes(5.5), "cathode": ANY}, (("anode", "cathode"),), "white, pulsed"),
        two_legs("R flash", "flash-resistor", note=f"3.3 ohm: 0.5 A for {p.EXIT_FLASH_US:g} µs"),
        blocks("store 3", "driver-capacitor", "+", "-", "100 µF at the flash: gives a pulse 0.2 V"),
    )
    return {device.name: device for device in all_of_them}


def _flash() -> Harness:
    collector = "exit barrier.collector"
    timing = [
        wire
        for n, edge in enumerate(_EDGES, start=1)
        for wire in (
            Wire(f"one-shots.{n}RC", f"R {edge}.a", "yellow"),
            Wire(f"one-shots.{n}RC", f"C {edge}.a", "yellow"),
            Wire(f"one-shots.{n}C", f"C {edge}.b", "yellow"),
            Wire(f"one-shots.{n}Q", f"diode {edge}.anode", "white"),
            Wire(f"diode {edge}.cathode", "flash switch.gate", "white"),
            *logic(f"R {edge}.b", f"one-shots.{n}CLR"),
        )
    ]
    return Harness("exit-camera", "Camera at the card exit: the barrier fires the flash", (
        Wire("Pi.USB 2", "exit camera.USB", "white"), Wire("Pico.3V3", "3V3.out", "red"),
        Wire("regulator.OUT", "5V.out", "orange"),
        *eye("exit", "exit barrier", "Pico.GP19", "yellow"),
        Wire(collector, "one-shots.1B", "yellow"), *ground("one-shots.1A"),
        Wire(collector, "one-shots.2A", "yellow"), *logic("one-shots.2B", "one-shots.VCC"), *ground("one-shots.GND"),
        *timing,
        Wire("flash switch.gate", "R gate.a", "white"), *ground("R gate.b", "flash switch.source"),
        Wire("5V.out", "R flash.a", "orange"), Wire("R flash.b", "flash.anode", "orange"),
        Wire("5V.out", "store 3.+", "orange"), *ground("store 3.-"),
        Wire("flash.cathode", "flash switch.drain", "black"),
    ))  # fmt: skip


def plan() -> Plan:
    """Return the wiring of the flash and the camera, with what they share with the shoe."""
    return Plan(_devices(), (_flash(),))
