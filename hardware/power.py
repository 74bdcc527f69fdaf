"""The power budget: the current of each part on each rail, typical and worst. ``python -m hardware.power``.

A reversal of a running motor draws twice its stall current. The firmware stops the motor first, and the driver limits
its current; the supply would give it without that limit, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Final

from hardware import drive
from hardware import parameters as p
from hardware.commands import run
from hardware.quantity import Quantity

RING_LIMIT: Final = Quantity(0.35, "A", "firmware: pico.ring.LIMIT_MA")
RING_FULL: Final = Quantity(24 * 0.060, "A", "24 WS2812 at full white, 60 mA each")
RING_TYPICAL: Final = Quantity(0.15, "A", "a frame of `play`, about")
DRIVER_LIMIT: Final = Quantity(64 / 30, "A", "DRV8871: 64 kV / 30 k at ILIM")
EFFICIENCY: Final = Quantity(0.85, "", "stepper driver, about")
REGULATOR: Final = Quantity(0.80, "", "Pololu, user's guide 0J61, 5.4: 80 to 95 % of a sibling; the least")
STORE: Final = Quantity(1e-3, "F", "the capacitor beside the drivers")
STORE_BEARS: Final = Quantity(35, "V", "the capacitor's rating")
TURN_DRIVER_BEARS: Final = Quantity(28, "V", "TMC2209 data sheet, Rev. 1.09: VM")
STORE_OHM: Final = Quantity(0.12, "Ω", "the capacitor's own and a meter of wire each way, about")
FUSE: Final = Quantity(2.5, "A", "218 series: slow, 5 x 20")
FUSE_HOLDS: Final = Quantity(1.5, "", "Littelfuse 218 data sheet: of its rating for 60 minutes at least")
FUSE_BLOWS: Final = Quantity(2.1, "", "Littelfuse 218 data sheet: of its rating in 120 s at most")
FUSE_SURGE: Final = Quantity(10**2 * 0.02, "s", "Littelfuse 218 data sheet: ten times its rating for 20 ms at least")
WIRE_BEARS: Final = Quantity(6, "A", "IEC 60335-1, 25.8: 0.75 mm²; the supply's path")
DIODE_SURGE: Final = Quantity(150, "A", "SB560 data sheet, once for 8 ms")


@dataclass(frozen=True, slots=True)
class Load:
    """The current of a part from its rail (A), typical and worst, and its source."""

    name: str
    typical: float
    worst: float
    source: str


@dataclass(frozen=True, slots=True)
class Rail:
    """A supply with its rating (A) and its loads."""

    name: str
    volts: float
    rating: float
    loads: tuple[Load, ...]

    @property
    def typical(self) -> float:
        """The typical current (A)."""
        return sum(load.typical for load in self.loads)

    @property
    def worst(self) -> float:
        """The current with all loads at their worst at once (A)."""
        return sum(load.worst for load in self.loads)

    @property
    def margin(self) -> float:
        """The fraction of the rating that is left at worst."""
        return 1 - self.worst / self.rating


def reversal_a() -> float:
    """Return the current of the feed motor if it were reversed while it runs, without a limit (A)."""
    return 2 * p.FEED_STALL_A


def stepper_a(*, is_turning: bool) -> float:
    """Return the current of the stepper motor from 12 V (A): heat of its windings, and power of the turn."""
    heat = 2 * p.MOTOR_PHASE_A**2 * p.MOTOR_OHM
    turning = drive.turn_torque_nm() * p.TABLE_RPM * 2 * pi / 60
    return (heat + (turning if is_turning else 0)) / EFFICIENCY / 12


def logic_rail() -> Rail:
    """Return the Pico's own 3.3 V."""
    return Rail("3.3 V of the Pico", 3.3, 0.3, (
        Load("lamps of the light barriers", 0.028, 0.030, "2 x (3.3 - 1.25 V) / 150 ohm"),
        Load("hall switches", 0.006, 0.008, "DRV5023 data sheet: 2.7 mA each"),
        Load("pull-ups and logic", 0.002, 0.006, "4.7 k, 18 k, 10 k, VIO"),
    ))  # fmt: skip


def five_volts() -> Rail:
    """Return the 5 V of the regulator, which is neither the Pico's nor the Pi's."""
    return Rail("5 V of the regulator", 5.0, 2.5, (
        Load("ring", RING_TYPICAL, RING_LIMIT, f"held to {RING_LIMIT:g} A by the firmware; 1.44 A at full white"),
        Load("buzzer", 0.002, 0.035, "CEM-1203(42): at its loudest"),
        Load("lamps of the seats", 0.008, 0.080, "10 x 8 mA: what an output of the 74AHCT595 is made for"),
        Load("shifter and shift registers", 0.001, 0.010, "74AHCT125, two 74AHCT595"),
    ))  # fmt: skip


