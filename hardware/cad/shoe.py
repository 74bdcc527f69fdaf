"""The shoe between its two sides. x is the way of a card from the light barrier, z is up from the card's plane."""

from __future__ import annotations

from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.cad.part import Part
from hardware.cad.solids import TINY, box, cut, join, prism, rod, slot

INSIDE: Final = p.CARD_WIDTH / 2 + p.PLAY
OUTSIDE: Final = INSIDE + p.SIDE
AXIS_Z: Final = -p.ROLLER / 2
FLOOR_TOP: Final = -p.FLOOR_DOWN
FLOOR_BOTTOM: Final = FLOOR_TOP - p.FLOOR
FRONT_WALL_X: Final = (p.GATE_X + p.GATE, p.GATE_X + p.GATE + p.FRONT_WALL)
BACK_WALL_X: Final = (p.GATE_X - p.CARD_LENGTH - p.PLAY - 5, p.GATE_X - p.CARD_LENGTH - p.PLAY)
FINGERS_X: Final = -116.0

IDLER_PIVOT: Final = (-18.0, 16.0)
IDLER_Z: Final = p.CARD_THICKEST + p.BEARING_623 / 2
SPRING_BAR: Final = ((-52.0, -38.0), (17.0, 24.0))
SPRING_Z: Final = (IDLER_Z + 3.3, SPRING_BAR[1][0] + 3)
"""The spring between the grounds of its holes, in the arm and in the bar."""
FEET_X: Final = (-150.0, -10.0)
MOUNT: Final = 31.0
MOTOR_FACE_Y: Final = OUTSIDE + 31
BARRIER_Y: Final = -(OUTSIDE - 1)
"""Position of the back of the light barrier."""
BARRIER_Z: Final = 0.15
STEEL: Final = 24.0
"""Length of the part of the weight that holds its steel."""
POCKET: Final = 4.8
"""Depth of the bearing seats in the sides."""
ORINGS_Y: Final = (-9.0, 9.0)
CLUTCH_Y: Final = (-p.CLUTCH_LENGTH / 2, p.CLUTCH_LENGTH / 2)
"""Position of the clutch: its bearings carry the roller in its middle, under the cards."""

_FLOOR_SCREWS: Final = (-150.0, -125.0, -60.7, 12.0)
_WALL_SCREWS: Final = (15.0, 58.0)
_BAR_SCREWS: Final = (-49.0, -41.0)
_MOUNT_SCREWS: Final = tuple((p.NIP_X + dx, AXIS_Z + dz) for dx in (-12, 12) for dz in (-12, 12))


def _pilots(x: float, z: float, deep: float = 12) -> tuple[cq.Workplane, cq.Workplane]:
    """Return the screw holes from both sides into the part between them."""
    return (
        rod("y", (x, z), p.M3_PILOT, (INSIDE - deep, INSIDE + TINY)),
        rod("y", (x, z), p.M3_PILOT, (-INSIDE - TINY, deep - INSIDE)),
    )


