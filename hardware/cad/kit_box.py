"""The box of the board of buttons and ring: a tray with four posts, and a lid. x and y are the board's, z is up."""

from __future__ import annotations

from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.button_board import layout
from hardware.cad.bought import Bought
from hardware.cad.part import Part
from hardware.cad.solids import TINY, box, cut, join, rod

GROUND: Final = 2.4
POST: Final = 4.0
THICK: Final = 1.6
BOARD_Z: Final = (GROUND + POST, GROUND + POST + THICK)
ROOM: Final = 24.0
"""From the board up to the lid: the Pico in its sockets, and a plug with the bend of its cable."""
TOP: Final = BOARD_Z[1] + ROOM
AROUND: Final = 0.6
"""Play of the board."""
CABLE: Final = 3.6
"""Width of the slot of a cable: two wires of 0.14 mm² in their sheath."""
SLOT: Final = 7.0
"""How far the slots go down from the lid."""
LIP: Final = 3.0
USB_Z: Final = BOARD_Z[1] + 8.5 + 1.0 + 1.4
"""Middle of the Pico's socket: over its sockets and its own board."""

_W, _H = layout.SIZE


def _y(down: float) -> float:
    return _H - down


def board() -> list[Bought]:
    """Return the board with the room of its parts."""
    low, top = BOARD_Z
    flat = cut(box((0, _W), (0, _H), (low, top)), *(rod("z", (x, _y(y)), size, (low - 1, top + 1))
                                                     for (x, y), size in layout.HOLES))  # fmt: skip
    bodies = []
    for part in layout.bare().parts:
        left, up, right, down = part.body
        z = top + part.raised
        tall = part.height - part.raised
        bodies.append(box((max(left, 0), min(right, _W)), (_y(down), _y(up)), (z - TINY, z + max(tall, 0.5))))
    return [Bought("button-board", "", join(flat, *bodies), "board")]


def cables() -> list[tuple[float, bool]]:
    """Return the middle of each seat's cable along the board, and whether it leaves at the upper edge."""
    found = []
    for part in layout.bare().parts:
        kind, _, seat = part.name.rpartition(" ")
        if kind == "socket" and seat.isdigit():
            found.append(((part.body[0] + part.body[2]) / 2, part.body[1] < _H / 2))
    return found


def tray() -> cq.Workplane:
    """Return the tray: the board on its posts, a slot for each cable, a window for the Pico's plug."""
    inner, outer = AROUND, AROUND + p.WALL
    body = cut(
        box((-outer, _W + outer), (-outer, _H + outer), (0, TOP)),
        box((-inner, _W + inner), (-inner, _H + inner), (GROUND, TOP + TINY)),
    )
    posts = [rod("z", (x, _y(y)), 6.4, (GROUND - TINY, BOARD_Z[0])) for (x, y), _ in layout.HOLES]
    tools = [rod("z", (x, _y(y)), p.M3_PILOT, (1.0, BOARD_Z[0] + TINY)) for (x, y), _ in layout.HOLES]
    half = CABLE / 2
    for x, is_upper in cables():
        y = (_H, _H + outer + TINY) if is_upper else (-outer - TINY, 0)
        tools.append(box((x - half, x + half), y, (TOP - SLOT, TOP + TINY)))
    ring = next(part for part in layout.bare().parts if part.name == "socket ring")
    middle = _y((ring.body[1] + ring.body[3]) / 2)
    tools.append(box((_W, _W + outer + TINY), (middle - 2.5, middle + 2.5), (TOP - SLOT, TOP + TINY)))
    usb = _y(layout.FIRST[1] - layout.ROWS / 2)
    tools.append(box((-outer - TINY, 0), (usb - 6, usb + 6), (USB_Z - 4.5, USB_Z + 4.5)))
    return cut(join(body, *posts), *tools)


def lid() -> cq.Workplane:
    """Return the lid: it holds by its rim; a pencil reaches the service button."""
    outer, rim = AROUND + p.WALL, AROUND - 0.2
    body = join(
        box((-outer, _W + outer), (-outer, _H + outer), (TOP, TOP + p.WALL)),
        cut(
            box((-rim, _W + rim), (-rim, _H + rim), (TOP - LIP, TOP + TINY)),
            box((p.WALL, _W - p.WALL), (p.WALL, _H - p.WALL), (TOP - LIP - 1, TOP)),
        ),
    )
    key = next(part for part in layout.bare().parts if part.name == "service")
    at = (key.body[0] + key.body[2]) / 2, _y((key.body[1] + key.body[3]) / 2)
    return cut(body, rod("z", at, p.BUTTON_HOLE, (TOP - LIP - 1, TOP + p.WALL + TINY)))


PARTS: Final = (
    Part(number="PRT-503", title="board tray", shape=tray, color="light"),
    Part(number="PRT-504", title="board lid", shape=lid, up="-z", color="accent"),
)  # fmt: skip
