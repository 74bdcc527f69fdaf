"""The camera at the card exit: a shorter floor, a hood with a window, and a spacer under the back of the shoe.

The frame is that of the shoe. The hood stands in place of the front foot and lifts the shoe, so that the lens sees both
printed corners of a card at the light barrier: one behind it on the right, one before it on the left.
"""

from __future__ import annotations

from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.cad import shoe
from hardware.cad.part import Part
from hardware.cad.solids import TINY, box, cut, join, rod

BOTTOM: Final = p.SHOE_BOTTOM - p.EXIT_LIFT
_HALF: Final = shoe.INSIDE - 0.1
_HOOD_X: Final = (-24.4, 22.0)
_SHEET: Final = shoe.FLOOR_TOP - p.EXIT_WINDOW
_GROUND: Final = BOTTOM + 5
_BOARD_Z: Final = _GROUND + 2
_POSTS: Final = tuple((x, y) for x in (-17, 17) for y in (-17, 17))
_WINDOW_X: Final = (-22.0, p.SHOE_FRONT)
_BARRIER: Final = box((-3.6, 3.6), (-40, -(shoe.OUTSIDE - 1.4 - p.BARRIER_HEIGHT)), (shoe.BARRIER_Z - 7, 1))


def short_floor() -> cq.Workplane:
    """Return the shoe's floor without its front, where the window lies."""
    return cut(shoe.floor(), box((_WINDOW_X[0] - 0.1, 100), (-100, 100), (shoe.FLOOR_BOTTOM - 1, 1)))


def window() -> cq.Workplane:
    """Return the clear sheet on the hood, level with the floor; a card slides over it."""
    return cut(box(_WINDOW_X, (-_HALF, _HALF), (_SHEET, shoe.FLOOR_TOP)), _BARRIER)


def hood() -> cq.Workplane:
    """Return the dark box of camera and flash, screwed to the plate from below and to the sides."""
    wall, x, y = p.WALL, _HOOD_X, (-_HALF, _HALF)
    body = cut(
        box(x, y, (BOTTOM, _SHEET)),
        box((x[0] + wall, x[1] - wall), (y[0] + wall, y[1] - wall), (_GROUND, _SHEET + TINY)),
    )
    pillars = [box((-18, -2), y, (BOTTOM, p.SHOE_BOTTOM + 10)) for y in ((-_HALF, -21), (21, _HALF))]
    posts = [rod("z", at, 5, (BOTTOM, _BOARD_Z)) for at in _POSTS]
    tools = [pilot for dx in (-4, 4) for pilot in shoe._pilots(-10 + dx, p.SHOE_BOTTOM + 5, deep=7)]
    tools += [rod("z", (-10, side), p.M3_PILOT, (BOTTOM - TINY, BOTTOM + 4)) for side in (-12, 12)]
    tools += [rod("z", at, 1.6, (_BOARD_Z - 5, _BOARD_Z + TINY)) for at in _POSTS]
    tools.append(box((x[1] - wall - TINY, x[1] + TINY), (-6, 6), (_GROUND, _GROUND + 8)))
    return cut(join(body, *pillars, *posts), *tools, _BARRIER, _step())


def _step() -> cq.Workplane:
    """The room of the floor over the back wall of the hood."""
    return box((-100, _WINDOW_X[0]), (-100, 100), (shoe.FLOOR_BOTTOM - 0.1, 1))


def spacer() -> cq.Workplane:
    """Return what lifts the back foot as far as the hood lifts the front."""
    half = p.SHOE_FEET / 2
    body = box((-150 - half, -150 + half), (-_HALF, _HALF), (BOTTOM, p.SHOE_BOTTOM))
    return cut(body, *(rod("z", (-150, y), p.M3_HOLE, (BOTTOM - TINY, p.SHOE_BOTTOM + TINY)) for y in (-12, 12)))


def camera() -> cq.Workplane:
    """Return the camera: board, holder, lens."""
    half = p.EXIT_BOARD / 2
    return join(
        box((-half, half), (-half, half), (_BOARD_Z, _BOARD_Z + 1.6)),
        box((-7, 7), (-7, 7), (_BOARD_Z + 1.6, _BOARD_Z + 12)),
        rod("z", (0, 0), 14, (_BOARD_Z + 12, _BOARD_Z + 20)),
    )


def flash() -> cq.Workplane:
    """Return the LED, glued to the back of the hood."""
    back = _HOOD_X[0] + p.WALL
    return box((back, back + 2), (-4, 4), (-44, -36))


def view() -> cq.Workplane:
    """Return the volume through which the lens sees both printed corners."""
    near = cq.Workplane("XY", origin=(0, 0, -p.EXIT_DISTANCE)).rect(1, 1)
    return near.workplane(offset=p.EXIT_DISTANCE - 0.01).rect(2 * p.EXIT_SEEN_X, 2 * p.EXIT_SEEN_Y).loft(combine=True)


PARTS: Final = (
    Part(number="PRT-114", title="short floor", shape=short_floor, color="light"),
    Part(number="PRT-115", title="camera hood", shape=hood, color="accent"),
    Part(number="PRT-116", title="back spacer", shape=spacer, color="accent"),
)
