"""Where everything is on the simulated table, in millimeters: seen from above, x to the right and y downwards, around
the middle of what the camera sees. Rectangles are left, top, right, bottom."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Final

VIEW_MM: Final = (711.0, 400.0)
PILE_MM: Final = (-215.0, 45.0)
HOPPER_MM: Final = (-290.0, -130.0)
PILE_ZONE_MM: Final = (-315.0, -60.0, -115.0, 150.0)
SHOW_ZONE_MM: Final = (-105.0, -190.0, 345.0, 190.0)
"""Where the discard pile lies and where hands are laid open."""

CARDS_A_PICTURE: Final = 15
"""A hand of more cards is laid open in several pictures."""
_SHOW_CELL_MM: Final = (84.0, 116.0)
_SHOW_COLUMNS: Final = 5


def show_mm(place: int) -> tuple[float, float]:
    """The middle of one of the `CARDS_A_PICTURE` places of a hand that is laid open."""
    row, column = divmod(place, _SHOW_COLUMNS)
    middle = (SHOW_ZONE_MM[0] + SHOW_ZONE_MM[2]) / 2
    return middle + (column - (_SHOW_COLUMNS - 1) / 2) * _SHOW_CELL_MM[0], (row - 1) * _SHOW_CELL_MM[1]


def edge_mm(direction_deg: float, reach: float = 430.0) -> tuple[float, float]:
    """A point outside the picture in the direction of a seat."""
    return reach * cos(radians(direction_deg)), reach * sin(radians(direction_deg))
