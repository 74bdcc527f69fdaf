"""The panel with its nine keys, and the box of a seat's UNO button. z is up from the table.

Each key has a sign beside it, engraved so that fingers can feel it. A color key has the shape and the letter that the
page shows (circle R, star Y, triangle G, square B), the others have a mark without words.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import atan2, cos, degrees, hypot, pi, sin
from typing import Final

import cadquery as cq

from croupier_rules.cards import SHAPES
from hardware import parameters as p
from hardware.cad.part import Part
from hardware.cad.solids import TINY, box, cut, join, rod

SIZE: Final = (212.0, 104.0)
TOP: Final = (p.PANEL_HEIGHT - 3.2, p.PANEL_HEIGHT)
KEYS: Final = {
    **{name: (p.KEY_PITCH * (n - 1.5), 20.0) for n, name in enumerate(("red", "yellow", "green", "blue"))},
    **{name: (p.KEY_PITCH * (n - 2), -31.0) for n, name in enumerate(("accept", "challenge", "go", "pause", "undo"))},
}
"""Position of each key of the panel."""
_STROKE: Final = 1.6
_LETTERS: Final = {
    "red": (((-1, -2), (-1, 2), (0.5, 2), (1, 1), (0.5, 0), (-1, 0)), ((0, 0), (1, -2))),
    "yellow": (((-1.3, 2), (0, 0), (1.3, 2)), ((0, 0), (0, -2))),
    "green": (((1, 1.5), (0.3, 2), (-0.6, 2), (-1.2, 1), (-1.2, -1), (-0.6, -2), (0.6, -2), (1, -1.2), (1, 0),
               (0, 0)),),
    "blue": (((-1, 0), (0.7, 0), (1.1, -1), (0.7, -2), (-1, -2), (-1, 2), (0.6, 2), (1, 1), (0.6, 0)),),
}  # fmt: skip
_MARKS: Final = {
    "accept": (((-2, 0), (-0.6, -1.6), (2, 2)),),
    "challenge": (((0, 2.2), (0, -0.5)), ((0, -2), (0, -2.01))),
    "go": (((-1.4, 2), (1.8, 0), (-1.4, -2), (-1.4, 2)),),
    "pause": (((-1, 2), (-1, -2)), ((1, 2), (1, -2))),
    "undo": (((-0.6, 2), (-2, 0.6), (-0.6, -0.8)), ((-2, 0.6), (1.2, 0.6), (2, -0.4), (1.2, -1.8), (-0.4, -1.8))),
}  # fmt: skip
_POSTS: Final = [(x, y) for x in (-100.0, 100.0) for y in (-46.0, 46.0)]
_SUNK: Final = (TOP[1] - p.ENGRAVED, TOP[1] + TINY)


def _stroke(points: tuple[tuple[float, float], ...], at: tuple[float, float], scale: float) -> cq.Workplane:
    """Return an engraved line of `_STROKE` width through the points."""
    places = [(at[0] + scale * x, at[1] + scale * y) for x, y in points]
    line = rod("z", places[0], _STROKE, _SUNK)
    for (ax, ay), (bx, by) in pairwise(places):
        length = hypot(bx - ax, by - ay)
        bar = box((0, length), (-_STROKE / 2, _STROKE / 2), _SUNK)
        bar = bar.rotate((0, 0, 0), (0, 0, 1), degrees(atan2(by - ay, bx - ax))).translate((ax, ay, 0))
        line = join(line, bar, rod("z", (bx, by), _STROKE, _SUNK))
    return line


def _shape(name: str, at: tuple[float, float], size: float = 6.5) -> cq.Workplane:
    if name == "circle":
        return rod("z", at, 2 * size, _SUNK)
    if name == "square":
        return box((at[0] - size, at[0] + size), (at[1] - size, at[1] + size), _SUNK)
    corners = {"triangle": (3, 1.0), "star": (10, 0.42)}[name]
    points = []
    for n in range(corners[0]):
        radius = 1.25 * size * (corners[1] if n % 2 and name == "star" else 1)
        angle = pi / 2 + 2 * pi * n / corners[0]
        points.append((at[0] + radius * cos(angle), at[1] + radius * sin(angle)))
    return cq.Workplane().polyline(points).close().extrude(_SUNK[1] - _SUNK[0]).translate((0, 0, _SUNK[0]))


@cache
def signs() -> dict[str, cq.Workplane]:
    """Return the engraving beside each key, to be painted."""
    found = {}
    for name, (x, y) in KEYS.items():
        if name in SHAPES:
            lines = [_stroke(line, (x + 8.5, y + 23), 2.6) for line in _LETTERS[name]]
            found[name] = join(_shape(SHAPES[name], (x - 7.5, y + 23)), *lines)
        else:
            found[name] = join(*(_stroke(line, (x, y + 23), 2.6) for line in _MARKS[name]))
    return found


def panel() -> cq.Workplane:
    """Return the box with the keys, open below."""
    (w, d), wall = SIZE, p.WALL
    outer = box((-w / 2, w / 2), (-d / 2, d / 2), (3, TOP[1])).edges("|Z").fillet(8)
    inner = box((-w / 2 + wall, w / 2 - wall), (-d / 2 + wall, d / 2 - wall), (3 - TINY, TOP[0]))
    body = outer.cut(inner.edges("|Z").fillet(8 - wall))
    body = join(body, *(rod("z", at, 9, (3, TOP[0])) for at in _POSTS))
    tools = [rod("z", at, p.KEY_HOLE + 0.2, (TOP[0] - TINY, TOP[1] + TINY)) for at in KEYS.values()]
    tools += [rod("z", at, p.M3_PILOT, (3 - TINY, 16)) for at in _POSTS]
    tools.append(rod("y", (0, 12), 6, (d / 2 - wall - TINY, d / 2 + TINY)))
    return cut(body, *tools, *signs().values())


def panel_lid() -> cq.Workplane:
    """Return the lid, which closes the box from below."""
    w, d = SIZE
    body = box((-w / 2, w / 2), (-d / 2, d / 2), (0, 3)).edges("|Z").fillet(8)
    return cut(body, *(rod("z", at, p.M3_HOLE, (-TINY, 3 + TINY)) for at in _POSTS))


def seat_box() -> cq.Workplane:
    """Return a cup with one UNO button; rubber feet go under its rim."""
    height = p.PANEL_HEIGHT
    body = rod("z", (0, 0), p.SEAT_BOX, (0, height)).faces(">Z").edges().fillet(2)
    inner = rod("z", (0, 0), p.SEAT_BOX - 12, (-TINY, height - 3.2))
    hole = rod("z", (0, 0), p.KEY_HOLE + 0.2, (0, height + TINY))
    cable = box((0, p.SEAT_BOX), (-3, 3), (-TINY, 6))
    return cut(body, inner, hole, cable)


PARTS: Final = (
    Part(number="PRT-401", title="panel", shape=panel, up="-z"),
    Part(number="PRT-402", title="panel lid", shape=panel_lid, color="light"),
    Part(number="PRT-403", title="seat box", shape=seat_box, up="-z", count=10, color="light"),
)  # fmt: skip
