"""A printed part: its shape in place, and its position on the printer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cadquery as cq

from hardware.cad.solids import bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A printed part. ``number``: the prefix of its files, also used in the text. ``shape``: makes it in the frame of
    its group.

    ``up``: its direction that points up on the printer: "+z", "-z", "+x", … ``supports``: where the printer needs
    supports, or "". ``thin``: why a wall may be thinner than `LEAST_WALL`, or "".
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
        """The names of its files, such as PRT-101_side-left."""
        return f"{self.number}_{self.title.replace(' ', '-')}"


_TURNS = {
    "+z": (), "-z": (((1, 0, 0), 180),), "+x": (((0, 1, 0), -90),), "-x": (((0, 1, 0), 90),),
    "+y": (((1, 0, 0), 90),), "-y": (((1, 0, 0), -90),),
}  # fmt: skip


def on_printer(part: Part, shape: cq.Workplane) -> cq.Workplane:
    """Return the shape as it lies on the printer: turned, standing on z = 0, in the middle of x and y."""
    for axis, degrees in _TURNS[part.up]:
        shape = shape.rotate((0, 0, 0), axis, degrees)
    room = bounds(shape)
    return shape.translate((-room.center.x, -room.center.y, -room.zmin))
