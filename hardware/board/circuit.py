"""The printed circuit of the full table's board: its tables for `hardware.circuit`, from wiring and layout."""

from __future__ import annotations

from typing import Final

from hardware import power, wall
from hardware.board.layout import placed
from hardware.board.model import HOLES, PITCH, ROWS, Hole, Placed
from hardware.circuit.copper import Board, Drawn, Pad, Part, Point
from hardware.circuit.design import Design, Path, board_nets
from hardware.quantity import Quantity
from hardware.wiring import pico
from hardware.wiring.model import Plan

SIZE: Final = (160.0, 86.0)
SCREWS: Final = tuple(((x, y), 3.4) for x in (4.0, 156.0) for y in (4.0, 82.0))
OFF_BOARD: Final = {"Pi.USB", "Pico.USB", "stop.b", "motor switch.a", "feed driver.MOTOR 1", "feed driver.MOTOR 2",
                    "feed motor.red", "feed motor.black"}  # fmt: skip
"""Terminals whose wires do not touch the board: a USB cable, the wire from the emergency stop to the motor switch, and
screw terminals of the driver itself."""
PLUGGED: Final = {hole.plugged for hole in wall.HOLES if hole.plugged}
"""Devices behind a socket in the wall."""
RAILS: Final = ("GND", "3V3", "5V", "12V", "motors")
"""Devices of the wiring that are copper of the board."""
THIN_A: Final = Quantity(1.0, "A", "chosen: wires of 0.14 mm² to the sensors and the ring")
COPPER_MM: Final = Quantity(0.035, "mm", "1 oz, what makers give by default")
WARMER_C: Final = Quantity(10.0, "°C", "chosen: by so much the motors' current may warm a track")
WIDE: Final = 1.6
"""Width of the tracks of the motors' supply, and of the narrowest ground on their way (mm)."""
_LESS_WIDE: Final = 0.8
_NAMES: Final = {"GND.GND": "GND", "3V3.out": "3V3", "5V.out": "5V", "12V.out": "12V", "motors.out": "MOTORS",
                 "fuse.a": "SUPPLY", "motor switch.b": "SWITCHED"}  # fmt: skip
_HEAVY: Final = ("SUPPLY", "12V", "SWITCHED", "MOTORS")
_THICK: Final = {"fuse.": (1.5, 2.4), "diode.": (1.5, 2.4), "supply socket.": (1.3, 2.2), "stop.": (1.3, 2.2),
                 "motor switch.": (1.3, 2.2), "feed driver.POWER": (1.3, 2.2)}  # fmt: skip
"""Drill and pad of thick legs, and of wires of 0.75 mm² (mm); others have 1.0 and 1.7."""
_GROUNDS: Final = ("supply socket.-", "feed driver.POWER -", "turn driver.GND", "regulator.GND")
_SIGNS: Final = {"cathode": "K", "+": "+"}
_PREFIX: Final = {
    "pico": "U", "shift-register": "U", "level-shifter": "U", "turn-driver": "U", "feed-driver": "U",
    "regulator-5v": "U", "resistors": "R", "divider": "R", "fuse": "F", "diode": "D", "signal-diode": "D",
    "suppressor": "D", "transistor": "Q", "buzzer": "BZ", "service-button": "SW", "capacitors": "C",
    "seat-capacitor": "C",
    "bulk-capacitor": "C", "driver-capacitor": "C",
}  # fmt: skip
"""Of the references; what is not here is the end of wires: J."""


def bears_a(width: float) -> float:
    """Return the current that a track on the outside of a board bears (A), by IPC-2221."""
    square_mils = width * COPPER_MM / 0.0254**2
    return float(0.048 * WARMER_C**0.44 * square_mils**0.725)


def hole_at(hole: Hole) -> Point:
    """Return the place of a hole on the board (mm), rows from above."""
    row, number = hole
    return (round(SIZE[0] / 2 + (number - (HOLES - 1) / 2) * PITCH, 4),
            round(SIZE[1] / 2 + (row - (ROWS - 1) / 2) * PITCH, 4))  # fmt: skip


def _kind(part: Placed, plan: Plan) -> str:
    return "divider" if part.name == "divider" else plan.devices[part.name].part


