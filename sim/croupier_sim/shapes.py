"""Outlines of the symbols on cards: digits, arrows, ovals. Plain polygons, no pixels.

A `Shape` is a union of polygons around the origin, y down, one unit high. The digits are center lines (`SKELETONS`) in
a unit square, written as short paths and drawn with a pen that may be wider than it is high:

    M x y             begin            L x y           straight line
    C x y x y x y     Bézier curve     A x y rx ry a b   arc of an oval round x y from angle a to b (degrees, clockwise)

A ``|`` before or after a path extends its end by half a pen, so that stems end flush with the round digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import tau
from typing import Final

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Shape = tuple[Points, ...]

_ARC_STEPS: Final = 28  # for a full circle; at 3x oversampling the corners are below a pixel


@dataclass(frozen=True, slots=True)
class Family:
    """A shape of digits. ``width``: of a digit in its heights; ``squareness``: 2 draws ovals, more draws boxes;
    ``contrast``: height of the pen in its widths; ``round_ends``: strokes end in a half circle."""

    width: float = 0.66
    squareness: float = 2.3
    contrast: float = 0.86
    round_ends: bool = False
    skeletons: str = "plain"


FAMILIES: Final[Mapping[str, Family]] = {
    "grotesk": Family(width=0.7),
    "rounded": Family(width=0.68, squareness=2.0, contrast=1.0, round_ends=True, skeletons="school"),
    "square": Family(width=0.60, squareness=4.5, contrast=0.9, skeletons="sport"),
    "narrow": Family(width=0.54, squareness=2.8, contrast=0.7),
    "open": Family(width=0.74, squareness=2.1, contrast=0.72, skeletons="open"),
}

_SIX: Final = ("A .5 .67 .5 .33 0 360", "M 0 .67 C 0 .22 .2 0 .52 0 C .74 0 .9 .08 .96 .22")
_NINE: Final = ("A .5 .33 .5 .33 0 360", "M 1 .33 C 1 .78 .8 1 .48 1 C .26 1 .1 .92 .04 .78")
_PLAIN: Final = {
    "0": ("A .5 .5 .5 .5 0 360",),
    "1": ("|M .64 0 L .64 1|", "M .08 .24 C .34 .24 .5 .18 .62 0"),
    "2": ("A .5 .28 .48 .28 195 375 C .82 .6 .1 .72 .06 1", "|M 0 1 L 1 1|"),
    "3": ("A .48 .24 .44 .24 200 450", "A .48 .73 .5 .27 270 520", "|M .4 .47 L .5 .47"),
    "4": ("|M .7 0 L .7 1|", "M .7 0 L .1 .7 L 1 .7|"),
    "5": ("M .9 0 L .16 0 L .07 .5", "A .48 .66 .5 .34 212 505"),
    "6": _SIX,
    "7": ("|M 0 0 L .97 0 L .97 .06 C .62 .38 .42 .68 .36 1|",),
    "8": ("A .5 .24 .42 .24 0 360", "A .5 .73 .5 .27 0 360"),
    "9": _NINE,
    "+": ("M -.06 .5 L 1.06 .5", "M .5 .13 L .5 .87"),
}
SKELETONS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "plain": _PLAIN,
    "school": _PLAIN
    | {
        "1": ("M .5 0 L .5 1", "M .14 .3 L .5 0", "M .1 1 L .9 1"),
        "4": ("M .74 0 L .74 1", "M .6 0 L 0 .66 L 1 .66"),
        "7": ("M 0 0 L 1 0 L .34 1",),
    },
    "sport": _PLAIN
    | {
        "1": ("|M .6 0 L .6 1|", "M .2 .2 L .6 0", "|M .2 1 L 1 1|"),
        "2": ("M 0 .22 L 0 .12 L .14 0 L .86 0 L 1 .12 L 1 .4 L 0 .82 L 0 1 L 1 1|",),
        "3": ("M 0 .2 L 0 .1 L .14 0 L .86 0 L 1 .12 L 1 .36 L .84 .48 L .3 .48",
              "M .84 .48 L 1 .6 L 1 .88 L .86 1 L .14 1 L 0 .9 L 0 .8"),
        "4": ("|M .74 0 L .74 1|", "|M 0 0 L 0 .62 L 1 .62|"),
        "5": ("M .95 0 L .05 0 L .05 .45 L .84 .45 L 1 .58 L 1 .87 L .86 1 L .14 1 L 0 .9 L 0 .8",),
        "7": ("|M 0 0 L .95 0 L .95 .2 L .45 1",),
    },
    "open": _PLAIN
    | {
        "6": ("A .5 .69 .49 .31 0 360", "M .01 .69 C .01 .2 .25 0 .55 0 C .8 0 .95 .1 .98 .24"),
        "9": ("A .5 .31 .49 .31 0 360", "M .99 .31 C .99 .8 .75 1 .45 1 C .2 1 .05 .9 .02 .76"),
    },
}  # fmt: skip


def oval(rx: float, ry: float, turn_deg: float = 0.0, steps: int = 120, squareness: float = 2.0) -> Points:
    """Return the outline of an oval with half axes ``rx`` and ``ry``, turned clockwise."""
    return turned(_arc(0, 0, rx, ry, 0, 360, squareness, steps)[:-1], turn_deg)


def turned(points: Points, turn_deg: float) -> Points:
    """Return the points turned clockwise (as seen, y down) round the origin."""
    angle = np.deg2rad(turn_deg)
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))


def box(width: float, height: float, radius: float = 0.0) -> Points:
    """Return a box with rounded corners around the origin."""
    if radius <= 0:
        return np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    x, y = width / 2 - radius, height / 2 - radius
    corners = ((x, -y, -90), (x, y, 0), (-x, y, 90), (-x, -y, 180))
    return np.vstack([_arc(cx, cy, radius, radius, a, a + 90, 2.0, 60) for cx, cy, a in corners])


@lru_cache(maxsize=512)
def glyph(char: str, family: str, weight: float, slant_deg: float = 0.0) -> Shape:
    """Return the outline of a digit or ``+``; ``weight``: width of the pen in heights of the digit (0.1 … 0.25)."""
    form = FAMILIES[family]
    pen = np.array([weight, weight * form.contrast])
    size = np.array([form.width, 1.0]) - pen
    parts: list[Points] = []
    for path in SKELETONS[form.skeletons][char]:
        line = (_path(path.strip("|"), form.squareness) - 0.5) * size
        start, end = path.startswith("|"), path.endswith("|")
        if form.round_ends:
            parts += [oval(float(pen[0]) / 2, float(pen[1]) / 2, steps=24) + point for point in (line[0], line[-1])]
        else:
            line = _lengthened(line, pen, start, end)
        parts.append(stroke(line, pen))
    shear = np.array([[1, 0], [-np.tan(np.deg2rad(slant_deg)), 1]])
    return tuple(part @ shear for part in parts)


def digit(
    char: str, family: str, weight: float, slant_deg: float = 0.0, line: float = 0.1, stretch: float = 1.0
) -> Shape:
    """As `glyph`, ``stretch`` times as wide; 6 and 9 have a bar below, which distinguishes them either end up."""
    shape = tuple(part * (stretch, 1.0) for part in glyph(char, family, weight, slant_deg))
    if char not in "69":
        return shape
    foot = np.array([-np.tan(np.deg2rad(slant_deg)) * 0.53, 0.53])
    bar = box(0.62, line) @ np.array([[1, 0], [-np.tan(np.deg2rad(slant_deg)), 1]]) + foot
    return (*(part * 0.92 + (0.0, -0.09) for part in shape), bar)


def plus(digits: str, family: str, weight: float, slant_deg: float = 0.0) -> Shape:
    """Return ``+2``, ``+10`` or another sum, the digits one unit high, all around the origin."""
    sign, more = glyph("+", family, weight, slant_deg), 0.38 * (len(digits) - 1)
    numbers = [(place, glyph(char, family, weight, slant_deg)) for place, char in enumerate(digits)]
    return (
        *(part * 0.8 + (-0.42 - more, 0.04) for part in sign),
        *(part + (0.3 - more + 0.76 * place, 0.0) for place, number in numbers for part in number),
    )


@lru_cache(maxsize=64)
def skip_sign(weight: float = 0.15) -> Shape:
    """Return a circle with a bar from lower left to upper right."""
    r = 0.5 - weight / 2
    ring = stroke(np.vstack([oval(r, r), oval(r, r)[:1]]), np.array([weight, weight]))
    return ring, turned(box(2 * r, weight), -45)


@lru_cache(maxsize=64)
def reverse_sign(turn_deg: float = -47.0, girth: float = 1.0) -> Shape:
    """Return two arrows side by side, point-symmetric to each other; the first points right before it is turned.

    ``girth``: factor of their width.
    """
    tail = _path("M .24 -.22 L .1 -.22 C -.06 -.22 -.15 -.14 -.16 -.03 L .24 -.03", 2.0)
    arrow = np.vstack([tail, [(0.24, 0.13), (0.58, -0.1), (0.24, -0.37)]]) * (1.0, girth)
    return turned(arrow, turn_deg), turned(-arrow, turn_deg)


def star(points: int, tip: float, hollow: float) -> Points:
    """Return a star with ``points`` tips at radius ``tip`` and hollows at radius ``hollow``, one tip at the top."""
    angles = np.arange(2 * points) * tau / (2 * points) - tau / 4
    radii = np.where(np.arange(2 * points) % 2 == 0, tip, hollow)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _arc(cx: float, cy: float, rx: float, ry: float, a: float, b: float, squareness: float, steps: int) -> Points:
    angles = np.deg2rad(np.linspace(a, b, max(2, round(abs(b - a) / 360 * steps) + 1)))
    cos, sin = np.cos(angles), np.sin(angles)
    power = 2 / squareness
    return np.stack([cx + rx * np.sign(cos) * np.abs(cos) ** power, cy + ry * np.sign(sin) * np.abs(sin) ** power], 1)


def _path(text: str, squareness: float) -> Points:
    words = text.split()
    points: list[Points] = []
    at = 0
    while at < len(words):
        command, n = words[at], {"M": 2, "L": 2, "C": 6, "A": 6}[words[at]]
        v = [float(word) for word in words[at + 1 : at + 1 + n]]
        if command == "A":
            points.append(_arc(v[0], v[1], v[2], v[3], v[4], v[5], squareness, 2 * _ARC_STEPS))
        elif command == "C":
            t = np.linspace(0, 1, _ARC_STEPS // 2)[1:, None]
            p0, p1, p2, p3 = points[-1][-1], np.array(v[0:2]), np.array(v[2:4]), np.array(v[4:6])
            points.append((1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t**2 * p2 + t**3 * p3)
        else:
            points.append(np.array([v]))
        at += 1 + n
    return np.vstack(points)


def _lengthened(line: Points, pen: Points, start: bool, end: bool) -> Points:
    line = line.copy()
    for there, at, before in ((start, 0, 1), (end, -1, -2)):
        if there:
            way = line[at] - line[before]
            line[at] += way / np.hypot(*way) * pen / 2
    return line


def stroke(line: Points, pen: Points) -> Points:
    """Return the outline of a line drawn with a pen; corners are mitred up to two pens."""
    steps = np.diff(line, axis=0)
    keep = np.hypot(*steps.T) > 1e-9
    line, steps = line[np.concatenate([[True], keep])], steps[keep]
    way = steps / np.hypot(*steps.T)[:, None]
    closed = np.allclose(line[0], line[-1])
    before = np.vstack([way[-1:] if closed else way[:1], way])
    after = np.vstack([way, way[:1] if closed else way[-1:]])
    mean = before + after
    mean /= np.maximum(np.hypot(*mean.T), 1e-9)[:, None]
    stretch = 1 / np.maximum(np.sum(mean * after, axis=1), 0.5)
    normal = np.stack([-mean[:, 1], mean[:, 0]], axis=1) * pen / 2 * stretch[:, None]
    return np.vstack([line + normal, (line - normal)[::-1]])
