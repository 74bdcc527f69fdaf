"""The layout of the board: footprints, and the place of each part, chosen so that each seat goes straight.

The Pico stands in sockets, its USB socket over the left edge, pins 1 to 20 in the lower row. Each seat's resistor and
capacitor lie under it, above their pin; the suppressor lies between the Pico and the socket of the seat's cable. The
first five seats are plugged at the lower edge, the others at the upper one, the ring at the right. The program counts
seats from 0, the silk screen from 1, as people do.
"""

from __future__ import annotations

from typing import Final

from hardware.button_board import wiring
from hardware.circuit.copper import Board, Box, Drawn, Line, Pad, Part, Point, turned
from hardware.circuit.design import Design
from hardware.wiring.model import Plan
from tablewire.pins import SEATS, pin

SIZE: Final = (60.0, 40.0)
PITCH: Final = 2.54
FIRST: Final = (2.87, 28.89)
"""Middle of the Pico's pin 1."""
ROWS: Final = 17.78
"""Distance of the Pico's rows."""
HOLES: Final = tuple(((x, y), 3.2) for x in (3.5, 56.5) for y in (3.5, 36.5))
_LOWER: Final = "GP0 GP1 GND GP2 GP3 GP4 GP5 GND GP6 GP7 GP8 GP9 GND GP10 GP11 GP12 GP13 GND GP14 GP15"
_UPPER: Final = "GP16 GP17 GND GP18 GP19 GP20 GP21 GND GP22 RUN GP26 GP27 GND GP28 ADC_VREF 3V3 3V3_EN GND VSYS VBUS"
PICO_PINS: Final = (*_LOWER.split(), *_UPPER.split())
"""Terminals of the Pico by pin number, from 1 (its data sheet, figure 4)."""


def _pico() -> Drawn:
    pads = []
    for n in range(40):
        x = PITCH * (n if n < 20 else 39 - n)
        pads.append(Pad(str(n + 1), (x, 0.0 if n < 20 else -ROWS), (1.7, 1.7), "rect" if n == 0 else "circle", 1.0))
    body = (-1.37, -ROWS - 1.61, 49.63, 1.61)
    return tuple(pads), body, body, 13.0


def _chip(
    length: float, width: float, apart: float, height: float, *, box: Box | None = None, mark: float = 0.0
) -> Drawn:
    """Return a part with two pads. ``mark``: room beside pad 1 for a line that marks it (mm)."""
    pads = tuple(Pad(str(n + 1), (side * apart / 2, 0.0), (length, width)) for n, side in enumerate((-1, 1)))
    out = apart / 2 + length / 2
    body = (-out - mark, -width / 2, out, width / 2)
    return pads, body, box or body, height


def _jst(n: int) -> Drawn:
    pads = tuple(Pad(str(k + 1), (2.5 * k, 0.0), (1.7, 2.0), "rect", 1.0) for k in range(n))
    body = (-2.45, -2.35, 2.5 * (n - 1) + 2.45, 3.4)
    return pads, body, body, 7.0


def _sot() -> Drawn:
    places = ((-1, -0.95), (-1, 0.0), (-1, 0.95), (1, 0.95), (1, -0.95))
    pads = tuple(Pad(str(n + 1), (side * 1.1375, y), (1.325, 0.6)) for n, (side, y) in enumerate(places))
    return pads, (-1.8, -1.45, 1.8, 1.45), (-0.3, -1.45, 0.3, 1.45), 1.45


def _key() -> Drawn:
    places = (("1", -2.25, -3.25), ("1", -2.25, 3.25), ("2", 2.25, -3.25), ("2", 2.25, 3.25))
    pads = tuple(Pad(number, (x, y), (1.9, 1.9), "circle", 1.0) for number, x, y in places)
    return pads, (-3.2, -4.2, 3.2, 4.2), (-3.0, -2.1, 3.0, 2.1), 4.3


