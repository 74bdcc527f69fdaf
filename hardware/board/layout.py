"""The layout of the full table's board: the place of each part, chosen on the grid of 2.54 mm.

Each seat has a row of its own from the Pico's pin through filter and suppressor to the ends of its cable, and the
Pico's ground pins are the rows between them. What carries the motors' current stands together, away from the seats.
"""

from __future__ import annotations

from typing import Final

from hardware.board.model import PITCH, Body, Hole, Placed

PICO: Final = (3, 40)
"""Hole of the Pico's pin 1; its USB socket looks at the seats' sockets."""
_LEFT: Final = (
    "GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7", "GP8", "GP9", "GND", "GP10", "GP11", "GP12",
    "GP13", "GND", "GP14", "GP15",
)  # fmt: skip
_RIGHT: Final = (
    "VBUS", "VSYS", "GND", "3V3_EN", "3V3", "ADC_VREF", "GP28", "GND", "GP27", "GP26", "RUN", "GP22", "GND", "GP21",
    "GP20", "GP19", "GP18", "GND", "GP17", "GP16",
)  # fmt: skip
_REGISTER: Final = (
    ("QB", "QC", "QD", "QE", "QF", "QG", "QH", "GND"),
    ("VCC", "QA", "SER", "OE", "RCLK", "SRCLK", "SRCLR", "QH'"),
)
_SHIFTER: Final = (("1OE", "1A", "1Y", "2OE", "2A", "2Y", "GND"), ("VCC", "4OE", "4A", "4Y", "3OE", "3A", "3Y"))
_STEPPER: Final = (
    ("EN", "MS1", "MS2", "PDN_UART", "-", "CLK", "STEP", "DIR"),
    ("VM", "GND", "A2", "A1", "B1", "B2", "VIO", "logic GND"),
)
_SEAT_ROWS: Final = (3, 4, 6, 7, 8, 9, 11, 12, 13, 14)
_SEAT_GROUNDS: Final = (5, 5, 5, 5, 10, 10, 10, 10, 15, 15)
_LAMPS: Final = {0: (4, 3), **{n: (2 + n, 10) for n in range(1, 8)}, 8: (13, 3), 9: (12, 10)}
"""The end of the wire to each seat's lamp."""


def _two_rows(
    name: str, at: Hole, rows: tuple[tuple[str, ...], tuple[str, ...]], apart: int, height: float, wider: float = 0.5
) -> Placed:
    """Return a part with two rows of legs across the rows of the grid, the second ``apart`` holes from the first."""
    legs = tuple(
        ((at[0] + n, at[1] + row * apart), terminal) for row, one in enumerate(rows) for n, terminal in enumerate(one)
    )
    low, high = sorted((at[1], at[1] + apart))
    body = Body((at[0] - 0.5, at[0] + len(rows[0]) - 0.5), (low - wider, high + wider), height)
    return Placed(name, legs, body)


def _legs(name: str, a: Hole, b: Hole, ends: tuple[str, str], thick: float, height: float) -> Placed:
    """Return a part with two legs and a body ``thick`` mm between them."""
    half = thick / PITCH / 2
    (s0, s1), (h0, h1) = sorted((a[0], b[0])), sorted((a[1], b[1]))
    along = h1 > h0
    body = Body(
        (s0 - half, s1 + half) if along else (s0 - 0.3, s1 + 0.3),
        (h0 - 0.3, h1 + 0.3) if along else (h0 - half, h1 + half),
        height,
    )
    return Placed(name, ((a, ends[0]), (b, ends[1])), body)


def _resistor(name: str, a: Hole, b: Hole) -> Placed:
    return _legs(name, a, b, ("a", "b"), 2.4, 3 if abs(a[1] - b[1]) > 2 else 9)


def _seats() -> list[Placed]:
    found = []
    for seat, (row, back) in enumerate(zip(_SEAT_ROWS, _SEAT_GROUNDS, strict=True)):
        back_by = seat % 4
        found += [
            _legs(f"C seat {seat}", (row, 39 - back_by), (back, 39 - back_by), ("+", "-"), 2.5, 6),
            _resistor(f"R seat {seat}", (row, 34), (row, 30)),
            Placed(f"TVS {seat}", (((row, 28 - 2 * back_by), "cathode"), ((back, 28 - 2 * back_by), "anode")),
                   Body((row - 0.72, row + 0.72), (27.28 - 2 * back_by, 28.72 - 2 * back_by), 11)),
            Placed(f"socket {seat}", (((row, 19), "pin 1"), ((back, 19 - back_by), "pin 2"),
                                      ((back, 15 - back_by), "pin 4"), (_LAMPS[seat], "pin 3"))),
        ]  # fmt: skip
    return found


