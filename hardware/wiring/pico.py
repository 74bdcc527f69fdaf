"""The wiring of the full table: the devices on the Pico, by `tablewire.pins`, and the supply of the motors."""

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
    button,
    decoupling,
    exit_and_hopper,
    eye,
    feed,
    feed_wires,
    gives,
    ground,
    ground_rail,
    light_wires,
    lights,
    logic,
    motor_switch,
    motor_wires,
    rail,
    resistor,
    seat_filter,
    seat_socket,
    stop,
    takes,
    two_legs,
)  # fmt: skip
from tablewire.pins import FREE_GPIO, PINS, SEATS, pin

_LAMPS: Final = "ABCDEFGH"


def _pico() -> Device:
    terminals = {f"GP{gpio}": Terminal(BEARS_LOGIC, None) for gpio in FREE_GPIO}
    terminals |= {f"GP{row.gpio}": Terminal(BEARS_LOGIC, LOGIC) for row in PINS if row.way not in ("in", "adc")}
    terminals |= {"3V3": gives(LOGIC), "GND": GROUND, "USB": takes(5.5), "RUN": Terminal(BEARS_LOGIC)}
    return Device("Pico", "pico", terminals, note="fed by the Pi's USB, never by the motors' supply")


def _register(n: int) -> Device:
    terminals = dict.fromkeys(("VCC", "SER", "SRCLK", "RCLK", "SRCLR"), takes(5.5))
    outputs = {f"Q{letter}": gives(5.0) for letter in _LAMPS} | {"QH'": gives(5.0)}
    note = "74AHCT595 at 5 V: 2.0 V is high"
    return Device(f"lamps {n}", "shift-register", {**terminals, "OE": GROUND, "GND": GROUND, **outputs}, note=note)


def _turn_driver() -> Device:
    logic = dict.fromkeys(("VIO", "STEP", "DIR", "EN", "MS1", "MS2", "PDN_UART"), takes(5.5))
    power = {"VM": takes(28.0), "GND": GROUND, "logic GND": GROUND}
    windings = dict.fromkeys(("A1", "A2", "B1", "B2"), gives(12.0))
    note = "MS1, MS2 low: 8 microsteps; PDN_UART high: whole current at rest, for the tuning; 1.0 A"
    return Device("turn driver", "turn-driver", {**logic, **power, **windings}, note=note)


def _divider() -> Device:
    """Return the two resistors through which the Pico measures the motors' supply."""
    share = p.SENSE_LOWER_OHM / (p.SENSE_UPPER_OHM + p.SENSE_LOWER_OHM)
    terminals = {"in": takes(LOGIC / share), "tap": gives(round(12.0 * share, 2)), "end": GROUND}
    note = f"{p.SENSE_UPPER_OHM / 1000:g} k over {p.SENSE_LOWER_OHM / 1000:g} k: {12 * share:.1f} V of 12 V"
    return Device("divider", "resistors", terminals, note=note)


