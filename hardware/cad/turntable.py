"""The turntable: a base with motor and boards, a hub in two bearings, a plate. z is up from the table."""

from __future__ import annotations

from math import atan2, cos, degrees, radians, sin
from typing import Final

import cadquery as cq

from hardware import drive, wall
from hardware import parameters as p
from hardware.board import layout
from hardware.board.model import HOLES, PITCH, ROWS
from hardware.cad.part import Part
from hardware.cad.shoe import FEET_X, foot
from hardware.cad.solids import TINY, around, box, cut, join, prism, pulley, rod, tube

DECK_Z: Final = p.BASE_HEIGHT
PLATE_Z: Final = DECK_Z + p.TOP_GAP
SHOE_Z: Final = drive.exit_height_mm()
"""Height of the plane of the cards above the table."""
SHOE_PLACE: Final = (-p.AXIS_X, 0.0, SHOE_Z)
"""Origin of the shoe's own frame."""
MOTOR_X: Final = p.belt_distance(p.TABLE_BELT, p.TABLE_TEETH, p.MOTOR_TEETH)

LIP: Final = 2.0
BEARINGS: Final = 2 * p.BEARING_6806_WIDTH + p.BEARING_APART
BOSS_BOTTOM: Final = DECK_Z - LIP - BEARINGS
BOSS: Final = 58.0
_CAP_SCREWS: Final = around(4, 25, 45)
_HUB_SCREWS: Final = around(4, 24, 45)
_NUT_SCREWS: Final = around(3, 12)
_POSTS: Final = around(4, 88, 45)
BOARD: Final = ((-52.0, 34.0), (-80.0, 80.0))
CABLE_WAY: Final = 180
"""Position of the opening for the cables that stay, `wall.OPENING` (degrees)."""
BOARD_Z: Final = 9.6
"""Height of the board's upper side."""
PLACED: Final = layout.placed()


def on_board(row: float, hole: float) -> tuple[float, float]:
    """Return the place of a hole of the board: row 0 is nearest to the seats' sockets."""
    (x0, x1), (y0, y1) = BOARD
    return (
        (x0 + x1) / 2 + (row - (ROWS - 1) / 2) * PITCH,
        (y0 + y1) / 2 + (hole - (HOLES - 1) / 2) * PITCH,
    )


BUTTONS: Final = [
    on_board(sum(part.body.rows) / 2, sum(part.body.holes) / 2)
    for part in PLACED
    if part.is_back and part.body is not None
]
"""The service button and the RUN button, on the back of the board."""
HALL_TOP: Final = PLATE_Z - p.HALL_GAP - 1.5
STOP_ANGLE: Final = 90.0
"""Position of the stop's lever on the deck (degrees). The peg under the plate is opposite while the table is at its
magnet."""
LEVER_Z: Final = (PLATE_Z - 9.0, PLATE_Z - 4.0)


def _screws(places: list[tuple[float, float]], size: float, z: tuple[float, float]) -> list[cq.Workplane]:
    return [rod("z", at, size, (z[0] - TINY, z[1] + TINY)) for at in places]


def stop_screws() -> list[tuple[float, float]]:
    """Return the positions of the screws that hold the lever, one for each way."""
    places = []
    for sign in (-1, 1):
        swing, aside = radians(p.STOP_SWING), p.STOP_WIDTH / 2 + 1.5
        x = p.STOP_PIVOT + 14 * cos(swing) - aside * sin(swing)
        y = 14 * sin(swing) + aside * cos(swing)
        places.append((x, sign * y))
    turn = radians(STOP_ANGLE)
    return [(x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn)) for x, y in places]


def pivot() -> tuple[float, float]:
    """Return the pivot of the lever."""
    return p.STOP_PIVOT * cos(radians(STOP_ANGLE)), p.STOP_PIVOT * sin(radians(STOP_ANGLE))


