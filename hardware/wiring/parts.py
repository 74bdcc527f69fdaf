"""The devices of the wiring, with the voltages that their terminals drive and tolerate (data sheets: in the bill)."""

from __future__ import annotations

from typing import Final

from hardware import parameters as p
from hardware.wiring.model import Device, Terminal, Wire

LOGIC: Final = 3.3
BEARS_LOGIC: Final = 3.63
"""RP2040 data sheet: an input tolerates its supply + 0.3 V. The Raspberry Pi's header does the same."""

GROUND: Final = Terminal(bears=0.0, is_ground=True)
ANY: Final = Terminal()


def takes(volts: float) -> Terminal:
    """Return an input for a supply or a signal of this voltage, which is also the greatest that it tolerates."""
    return Terminal(bears=volts)


def gives(volts: float) -> Terminal:
    """Return a terminal that drives this voltage."""
    return Terminal(bears=volts, gives=volts)


def two_legs(name: str, part: str, a: str = "a", b: str = "b", note: str = "") -> Device:
    """Return a part with two legs that conducts both ways: a resistor, a switch, a lamp."""
    return Device(name, part, {a: ANY, b: ANY}, ((a, b), (b, a)), note)


def resistor(name: str, ohm: str) -> Device:
    """Return a resistor."""
    return two_legs(name, "resistors", note=ohm)


def blocks(name: str, part: str, to: str, back: str, note: str = "") -> Device:
    """Return a capacitor across a supply between ``to`` and ``back``; it conducts no direct current."""
    return Device(name, part, {to: takes(35.0), back: GROUND}, (), note)


def stop() -> Device:
    """Return the emergency stop: it takes the motors' current away, and Pico and ring go on."""
    return two_legs("stop", "stop-button", note="emergency stop: opens when pressed, twist to close")


def seat_socket(seat: int) -> Device:
    """Return the socket of a seat in the wall of the base."""
    return Device(
        f"socket {seat}", "seat-socket", {f"pin {n}": ANY for n in range(1, 5)}, note="1, 2: button; 3, 4: its lamp"
    )


def motor_switch() -> Device:
    """Return the switch that keeps the motors without current while somebody reaches in or loads cards."""
    return two_legs("motor switch", "motor-switch")


def seat_filter(seat: int) -> tuple[Device, ...]:
    """Return what keeps the sparks and the hum of a seat's long cable from the pin."""
    return contact_filter(f"seat {seat}", str(seat))


def contact_filter(name: str, suppressor: str, ohm: float = p.SEAT_OHM) -> tuple[Device, ...]:
    """Return the filter of a contact: a resistor in series, a capacitor at the pin, a suppressor at the cable."""
    return (
        resistor(f"R {name}", f"{ohm / 1000:g} k" if ohm >= 1000 else f"{ohm:g} ohm"),
        blocks(f"C {name}", "seat-capacitor", "+", "-", f"{p.SEAT_NF:g} nF"),
        Device(f"TVS {suppressor}", "suppressor", {"cathode": takes(p.SEAT_BEARS), "anode": GROUND}, note="6.8 V"),
    )


def button(name: str, part: str, *, lamp: bool = False) -> Device:
    """Return a push button; its lamp has a resistor of its own."""
    terminals = {"switch 1": ANY, "switch 2": ANY}
    through: tuple[tuple[str, str], ...] = (("switch 1", "switch 2"), ("switch 2", "switch 1"))
    if lamp:
        terminals |= {"lamp +": takes(12.0), "lamp -": ANY}
        through += (("lamp +", "lamp -"),)
    return Device(name, part, terminals, through)


def optical(name: str, part: str) -> Device:
    """Return an optical sensor: a lamp and a phototransistor."""
    terminals = {"anode": takes(5.0), "cathode": ANY, "collector": takes(70.0), "emitter": ANY}
    return Device(name, part, terminals, (("anode", "cathode"), ("collector", "emitter")))


def rail(name: str, note: str = "", part: str = "terminal") -> Device:
    """Return what distributes a supply: lever terminals, or strips of a board."""
    return Device(name, part, {"out": ANY}, (), note)


def ground_rail(part: str = "terminal") -> Device:
    """Return what connects all grounds: lever terminals, or strips of a board."""
    return Device("GND", part, {"GND": GROUND}, (), "all grounds meet here")


_UNUSED: Final = ("2OE", "2A", "3OE", "3A", "4OE", "4A")


def decoupling(name: str) -> Device:
    """Return the 100 nF across the supply of a logic part."""
    return blocks(f"C {name}", "capacitors", "+", "-", "100 nF")