def _devices() -> dict[str, Device]:
    all_of_them = (
        Device("Pi", "pi", {"USB": gives(5.0)}, note="USB carries the line and feeds the Pico"),
        _pico(),
        ground_rail("full-board"),
        *(rail(name, part="full-board") for name in ("3V3", "5V", "12V")),
        rail("motors", "12 V behind the diode", "full-board"),
        Device("supply", "supply-12v", {"+": gives(12.0), "-": GROUND}, note="12 V 5 A"),
        Device("supply socket", "supply-socket", {"+": ANY, "-": GROUND}),
        two_legs("fuse", "fuse", note="2.5 A slow"),
        stop(),
        motor_switch(),
        Device("diode", "diode", {"anode": ANY, "cathode": ANY}, (("anode", "cathode"),), "SB560: lets nothing back"),
        blocks("store", "bulk-capacitor", "+", "-", "1000 µF: takes what braking gives back"),
        blocks("store 2", "driver-capacitor", "+", "-", "100 µF at the stepper driver"),
        Device("regulator", "regulator-5v", {"IN": takes(36.0), "GND": GROUND, "OUT": gives(5.0)}, note="5 V 2.5 A"),
        _turn_driver(),
        Device("turn motor", "turn-motor", dict.fromkeys(("black", "green", "red", "blue"), ANY)),
        resistor("R EN", "10 k"),
        _divider(),
        decoupling("power"),
        *feed(),
        Device("home sensor", "home-sensor", {"VCC": takes(38.0), "GND": GROUND, "OUT": takes(38.0)}),
        resistor("R home", "10 k"),
        Device("marks sensor", "home-sensor", {"VCC": takes(38.0), "GND": GROUND, "OUT": takes(38.0)}),
        resistor("R marks", "10 k"),
        *exit_and_hopper(),
        *lights(),
        resistor("R buzzer", "1 k"),
        Device("transistor", "transistor", {"base": takes(5.0), "collector": takes(40.0), "emitter": GROUND}),
        two_legs("buzzer", "buzzer", "+", "-"),
        Device("diode 2", "signal-diode", {"anode": ANY, "cathode": ANY}, (("anode", "cathode"),), "1N4148"),
        button("service", "service-button"),
        button("run", "service-button"),
        *(button(f"seat {seat}", "seat-button", lamp=True) for seat in range(SEATS)),
        *(seat_socket(seat) for seat in range(SEATS)),
        *(part for seat in range(SEATS) for part in seat_filter(seat)),
        _register(1),
        _register(2),
        decoupling("lamps 1"),
        decoupling("lamps 2"),
    )
    return {device.name: device for device in all_of_them}


def _at(name: str) -> str:
    return f"Pico.GP{pin(name).gpio}"


def _from(name: str, to: str) -> Wire:
    """Return the wire of a pin, in its color of the pin table."""
    return Wire(_at(name), to, pin(name).wire)


def _power() -> Harness:
    return Harness("power", "Power: the supply, and 12 V for the logic", (
        Wire("supply.+", "supply socket.+", "red"), Wire("supply.-", "supply socket.-", "black"),
        Wire("supply socket.+", "fuse.a", "red"), Wire("fuse.b", "12V.out", "red"), *ground("supply socket.-"),
        Wire("12V.out", "regulator.IN", "red"),
    ))  # fmt: skip


def _motors_path() -> Harness:
    return Harness("power-stop", "Power: the motors have a path of their own, which stop and switch cut", (
        Wire("12V.out", "stop.a", "red"), Wire("stop.b", "motor switch.a", "red"),
        Wire("motor switch.b", "diode.anode", "red"), Wire("diode.cathode", "motors.out", "red"),
    ))  # fmt: skip


def _motor_rail() -> Harness:
    return Harness("power-motors", "Power: the rail of the motors, and how the Pico measures it", (
        Wire("motors.out", "store.+", "red"), Wire("motors.out", "store 2.+", "red"), *ground("store.-", "store 2.-"),
        Wire("motors.out", "turn driver.VM", "red"), Wire("motors.out", "feed driver.POWER +", "red"),
        *ground("turn driver.GND", "feed driver.POWER -"),
        Wire("motors.out", "divider.in", "red"), _from("motor_power", "divider.tap"),
        Wire("divider.tap", "C power.+", pin("motor_power").wire), *ground("divider.end", "C power.-"),
    ))  # fmt: skip


def _logic_rails() -> Harness:
    return Harness("power-logic", "Power: 5 V, and the Pico by USB", (
        Wire("regulator.OUT", "5V.out", "orange"), *ground("regulator.GND"),
        Wire("Pi.USB", "Pico.USB", "white"), Wire("Pico.3V3", "3V3.out", "red"), *ground("Pico.GND"),
    ))  # fmt: skip


def _turntable() -> Harness:
    windings = (("A1", "black"), ("A2", "green"), ("B1", "red"), ("B2", "blue"))
    return Harness("turntable", "Turntable: stepper motor and hall switches", (
        _from("turn_step", "turn driver.STEP"), _from("turn_direction", "turn driver.DIR"),
        _from("turn_off", "turn driver.EN"), Wire("turn driver.EN", "R EN.a", "violet"),
        *logic("R EN.b", "turn driver.VIO", "turn driver.PDN_UART"),
        *ground("turn driver.logic GND", "turn driver.MS1", "turn driver.MS2"),
        *(Wire(f"turn driver.{end}", f"turn motor.{color}", color) for end, color in windings),
        _from("home", "home sensor.OUT"), Wire("home sensor.OUT", "R home.a", "orange"),
        *logic("R home.b", "home sensor.VCC"), *ground("home sensor.GND"),
        _from("marks", "marks sensor.OUT"), Wire("marks sensor.OUT", "R marks.a", pin("marks").wire),
        *logic("R marks.b", "marks sensor.VCC"), *ground("marks sensor.GND"),
    ))  # fmt: skip


