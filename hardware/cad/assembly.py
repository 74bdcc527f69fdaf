"""All bodies in their places: the machine (shoe on turntable), the arm, the panel, a seat's button, the ring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.cad import arm, bought, bought_shoe, exit_camera, kit_box, panel, ring, shoe, turntable
from hardware.cad.bought import Bought
from hardware.cad.part import Part

PRINTED: Final[tuple[Part, ...]] = (
    *shoe.PARTS, *exit_camera.PARTS, *turntable.PARTS, *arm.PARTS, *panel.PARTS, *ring.PARTS,
    *kit_box.PARTS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A body in its place. ``key``: the number of a printed part, or the name of a bought one with a suffix."""

    key: str
    shape: cq.Workplane
    color: str

    @property
    def part(self) -> str:
        """The number of the printed part, or the line of the bill."""
        return self.key.partition(" ")[0]


@cache
def printed(number: str) -> cq.Workplane:
    """Return the shape of a printed part; cached."""
    return next(part for part in PRINTED if part.number == number).shape()


def _printed(parts: tuple[Part, ...]) -> Iterator[Item]:
    for part in parts:
        yield Item(part.number, printed(part.number), part.color)


def _bought(parts: list[Bought]) -> Iterator[Item]:
    for one in parts:
        yield Item(f"{one.part} {one.name}".strip(), one.shape, one.color)


def _moved(items: Iterator[Item], by: tuple[float, float, float]) -> Iterator[Item]:
    for item in items:
        yield Item(item.key, item.shape.translate(by), item.color)


@cache
def shoe_items() -> tuple[Item, ...]:
    """Return the shoe in its own frame, with a full deck."""
    return (
        *_printed(shoe.PARTS),
        *_bought(bought_shoe.shoe_rollers()),
        *_bought(bought_shoe.shoe_idler()),
        *_bought(bought_shoe.shoe_sensors()),
        *_bought(bought_shoe.shoe_motor()),
        *_bought(bought_shoe.retard_pads()),
        *_bought([bought_shoe.deck()]),
    )


@cache
def exit_items() -> tuple[Item, ...]:
    """Return the camera at the card exit, with what of the shoe is around it."""
    around = [part for part in shoe.PARTS if part.number in ("PRT-101", "PRT-102", "PRT-109", "PRT-112")]
    return (
        *_printed(tuple(around)),
        *_printed(exit_camera.PARTS),
        *_bought([one for one in bought_shoe.shoe_sensors() if one.part == "exit-barrier"]),
        Item("exit-window", exit_camera.window(), "light"),
        Item("exit-camera", exit_camera.camera(), "dark"),
        Item("flash", exit_camera.flash(), "light"),
    )


@cache
def turntable_items() -> tuple[Item, ...]:
    """Return the turntable; the post of the marks is that of the home magnet at another place."""
    post = turntable.at_marks_post(printed("PRT-208"))
    parts = (bought.table_drive(), bought.table_sensors(), bought.wall_sockets())
    return (
        *_printed(turntable.PARTS),
        Item("PRT-208 marks", post, "accent"),
        *(item for one in parts for item in _bought(one)),
    )


@cache
def machine_items() -> tuple[Item, ...]:
    """Return the shoe on the turntable, at its magnet."""
    return (*turntable_items(), *_moved(iter(shoe_items()), turntable.SHOE_PLACE))


@cache
def arm_items() -> tuple[Item, ...]:
    """Return the arm; its second corner plate is the first one on the other side."""
    other = printed("PRT-302").translate((0, -p.PROFILE - 5, 0))
    return (*_printed(arm.PARTS), Item("PRT-302 other", other, "light"), *_bought(bought.arm_parts()))


@cache
def panel_items() -> tuple[Item, ...]:
    """Return the panel with its keys."""
    return (*_printed(panel.PARTS[:2]), *_bought(bought.panel_keys()), *_bought(bought.panel_paint()))


@cache
def seat_items() -> tuple[Item, ...]:
    """Return a seat's button."""
    return (*_printed(panel.PARTS[2:]), *_bought(bought.seat_key()))


@cache
def ring_items() -> tuple[Item, ...]:
    """Return the ring in its holder."""
    return (*_printed(ring.PARTS), *_bought(bought.ring_board()))


@cache
def kit_items() -> tuple[Item, ...]:
    """Return the board of buttons and ring in its box."""
    return (*_printed(kit_box.PARTS), *_bought(kit_box.board()))


GROUPS: Final = {
    "machine": machine_items, "exit-camera": exit_items, "arm": arm_items, "panel": panel_items, "seat": seat_items,
    "ring": ring_items, "kit": kit_items,
}  # fmt: skip