FOOTPRINTS: Final = {
    "pico-in-sockets": _pico(),
    "0805": _chip(1.2, 1.4, 2.0, 1.25),
    "1206": _chip(1.4, 1.8, 3.1, 1.2),
    "SOD-123FL": _chip(1.2, 1.3, 2.9, 1.1, box=(-0.7, -0.9, 0.7, 0.9), mark=0.5),
    "SOT-23-5": _sot(),
    "JST-B2B-XH-A": _jst(2),
    "JST-B3B-XH-A": _jst(3),
    "B3F-1000": _key(),
}
"""Pads as the makers' drawings recommend them, longer by a hand's width of solder at the chips."""

MARKS: Final[dict[str, tuple[Line, ...]]] = {"SOD-123FL": (((-2.35, -0.9), (-2.35, 0.9)),)}
"""Lines of the silk screen that tell one end of a part from the other: at a diode's cathode."""

PINS: Final[dict[str, tuple[str, ...]]] = {
    "pico": tuple(PICO_PINS),
    "one-buffer": ("OE", "A", "GND", "Y", "VCC"),
    "jst-2": ("1", "2"),
    "jst-3": ("1", "2", "3"),
    "smd-suppressor": ("cathode", "anode"),
    "service-button": ("switch 1", "switch 2"),
    **dict.fromkeys(("smd-1k", "smd-330", "ptc-fuse"), ("a", "b")),
    **dict.fromkeys(("smd-10n", "smd-100n", "smd-10u"), ("+", "-")),
}
"""Terminal of the wiring at each pad, by number from 1."""

_OF: Final = {
    "pico": "pico-in-sockets", "one-buffer": "SOT-23-5", "jst-2": "JST-B2B-XH-A", "jst-3": "JST-B3B-XH-A",
    "smd-suppressor": "SOD-123FL", "service-button": "B3F-1000", "ptc-fuse": "1206", "smd-10u": "1206",
    **dict.fromkeys(("smd-1k", "smd-330", "smd-10n", "smd-100n"), "0805"),
}  # fmt: skip


def _pin_x(gpio: int) -> float:
    n = PICO_PINS.index(f"GP{gpio}")
    return FIRST[0] + PITCH * (n if n < 20 else 39 - n)


def _places() -> dict[str, tuple[float, float, int]]:
    """Return where each part lies: its middle or pin 1, and its turn."""
    places = {
        "Pico": (*FIRST, 0), "fuse": (8.0, 14.4, 0), "C 5V": (50.2, 23.6, 0), "shifter": (39.7, 16.6, 0),
        "C shifter": (44.0, 15.8, 90), "R ring": (47.6, 17.0, 0), "socket ring": (56.2, 19.5, 90),
        "service": (56.2, 27.4, 0),
    }  # fmt: skip
    for seat in range(SEATS):
        x, middle = _pin_x(pin(f"button_{seat}").gpio), 12.0 + 9.0 * (seat % 5)
        places[f"C seat {seat}"] = (x, 25.4, 90)
        places[f"R seat {seat}"] = (x, 20.2, 90)
        if seat < 5:
            places[f"TVS {seat}"], places[f"socket {seat}"] = (middle, 31.9, 0), (middle - 1.25, 36.2, 0)
        else:
            places[f"TVS {seat}"], places[f"socket {seat}"] = (middle, 8.1, 180), (middle + 1.25, 3.8, 180)
    return places


def _part(name: str, plan: Plan, net_of: dict[str, str], place: tuple[float, float, int]) -> Part:
    device = plan.devices[name]
    footprint = _OF[device.part]
    pads, body, drawn, height = FOOTPRINTS[footprint]
    x, y, degrees = place
    terminals = PINS[device.part]
    put = []
    for pad in pads:
        dx, dy = turned(pad.at, degrees)
        size = pad.size if degrees % 180 == 0 else (pad.size[1], pad.size[0])
        net = net_of.get(f"{name}.{terminals[int(pad.number) - 1]}", "")
        at = round(x + dx, 4), round(y + dy, 4)
        put.append(Pad(pad.number, at, size, pad.shape, pad.drill, net))
    box, room = _boxed(drawn, place), _boxed(body, place)
    corners = ((box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]))
    marks = (tuple(_moved(at, place) for at in line) for line in MARKS.get(footprint, ()))
    lines = (*zip(corners, (*corners[1:], corners[0]), strict=True), *((a, b) for a, b in marks))
    raised = 8.5 if device.part == "pico" else 0.0
    return Part(name, footprint, device.note or device.part, (x, y), degrees, tuple(put), lines, room, raised, height)