def _shoe() -> Harness:
    return Harness("shoe", "Shoe: feed motor, card exit and hopper", (
        *feed_wires(_at("feed_forward"), _at("feed_back")), *motor_wires(),
        *_eye("exit", "exit barrier"), *_eye("hopper", "hopper sensor"),
    ))  # fmt: skip


def _eye(name: str, device: str) -> tuple[Wire, ...]:
    return eye(name, device, _at(name), pin(name).wire)


def _lights() -> Harness:
    return Harness("ring", "Ring, buzzer, service and RUN button", (
        *light_wires(_at("ring"), "5V.out"),
        _from("buzzer", "R buzzer.a"), Wire("R buzzer.b", "transistor.base", "orange"),
        Wire("5V.out", "buzzer.+", "orange"), Wire("buzzer.-", "transistor.collector", "white"),
        Wire("diode 2.anode", "transistor.collector", "white"), Wire("diode 2.cathode", "5V.out", "orange"),
        *ground("transistor.emitter"),
        _from("service", "service.switch 1"), *ground("service.switch 2"),
        Wire("Pico.RUN", "run.switch 1", "white"), *ground("run.switch 2"),
    ))  # fmt: skip


def _buttons() -> Harness:
    wires = []
    for seat in range(SEATS):
        color = pin(f"button_{seat}").wire
        wires += [
            _from(f"button_{seat}", f"R seat {seat}.a"),
            Wire(f"R seat {seat}.a", f"C seat {seat}.+", color),
            Wire(f"R seat {seat}.b", f"TVS {seat}.cathode", color),
            Wire(f"R seat {seat}.b", f"socket {seat}.pin 1", color),
            Wire(f"socket {seat}.pin 1", f"seat {seat}.switch 1", color),
            Wire(f"socket {seat}.pin 2", f"seat {seat}.switch 2", "black"),
            *ground(f"socket {seat}.pin 2", f"C seat {seat}.-", f"TVS {seat}.anode"),
        ]
    return Harness("seat-buttons", "UNO buttons of the seats", tuple(wires))


def _lamps() -> Harness:
    wires = [_from("lamps_data", "lamps 1.SER"), Wire("lamps 1.QH'", "lamps 2.SER", "blue")]
    for name, terminal in (("clock", "SRCLK"), ("latch", "RCLK")):
        color = pin(f"lamps_{name}").wire
        wires += [
            _from(f"lamps_{name}", f"lamps 1.{terminal}"),
            Wire(f"lamps 1.{terminal}", f"lamps 2.{terminal}", color),
        ]
    for n in (1, 2):
        wires += [
            *(Wire("5V.out", f"lamps {n}.{one}", "orange") for one in ("VCC", "SRCLR")),
            *ground(f"lamps {n}.GND", f"lamps {n}.OE"),
        ]
        wires += [Wire(f"lamps {n}.VCC", f"C lamps {n}.+", "orange"), *ground(f"C lamps {n}.-")]
    for seat in range(SEATS):
        register, output = seat // len(_LAMPS) + 1, _LAMPS[seat % len(_LAMPS)]
        wires += [
            Wire(f"lamps {register}.Q{output}", f"socket {seat}.pin 3", "white"), *ground(f"socket {seat}.pin 4"),
            Wire(f"socket {seat}.pin 3", f"seat {seat}.lamp +", "white"),
            Wire(f"socket {seat}.pin 4", f"seat {seat}.lamp -", "black"),
        ]  # fmt: skip
    return Harness("seat-lamps", "Lamps of the seats", tuple(wires))


def plan() -> Plan:
    """Return the wiring of the full table without the Pi's own keys."""
    return Plan(
        _devices(),
        (
            _power(),
            _motors_path(),
            _motor_rail(),
            _logic_rails(),
            _turntable(),
            _shoe(),
            _lights(),
            _buttons(),
            _lamps(),
        ),
    )
