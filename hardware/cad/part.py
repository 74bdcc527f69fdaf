"""A part that is printed: its shape in place, and how it lies on the printer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cadquery as cq

from hardware.cad.solids import bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """``number`` names its files and stands in the text. ``shape`` makes it where it belongs in its group.

    ``up``: which of its directions points up on the printer: "+z", "-z", "+x", … ``supports``: where the printer has
    to put supports, or "" for none. ``thin``: why a wall may be thinner than `LEAST_WALL` somewhere, or "".
    """

    number: str
    title: str
    shape: Callable[[], cq.Workplane]
    up: str = "+z"
    count: int = 1
    supports: str = ""
    thin: str = ""
    color: str = "body"

    @property
    def name(self) -> str:
        """PRT-101_side-left: the names of its files."""
        return f"{self.number}_{self.title.replace(' ', '-')}"


_TURNS = {
    "+z": (), "-z": (((1, 0, 0), 180),), "+x": (((0, 1, 0), -90),), "-x": (((0, 1, 0), 90),),
    "+y": (((1, 0, 0), 90),), "-y": (((1, 0, 0), -90),),
}  # fmt: skip


def on_printer(part: Part, shape: cq.Workplane) -> cq.Workplane:
    """The shape as it lies on the printer: turned, standing on z = 0, in the middle of x and y."""
    for axis, degrees in _TURNS[part.up]:
        shape = shape.rotate((0, 0, 0), axis, degrees)
    room = bounds(shape)
    return shape.translate((-room.center.x, -room.center.y, -room.zmin))
