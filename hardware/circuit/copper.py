"""The elements of a printed board: pads, tracks, vias, pours and the parts that they belong to (mm, y down)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, hypot, radians, sin
from typing import Final

SIDES: Final = ("F.Cu", "B.Cu")
Point = tuple[float, float]
Ring = tuple[Point, ...]
Line = tuple[Point, Point]
Box = tuple[float, float, float, float]


def turned(at: Point, degrees: int) -> Point:
    """Return a point turned about the origin, counterclockwise as it is seen."""
    c, s = round(cos(radians(degrees))), round(sin(radians(degrees)))
    return at[0] * c + at[1] * s, -at[0] * s + at[1] * c


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad. ``shape``: rect or circle. ``drill``: 0 for a pad on the front side alone. ``is_solid``: the pour joins it
    all around, for a great current."""

    number: str
    at: Point
    size: Point
    shape: str = "rect"
    drill: float = 0.0
    net: str = ""
    is_solid: bool = False

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides with its copper."""
        return SIDES if self.drill else SIDES[:1]

    def away(self, x: float, y: float) -> float:
        """Return the distance of a point from its copper (mm, 0 inside)."""
        if self.shape == "circle":
            return max(hypot(x - self.at[0], y - self.at[1]) - self.size[0] / 2, 0.0)
        return hypot(max(abs(x - self.at[0]) - self.size[0] / 2, 0.0), max(abs(y - self.at[1]) - self.size[1] / 2, 0.0))


Drawn = tuple[tuple[Pad, ...], Box, Box, float]
"""Of a footprint: pads around its middle or pin 1; the room that the part needs; the box that is drawn; its height
(mm)."""


@dataclass(frozen=True, slots=True)
class Track:
    """A straight track."""

    net: str
    side: str
    a: Point
    b: Point
    width: float


@dataclass(frozen=True, slots=True)
class Via:
    """A plated hole between both sides."""

    net: str
    at: Point
    size: float = 0.6
    drill: float = 0.3


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the board. ``pads``: in place. ``lines``: its drawing on the silk screen. ``body``: the box that it
    needs (left, top, right, bottom); without room it is the end of wires."""

    name: str
    footprint: str
    value: str
    at: Point
    degrees: int
    pads: tuple[Pad, ...]
    lines: tuple[tuple[Point, Point], ...]
    body: tuple[float, float, float, float]
    raised: float = 0.0
    """Height of its underside over the board: parts below it may be as tall."""
    height: float = 1.0
    is_back: bool = False
    """True if it stands on the back."""


@dataclass(frozen=True, slots=True)
class Board:
    """A printed board. ``holes``: center and diameter of those without copper. ``pours``: outlines by side, filled with
    ground."""

    size: Point
    parts: tuple[Part, ...]
    holes: tuple[tuple[Point, float], ...]
    tracks: tuple[Track, ...] = ()
    vias: tuple[Via, ...] = ()
    pours: dict[str, tuple[Ring, ...]] = field(default_factory=dict)
    words: tuple[tuple[str, Point, float], ...] = ()
    """Text on the silk screen: letters, middle, height."""

    @property
    def pads(self) -> list[Pad]:
        """All pads."""
        return [pad for part in self.parts for pad in part.pads]