def side(sign: int) -> cq.Workplane:
    """Return a side; +1 is the left one, seen along the way of a card, with the motor."""
    step = FRONT_WALL_X[1] + 2
    outline = [
        (p.SHOE_BACK, p.SHOE_BOTTOM), (p.SHOE_FRONT, p.SHOE_BOTTOM), (p.SHOE_FRONT, p.EXIT_TOP), (step, p.EXIT_TOP),
        (step, p.HOPPER_TOP), (p.SHOE_BACK, p.HOPPER_TOP),
    ]  # fmt: skip
    near, far = sorted((sign * INSIDE, sign * OUTSIDE))
    body = prism(outline, (near, far))
    through = (near - TINY, far + TINY)

    def pocket(x: float, bearing: float, shaft: float) -> list[cq.Workplane]:
        deep = sorted((sign * (OUTSIDE - POCKET), sign * (OUTSIDE + TINY)))
        return [rod("y", (x, AXIS_Z), bearing + 0.1, (deep[0], deep[1])), rod("y", (x, AXIS_Z), shaft + 4, through)]

    screws = [(x, FLOOR_TOP - p.FLOOR / 2) for x in _FLOOR_SCREWS]
    screws += [(sum(wall) / 2, z) for wall in (FRONT_WALL_X, BACK_WALL_X) for z in _WALL_SCREWS]
    screws += [(x, sum(SPRING_BAR[1]) / 2) for x in _BAR_SCREWS]
    screws += [(x + dx, p.SHOE_BOTTOM + 5) for x in FEET_X for dx in (-4, 4)]
    tools = [rod("y", at, p.M3_HOLE, through) for at in screws]
    tools += pocket(p.NIP_X, p.BEARING_625, p.EXIT_SHAFT) + pocket(p.PICK_X, p.BEARING_626, p.PICK_SHAFT)
    tools.append(rod("y", IDLER_PIVOT, 3.1, through))
    tools.append(slot("y", (FINGERS_X, 60), 30, 100, through))
    if sign > 0:
        sunk = (near - TINY, near + 3.2)
        tools += [rod("y", at, p.M3_HOLE, through) for at in _MOUNT_SCREWS]
        tools += [rod("y", at, p.M3_HEAD, sunk) for at in _MOUNT_SCREWS]
    else:
        length, width = p.BARRIER_LENGTH / 2 + 0.3, p.BARRIER_WIDTH / 2 + 0.25
        tools.append(box((-width, width), through, (BARRIER_Z - length, BARRIER_Z + length)))
        tools += [rod("y", (0, BARRIER_Z + dz), p.M3_PILOT, through) for dz in (-17, 17)]
    return cut(body, *tools)


def floor() -> cq.Workplane:
    """Return the floor under the cards, with openings for the rollers and the hopper's sensor."""
    z = (FLOOR_BOTTOM, FLOOR_TOP)
    through = (z[0] - TINY, z[1] + TINY)
    half, reach = p.ROLLER_WIDTH / 2 + 1, p.ROLLER / 2 + 1
    body = box((p.SHOE_BACK, p.SHOE_FRONT), (-INSIDE + 0.1, INSIDE - 0.1), z)
    tools = [box((x - reach, x + reach), (-half, half), through) for x in (p.PICK_X, p.NIP_X)]
    tools += [box((x - 4, x + 4), (-INSIDE, INSIDE), (z[0] - TINY, z[0] + 1)) for x in (p.PICK_X, p.NIP_X)]
    reflex = (p.REFLEX_LENGTH / 2 + 0.2, p.REFLEX_WIDTH / 2 + 0.2)
    tools.append(box((p.HOPPER_SENSOR_X - reflex[1], p.HOPPER_SENSOR_X + reflex[1]), (-reflex[0], reflex[0]), through))
    tools.append(box((-3.6, 3.6), (-INSIDE, -(OUTSIDE - 1 - p.BARRIER_HEIGHT - 0.4)), through))
    for x in _FLOOR_SCREWS:
        tools += _pilots(x, FLOOR_TOP - p.FLOOR / 2)
    edge = p.PICK_X + reach  # a card that the pads press down slides up it
    low = z[1] - p.FLOOR_RAMP
    corners = [(edge - TINY, low), (edge + 2 * p.FLOOR_RAMP, z[1] + TINY), (edge - TINY, z[1] + TINY)]
    ramp = prism(corners, (-half, half))
    return cut(body, *tools, ramp)


def back_wall() -> cq.Workplane:
    """Return the wall behind the cards."""
    body = box(BACK_WALL_X, (-INSIDE + 0.1, INSIDE - 0.1), (FLOOR_TOP, p.HOPPER_TOP))
    return cut(body, *(pilot for z in _WALL_SCREWS for pilot in _pilots(sum(BACK_WALL_X) / 2, z)))