def base() -> cq.Workplane:
    """Return the base, a drum: deck, wall, boss for the bearings, posts for the lid. The motor hangs under the deck."""
    deck = (DECK_Z - p.DECK, DECK_Z)
    shell = tube((0, 0), 2 * p.BASE_RADIUS, 2 * (p.BASE_RADIUS - p.BASE_WALL), (0, DECK_Z))
    body = join(shell, rod("z", (0, 0), 2 * p.BASE_RADIUS, deck), rod("z", (0, 0), BOSS, (BOSS_BOTTOM, deck[0])))
    body = join(body, *(rod("z", at, 11, (3, deck[0])) for at in _POSTS))
    tools = [
        rod("z", (0, 0), p.BEARING_6806 + 0.1, (BOSS_BOTTOM - TINY, DECK_Z - LIP)),
        rod("z", (0, 0), p.BEARING_6806 - 4, (0, DECK_Z + TINY)),
        *_screws(_CAP_SCREWS, p.M3_PILOT, (BOSS_BOTTOM, BOSS_BOTTOM + 10)),
        *_screws(_POSTS, p.M3_PILOT, (3, 15)),
    ]
    through = (deck[0] - TINY, deck[1] + TINY)
    half = p.NEMA17_HOLES / 2
    for dx in (-2, 0, 2):
        tools.append(rod("z", (MOTOR_X + dx, 0), p.NEMA17_BOSS + 0.6, through))
        tools += [rod("z", (MOTOR_X + dx + x, y), p.M3_HOLE, through) for x in (-half, half) for y in (-half, half)]
    tools += _screws([*HALL_SCREWS, *stop_screws(), pivot()], p.M3_PILOT, deck)
    legs = rod("z", (-p.HALL_RADIUS, 0), 5, through)
    tools += [legs, at_marks_post(join(legs, *_screws(HALL_SCREWS, p.M3_PILOT, deck)))]
    tools += [_roofed_hole(hole.at, wall.SIZES[hole.part][0]) for hole in wall.HOLES]
    return cut(body, *tools, _cable_way(p.CABLE_WAY_HEIGHT), *_vents())


def in_wall(at: tuple[float, float], diameter: float, depth: tuple[float, float]) -> cq.Workplane:
    """Return a cylinder through the wall. ``at``: position (degrees) and height; ``depth``: from the outside, out."""
    out = rod("x", (0, at[1]), diameter, (p.BASE_RADIUS + depth[0], p.BASE_RADIUS + depth[1]))
    return out.rotate((0, 0, 0), (0, 0, 1), at[0])


def _roofed_hole(at: tuple[float, float], diameter: float) -> cq.Workplane:
    """Return a hole through the wall that is printed without supports: below, since the base stands on its head, it
    ends in a roof of 45°, which the nut covers."""
    half, tip = diameter / 2 / 2**0.5, 1.3 * diameter / 2
    edge, low = diameter / 2**0.5 - tip, at[1]
    outline = [(-half, low - half), (half, low - half), (edge, low - tip), (-edge, low - tip)]
    roof = prism(outline, (p.BASE_RADIUS - p.BASE_WALL - 1, p.BASE_RADIUS + 1))
    return join(in_wall(at, diameter, (-p.BASE_WALL - 1, 1)), roof.rotate((0, 0, 0), (0, 0, 1), at[0] - 90))


def _cable_way(height: float) -> cq.Workplane:
    """Return the opening in the rim, near the board."""
    half = p.CABLE_WAY_WIDTH / 2
    out = box((p.BASE_RADIUS - 10, p.BASE_RADIUS + 1), (-half, half), (-TINY, height))
    return out.rotate((0, 0, 0), (0, 0, 1), CABLE_WAY)


def _vents() -> list[cq.Workplane]:
    """Return the slots in the wall for warm air from the drivers, on both sides of the board and of the motor."""
    out = box((p.BASE_RADIUS - 8, p.BASE_RADIUS + 1), (-p.VENT / 2, p.VENT / 2), (14, 34))
    return [out.rotate((0, 0, 0), (0, 0, 1), at + n * 8) for at in (-90, 90) for n in range(-2, 3)]


HALL_SCREWS: Final = [(-p.HALL_RADIUS, -9.0), (-p.HALL_RADIUS, 9.0)]


