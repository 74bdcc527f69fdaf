"""The elements of the layout: parts with legs in the holes of a grid.

A hole is (row, number), both from 0, counted from the edge at the seats' sockets and from the corner away from the
supply's socket. All is seen from the components' side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PITCH: Final = 2.54
ROWS: Final = 33
HOLES: Final = 62

Hole = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Body:
    """The room of a part on the board: rows and holes from, to; ``height`` over the board (mm)."""

    rows: tuple[float, float]
    holes: tuple[float, float]
    height: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A device on the board. ``legs``: each hole with its terminal; ``body`` is None for the ends of wires."""

    name: str
    legs: tuple[tuple[Hole, str], ...]
    body: Body | None = None
    is_back: bool = False