def shifter() -> Device:
    """Return the 74AHCT125 at 5 V: its inputs take 2.0 V as high, so 3.3 V drive it. Only its first buffer is used."""
    return Device(
        "shifter",
        "level-shifter",
        {"VCC": takes(5.5), "GND": GROUND, "1OE": takes(5.5), "1A": takes(5.5), "1Y": gives(5.0),
         **dict.fromkeys(_UNUSED, takes(5.5))},
        note="inputs of the unused buffers to GND",
    )  # fmt: skip


def ring() -> Device:
    """Return the WS2812 ring: its high level is 0.7 of its supply, 3.5 V at 5 V, more than 3.3 V logic gives."""
    return Device("ring", "ring", {"5V": takes(5.3), "GND": GROUND, "DIN": takes(5.3)})


def lights() -> tuple[Device, ...]:
    """Return the ring with the parts of its data line."""
    return shifter(), decoupling("shifter"), resistor("R ring", "330 ohm"), ring()


def feed_driver() -> Device:
    """Return the DRV8871: its inputs tolerate 5.5 V and take 1.5 V as high; 30 k at ILIM limit it to 64/30 = 2.1 A."""
    return Device(
        "feed driver",
        "feed-driver",
        {
            "IN1": takes(5.5),
            "IN2": takes(5.5),
            "GND": GROUND,
            "POWER +": takes(45.0),
            "POWER -": GROUND,
            "MOTOR 1": gives(12.0),
            "MOTOR 2": gives(12.0),
        },
        note="ILIM 30 k: 2.1 A",
    )


def feed_motor() -> Device:
    """Return the feed motor; the four wires of its encoder are not connected."""
    return two_legs("feed motor", "feed-motor", "red", "black", note="12 V, stall 1.8 A")


def feed() -> tuple[Device, ...]:
    """Return the feed motor and its driver, with resistors that keep the motor still while its inputs float."""
    return feed_driver(), feed_motor(), resistor("R IN1", "10 k"), resistor("R IN2", "10 k")


def exit_and_hopper() -> tuple[Device, ...]:
    """Return both optical sensors, each with the resistors of its lamp and its collector."""
    return (
        optical("exit barrier", "exit-barrier"),
        resistor("R exit lamp", "150 ohm: 14 mA"),
        resistor("R exit", "4.7 k: quick edges"),
        optical("hopper sensor", "hopper-sensor"),
        resistor("R hopper lamp", "150 ohm: 14 mA"),
        resistor("R hopper", "18 k"),
    )


def ground(*places: str) -> tuple[Wire, ...]:
    """Return wires from these terminals to ground."""
    return tuple(Wire(place, "GND.GND", "black") for place in places)


def logic(*places: str) -> tuple[Wire, ...]:
    """Return wires from these terminals to 3.3 V."""
    return tuple(Wire("3V3.out", place, "red") for place in places)


def eye(name: str, device: str, pin: str, color: str) -> tuple[Wire, ...]:
    """Return the wires of an optical sensor: its lamp through a resistor, its collector to the pin and up to 3.3 V."""
    return (
        Wire(pin, f"{device}.collector", color),
        Wire(f"{device}.collector", f"R {name}.a", color),
        Wire(f"R {name} lamp.b", f"{device}.anode", "red"),
        *logic(f"R {name}.b", f"R {name} lamp.a"),
        *ground(f"{device}.cathode", f"{device}.emitter"),
    )


def feed_wires(forward: str, back: str) -> tuple[Wire, ...]:
    """Return the wires from two pins to the driver of the feed motor."""
    return (
        Wire(forward, "feed driver.IN1", "red"), Wire("feed driver.IN1", "R IN1.a", "red"),
        Wire(back, "feed driver.IN2", "brown"), Wire("feed driver.IN2", "R IN2.a", "brown"),
        *ground("R IN1.b", "R IN2.b", "feed driver.GND"),
    )  # fmt: skip


def motor_wires() -> tuple[Wire, ...]:
    """Return the wires from that driver to the motor."""
    return (
        Wire("feed driver.MOTOR 1", "feed motor.red", "red"),
        Wire("feed driver.MOTOR 2", "feed motor.black", "black"),
    )


def light_wires(pin: str, five_volts: str) -> tuple[Wire, ...]:
    """Return the wires of the ring."""
    return (
        Wire(pin, "shifter.1A", "blue"), Wire("shifter.1Y", "R ring.a", "blue"), Wire("R ring.b", "ring.DIN", "blue"),
        Wire(five_volts, "shifter.VCC", "orange"), Wire(five_volts, "ring.5V", "orange"),
        Wire("shifter.VCC", "C shifter.+", "orange"), *ground("shifter.GND", "C shifter.-", "shifter.1OE", "ring.GND"),
        *ground(*(f"shifter.{one}" for one in _UNUSED)),
    )  # fmt: skip
