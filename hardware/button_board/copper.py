"""The elements of a printed board: pads, tracks, vias, pours and the parts that they belong to (mm, y down)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot
from typing import Final

SIDES: Final = ("F.Cu", "B.Cu")
Point = tuple[float, float]
Ring = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad. ``shape``: rect or circle. ``drill``: 0 for a pad on the front side alone."""

    number: str
    at: Point
    size: Point
    shape: str = "rect"
    drill: float = 0.0
    net: str = ""

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides with its copper."""
        return SIDES if self.drill else SIDES[:1]

    def away(self, x: float, y: float) -> float:
        """Return the distance of a point from its copper (mm, 0 inside)."""
        if self.shape == "circle":
            return max(hypot(x - self.at[0], y - self.at[1]) - self.size[0] / 2, 0.0)
        return hypot(max(abs(x - self.at[0]) - self.size[0] / 2, 0.0), max(abs(y - self.at[1]) - self.size[1] / 2, 0.0))


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
    needs (left, top, right, bottom)."""

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
