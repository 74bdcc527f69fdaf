"""The bought parts as far as others must fit to them: simple bodies of the right size, by their name in the bill."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.cad import arm, panel, ring, turntable
from hardware.cad.shoe import (
    AXIS_Z,
    BARRIER_Y,
    BARRIER_Z,
    IDLER_PIVOT,
    IDLER_Z,
    MOTOR_FACE_Y,
    ORINGS_Y,
    OUTSIDE,
    POCKET,
    SPRING_BAR,
)  # fmt: skip
from hardware.cad.solids import box, cut, join, rod, tube

BELT: Final = 1.4


@dataclass(frozen=True, slots=True)
class Bought:
    """``part`` is its line in the bill, ``name`` says which one it is."""

    part: str
    name: str
    shape: cq.Workplane
    color: str = "steel"


def _sleeve(x: float, outside: float, inside: float, y: tuple[float, float], z: float = AXIS_Z) -> cq.Workplane:
    return cut(rod("y", (x, z), outside, y), rod("y", (x, z), inside, (y[0] - 1, y[1] + 1)))


def _hull(circles: tuple[tuple[float, float], ...], grow: float) -> list[tuple[float, float]]:
    """The outline around two circles (place on a line, radius), both larger by ``grow``."""
    (xa, ra), (xb, rb) = circles
    lean = (ra - rb) / (xb - xa)
    first = [(xa, ra + grow), (xb, rb + grow)]
    bend = pi / 2 - lean
    outline = []
    for (x, r), start in zip(first, (bend, -bend), strict=True):
        sweep = 2 * pi - 2 * bend if x == xa else 2 * bend
        outline += [(x + r * cos(start + sweep * n / 40), r * sin(start + sweep * n / 40)) for n in range(41)]
    return outline


def _belt(circles: tuple[tuple[float, float], ...], width: float) -> cq.Workplane:
    """A belt about two pulleys on the x axis, standing on z = 0."""
    outer, inner = (
        cq.Workplane().polyline(_hull(circles, grow)).close().extrude(width) for grow in (BELT + 0.05, 0.05)
    )
    return outer.cut(inner)


def _oring(x: float, y: float) -> cq.Workplane:
    ring_ = cq.Workplane("XY").center(p.ROLLER / 2 - p.ORING / 2, 0).circle(p.ORING / 2)
    return ring_.revolve(360, (-(p.ROLLER - p.ORING) / 2, 0, 0), (-(p.ROLLER - p.ORING) / 2, 1, 0)).translate(
        (x, y, AXIS_Z)
    )


def _outside(pulley_teeth: float) -> float:
    return p.belt_pulley(pulley_teeth) - 2 * p.BELT_INSIDE


def shoe_rollers() -> list[Bought]:
    """Shafts, bearings, clutch, O-rings, pulleys, belt."""
    found = []
    for sign, name in ((1, "left"), (-1, "right")):
        for part, x, size, shaft, width in (
            ("bearing-625", p.NIP_X, p.BEARING_625, p.EXIT_SHAFT, 5),
            ("bearing-626", p.PICK_X, p.BEARING_626, p.PICK_SHAFT, 6),
        ):
            y = sorted((sign * (OUTSIDE - POCKET), sign * (OUTSIDE - POCKET + width)))
            found.append(Bought(part, name, _sleeve(x, size, shaft, (y[0], y[1]))))
    found += [
        Bought("exit-shaft", "", rod("y", (p.NIP_X, AXIS_Z), p.EXIT_SHAFT, (-46, 48))),
        Bought("pick-shaft", "", rod("y", (p.PICK_X, AXIS_Z), p.PICK_SHAFT, (-46, 37))),
        Bought("clutch", "", _sleeve(p.PICK_X, p.CLUTCH, p.PICK_SHAFT, (3, 15))),
        Bought("pulley-16", "", _sleeve(p.NIP_X, _outside(p.EXIT_TEETH), p.EXIT_SHAFT, (-45, -36.5))),
        Bought("pulley-36", "", _sleeve(p.PICK_X, _outside(p.PICK_TEETH), p.PICK_SHAFT, (-45, -36.5))),
    ]
    found += [
        Bought("o-ring", f"{name} {n}", _oring(x, y), "rubber")
        for name, x in (("pick", p.PICK_X), ("exit", p.NIP_X))
        for n, y in enumerate(ORINGS_Y, 1)
    ]
    circles = ((0.0, _outside(p.PICK_TEETH) / 2), (p.NIP_X - p.PICK_X, _outside(p.EXIT_TEETH) / 2))
    loop = _belt(circles, p.BELT_WIDTH).rotate((0, 0, 0), (1, 0, 0), 90)
    return [*found, Bought("feed-belt", "", loop.translate((p.PICK_X, -38, AXIS_Z)), "rubber")]


def shoe_idler() -> list[Bought]:
    """Pins, bearings and spring of the idler."""
    spring = cut(rod("z", (p.NIP_X, 0), 5, (IDLER_Z + 3.3, SPRING_BAR[1][0] + 3)), rod("z", (p.NIP_X, 0), 4, (0, 40)))
    return [
        Bought("idler-pin", "pivot", rod("y", IDLER_PIVOT, 3, (-OUTSIDE, OUTSIDE))),
        Bought("idler-pin", "axle", rod("y", (p.NIP_X, IDLER_Z), 3, (-13, 13))),
        *(
            Bought("bearing-623", name, _sleeve(p.NIP_X, p.BEARING_623, 3, y, IDLER_Z))
            for name, y in (("left", (8.0, 12.0)), ("right", (-12.0, -8.0)))
        ),
        Bought("idler-spring", "", spring),
    ]


def shoe_sensors() -> list[Bought]:
    """The light barrier at the exit, the reflective sensor under the hopper."""
    half, width = p.BARRIER_BODY / 2, p.BARRIER_WIDTH / 2
    tip = BARRIER_Y + p.BARRIER_HEIGHT
    barrier = cut(
        join(
            box((-width, width), (BARRIER_Y, tip), (BARRIER_Z - half, BARRIER_Z + half)),
            box((-width, width), (BARRIER_Y, BARRIER_Y + 3),
                (BARRIER_Z - p.BARRIER_LENGTH / 2, BARRIER_Z + p.BARRIER_LENGTH / 2)),
        ),
        box((-10, 10), (BARRIER_Y + 3.3, tip + 1), (BARRIER_Z - p.BARRIER_GAP / 2, BARRIER_Z + p.BARRIER_GAP / 2)),
        *(rod("y", (0, BARRIER_Z + dz * p.BARRIER_HOLES / 2), 3.2, (BARRIER_Y - 1, tip)) for dz in (-1, 1)),
    )  # fmt: skip
    x, top = p.HOPPER_SENSOR_X, -p.REFLEX_DISTANCE
    reflex = box(
        (x - p.REFLEX_WIDTH / 2, x + p.REFLEX_WIDTH / 2),
        (-p.REFLEX_LENGTH / 2, p.REFLEX_LENGTH / 2),
        (top - p.REFLEX_HEIGHT, top),
    )
    return [Bought("exit-barrier", "", barrier, "dark"), Bought("hopper-sensor", "", reflex, "dark")]


def shoe_motor() -> list[Bought]:
    """The feed motor and its coupling."""
    x, y = p.NIP_X, MOTOR_FACE_Y
    body = join(
        rod("y", (x, AXIS_Z), p.FEED_MOTOR, (y, y + p.FEED_MOTOR_LENGTH - 12.5)),
        rod("y", (x, AXIS_Z), 7, (y - 2.5, y)),
    )
    shaft = rod("y", (x, AXIS_Z), p.FEED_MOTOR_SHAFT, (y - 12.5, y - 2.5))
    coupling = cut(
        rod("y", (x, AXIS_Z), 14, (y - 29.5, y - 29.5 + p.FEED_COUPLING)),
        rod("y", (x, AXIS_Z), p.EXIT_SHAFT, (y - 31, y - 17)),
        rod("y", (x, AXIS_Z), p.FEED_MOTOR_SHAFT, (y - 18, y)),
    )
    return [Bought("feed-motor", "", join(body, shaft)), Bought("coupling", "", coupling, "dark")]


def deck(height: float = p.DECK_HEIGHT) -> Bought:
    """The cards in the hopper."""
    body = box((p.GATE_X - p.CARD_LENGTH, p.GATE_X), (-p.CARD_WIDTH / 2, p.CARD_WIDTH / 2), (0, height))
    return Bought("cards", "", body.edges("|Z").fillet(p.CARD_CORNER), "card")


def card_way(thickness: float = p.CARD_THICKEST, end: float = 120.0) -> cq.Workplane:
    """All the room that one card passes, from where it lies to where it has left the machine."""
    half = p.CARD_WIDTH / 2
    return box((p.GATE_X - p.CARD_LENGTH, end), (-half, half), (0, thickness))


def table_drive() -> list[Bought]:
    """Motor, pulley, belt and bearings of the turntable."""
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
        tube((x, 0), _outside(p.MOTOR_TEETH), 5, (belt_z - 1, belt_z + 7)),
    )
    circles = ((0.0, _outside(p.TABLE_TEETH) / 2), (x, _outside(p.MOTOR_TEETH) / 2))
    found = [
        Bought("turn-motor", "", motor, "dark"),
        Bought("pulley-20", "", wheel),
        Bought("table-belt", "", _belt(circles, p.BELT_WIDTH).translate((0, 0, belt_z)), "rubber"),
    ]
    lower = turntable.BOSS_BOTTOM
    upper = lower + p.BEARING_6806_WIDTH + p.BEARING_APART
    for name, z in (("lower", lower), ("upper", upper)):
        shape = tube((0, 0), p.BEARING_6806, p.BEARING_6806_BORE, (z, z + p.BEARING_6806_WIDTH))
        found.append(Bought("bearing-6806", name, shape))
    return found


def table_sensors() -> list[Bought]:
    """Magnet, hall switch, and the board with the Pico."""
    at, top, low = -p.HALL_RADIUS, turntable.HALL_TOP, turntable.PLATE_Z
    (x0, x1), (y0, y1) = turntable.BOARD
    board = join(
        box((x0, x1), (y0, y1), (8, 9.6)),
        box((x0 + 4, x0 + 25), (-45, 6), (12, 13)), box((x0 + 6, x0 + 23), (-44, 5), (9.6, 12)),
        box((x0 + 30, x0 + 45), (-45, -25), (9.6, 20)), box((x0 + 28, x0 + 48), (-10, 15), (9.6, 18)),
        box((x0 + 8, x0 + 26), (15, 33), (9.6, 16)),
    )  # fmt: skip
    return [
        Bought("magnet", "", rod("z", (at, 0), p.MAGNET, (low, low + p.MAGNET_HEIGHT))),
        Bought("home-sensor", "", box((at - 2, at + 2), (0.5, 3.6), (top, top + 1.5)), "dark"),
        Bought("board", "", board, "board"),
    ]


def arm_parts() -> list[Bought]:
    """The two profiles and the camera."""
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
    """The keys in the panel."""
    top = panel.TOP[1]
    return [
        Bought("panel-key", name, _key(x, y, top), name if name in panel.SHAPES else "white")
        for name, (x, y) in panel.KEYS.items()
    ]


def panel_paint() -> list[Bought]:
    """The paint in the signs of the panel."""
    return [
        Bought("paint", name, shape, name if name in panel.SHAPES else "white") for name, shape in panel.signs().items()
    ]


def seat_key() -> list[Bought]:
    """The button of a seat."""
    return [Bought("seat-button", "", _key(0, 0, p.PANEL_HEIGHT), "white")]


def _key(x: float, y: float, top: float) -> cq.Workplane:
    return join(
        rod("z", (x, y), p.KEY_HOLE, (top - p.KEY_DEPTH, top)),
        rod("z", (x, y), p.KEY_HOLE + 5, (top, top + 2.5)),
        rod("z", (x, y), p.KEY_HOLE - 4, (top + 2.5, top + 6)),
    )


def ring_board() -> list[Bought]:
    """The ring of lights."""
    z = ring.HEIGHT - 8
    body = tube((0, 0), p.RING_OUTSIDE, p.RING_INSIDE, (z, z + 1.6))
    middle = (p.RING_OUTSIDE + p.RING_INSIDE) / 4
    lights = [
        box((-2.5, 2.5), (-2.5, 2.5), (z + 1.6, z + p.RING_HEIGHT)).translate((middle, 0, 0)).rotate(
            (0, 0, 0), (0, 0, 1), 15 * n)
        for n in range(24)
    ]  # fmt: skip
    return [Bought("ring", "", join(body, *lights), "board")]