def _wire_ends() -> list[Placed]:
    """Return the ends of the wires to what is not on the board."""
    sensors = {
        "exit barrier": {"anode": (23, 40), "cathode": (20, 53), "collector": (18, 48), "emitter": (20, 54)},
        "hopper sensor": {"anode": (24, 40), "cathode": (20, 55), "collector": (17, 48), "emitter": (20, 56)},
        "home sensor": {"VCC": (7, 49), "GND": (20, 57), "OUT": (22, 48)},
        "marks sensor": {"VCC": (7, 48), "GND": (20, 60), "OUT": (22, 39)},
        "ring": {"5V": (22, 21), "GND": (20, 58), "DIN": (20, 23)},
        "turn motor": {"green": (26, 52), "black": (27, 52), "red": (28, 52), "blue": (29, 52)},
        "supply socket": {"+": (29, 4), "-": (28, 4)},
        "stop": {"a": (29, 19)},
        "motor switch": {"b": (26, 4)},
    }
    return [Placed(name, tuple((hole, end) for end, hole in ends.items())) for name, ends in sensors.items()]


def _button(name: str, first: int, second: int) -> Placed:
    legs = tuple(((row, h), end) for row, end in ((first, "switch 1"), (second, "switch 2")) for h in (49, 52))
    low, high = sorted((first, second))
    return Placed(name, legs, Body((low - 0.2, high + 0.2), (48.8, 52.2), 4.3), is_back=True)


def placed() -> tuple[Placed, ...]:
    """Return every part of the board and the ends of its wires."""
    feed = (((21, 48), "IN1"), ((19, 48), "IN2"), ((20, 59), "GND"), ((26, 17), "POWER +"), ((28, 18), "POWER -"))
    return (
        _two_rows("Pico", PICO, (_LEFT, _RIGHT), 7, 13),
        _two_rows("lamps 1", (3, 8), _REGISTER, -3, 4.6, 0.2),
        _two_rows("lamps 2", (12, 8), _REGISTER, -3, 4.6, 0.2),
        _two_rows("shifter", (18, 17), _SHIFTER, -3, 4.6, 0.2),
        _two_rows("turn driver", (24, 44), _STEPPER, 5, 22),
        _legs("C lamps 1", (3, 4), (6, 4), ("+", "-"), 2.5, 6),
        _legs("C lamps 2", (12, 4), (15, 4), ("+", "-"), 2.5, 6),
        _legs("C shifter", (18, 12), (19, 12), ("+", "-"), 2.5, 6),
        _resistor("R ring", (20, 18), (20, 22)),
        _resistor("R EN", (9, 50), (7, 50)),
        Placed("divider", (((4, 51), "in"), ((6, 51), "tap"), ((5, 51), "end")), Body((3.5, 6.5), (50.5, 51.5), 9)),
        _legs("C power", (6, 53), (5, 53), ("+", "-"), 2.5, 6),
        _resistor("R marks", (22, 38), (22, 34)),
        _resistor("R exit lamp", (23, 34), (23, 38)),
        _resistor("R hopper lamp", (24, 34), (24, 38)),
        _resistor("R buzzer", (14, 49), (14, 53)),
        _resistor("R IN2", (19, 50), (20, 50)),
        _resistor("R IN1", (21, 51), (20, 51)),
        _resistor("R hopper", (17, 50), (17, 54)),
        _resistor("R exit", (18, 52), (18, 56)),
        _resistor("R home", (22, 52), (22, 56)),
        Placed("transistor", (((15, 56), "emitter"), ((14, 56), "base"), ((13, 56), "collector")),
               Body((12.6, 15.4), (55.2, 56.8), 9)),
        _legs("diode 2", (13, 54), (11, 54), ("anode", "cathode"), 2, 9),
        Placed("buzzer", (((13, 59), "-"), ((10, 59), "+")), Body((9.1, 13.9), (57, 61), 9)),
        _button("service", 12, 10),
        _button("run", 13, 15),
        _legs("fuse", (29, 7), (29, 16), ("a", "b"), 6.5, 12),
        _legs("diode", (26, 7), (26, 13), ("anode", "cathode"), 5.3, 6),
        Placed("store", (((26, 20), "+"), ((28, 20), "-")), Body((24.5, 29.5), (20.4, 30.4), 12.6)),
        Placed("store 2", (((24, 54), "+"), ((25, 54), "-")), Body((22.9, 26.1), (52.7, 55.9), 12)),
        Placed("regulator", (((29, 32), "IN"), ((28, 32), "GND"), ((27, 32), "OUT")),
               Body((25.5, 32.5), (31.5, 38.6), 10)),
        Placed("feed driver", feed, Body((16.3, 24.4), (24, 32.1), 13)),
        *_seats(),
        *_wire_ends(),
    )  # fmt: skip
