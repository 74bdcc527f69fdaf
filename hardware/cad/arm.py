"""The camera's arm: two aluminum profiles, a clamp at the table's edge, corner plates, a holder for the camera.

z is up from the table, x reaches from its edge inwards; the upright stands over x = 0.
"""

from __future__ import annotations

from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.cad.part import Part
from hardware.cad.solids import TINY, box, cut, join, prism, rod

M5: Final = 5.4
M8: Final = 8.4
NUT_M8: Final = 13.2
HALF: Final = p.PROFILE / 2
WIDTH: Final = 15.0
UPRIGHT: Final = (8.0, 8.0 + p.ARM_HEIGHT - p.PROFILE)
"""Vertical extent of the upright: from the clamp to the arm on top of it."""
ARM_Z: Final = UPRIGHT[1] + HALF
ARM_X: Final = (-HALF, p.ARM_REACH - HALF)
CAMERA_X: Final = ARM_X[1] + 22


def clamp() -> cq.Workplane:
    """Return the clamp: an M8 screw from below fixes it to the table's edge; the upright stands in its socket."""
    depth = -p.TABLE_THICKEST - 4
    outline = [(-20, 8), (45, 8), (45, 0), (-12, 0), (-12, depth), (45, depth), (45, depth - 14), (-20, depth - 14)]
    y = (-WIDTH, WIDTH)
    body = join(prism(outline, y), box((-HALF - 5, HALF + 5), y, (0, 60)))
    tools = [box((-HALF - 0.2, HALF + 0.2), (-HALF - 0.2, HALF + 0.2), (8, 60 + TINY))]
    tools.append(rod("z", (28, 0), M8, (depth - 14 - TINY, depth + TINY)))
    nut = cq.Workplane().polygon(6, NUT_M8 / 0.866).extrude(7).translate((28, 0, depth - 10))
    tools.append(nut.union(box((28, 46), (-NUT_M8 / 2, NUT_M8 / 2), (depth - 10, depth - 3))))
    tools += [rod("x", (0, z), M5, (-HALF - 6, HALF + 6)) for z in (22, 46)]
    return cut(body, *tools)


def corner(y: float) -> cq.Workplane:
    """Return one of the two plates that join upright and arm, with two screws in each."""
    top, side = ARM_Z + HALF, 75.0
    low = top - side - HALF
    outline = [(-HALF, top), (side, top), (side, top - p.PROFILE), (HALF, low), (-HALF, low)]
    body = prism(outline, (y, y + 5))
    ends = (y - TINY, y + 5 + TINY)
    places = [(0, ARM_Z - 30), (0, ARM_Z - 60), (25, ARM_Z), (60, ARM_Z)]
    return cut(body, *(rod("y", at, M5, ends) for at in places))


def camera_holder() -> cq.Workplane:
    """Return the camera holder at the end of the arm; the camera looks straight down through it."""
    end = ARM_X[1]
    low = ARM_Z - HALF - 3
    body = join(
        box((end - 40, CAMERA_X + 16), (-18, 18), (low, low + 3)),
        box((end, end + 4), (-18, 18), (low, ARM_Z + HALF)),
    )
    tools = [rod("z", (end - x, 0), M5, (low - TINY, low + 3 + TINY)) for x in (12, 30)]
    tools.append(rod("x", (0, ARM_Z), M5, (end - TINY, end + 4 + TINY)))
    tools.append(box((CAMERA_X - 7, CAMERA_X + 7), (-7, 7), (low - TINY, low + 3 + TINY)))
    holes = [(dx, dy) for dx in (0, p.CAMERA_HOLES_Y) for dy in (-p.CAMERA_HOLES_X / 2, p.CAMERA_HOLES_X / 2)]
    tools += [rod("z", (CAMERA_X + dx, dy), 2.2, (low - TINY, low + 3 + TINY)) for dx, dy in holes]
    return cut(body, *tools)


PARTS: Final = (
    Part(number="PRT-301", title="table clamp", shape=clamp, up="+y"),
    Part(number="PRT-302", title="corner plate", shape=lambda: corner(HALF), up="+y", count=2, color="light"),
    Part(number="PRT-303", title="camera holder", shape=camera_holder, color="accent"),
)  # fmt: skip
