"""The steps of building the kit of buttons and ring: what comes on, and what a meter must show then.

The program counts seats from 0, the board and people from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware import parameters as p
from hardware import power
from hardware.quantity import Quantity

PULL_UP_KOHM: Final = (Quantity(50, "kΩ", "RP2040 data sheet: pull-up resistance of an input, the least"),
                       Quantity(80, "kΩ", "the same, the greatest"))  # fmt: skip
LOGIC: Final = Quantity(3.3, "V", "Pico data sheet: 3V3")
USB: Final = (Quantity(4.75, "V", "USB 2.0, 7.2.2: the least at a port"),
              Quantity(5.25, "V", "USB 2.0, 7.2.2: the greatest at a port"))  # fmt: skip
FUSE_OHM: Final = Quantity(0.75, "Ω", "Bourns MF-NSMF data sheet: of 0.5 A, at most, after soldering")
RING_CABLE_M: Final = Quantity(2, "m", "chosen: the longest cable of the ring")
CABLE_OHM: Final = Quantity(0.138, "Ω/m", "0.14 mm² at 60 °C, each way, about")
RING_DARK_A: Final = Quantity(24 * 0.001, "A", "24 WS2812 that are dark, 1 mA each, about")
METER: Final = Quantity(0.01, "V", "chosen: what a cheap meter is off")


@dataclass(frozen=True, slots=True)
class Measure:
    """What a meter shows between ``red`` and ``black``, terminals of the wiring: ``low`` to ``high``, None: no limit.

    ``what``: where that is, and what people do meanwhile. ``if_not``: the likely fault. ``unit``: V, or ohm with its
    prefix, which is measured without supply.
    """

    red: str
    what: str
    low: float | None
    high: float | None
    unit: str
    if_not: str
    black: str = "socket ring.3"

    @property
    def expected(self) -> str:
        """The expected figure in words."""
        if self.high is None:
            return f"above {self.low:g} {self.unit}"
        if self.low is None:
            return f"below {self.high:g} {self.unit}"
        return f"{self.low:g} to {self.high:g} {self.unit}"


@dataclass(frozen=True, slots=True)
class Step:
    """A step. ``name``: of its picture. ``kinds``: lines of the bill whose devices come on now. ``cables``: whether
    button and ring hang on the board."""

    name: str
    title: str
    kinds: tuple[str, ...]
    measures: tuple[Measure, ...]
    is_powered: bool = False
    cables: bool = False

    def letters(self) -> dict[str, str]:
        """Return the letter of each point that is measured; ground has none."""
        places = (place for one in self.measures for place in (one.red, one.black))
        return {
            place: "ABCDEFGH"[n] for n, place in enumerate(dict.fromkeys(one for one in places if one not in GROUND))
        }

    def rows(self) -> list[str]:
        """Return the measurements as lines of a table: points, what, expected, if not."""
        letter = self.letters()
        return [
            f"| {letter[one.red]} to {letter.get(one.black, 'ground')} | {one.what} | {one.expected} | {one.if_not} |"
            for one in self.measures
        ]


GROUND: Final = ("socket ring.3", "ring.GND")


def pressed_volts() -> tuple[float, float]:
    """Return the least and the greatest voltage at the Pico's pin of a pressed button."""
    ohm = p.SEAT_OHM / 1000
    least, greatest = (LOGIC * ohm / (ohm + pull) for pull in reversed(PULL_UP_KOHM))
    return round(least - METER, 2), round(greatest + METER, 2)


def ring_volts(amperes: float) -> float:
    """Return the least voltage at the ring that takes so much current: fuse and cable of the least of USB."""
    return round(USB[0] - amperes * (FUSE_OHM + 2 * RING_CABLE_M * CABLE_OHM) - METER, 1)


STEPS: Final = (
    Step("step-1-flat-parts", "1. The flat parts", (
        "smd-1k", "smd-10n", "smd-330", "smd-100n", "smd-10u", "ptc-fuse", "one-buffer", "smd-suppressor",
    ), (
        Measure("socket ring.1", "5V of the ring, after a second", 10, None, "kΩ",
                "a bridge of solder at `F1`, `C11`, `C12` or `U2`"),
        Measure("Pico.VBUS", "the fuse", None, 2, "Ω", "`F1` is not soldered", "socket ring.1"),
        Measure("socket 0.1", "`R1`", 0.98, 1.02, "kΩ", "`R1`; 0: a bridge of solder", "Pico.GP0"),
        Measure("socket 0.1", "the cable of seat 1: each seat so", 1, None, "MΩ",
                "`C1`, or `D1` the wrong way round"),
    )),
    Step("step-2-sockets", "2. Sockets", ("jst-2", "jst-3", "service-button"), (
        Measure("socket 0.2", "pad 2 of each seat's socket", None, 1, "Ω", "solder it again"),
        Measure("Pico.GP26", "the service button", 1, None, "MΩ", "a bridge of solder at `SW1`"),
        Measure("Pico.GP26", "the same, pressed", None, 1, "Ω", "`SW1` is not soldered"),
    )),
    Step("step-3-first-power", "3. First power", ("pico",), (
        Measure("Pico.VBUS", "VBUS, pin 40 of the Pico", *USB, "V", "another cable or port"),
        Measure("socket ring.1", "5V of the ring: less than 0.1 V below pin 40", USB[0] - 0.1, USB[1], "V",
                "0 V: `F1` is open or not soldered"),
        Measure("socket ring.2", "DIN of the ring, nothing plugged in", 0, 0.1, "V", "a leg of `U2` is not soldered"),
        Measure("socket 0.1", "pad 1 of each seat's socket", 3.2, 3.4, "V",
                "0 V: a short; 0.7 V: the suppressor the wrong way round; 2 to 3.2 V: it leaks, take another"),
        Measure("Pico.GP0", "pin 1 of the Pico, pads 1 and 2 of `J1` joined", *pressed_volts(), "V",
                "0 V: a bridge over `R1`; 3.3 V: `R1` open"),
    ), is_powered=True),
    Step("step-4-cables", "4. Buttons and ring", (), (
        Measure("socket 0.1", "pad 1 of `J1`", 3.2, 3.4, "V",
                "0 V: a short in the cable, or a button that opens when pressed"),
        Measure("socket 0.1", "the same, button pressed", None, 0.05, "V", "3.3 V: a wire is off"),
        Measure("ring.5V", "5V at the ring, dark", ring_volts(RING_DARK_A), USB[1], "V",
                "5 V at the board, none here: the cable", "ring.GND"),
        Measure("ring.5V", "the same, lit by `croupier doctor --try`", ring_volts(power.RING_LIMIT), USB[1], "V",
                "a longer or thinner cable than this", "ring.GND"),
        Measure("ring.DIN", "DIN at the ring, dark", 0, 0.1, "V", "5 V: 5V and DIN exchanged", "ring.GND"),
    ), is_powered=True, cables=True),
)  # fmt: skip