def _terminals(part: Placed) -> tuple[str, ...]:
    """Return the terminals by number of their pad: a button has two legs for each."""
    every = [terminal for _, terminal in part.legs]
    return tuple(dict.fromkeys(every)) if part.is_back else tuple(every)


def _pads(part: Placed, net_of: dict[str, str]) -> list[Pad]:
    found = []
    terminals = _terminals(part)
    for n, (hole, terminal) in enumerate(part.legs):
        place = f"{part.name}.{terminal}"
        drill, size = next((one for name, one in _THICK.items() if place.startswith(name)), (1.0, 1.7))
        number = terminals.index(terminal) if part.is_back else n
        net = net_of.get(place, "")
        found.append(Pad(str(number + 1), hole_at(hole), (size, size), "circle", drill, net, place in _GROUNDS))
    return found


def _part(part: Placed, plan: Plan, net_of: dict[str, str]) -> tuple[Part, Drawn]:
    pads = _pads(part, net_of)
    x, y = pads[0].at
    box, height = (x, y, x, y), 0.0
    if part.body is not None:
        rows, holes = part.body.rows, part.body.holes
        (left, top), (right, bottom) = (_edge(rows[n], holes[n]) for n in (0, 1))
        box, height = (left, top, right, bottom), part.body.height
    a, b, c, d = box
    corners = ((a, b), (c, b), (c, d), (a, d))
    lines = tuple(zip(corners, (*corners[1:], corners[0]), strict=True)) if part.body is not None else ()
    device = plan.devices[part.name]
    around = tuple(Pad(one.number, _from(one.at, (x, y)), one.size, one.shape, one.drill) for one in pads)
    room = (*_from((a, b), (x, y)), *_from((c, d), (x, y)))
    made = Part(part.name, _footprint(part), device.note or device.part, (x, y), 0, tuple(pads), lines, box,
                height=height, is_back=part.is_back)  # fmt: skip
    return made, (around, room, room, height)


def _footprint(part: Placed) -> str:
    return part.name.replace(" ", "-")


def _edge(row: float, number: float) -> Point:
    return (round(SIZE[0] / 2 + (number - (HOLES - 1) / 2) * PITCH, 4),
            round(SIZE[1] / 2 + (row - (ROWS - 1) / 2) * PITCH, 4))  # fmt: skip


def _from(at: Point, origin: Point) -> Point:
    return round(at[0] - origin[0], 4), round(at[1] - origin[1], 4)


def references() -> dict[str, str]:
    """Return the reference of each device: what belongs to seat 0 has number 1, the others follow from 11."""
    plan = pico.plan()
    found: dict[str, str] = {}
    last: dict[str, int] = {}
    for part in placed():
        kind, _, seat = part.name.rpartition(" ")
        letter = _PREFIX.get(_kind(part, plan), "J")
        if kind in ("C seat", "R seat", "TVS", "socket"):
            found[part.name] = f"{letter}{int(seat) + 1}"
        else:
            last[letter] = last.get(letter, 10 if letter in "RCDJ" else 0) + 1
            found[part.name] = f"{letter}{last[letter]}"
    return found


def wire_label(reference: str, number: str) -> str:
    """Return what stands beside the end of a wire: number of its device and a letter."""
    return reference.removeprefix("J") + "ABCDEFGH"[int(number) - 1]


def are_wires(part: Placed) -> bool:
    """Return whether the holes of a part are for wires: to what is not on the board, or is screwed beside its holes."""
    return part.body is None or part.name == "feed driver"


def _words(parts: tuple[Part, ...]) -> tuple[tuple[str, Point, float], ...]:
    """Return the reference of each part, the label of each wire, and what tells one leg from the other."""
    known, placed_of = references(), {part.name: part for part in placed()}
    found = []
    for part in parts:
        reference, of_wiring = known[part.name], placed_of[part.name]
        if of_wiring.body is not None:
            found.append((reference, _middle(part), 1.0))
        for pad, (_, terminal) in zip(part.pads, of_wiring.legs, strict=True):
            sign = _SIGNS.get(terminal, "")
            if are_wires(of_wiring):
                sign = wire_label(reference, pad.number)
            elif not sign and pad.number == "1" and len(part.pads) > 2 and not part.is_back:
                sign = "1"
            if sign:
                found.append((sign, (pad.at[0], round(pad.at[1] - PITCH / 2, 4)), 0.75))
    return tuple(found)