def marks() -> list[tuple[float, float]]:
    """Return the places of the marks under the plate at its home place: a gap is then over their switch."""
    pitch = 360 / p.MARKS
    places = [radians(p.MARKS_POST + pitch * (n + 0.5)) for n in range(int(p.MARKS))]
    return [(p.MARKS_RADIUS * cos(at), p.MARKS_RADIUS * sin(at)) for at in places]


def at_marks_post(body: cq.Workplane) -> cq.Workplane:
    """Move what stands at the home magnet's post to that of the marks."""
    inward = body.translate((p.HALL_RADIUS - p.MARKS_RADIUS, 0, 0))
    return inward.rotate((0, 0, 0), (0, 0, 1), p.MARKS_POST - 180)


def hall_post() -> cq.Workplane:
    """Return the post that holds the hall switch close under the magnet, its marked side up; its legs go down through
    the deck."""
    at = (-p.HALL_RADIUS, 0.0)
    body = join(
        box((at[0] - 5, at[0] + 5), (-13, 13), (DECK_Z, DECK_Z + 3)),
        box((at[0] - 4, at[0] + 4), (-5, 5), (DECK_Z, HALL_TOP + 1.5)),
    )
    bed = box((at[0] - 2.2, at[0] + 2.2), (-2, 5 + TINY), (HALL_TOP, HALL_TOP + 3))
    legs = box((at[0] - 2.2, at[0] + 2.2), (-2, 0), (DECK_Z - TINY, HALL_TOP + TINY))
    return cut(body, bed, legs, *_screws(HALL_SCREWS, p.M3_HOLE, (DECK_Z, DECK_Z + 3)))


def lid() -> cq.Workplane:
    """Return the lid, which closes the base from below and carries the board."""
    body = rod("z", (0, 0), 2 * (p.BASE_RADIUS - p.BASE_WALL - 0.4), (0, 3))
    (x0, x1), (y0, y1) = BOARD
    corners = [(x, y) for x in (x0 + 4, x1 - 4) for y in (y0 + 4, y1 - 4)]
    body = join(body, *(rod("z", at, 8, (3, 8)) for at in corners))
    tools = _screws(corners, p.M3_PILOT, (1.2, 8)) + _screws(_POSTS, p.M3_HOLE, (0, 3))
    tools += _screws(BUTTONS, p.BUTTON_HOLE, (0, 3))
    return cut(body, *tools, _cable_way(4))


def hub() -> cq.Workplane:
    """Return flange, pulley of 60 teeth and shaft in one; the cable goes through its middle."""
    shoulder = DECK_Z - LIP
    teeth = p.pulley_outside(p.TABLE_TEETH)
    rim = teeth + 4
    belt = (PLATE_Z - 14.0, PLATE_Z - 6.0)
    cone = cq.Workplane("XZ").polyline(
        [(0, belt[0] - 3), (rim / 2, belt[0] - 3), (rim / 2, belt[0] - 2), (teeth / 2, belt[0]), (0, belt[0])]
    ).close().revolve(360, (0, 0, 0), (0, 1, 0))  # fmt: skip
    body = join(
        rod("z", (0, 0), 60, (belt[1], PLATE_Z)),
        pulley(p.TABLE_TEETH, belt[1] - belt[0]).translate((0, 0, belt[0])),
        cone,
        rod("z", (0, 0), p.BEARING_6806_BORE + 3, (shoulder, belt[0] - 3)),
        rod("z", (0, 0), p.BEARING_6806_BORE - 0.05, (BOSS_BOTTOM, shoulder)),
    )
    tools = [rod("z", (0, 0), p.CABLE_HOLE, (0, PLATE_Z + TINY))]
    tools += _screws(_HUB_SCREWS, p.M3_PILOT, (belt[1], PLATE_Z))
    tools += _screws(_NUT_SCREWS, p.M3_PILOT, (BOSS_BOTTOM, BOSS_BOTTOM + 12))
    return cut(body, *tools)


