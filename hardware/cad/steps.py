"""The steps of the assembly and the contents of their pictures; hardware/assembly.md has the instructions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

Way = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step. ``group``: of its parts. ``new``: keys of the new items (or their beginning), and the offset from which
    each comes (mm).

    ``goes_on``: the picture also has the result of the steps before. ``clear``: transparent items. ``around`` and
    ``above``: the point of view (degrees).
    """

    name: str
    group: str
    new: dict[str, Way] = field(default_factory=dict)
    goes_on: bool = True
    clear: tuple[str, ...] = ()
    around: float = 35.0
    above: float = 28.0


_HERE: Final = (0.0, 0.0, 0.0)


def _left(by: float) -> Way:
    return (0.0, by, 0.0)


def _up(by: float) -> Way:
    return (0.0, 0.0, by)


STEPS: Final = (
    Step(name="rollers", group="shoe", goes_on=False, new={
        "PRT-108": _HERE, "clutch": _left(28), "o-ring pick 1": _left(-38), "o-ring pick 2": _left(-28),
        "PRT-109": _HERE, "o-ring exit 1": _left(-38), "o-ring exit 2": _left(-28),
    }, around=60, above=30),
    Step(name="feed-motor", group="shoe", goes_on=False, new={
        "PRT-113": _HERE, "coupling": _left(-55), "feed-motor": _left(30),
    }, around=60, above=25),
    Step(name="left-side", group="shoe", new={
        "PRT-101": _left(-45), "bearing-625 left": _left(-18), "bearing-626 left": _left(-18),
    }, around=150, above=25),
    Step(name="floor-and-walls", group="shoe", new={
        "PRT-103": _left(-70), "PRT-104": _left(-70), "PRT-105": _left(-70), "hopper-sensor": (0, -70, -25),
    }, around=25, above=22),
    Step(name="shafts", group="shoe", new={
        "PRT-108": _up(-38), "o-ring pick": _up(-38), "clutch": _up(-38), "pick-shaft": _left(-95),
        "PRT-109": _up(-38), "o-ring exit": _up(-38), "exit-shaft": _left(-95),
    }, around=30, above=-20),
    Step(name="idler", group="shoe", new={
        "PRT-110": (0, -45, 25), "idler-pin axle": (0, -75, 25), "bearing-623": (0, -45, 25),
        "idler-pin pivot": (0, -75, 0), "idler-spring": (0, -45, 45), "PRT-111": (0, -45, 60),
    }, around=30, above=30),
    Step(name="right-side", group="shoe", new={
        "PRT-102": _left(-60), "bearing-625 right": _left(-85), "bearing-626 right": _left(-85),
    }, around=25, above=25),
    Step(name="belt-and-barrier", group="shoe", new={
        "pulley-16": _left(-25), "pulley-36": _left(-25), "feed-belt": _left(-45), "exit-barrier": _left(-25),
        "PRT-112": _left(-45),
    }, around=20, above=22),
    Step(name="gate-and-weight", group="shoe", new={
        "PRT-106": _up(75), "retard-pad": _up(60), "cards": _up(90), "PRT-107": _up(120),
    }, around=30, above=24),
    Step(name="base", group="turntable", goes_on=False, new={
        "PRT-201": _HERE, "bearing-6806 upper": _up(-45), "PRT-204": _up(-62), "bearing-6806 lower": _up(-80),
        "PRT-205": _up(-100), "turn-motor": _up(-65),
    }, around=35, above=-32),
    Step(name="hub", group="turntable", new={"PRT-203": _up(55), "table-belt": _up(28), "pulley-20": _up(28),
                                             "PRT-206": _up(-40)}, clear=("PRT-201",), around=35, above=22),
    Step(name="deck", group="turntable", new={"PRT-208": _up(30), "home-sensor": _up(48), "PRT-209": _up(30)},
         around=-60, above=35),
    Step(name="plate", group="turntable", new={
        "PRT-207": _up(60), "magnet": _up(30), "PRT-210": _up(95), "PRT-211": _up(95),
    }, around=-60, above=-8),
    Step(name="board", group="turntable", new={
        "seat-socket": (-30, 0, 0), "supply-socket": (-30, 0, 0), "motor-switch": (-30, 0, 0), "board": _up(-45),
        "PRT-202": _up(-80),
    }, around=-150, above=-28),
    Step(name="exit-camera", group="exit-camera", goes_on=False, new={
        "PRT-102": _HERE, "PRT-109": _HERE, "PRT-112": _HERE, "exit-barrier": _HERE, "PRT-114": _HERE,
        "exit-window": _up(35), "PRT-115": _up(-40), "PRT-116": _up(-40), "exit-camera": _up(-90), "flash": _up(-40),
        "PRT-101": _left(60),
    }, clear=("PRT-101",), around=40, above=25),
    Step(name="shoe-on-turntable", group="machine", goes_on=False, new={"": _HERE}, around=35, above=28),
    Step(name="exploded", group="exploded", goes_on=False, new={"": _HERE}, around=32, above=20),
    Step(name="arm", group="arm", goes_on=False, new={"": _HERE}, around=35, above=12),
    Step(name="panel", group="panel", goes_on=False, new={
        "PRT-401": _HERE, "panel-key": _HERE, "paint": _HERE, "PRT-402": _up(-45),
    }, around=12, above=48),
    Step(name="seat-box", group="seat", goes_on=False, new={"PRT-403": _HERE, "seat-button": _up(35)}, above=25),
    Step(name="ring", group="ring", goes_on=False, new={"PRT-501": _HERE, "ring": _up(22), "PRT-502": _up(40)},
         above=35),
    Step(name="kit-box", group="kit", goes_on=False, new={
        "PRT-503": _HERE, "button-board": _up(30), "PRT-504": _up(75),
    }, around=-115, above=35),
)  # fmt: skip

EXPLODED: Final = {
    "PRT-101": _left(60), "bearing-625 left": _left(85), "bearing-626 left": _left(85), "PRT-113": _left(120),
    "coupling": _left(150), "feed-motor": _left(190), "PRT-102": _left(-60), "bearing-625 right": _left(-85),
    "bearing-626 right": _left(-85), "pulley": _left(-110), "feed-belt": _left(-135), "PRT-112": _left(-115),
    "exit-barrier": _left(-85), "PRT-103": _up(-45), "hopper-sensor": _up(-70), "PRT-108": _up(-95),
    "o-ring": _up(-95), "PRT-109": _up(-95), "pick-shaft": _up(-95), "exit-shaft": _up(-95), "clutch": _up(-95),
    "PRT-105": (30, 0, 45), "PRT-104": (-45, 0, 0), "PRT-106": _up(120), "retard-pad": _up(105),
    "cards": _up(60), "PRT-107": _up(140),
    "PRT-110": (60, 0, 30), "bearing-623": (60, 0, 30), "idler-pin": (60, 0, 30), "idler-spring": (60, 0, 60),
    "PRT-111": (60, 0, 75),
}  # fmt: skip
"""Offset of each part of the shoe in the exploded view."""
