"""Where things lie in the picture of the table: an oval seen from above, seat 0 at the bottom, clockwise from there.

Lengths are units of the picture, `WIDTH` by `HEIGHT`, x right and y down; angles in degrees, clockwise from the right.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Final

WIDTH: Final = 1360
HEIGHT: Final = 900
MIDDLE: Final = (WIDTH / 2, HEIGHT / 2)

PLATES: Final = (550.0, 378.0)
"""Half axes of the oval on which the name plates of the seats stand; then those of the cards, lights, arrows."""
FANS: Final = (306.0, 208.0)
LIGHTS: Final = (404.0, 286.0)
ARROWS: Final = (246.0, 148.0)

LAMPS: Final = 48
_MOST_SHOWN: Final = 14
"""Cards of a hand that are drawn; the number says how many there are."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place and how what lies there is turned."""

    x: float
    y: float
    turn: float = 0.0


def seat_angle(seat: int, seats: int) -> float:
    """Where a seat is; the next one sits to its left."""
    return (90.0 + 360.0 * seat / seats) % 360.0


def on_oval(axes: tuple[float, float], angle: float) -> Spot:
    """A place on the oval with these half axes, facing the middle."""
    x, y = axes[0] * cos(radians(angle)), axes[1] * sin(radians(angle))
    return Spot(round(MIDDLE[0] + x, 1), round(MIDDLE[1] + y, 1), round(degrees(atan2(y, x)) - 90.0, 1))


def fan(seat: int, seats: int, cards: int) -> tuple[Spot, ...]:
    """The backs of a hand, side by side before its seat, the outer ones turned outward."""
    shown = min(cards, _MOST_SHOWN)
    middle = on_oval(FANS, seat_angle(seat, seats))
    step = min(19.0, min(118.0, 1000.0 / seats) / max(1, shown - 1))
    spots = []
    for i in range(shown):
        aside = (i - (shown - 1) / 2) * step
        droop = abs(aside) ** 2 / 520.0
        along, back = radians(middle.turn), radians(middle.turn + 90.0)
        spots.append(
            Spot(
                round(middle.x + aside * cos(along) + droop * cos(back), 1),
                round(middle.y + aside * sin(along) + droop * sin(back), 1),
                round(middle.turn + aside / 4.5, 1),
            )
        )
    return tuple(spots)


def lamps() -> tuple[Spot, ...]:
    """The ring of lights, evenly round the table."""
    # By the length of the way, or they would crowd at the narrow ends.
    fine = [on_oval(LIGHTS, 360.0 * i / 1440) for i in range(1441)]
    way = [0.0]
    for a, b in pairwise(fine):
        way.append(way[-1] + hypot(b.x - a.x, b.y - a.y))
    spots, i = [], 0
    for lamp in range(LAMPS):
        while way[i] < way[-1] * lamp / LAMPS:
            i += 1
        spots.append(fine[i])
    return tuple(spots)


def lit(seat: int, seats: int) -> frozenset[int]:
    """The lamps before a seat."""
    place = on_oval(LIGHTS, seat_angle(seat, seats))
    near = sorted(range(LAMPS), key=lambda i: hypot(LAMP_SPOTS[i].x - place.x, LAMP_SPOTS[i].y - place.y))
    return frozenset(near[: max(3, LAMPS // (seats * 2))])


def arrow(start: float, end: float) -> str:
    """The path of an arrow bent round the middle, from the angle ``start`` to ``end``."""
    a, b = on_oval(ARROWS, start), on_oval(ARROWS, end)
    return f"M{a.x} {a.y}A{ARROWS[0]} {ARROWS[1]} 0 0 {int(end > start)} {b.x} {b.y}"


LAMP_SPOTS: Final = lamps()