def spacer() -> cq.Workplane:
    """Return the spacer between the outer rings of the two bearings."""
    z = BOSS_BOTTOM + p.BEARING_6806_WIDTH
    return tube((0, 0), p.BEARING_6806 - 0.2, p.BEARING_6806 - 5, (z, z + p.BEARING_APART))


def bearing_cap() -> cq.Workplane:
    """Return the cap that holds the outer rings from below."""
    z = (BOSS_BOTTOM - 3, BOSS_BOTTOM)
    return cut(tube((0, 0), BOSS, p.BEARING_6806 - 4, z), *_screws(_CAP_SCREWS, p.M3_HOLE, z))


def hub_cap() -> cq.Workplane:
    """Return the cap that holds the hub from below, at the inner ring."""
    z = (BOSS_BOTTOM - 3, BOSS_BOTTOM)
    return cut(tube((0, 0), p.BEARING_6806_BORE + 4, p.CABLE_HOLE, z), *_screws(_NUT_SCREWS, p.M3_HOLE, z))


def foot_holes() -> list[tuple[float, float]]:
    """Return the positions of the screws under the shoe."""
    return [(x - p.AXIS_X, y) for x in FEET_X for y in (-12, 12)]


def plate() -> cq.Workplane:
    """Return the plate that carries the shoe; the magnets and the peg of the stop are under it."""
    z = (PLATE_Z, PLATE_Z + p.TOP_PLATE)
    body = rod("z", (0, 0), 2 * p.TOP_PLATE_RADIUS, z)
    peg = radians(STOP_ANGLE + 180)
    body = join(
        body, rod("z", (p.STOP_RADIUS * cos(peg), p.STOP_RADIUS * sin(peg)), p.STOP_PEG, (LEVER_Z[0] + 1, PLATE_Z))
    )
    tools = [rod("z", (0, 0), p.CABLE_HOLE, (z[0] - TINY, z[1] + TINY))]
    tools += _screws(_HUB_SCREWS, p.M3_HOLE, z) + _screws(foot_holes(), p.M3_HOLE, z)
    beds = [(-p.HALL_RADIUS, 0.0), *marks()]
    tools += _screws(beds, p.MAGNET + 0.1, (z[0], z[0] + p.MAGNET_HEIGHT + 0.1 - TINY))
    return cut(body, *tools)


def stop_lever() -> cq.Workplane:
    """Return the loose lever that lets the table turn slightly more than half a turn to either side."""
    half = p.STOP_WIDTH / 2
    body = join(
        box((0, p.STOP_LEVER), (-half, half), LEVER_Z),
        rod("z", (p.STOP_LEVER, 0), p.STOP_WIDTH, LEVER_Z),
        rod("z", (0, 0), 10, (DECK_Z, LEVER_Z[1])),
    )
    body = body.cut(rod("z", (0, 0), p.M3_HOLE, (DECK_Z - TINY, LEVER_Z[1] + TINY)))
    x, y = pivot()
    return body.rotate((0, 0, 0), (0, 0, 1), degrees(atan2(y, x))).translate((x, y, 0))


PARTS: Final = (
    Part(number="PRT-201", title="base", shape=base, up="-z"),
    Part(number="PRT-202", title="lid", shape=lid, color="light"),
    Part(number="PRT-203", title="hub", shape=hub, up="-z", color="accent",
         thin="the teeth of the pulley"),
    Part(number="PRT-204", title="spacer", shape=spacer, color="light"),
    Part(number="PRT-205", title="bearing cap", shape=bearing_cap, color="light"),
    Part(number="PRT-206", title="hub cap", shape=hub_cap, color="accent"),
    Part(number="PRT-207", title="plate", shape=plate, up="-z", color="light"),
    Part(number="PRT-208", title="hall post", shape=hall_post, count=2, color="accent"),
    Part(number="PRT-209", title="stop lever", shape=stop_lever, up="-z", color="accent"),
    Part(number="PRT-210", title="foot back", shape=lambda: foot(FEET_X[0]).translate(SHOE_PLACE), color="accent"),
    Part(number="PRT-211", title="foot front", shape=lambda: foot(FEET_X[1]).translate(SHOE_PLACE), color="accent"),
)  # fmt: skip