def front_wall() -> cq.Workplane:
    """Return the wall that holds the gate, with two slots for its clamping screws, and a stop for its setting screw."""
    body = box(FRONT_WALL_X, (-INSIDE + 0.1, INSIDE - 0.1), (8, 66))
    through = (FRONT_WALL_X[0] - TINY, FRONT_WALL_X[1] + TINY)
    tools = [slot("x", (y, 36), p.M3_HOLE, 8, through) for y in (-18, 18)]
    tools += [pilot for z in _WALL_SCREWS for pilot in _pilots(sum(FRONT_WALL_X) / 2, z)]
    return cut(body, *tools)


def pad_room(y: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the room of a retard pad in the gate, along and across a card: behind the edge that holds the deck."""
    return (p.GATE_X + p.GATE - p.PAD_LENGTH, p.GATE_X + p.GATE), (y - p.PAD_WIDTH / 2, y + p.PAD_WIDTH / 2)


def gate(gap: float = p.GATE_LOW) -> cq.Workplane:
    """Return the gate, ``gap`` above the plane of the cards. Only its tongue reaches down, so that one card passes; its
    lower edge is beveled towards the hopper. Two pads of foam are glued behind the edge, over the O-rings: they hold
    back a second card that came under it."""
    x, half = (p.GATE_X, p.GATE_X + p.GATE), p.CARD_WIDTH / 2
    body = join(
        box(x, (-half, half), (gap + 1.5, gap + 75)),
        box(x, (-p.GATE_TONGUE / 2, p.GATE_TONGUE / 2), (gap, gap + 10)),
        box((x[0], FRONT_WALL_X[1]), (-10, 10), (gap + 70, gap + 75)),
    )
    lower, upper = gap - TINY, gap + p.GATE_BEVEL_HEIGHT
    bevel = prism([(x[0] - TINY, lower), (p.GATE_EDGE_X, lower), (p.GATE_EDGE_X, gap), (x[0], upper),
                   (x[0] - TINY, upper)], (-half, half))  # fmt: skip
    clamps = [rod("x", (y, gap + 36), p.M3_PILOT, (x[1] - 3.6, x[1] + TINY)) for y in (-18, 18)]
    ground = gap + p.PAD_FREE - p.PAD_SQUEEZE - p.GATE_OVER
    for y in ORINGS_Y:
        x_pad, y_pad = pad_room(y)
        clamps.append(box((x_pad[0], x_pad[1] + TINY), (y_pad[0] - 0.2, y_pad[1] + 0.2), (gap - TINY, ground)))
    screw = rod("z", (sum(FRONT_WALL_X) / 2, 0), p.M3_PILOT, (gap + 70 - TINY, gap + 75 + TINY))
    return cut(body, bevel, *clamps, screw)


def weight(bottom: float = p.DECK_HEIGHT) -> cq.Workplane:
    """Return the weight on the cards. Its steel lies near the gate, over the pick roller.

    It is hollow below, at the O-rings and the hopper's sensor, and touches neither when the hopper is empty.
    """
    front, back, half = p.GATE_X - 1.5, p.GATE_X - p.CARD_LENGTH + 1, p.CARD_WIDTH / 2 - 0.5
    base = box((back, front), (-half, half), (bottom, bottom + 5))
    block = box((front - STEEL, front), (-half, half), (bottom, bottom + p.WEIGHT_HEIGHT))
    cave = box(
        (front - STEEL + p.WALL, front - p.WALL),
        (-half + p.WALL, half - p.WALL),
        (bottom + 5, bottom + p.WEIGHT_HEIGHT + TINY),
    )
    rings = [box((p.PICK_X - 11, front + TINY), (y - 5, y + 5), (bottom - TINY, bottom + 2)) for y in ORINGS_Y]
    eye = rod("z", (p.HOPPER_SENSOR_X, 0), 10, (bottom - TINY, bottom + p.WEIGHT_HEIGHT + 1))
    handle = box((back, back + 5), (-half, half), (bottom, bottom + 30))
    return cut(join(base, block, handle), cave, eye, *rings)


def cave_mm3() -> float:
    """Return the volume for steel in the weight."""
    return (STEEL - 2 * p.WALL) * (p.CARD_WIDTH - 1 - 2 * p.WALL) * (p.WEIGHT_HEIGHT - 5)


def roller(x: float, shaft: float, *, has_clutch: bool) -> cq.Workplane:
    """Return a roller's core with two grooves for O-rings; the pick roller runs on a one-way clutch."""
    body, ground = p.ROLLER / 2 - 1.3, p.ROLLER / 2 - p.ORING
    half, deep = p.ROLLER_WIDTH / 2, p.ROLLER / 2 - 1.3 - (p.ROLLER / 2 - p.ORING)
    outline = [(0.0, -half), (body, -half)]
    for at in ORINGS_Y:
        outline += [(body, at - 1.5 - deep), (ground, at - 1.5), (ground, at + 1.5), (body, at + 1.5 + deep)]
    outline += [(body, half), (0.0, half)]
    core = cq.Workplane("XY").polyline(outline).close().revolve(360, (0, 0, 0), (0, 1, 0)).translate((x, 0, AXIS_Z))
    bore = [rod("y", (x, AXIS_Z), shaft + (0.6 if has_clutch else 0.1), (-half - TINY, half + TINY))]
    if has_clutch:
        bore.append(rod("y", (x, AXIS_Z), p.CLUTCH, (CLUTCH_Y[0], half + TINY)))
    else:
        bore.append(rod("z", (x, 0), p.M3_PILOT, (AXIS_Z, AXIS_Z + 20)))
    return cut(core, *bore)


def idler() -> cq.Workplane:
    """Return the idler arm, which presses a card onto the exit roller: two bearings on a pin, a spring on top."""
    (px, pz), (ax, az) = IDLER_PIVOT, (p.NIP_X, IDLER_Z)
    y = (-7.5, 7.5)
    link = prism([(px + 1, pz + 4), (px + 1, pz - 4), (ax + 4, az - 3.2), (ax - 3, az - 3.2), (ax - 4, az + 5)], y)
    pad = box((ax - 4, ax + 5), y, (az - 2, az + 5))
    body = join(link, pad, rod("y", (px, pz), 8, y), rod("y", (ax, az), 6.8, y))
    ends = (y[0] - TINY, y[1] + TINY)
    return cut(
        body,
        rod("y", (px, pz), 3.3, ends),
        rod("y", (ax, az), 3.05, ends),
        rod("z", (ax, 0), 5.6, (SPRING_Z[0], az + 20)),
    )


def spring_bar() -> cq.Workplane:
    """Return the bar between the sides over the idler, which holds the upper end of the spring."""
    (x, z) = SPRING_BAR
    body = box(x, (-INSIDE + 0.1, INSIDE - 0.1), z)
    pilots = [pilot for at in _BAR_SCREWS for pilot in _pilots(at, sum(z) / 2)]
    return cut(body, rod("z", (p.NIP_X, 0), 5.6, (z[0] - TINY, SPRING_Z[1])), *pilots)


def barrier_mount() -> cq.Workplane:
    """Return the mount of the light barrier in the right side; its slots allow adjustment up and down."""
    y = (-OUTSIDE - 3, -OUTSIDE)
    body = join(
        box((-7, 7), y, (BARRIER_Z - 22, BARRIER_Z + 22)),
        box((-3.2, 3.2), (-OUTSIDE, BARRIER_Y), (BARRIER_Z - 12.2, BARRIER_Z + 12.2)),
    )
    ends = (y[0] - TINY, BARRIER_Y + TINY)
    tools = [rod("y", (0, BARRIER_Z + dz * p.BARRIER_HOLES / 2), p.M3_PILOT, ends) for dz in (-1, 1)]
    tools += [slot("y", (0, BARRIER_Z + dz), p.M3_HOLE, 5, ends) for dz in (-17, 17)]
    tools.append(box((-1.9, 1.9), ends, (BARRIER_Z - 5.5, BARRIER_Z + 5.5)))
    return cut(body, *tools)


def sunk_head(at: tuple[float, float], y: float) -> cq.Workplane:
    """Return the recess for a countersunk M3 screw along y; its top is level with ``y``."""
    cone = cq.Solid.makeCone(p.M3_HEAD / 2, 1.6, 1.8, cq.Vector(at[0], y - TINY, at[1]), cq.Vector(0, 1, 0))
    return cq.Workplane(cone)


def motor_mount() -> cq.Workplane:
    """Return the mount of the feed motor, in line with the exit roller; a window gives access to the coupling's
    screws."""
    x, z, half = p.NIP_X, AXIS_Z, MOUNT / 2
    body = box((x - half, x + half), (OUTSIDE, MOTOR_FACE_Y), (z - half, z + half))
    inner = (OUTSIDE - TINY, MOTOR_FACE_Y - 4)
    ends = (OUTSIDE - TINY, MOTOR_FACE_Y + TINY)
    tools = [rod("y", (x, z), 23, inner), rod("y", (x, z), 8, ends)]
    for dx in (-p.FEED_MOTOR_HOLES / 2, p.FEED_MOTOR_HOLES / 2):
        tools.append(rod("y", (x + dx, z), 3.2, ends))
        tools.append(sunk_head((x + dx, z), MOTOR_FACE_Y - 4))
    tools += [rod("y", at, p.M3_PILOT, (OUTSIDE - TINY, OUTSIDE + 12)) for at in _MOUNT_SCREWS]
    tools.append(box((x - 6, x + 6), (OUTSIDE + 6, OUTSIDE + 26), (z, z + half + TINY)))
    return cut(body, *tools)


def foot(x: float) -> cq.Workplane:
    """Return a bar between the sides, screwed to the turntable from below."""
    half = p.SHOE_FEET / 2
    body = box((x - half, x + half), (-INSIDE + 0.1, INSIDE - 0.1), (p.SHOE_BOTTOM, p.SHOE_BOTTOM + 10))
    tools = [pilot for dx in (-4, 4) for pilot in _pilots(x + dx, p.SHOE_BOTTOM + 5)]
    tools += [rod("z", (x, y), p.M3_PILOT, (p.SHOE_BOTTOM - TINY, p.SHOE_BOTTOM + 8)) for y in (-12, 12)]
    return cut(body, *tools)


PARTS: Final = (
    Part(number="PRT-101", title="side left", shape=lambda: side(1), up="+y"),
    Part(number="PRT-102", title="side right", shape=lambda: side(-1), up="-y"),
    Part(number="PRT-103", title="floor", shape=floor, color="light"),
    Part(number="PRT-104", title="back wall", shape=back_wall, up="+x", color="light"),
    Part(number="PRT-105", title="front wall", shape=front_wall, up="+x", color="light"),
    Part(number="PRT-106", title="gate", shape=gate, up="+x", color="accent"),
    Part(number="PRT-107", title="weight", shape=weight, color="light"),
    Part(number="PRT-108", title="pick roller", shape=lambda: roller(p.PICK_X, p.PICK_SHAFT, has_clutch=True), up="+y",
         color="accent"),
    Part(number="PRT-109", title="exit roller", shape=lambda: roller(p.NIP_X, p.EXIT_SHAFT, has_clutch=False), up="+y",
         color="accent"),
    Part(number="PRT-110", title="idler arm", shape=idler, up="+y", color="accent"),
    Part(number="PRT-111", title="spring bar", shape=spring_bar, up="-z", color="light"),
    Part(number="PRT-112", title="barrier mount", shape=barrier_mount, up="+y", color="accent"),
    Part(number="PRT-113", title="motor mount", shape=motor_mount, up="-y", color="light"),
)  # fmt: skip
