"""Simplified bodies of the bought parts, named as in the bill: as much shape as other parts must fit."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

import cadquery as cq

from croupier_rules.cards import SHAPES
from hardware import parameters as p
from hardware import wall
from hardware.cad import arm, panel, ring, turntable
from hardware.cad.solids import box, join, rod, tube

BELT: Final = 1.4
"""Thickness of a belt with its teeth."""


@dataclass(frozen=True, slots=True)
class Bought:
    """A bought part. ``part``: its line in the bill; ``name``: which of several."""

    part: str
    name: str
    shape: cq.Workplane
    color: str = "steel"


def _hull(circles: tuple[tuple[float, float], ...], grow: float) -> list[tuple[float, float]]:
    """Return the outline around two circles (position on a line, radius), both grown by ``grow``."""
    (xa, ra), (xb, rb) = circles
    lean = (ra - rb) / (xb - xa)
    first = [(xa, ra + grow), (xb, rb + grow)]
    bend = pi / 2 - lean
    outline = []
    for (x, r), start in zip(first, (bend, -bend), strict=True):
        sweep = 2 * pi - 2 * bend if x == xa else 2 * bend
        outline += [(x + r * cos(start + sweep * n / 40), r * sin(start + sweep * n / 40)) for n in range(41)]
    return outline


def belt(circles: tuple[tuple[float, float], ...], width: float) -> cq.Workplane:
    """Return a belt around two pulleys on the x axis, standing on z = 0."""
    outer, inner = (
        cq.Workplane().polyline(_hull(circles, grow)).close().extrude(width) for grow in (BELT + 0.05, 0.05)
    )
    return outer.cut(inner)


def table_drive() -> list[Bought]:
    """Return motor, pulley, belt and bearings of the turntable."""
    x, deck_z = turntable.MOTOR_X, turntable.DECK_Z
    under, half = deck_z - p.DECK, p.NEMA17 / 2
    belt_z = turntable.PLATE_Z - 13.0
    motor = join(
        box((x - half, x + half), (-half, half), (under - p.NEMA17_LENGTH, under)).edges("|Z").chamfer(4),
        rod("z", (x, 0), p.NEMA17_BOSS, (under, under + 2)),
        rod("z", (x, 0), 5, (under + 2, under + p.NEMA17_SHAFT)),
    )
    wheel = join(
        tube((x, 0), 16, 5, (deck_z + 1, belt_z - 1)),
        tube((x, 0), p.pulley_outside(p.MOTOR_TEETH), 5, (belt_z - 1, belt_z + 7)),
    )
    circles = ((0.0, p.pulley_outside(p.TABLE_TEETH) / 2), (x, p.pulley_outside(p.MOTOR_TEETH) / 2))
    found = [
        Bought("turn-motor", "", motor, "dark"),
        Bought("pulley-20", "", wheel),
        Bought("table-belt", "", belt(circles, p.BELT_WIDTH).translate((0, 0, belt_z)), "rubber"),
    ]
    lower = turntable.BOSS_BOTTOM
    upper = lower + p.BEARING_6806_WIDTH + p.BEARING_APART
    for name, z in (("lower", lower), ("upper", upper)):
        shape = tube((0, 0), p.BEARING_6806, p.BEARING_6806_BORE, (z, z + p.BEARING_6806_WIDTH))
        found.append(Bought("bearing-6806", name, shape))
    return found


def table_sensors() -> list[Bought]:
    """Return the magnets, the hall switches, and the board with the Pico."""
    at, top, low = -p.HALL_RADIUS, turntable.HALL_TOP, turntable.PLATE_Z
    switch = box((at - 2, at + 2), (0.5, 3.6), (top, top + 1.5))
    return [
        Bought("magnet", "home", rod("z", (at, 0), p.MAGNET, (low, low + p.MAGNET_HEIGHT))),
        *(
            Bought("magnet", f"mark {n}", rod("z", place, p.MAGNET, (low, low + p.MAGNET_HEIGHT)))
            for n, place in enumerate(turntable.marks())
        ),
        Bought("home-sensor", "home", switch, "dark"),
        Bought("home-sensor", "marks", turntable.at_marks_post(switch), "dark"),
        Bought("board", "", full_board(), "board"),
    ]


def full_board() -> cq.Workplane:
    """Return the board with the room that each of its parts takes, from its layout."""
    (x0, x1), (y0, y1) = turntable.BOARD
    low, top = turntable.BOARD_Z - 1.6, turntable.BOARD_Z
    bodies = []
    for part in turntable.PLACED:
        if part.body is not None:
            (xa, ya), (xb, yb) = (turntable.on_board(part.body.rows[n], part.body.holes[n]) for n in (0, 1))
            z = (low - part.body.height, low) if part.is_back else (top, top + part.body.height)
            bodies.append(box((xa, xb), (ya, yb), z))
    return join(box((x0, x1), (y0, y1), (low, top)), *bodies)


def wall_sockets() -> list[Bought]:
    """Return what sits in the wall of the base: the sockets of the seats and of the supply, and the motor switch."""
    return [Bought(hole.part, hole.device, _in_wall(hole)) for hole in wall.HOLES]


def _in_wall(hole: wall.Hole) -> cq.Workplane:
    inner, size = -p.BASE_WALL, wall.SIZES[hole.part]
    if hole.part == "motor-switch":
        return join(
            turntable.in_wall(hole.at, p.MOTOR_SWITCH_BODY, (inner - p.MOTOR_SWITCH_INSIDE, inner - 0.5)),
            turntable.in_wall(hole.at, size[0] - 0.2, (inner - 1, 6)),
            turntable.in_wall(hole.at, 3, (5, 16)),
        )
    return join(
        turntable.in_wall(hole.at, size[0] - 0.2, (inner - p.SEAT_SOCKET_INSIDE, 8)),
        turntable.in_wall(hole.at, size[1], (inner - 3, inner - 0.5)),
    )


def arm_parts() -> list[Bought]:
    """Return the two profiles and the camera."""
    half = arm.HALF
    upright = box((-half, half), (-half, half), arm.UPRIGHT)
    beam = box(arm.ARM_X, (-half, half), (arm.ARM_Z - half, arm.ARM_Z + half))
    low = arm.ARM_Z - half - 3
    x = arm.CAMERA_X
    camera = join(
        box((x - 9.5, x - 9.5 + p.CAMERA_HEIGHT), (-p.CAMERA_WIDTH / 2, p.CAMERA_WIDTH / 2), (low - 3, low - 1.9)),
        box((x - 4.5, x + 4.5), (-4.5, 4.5), (low - 9, low - 3)),
    )
    return [
        Bought("profile", "upright", upright),
        Bought("profile", "beam", beam),
        Bought("camera", "", camera, "board"),
    ]


def panel_keys() -> list[Bought]:
    """Return the keys in the panel."""
    top = panel.TOP[1]
    return [
        Bought("panel-key", name, _key(x, y, top), name if name in SHAPES else "white")
        for name, (x, y) in panel.KEYS.items()
    ]


def panel_paint() -> list[Bought]:
    """Return the paint in the signs of the panel."""
    return [Bought("paint", name, shape, name if name in SHAPES else "white") for name, shape in panel.signs().items()]


def seat_key() -> list[Bought]:
    """Return the button of a seat."""
    return [Bought("seat-button", "", _key(0, 0, p.PANEL_HEIGHT), "white")]


def _key(x: float, y: float, top: float) -> cq.Workplane:
    return join(
        rod("z", (x, y), p.KEY_HOLE, (top - p.KEY_DEPTH, top)),
        rod("z", (x, y), p.KEY_HOLE + 5, (top, top + 2.5)),
        rod("z", (x, y), p.KEY_HOLE - 4, (top + 2.5, top + 6)),
    )


def ring_board() -> list[Bought]:
    """Return the ring of lights."""
    z = ring.HEIGHT - 8
    body = tube((0, 0), p.RING_OUTSIDE, p.RING_INSIDE, (z, z + 1.6))
    middle = (p.RING_OUTSIDE + p.RING_INSIDE) / 4
    lights = [
        box((-2.5, 2.5), (-2.5, 2.5), (z + 1.6, z + p.RING_HEIGHT)).translate((middle, 0, 0)).rotate(
            (0, 0, 0), (0, 0, 1), 15 * n)
        for n in range(24)
    ]  # fmt: skip
    return [Bought("ring", "", join(body, *lights), "board")]
