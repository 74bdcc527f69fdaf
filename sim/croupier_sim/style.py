"""How a deck is printed: every measure and color of a drawn card, as data; vary it with `dataclasses.replace`.

Millimeters on a card of 56 x 88 mm, angles in degrees clockwise, colors BGR 0…255.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

Bgr = tuple[int, int, int]

CORNER_MM: Final = 4.0


@dataclass(frozen=True, slots=True)
class Style:
    """One print. The fields stand in the order in which a card is drawn.

    ``emblem``: what lies round the middle symbol: an oval ``line``, a filled ``oval`` or a ``circle`` with rays.
    ``ink``: what the middle symbol is filled with, ``white`` or the card's ``color``.
    ``corner``: place of the corner symbols, from the card's middle to the upper left one (mm).
    ``family``: the shape of the digits, a key of `shapes.FAMILIES`; ``weight``: width of their pen in heights;
    ``stretch``: how much wider than that they are drawn; ``underline``: thickness of the line under 6 and 9 (heights).
    ``arrow_turn`` and ``arrow_girth``: direction (0 level, -90 upright) and stoutness of the arrows of a reverse.
    ``shadow``: where the shadow of the middle symbol falls, in mm (x right, y down, for the upright side).
    ``special``: what shuffle and blank wilds show, an empty white ``oval`` or the ``wheel`` of a wild.
    ``marks``: whether the marks for the color-blind are printed.
    """

    emblem: Literal["line", "oval", "circle"] = "line"
    ink: Literal["white", "color"] = "white"
    red: Bgr = (40, 50, 215)
    yellow: Bgr = (40, 205, 245)
    green: Bgr = (60, 150, 70)
    blue: Bgr = (180, 105, 25)
    white: Bgr = (248, 248, 246)
    black: Bgr = (32, 30, 30)
    border_side: float = 4.2
    border_end: float = 4.4
    panel_radius: float = 3.0
    oval_axes: tuple[float, float] = (18.6, 37.6)
    oval_tilt: float = 26.5
    oval_line: float = 1.9
    corner: tuple[float, float] = (-16.6, -29.6)
    corner_height: float = 12.0
    middle_height: float = 27.0
    family: str = "grotesk"
    weight: float = 0.2
    slant: float = 0.0
    stretch: float = 1.0
    underline: float = 0.1
    arrow_turn: float = -47.0
    arrow_girth: float = 1.0
    shadow: tuple[float, float] = (-1.6, 1.8)
    outline: float = 0.5
    cards_slant: float = 0.0
    quarters: tuple[str, str, str, str] = ("red", "blue", "green", "yellow")
    special: Literal["oval", "wheel"] = "oval"
    marks: bool = False
    back_panel: Bgr = (35, 32, 32)
    back_oval: Bgr = (50, 60, 190)

    def color(self, name: str) -> Bgr:
        """The BGR of ``red`` ``yellow`` ``green`` ``blue`` ``white`` ``black``."""
        value: Bgr = getattr(self, name)
        return value


_CLASSIC: Final = Style(
    emblem="oval",
    ink="color",
    blue=(205, 130, 35),
    border_side=5.6,
    border_end=5.4,
    panel_radius=3.2,
    oval_axes=(18.0, 35.5),
    oval_tilt=29.0,
    corner=(-17.4, -31.6),
    corner_height=7.2,
    middle_height=26.5,
    slant=10.0,
    shadow=(-1.1, 1.1),
    cards_slant=16.0,
)

STYLES: Final[Mapping[str, Style]] = {
    "modern": Style(),
    "modern-symbols": Style(marks=True),
    "classic": _CLASSIC,
    "white-circle": replace(
        _CLASSIC,
        emblem="circle",
        border_side=3.4,
        border_end=3.6,
        panel_radius=2.4,
        oval_axes=(24.6, 24.6),
        oval_tilt=0.0,
        corner=(-19.6, -33.6),
        slant=14.0,
        cards_slant=0.0,
        shadow=(0.9, 0.9),
        quarters=("green", "yellow", "red", "blue"),
    ),
}
"""The prints on sale that the drawings take after, by the names of the card reader's sources."""
