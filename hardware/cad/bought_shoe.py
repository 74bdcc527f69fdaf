"""The bought parts of the shoe, and the cards in it."""

from __future__ import annotations

import cadquery as cq

from hardware import parameters as p
from hardware.cad.bought import Bought, belt
from hardware.cad.shoe import (
    AXIS_Z,
    BARRIER_Y,
    BARRIER_Z,
    CLUTCH_Y,
    IDLER_PIVOT,
    IDLER_Z,
    MOTOR_FACE_Y,
    ORINGS_Y,
    OUTSIDE,
    POCKET,
    SPRING_Z,
    pad_room,
)  # fmt: skip
from hardware.cad.solids import box, cut, join, rod


def _sleeve(x: float, outside: float, inside: float, y: tuple[float, float], z: float = AXIS_Z) -> cq.Workplane:
    return cut(rod("y", (x, z), outside, y), rod("y", (x, z), inside, (y[0] - 1, y[1] + 1)))


def _oring(x: float, y: float) -> cq.Workplane:
    ring_ = cq.Workplane("XY").center(p.ROLLER / 2 - p.ORING / 2, 0).circle(p.ORING / 2)
    return ring_.revolve(360, (-(p.ROLLER - p.ORING) / 2, 0, 0), (-(p.ROLLER - p.ORING) / 2, 1, 0)).translate(
        (x, y, AXIS_Z)
    )


def shoe_rollers() -> list[Bought]:
    """Return shafts, bearings, clutch, O-rings, pulleys and belt."""
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
        Bought("clutch", "", _sleeve(p.PICK_X, p.CLUTCH, p.PICK_SHAFT, CLUTCH_Y)),
        Bought("pulley-16", "", _sleeve(p.NIP_X, p.pulley_outside(p.EXIT_TEETH), p.EXIT_SHAFT, (-45, -36.5))),
        Bought("pulley-36", "", _sleeve(p.PICK_X, p.pulley_outside(p.PICK_TEETH), p.PICK_SHAFT, (-45, -36.5))),
    ]
    found += [
        Bought("o-ring", f"{name} {n}", _oring(x, y), "rubber")
        for name, x in (("pick", p.PICK_X), ("exit", p.NIP_X))
        for n, y in enumerate(ORINGS_Y, 1)
    ]
    circles = ((0.0, p.pulley_outside(p.PICK_TEETH) / 2), (p.NIP_X - p.PICK_X, p.pulley_outside(p.EXIT_TEETH) / 2))
    loop = belt(circles, p.BELT_WIDTH).rotate((0, 0, 0), (1, 0, 0), 90)
    return [*found, Bought("feed-belt", "", loop.translate((p.PICK_X, -38, AXIS_Z)), "rubber")]


def shoe_idler() -> list[Bought]:
    """Return pins, bearings and spring of the idler."""
    inside = p.SPRING_OUTSIDE - 2 * p.SPRING_WIRE
    spring = cut(rod("z", (p.NIP_X, 0), p.SPRING_OUTSIDE, SPRING_Z), rod("z", (p.NIP_X, 0), inside, (0, 40)))
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
    """Return the light barrier at the exit and the reflective sensor under the hopper."""
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
    """Return the feed motor and its coupling."""
    x, y = p.NIP_X, MOTOR_FACE_Y
    body = join(
        rod("y", (x, AXIS_Z), p.FEED_MOTOR, (y, y + p.FEED_MOTOR_LENGTH - 12.5)),
        rod("y", (x, AXIS_Z), 7, (y - 2.5, y)),
    )
    shaft = rod("y", (x, AXIS_Z), p.FEED_MOTOR_SHAFT, (y - 12.5, y - 2.5))
    coupling = cut(
        rod("y", (x, AXIS_Z), 14, (y - 26.5, y - 26.5 + p.FEED_COUPLING)),
        rod("y", (x, AXIS_Z), p.EXIT_SHAFT, (y - 31, y - 17)),
        rod("y", (x, AXIS_Z), p.FEED_MOTOR_SHAFT, (y - 18, y)),
    )
    return [Bought("feed-motor", "", join(body, shaft)), Bought("coupling", "", coupling, "dark")]


def retard_pads() -> list[Bought]:
    """Return the two pads in the gate at its lowest, over the O-rings of the pick roller, as a card squeezes them."""
    z = p.GATE_LOW, p.GATE_LOW + p.PAD_FREE - p.PAD_SQUEEZE - p.GATE_OVER
    return [Bought("retard-pad", f"{n}", box(*pad_room(y), z), "rubber") for n, y in enumerate(ORINGS_Y, 1)]


def deck(height: float = p.DECK_HEIGHT) -> Bought:
    """Return the cards in the hopper."""
    body = box((p.GATE_X - p.CARD_LENGTH, p.GATE_X), (-p.CARD_WIDTH / 2, p.CARD_WIDTH / 2), (0, height))
    return Bought("cards", "", body.edges("|Z").fillet(p.CARD_CORNER), "card")


def bent_cards(thickness: float, bend: float) -> cq.Workplane:
    """Return cards ``thickness`` high at the gate, bent so that their middle is ``bend`` lower than their ends, or
    higher where it is negative. They rest on the crown of the pick roller."""
    radius = p.CARD_LENGTH**2 / (8 * abs(bend))
    inside = (radius - thickness, radius) if bend > 0 else (radius, radius + thickness)
    z = radius if bend > 0 else -radius
    half = p.CARD_WIDTH / 2
    rings = [cq.Workplane("XZ").center(p.PICK_X, z).circle(r).extrude(half, both=True) for r in inside]
    near = box((p.GATE_X - 10, p.GATE_X + 10), (-half, half), (-2, 2))
    return rings[1].cut(rings[0]).intersect(near)


def card_way(thickness: float = p.CARD_THICKEST, end: float = 120.0) -> cq.Workplane:
    """Return the volume that one card sweeps from its place in the hopper to the outside of the machine."""
    half = p.CARD_WIDTH / 2
    return box((p.GATE_X - p.CARD_LENGTH, end), (-half, half), (0, thickness))