def _moved(at: Point, place: tuple[float, float, int]) -> Point:
    x, y, degrees = place
    dx, dy = turned(at, degrees)
    return round(x + dx, 4), round(y + dy, 4)


def _boxed(box: Box, place: tuple[float, float, int]) -> Box:
    x, y, degrees = place
    (ax, ay), (bx, by) = turned(box[:2], degrees), turned(box[2:], degrees)
    return (round(x + min(ax, bx), 4), round(y + min(ay, by), 4), round(x + max(ax, bx), 4),
            round(y + max(ay, by), 4))  # fmt: skip


def _words() -> tuple[tuple[str, Point, float], ...]:
    found = [("CROUPIER", (41.0, 24.6), 1.6), ("5V", (52.6, 19.6), 0.9), ("DIN", (52.4, 17.0), 0.9),
             ("GND", (52.4, 14.4), 0.9), ("SERVICE", (56.2, 22.2), 0.9), ("USB", (5.4, 17.2), 1.0)]  # fmt: skip
    for seat in range(SEATS):
        middle = 12.0 + 9.0 * (seat % 5)
        number = str(seat + 1)
        size, aside = (1.4, 4.4) if len(number) == 1 else (0.95, 4.56)
        found.append((number, (middle - aside, 36.2 if seat < 5 else 3.8), size))
    return tuple(found)


def bare() -> Board:
    """Return the board with its parts and without tracks."""
    plan = wiring.plan()
    net_of = {place: name for name, places in wiring.nets_on_board(plan).items() for place in places}
    parts = tuple(_part(name, plan, net_of, place) for name, place in _places().items())
    return Board(SIZE, parts, HOLES, words=_words())


_REFERENCES: Final = {"Pico": "U1", "shifter": "U2", "fuse": "F1", "C 5V": "C11", "C shifter": "C12", "R ring": "R11",
                      "socket ring": "J11", "service": "SW1"}  # fmt: skip
_LETTERS: Final = {"C seat": "C", "R seat": "R", "TVS": "D", "socket": "J"}
_PREFIX: Final = {"pico": "U", "one-buffer": "U", "jst-2": "J", "jst-3": "J", "smd-suppressor": "D",
                  "service-button": "SW", "smd-1k": "R", "smd-330": "R", "ptc-fuse": "F", "smd-10n": "C",
                  "smd-100n": "C", "smd-10u": "C"}  # fmt: skip
_WIDTHS: Final = {"VBUS": 0.8, "RING_5V": 0.8}
"""Of the tracks that carry the ring's current (mm): IPC-2221, 35 µm, 10 °C warmer at 2 A."""


def _symbols() -> dict[str, Point]:
    """Return the middle of each symbol: the Pico at the left, a row for each seat at the right."""
    found = {"Pico": (60.96, 99.06), "fuse": (50.8, 182.88), "C 5V": (50.8, 198.12), "shifter": (101.6, 182.88),
             "C shifter": (101.6, 198.12), "R ring": (152.4, 182.88), "socket ring": (203.2, 182.88),
             "service": (152.4, 198.12)}  # fmt: skip
    for seat in range(SEATS):
        for n, kind in enumerate(_LETTERS):
            found[f"{kind} {seat}"] = (127.0 + 45.72 * n, 25.4 + 15.24 * seat)
    return found


def design() -> Design:
    """Return the design of the board. Seat 0 has the references with number 1."""
    plan = wiring.plan()
    references = {f"{kind} {seat}": f"{letter}{seat + 1}" for kind, letter in _LETTERS.items() for seat in range(SEATS)}
    return Design(
        name="buttons-and-ring", title="The board of buttons and ring", module="hardware.button_board", plan=plan,
        bare=bare(), nets=wiring.nets_on_board(plan), references=references | _REFERENCES, pins=PINS, prefix=_PREFIX,
        footprints=FOOTPRINTS, marks=MARKS, sheet="A4", symbols=_symbols(), origin=FIRST, step=PITCH / 10,
        widths=_WIDTHS,
    )  # fmt: skip