def twelve_volts() -> Rail:
    """Return the supply of the motors."""
    five = five_volts()
    part = five.volts / 12 / REGULATOR
    return Rail("12 V supply", 12.0, 5.0, (
        Load("stepper motor", stepper_a(is_turning=False), stepper_a(is_turning=True), "1.0 A in both windings"),
        Load("feed motor", drive.feed_current_a(), min(reversal_a(), DRIVER_LIMIT),
             f"reversal: {reversal_a():.1f} A without the driver's limit of {DRIVER_LIMIT:.1f} A"),
        Load("5 V regulator", five.typical * part, five.worst * part, f"what 5 V draws, through {REGULATOR:.0%}"),
    ))  # fmt: skip


def pi_supply(model: str, rating: float, typical: float, worst: float) -> Rail:
    """Return the Pi's own supply, with the Pico on its USB."""
    logic = logic_rail()
    return Rail(f"5.1 V supply of the {model}", 5.1, rating, (
        Load(model, typical, worst, "bare board typically, and under full load: about"),
        Load("camera", 0.20, 0.25, "Camera Module 3, about"),
        Load("Pico on USB", 0.03 + logic.typical, 0.10 + logic.worst, "Pico data sheet: 93 mA at most, and its 3.3 V"),
        Load("ring, where there is no Pico", 0.0, RING_LIMIT, "hangs on the Pi's 5 V then"),
    ))  # fmt: skip


def kit() -> Rail:
    """Return the port that feeds the kit of buttons and ring."""
    return Rail("USB port of the laptop: buttons and ring", 5.0, 0.5, (
        Load("Pico", 0.03, 0.093, "Pico data sheet: 93 mA at most; the pull-ups of ten buttons are 1 mA of it"),
        Load("ring", RING_TYPICAL, RING_LIMIT, f"held to {RING_LIMIT:g} A by the firmware"),
        Load("buffer", 0.0, 0.002, "74AHCT1G125, its output and 330 ohm"),
    ))  # fmt: skip


def rails() -> tuple[Rail, ...]:
    """Return all rails."""
    pis = pi_supply("Pi 4", 3.0, 0.6, 1.25), pi_supply("Pi 5 (a supply of its own: 27 W)", 5.0, 0.8, 2.4)
    return twelve_volts(), five_volts(), logic_rail(), *pis, kit()


def store_volts() -> float:
    """Return the voltage of the capacitor after the turntable has braked from full speed, without losses (V)."""
    speed = p.TABLE_RPM * 2 * pi / 60
    return sqrt(12**2 + p.INERTIA * speed**2 / STORE)


def inrush_a() -> float:
    """Return the greatest current into the empty capacitor when the supply is plugged in (A)."""
    return 12 / STORE_OHM


def inrush_a2s() -> float:
    """Return the heat that plugging in sends through the fuse: of the capacitor's charge, by its resistance (A²s)."""
    return STORE * 12**2 / 2 / STORE_OHM


def table() -> str:
    """Return the budget as the page shows it."""
    lines = []
    for rail in rails():
        lines += [
            f"### {rail.name}: {rail.rating:g} A",
            "",
            "| part | typical A | worst A | from |",
            "|---|---|---|---|",
        ]
        lines += [f"| {load.name} | {load.typical:.3f} | {load.worst:.3f} | {load.source} |" for load in rail.loads]
        lines += [f"| **sum** | **{rail.typical:.3f}** | **{rail.worst:.3f}** | left at worst: {rail.margin:.0%} |", ""]
    lines += ["### Moments", "", "| what | figure | bears |", "|---|---|---|"]
    lines += [f"| {what} | {figure} | {bears} |" for what, figure, bears in _moments()]
    return "\n".join([*lines, ""])


def _moments() -> tuple[tuple[str, str, str], ...]:
    return (
        ("reversal of the running feed motor without a limit: twice its stall", f"{reversal_a():.1f} A",
         f"supply {twelve_volts().rating:g} A; the driver lets {DRIVER_LIMIT:.1f} A through"),
        ("capacitor after the turntable braked from full speed, at most", f"{store_volts():.1f} V",
         f"driver {TURN_DRIVER_BEARS:g} V, capacitor {STORE_BEARS:g} V"),
        ("plugging in: into the empty capacitor, for less than a millisecond", f"{inrush_a():.0f} A",
         f"diode {DIODE_SURGE:g} A"),
        ("fuse: worst of the 12 V rail, continuously", f"{twelve_volts().worst:.2f} A",
         f"{FUSE * FUSE_HOLDS:.2f} A for an hour"),
        ("fuse: blows within two minutes, before the wires are warm", f"{FUSE * FUSE_BLOWS:.2f} A",
         f"wire {WIRE_BEARS:g} A"),
        ("fuse: plugging in", f"{inrush_a2s():.1f} A²s", f"{FUSE**2 * FUSE_SURGE:.1f} A²s"),
        ("ring at full white, if the firmware did not hold it", f"{RING_FULL:.2f} A",
         f"regulator {five_volts().rating:g} A"),
    )  # fmt: skip


if __name__ == "__main__":
    run(lambda: print(table()))