def _middle(part: Part) -> Point:
    """Return where the reference stands: in the middle of the part, or beside it where a pad is there."""
    left, top, right, bottom = part.body
    x, y = (left + right) / 2, round((top + bottom) / 2, 4)
    if part.is_back:
        return round(left - 1.9, 4), y
    is_free = all(abs(pad.at[0] - x) > 2.2 or abs(pad.at[1] - y) > 1.4 for pad in part.pads)
    return (round(x, 4) if is_free else round(right + 1.7, 4)), y


def _paths() -> tuple[Path, ...]:
    """Return the ways of the great currents; `power` has the currents, `bears_a` what a width bears."""
    return (
        Path("SUPPLY", ("supply socket.+", "fuse.a"), WIDE),
        Path("12V", ("fuse.b", "stop.a", "regulator.IN"), WIDE),
        Path("SWITCHED", ("motor switch.b", "diode.anode"), WIDE),
        Path("MOTORS", ("diode.cathode", "store.+", "store 2.+", "turn driver.VM", "feed driver.POWER +"), WIDE),
        Path("GND", ("supply socket.-", "feed driver.POWER -", "store.-"), WIDE),
        Path("GND", _GROUNDS, _LESS_WIDE),
        Path("5V", ("regulator.OUT", "ring.5V", "lamps 1.VCC", "lamps 2.VCC"), _LESS_WIDE),
    )


def currents() -> dict[str, float]:
    """Return the worst current of each wide net (A)."""
    stepper, feed, five = (load.worst for load in power.twelve_volts().loads)
    return {"SUPPLY": stepper + feed + five, "12V": stepper + feed + five, "SWITCHED": stepper + feed,
            "MOTORS": stepper + feed, "GND": stepper + feed + five,
            "5V": sum(load.worst for load in power.five_volts().loads)}  # fmt: skip


def _symbols(design_pins: dict[str, tuple[str, ...]], kinds: dict[str, str]) -> dict[str, Point]:
    """Return the middle of each symbol: columns from the left, filled from above."""
    found: dict[str, Point] = {}
    x, y = 40.64, 20.32
    for part in placed():
        high = 2.54 * (max((len(design_pins[kinds[part.name]]) + 1) // 2, 1) + 3)
        if y + high > 400:
            x, y = x + 60.96, 20.32
        found[part.name] = (x, round(y + high / 2 - (y + high / 2) % 2.54, 4))
        y += high
    return found


def design() -> Design:
    """Return the design of the board."""
    plan = pico.plan()
    named = board_nets(plan, {*OFF_BOARD, *RAILS, *PLUGGED}, _NAMES)
    net_of = {place: name for name, places in named.items() for place in places}
    made = [_part(part, plan, net_of) for part in placed()]
    parts = tuple(part for part, _ in made)
    kinds = {part.name: _kind(part, plan) for part in placed()}
    pins = {kinds[part.name]: _terminals(part) for part in placed()}
    return Design(
        name="full-table", title="The board of the full table", module="hardware.board", plan=plan,
        bare=Board(SIZE, parts, SCREWS, words=_words(parts)), nets=named, references=references(),
        pins=pins, kinds=kinds, prefix={kind: _PREFIX.get(kind, "J") for kind in pins},
        footprints={part.footprint: drawn for part, drawn in made}, sheet="A2", symbols=_symbols(pins, kinds),
        origin=hole_at((0, 0)), step=PITCH / 4,
        widths={**dict.fromkeys(_HEAVY, WIDE), "5V": _LESS_WIDE}, heavy=frozenset(_HEAVY),
        thin=frozenset({"divider.in"}), paths=_paths(),
    )  # fmt: skip


def parts_list() -> list[str]:
    """Return the parts by reference, then the end of each wire by its label on the board."""
    made = design()
    found = []
    for part in placed():
        device, reference = made.plan.devices[part.name], made.references[part.name]
        if part.body is not None:
            note = f", {device.note}" if device.note else ""
            found.append(f"{reference:<5} {part.name}: {device.part}{note}")
    for part in placed():
        if are_wires(part):
            label = made.references[part.name]
            found += [f"{wire_label(label, str(n))} {part.name}: {end}" for n, (_, end) in
                      enumerate(part.legs, start=1)]  # fmt: skip
    return found
