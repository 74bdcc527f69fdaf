"""The elements of a strip board: holes in strips, parts with legs in holes, cuts, links, strips with a wire along them.

A hole is (strip, number), both from 0, counted from the edge at the seats' sockets and from the corner away from the
supply's socket. A cut goes through a hole. All is seen from the components' side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

PITCH: Final = 2.54
STRIPS: Final = 33
HOLES: Final = 62

Hole = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Body:
    """The room of a part on the board: strips and holes from, to; ``height`` over the board (mm)."""

    strips: tuple[float, float]
    holes: tuple[float, float]
    height: float

    def overlaps(self, other: Body) -> bool:
        """Return whether both need the same room."""
        return all(
            mine[0] < theirs[1] - 0.01 and theirs[0] < mine[1] - 0.01
            for mine, theirs in ((self.strips, other.strips), (self.holes, other.holes))
        )

    def covers(self, hole: Hole) -> bool:
        """Return whether a wire in this hole would lie under the part."""
        return self.strips[0] < hole[0] < self.strips[1] and self.holes[0] < hole[1] < self.holes[1]


@dataclass(frozen=True, slots=True)
class Placed:
    """A device on the board. ``legs``: each hole with its terminal; ``body`` is None for the ends of wires."""

    name: str
    legs: tuple[tuple[Hole, str], ...]
    body: Body | None = None
    on_copper: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """A layout. ``wired``: pairs of neighboring holes with a copper wire soldered along the strip between them."""

    parts: tuple[Placed, ...]
    cuts: frozenset[Hole]
    links: tuple[tuple[Hole, Hole], ...]
    wired: frozenset[tuple[Hole, Hole]] = field(default=frozenset())

    @property
    def places(self) -> list[tuple[Hole, str]]:
        """Each leg with the terminal of the wiring that it is: ``device.terminal``."""
        return [(hole, f"{part.name}.{terminal}") for part in self.parts for hole, terminal in part.legs]


def is_on_board(hole: Hole) -> bool:
    """Return whether there is such a hole; the screws take the corners."""
    strip, number = hole
    at_corner = (strip < 3 or strip >= STRIPS - 3) and (number < 3 or number >= HOLES - 3)
    return 0 <= strip < STRIPS and 0 <= number < HOLES and not at_corner
