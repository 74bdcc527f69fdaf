"""Draws card faces and backs: our own drawings, from `style` and `shapes`, never anybody's artwork.

A card is drawn three times too large and shrunk, which smooths its edges.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from croupier.cards import CARD_MM, is_face
from croupier_sim import shapes
from croupier_sim.shapes import Points, Shape
from croupier_sim.style import CORNER_MM, Bgr, Style

Image = npt.NDArray[np.uint8]

_OVERSAMPLE: Final = 3
_SUBPIXEL: Final = 4  # bits: OpenCV draws to a sixteenth of a pixel

_MARKS: Final[dict[str, Points]] = {
    "red": shapes.oval(2.05, 2.05, steps=32),
    "blue": shapes.box(4.1, 4.1),
    "green": np.array([(-2.3, -2.05), (2.3, -2.05), (0.0, 2.05)]),
    "yellow": shapes.star(4, 2.9, 1.25),
}
"""Marks for the color-blind at the upper edge, in mm (photos, measured): half on the border, half on the panel."""


def draw_face(face: str, style: Style, *, width_px: int = 240) -> Image:
    """A card face as BGR picture of ``width_px`` by 88/56 of it; cut its corners with `card_mask`.

    Raises ValueError for what is not a face of `croupier.cards`.
    """
    if not is_face(face):
        raise ValueError(f"no such face: {face!r}")
    sheet = _Sheet(style, width_px)
    color, _, symbol = face.rstrip("*").partition("-")
    if color == "wild":
        _draw_wild(sheet, symbol)
    else:
        _draw_colored(sheet, color, symbol)
        if face.endswith("*"):
            for turn in (0, 180):
                sheet.fill((shapes.star(6, 0.5, 0.2),), style.white, at=(-style.corner[0], style.corner[1]),
                           size=style.corner_height * 0.7, turn=turn)  # fmt: skip
    return sheet.picture()


def draw_back(style: Style, *, width_px: int = 240) -> Image:
    """The back of a card: a plain panel and ovals one in another, the same from both sides."""
    sheet = _Sheet(style, width_px)
    sheet.panel(style.back_panel)
    for ring, size in enumerate(np.linspace(1.0, 0.2, 7)):
        color = style.back_oval if ring % 2 == 0 else style.back_panel
        sheet.fill((shapes.oval(17.5, 34.0, style.oval_tilt),), color, size=float(size))
    return sheet.picture()


@lru_cache(maxsize=8)
def card_mask(width_px: int) -> Image:
    """Where the card is, 0…255, with its rounded corners."""
    sheet = _Sheet(Style(white=(0, 0, 0)), width_px)
    sheet.fill((shapes.box(*CARD_MM, radius=CORNER_MM),), (255, 255, 255))
    mask: Image = sheet.picture()[:, :, 0]
    return mask


class _Sheet:
    """A card being drawn, in millimeters from its middle."""

    def __init__(self, style: Style, width_px: int) -> None:
        height_px = round(width_px * CARD_MM[1] / CARD_MM[0])
        self.style = style
        self._size = (width_px, height_px)
        self._scale = np.array(self._size) * _OVERSAMPLE / CARD_MM
        self._pixels: Image = np.full((height_px * _OVERSAMPLE, width_px * _OVERSAMPLE, 3), style.white, np.uint8)

    def picture(self) -> Image:
        return np.asarray(cv2.resize(self._pixels, self._size, interpolation=cv2.INTER_AREA), np.uint8)

    def panel(self, color: Bgr) -> None:
        width, height = CARD_MM[0] - 2 * self.style.border_side, CARD_MM[1] - 2 * self.style.border_end
        self.fill((shapes.box(width, height, self.style.panel_radius),), color)

    def fill(
        self, shape: Shape, color: Bgr, *, at: tuple[float, float] = (0, 0), size: float = 1.0, turn: float = 0.0,
        edge: float = 0.0,
    ) -> None:  # fmt: skip
        """Fill ``shape``, ``size`` mm high, around ``at``, widened by ``edge`` mm all round.

        ``turn`` turns shape and place together round the middle of the card.
        """
        for part in shape:
            points = (shapes.turned(part * size + at, turn) + np.array(CARD_MM) / 2) * self._scale - 0.5
            fixed = [np.round(points * 2**_SUBPIXEL).astype(np.int32)]
            cv2.fillPoly(self._pixels, fixed, color, cv2.LINE_8, _SUBPIXEL)
            if edge > 0:
                thick = max(1, round(2 * edge * float(self._scale[0])))
                cv2.polylines(self._pixels, fixed, True, color, thick, cv2.LINE_8, _SUBPIXEL)

    def raised(
        self, shape: Shape, color: Bgr, *, at: tuple[float, float], size: float, turn: float = 0.0,
        shadow: tuple[float, float] = (0, 0), outline: float = 0.0,
    ) -> None:  # fmt: skip
        """Fill ``shape`` with a thin outline and a shadow that makes it stand out like a block."""
        for step in np.linspace(1, 0, 9):
            here = (at[0] + shadow[0] * step, at[1] + shadow[1] * step)
            self.fill(shape, self.style.black, at=here, size=size, turn=turn, edge=outline)
        self.fill(shape, color, at=at, size=size, turn=turn)


def _draw_colored(sheet: _Sheet, color: str, symbol: str) -> None:
    style = sheet.style
    paint = style.color(color)
    sheet.panel(paint)
    _draw_emblem(sheet, paint)
    if style.marks:
        edge = -CARD_MM[1] / 2 + style.border_end
        for turn in (0, 180):
            sheet.raised((_MARKS[color],), style.white, at=(0, edge), size=1.0, turn=turn, outline=0.3)
    small = (style.shadow[0] * 0.4, style.shadow[1] * 0.4)
    shape, height = _corner_symbol(symbol, style)
    at = (style.corner[0] + (1.8 if symbol == "draw2" else 0.0), style.corner[1])
    for turn in (0, 180):
        sheet.raised(shape, style.white, at=at, size=height, turn=turn, shadow=small, outline=0.35)
    ink = style.white if style.ink == "white" else paint
    if symbol == "draw2":
        for place in ((4.2, -6.2), (-3.4, 4.6)):
            _draw_small_card(sheet, ink, place)
    else:
        shape, height = _middle_symbol(symbol, style)
        sheet.raised(shape, ink, at=(0.6, 0), size=height, shadow=style.shadow, outline=style.outline)


def _draw_wild(sheet: _Sheet, symbol: str) -> None:
    style = sheet.style
    sheet.panel(style.black)
    if symbol == "draw4":
        sheet.fill((shapes.oval(style.oval_axes[0] * 0.95, style.oval_axes[1] * 0.95, style.oval_tilt),), style.white)
        places = ((9.2, -11.5), (2.8, 5.0), (-3.6, -4.2), (-11.2, 9.5))
        for at, color in zip(places, ("green", "blue", "red", "yellow"), strict=True):
            _draw_small_card(sheet, style.color(color), at, 0.92)
        shape = shapes.plus("4", style.family, style.weight * 0.85, style.slant)
        for turn in (0, 180):
            at, height = (style.corner[0] + 1.6, style.corner[1]), style.corner_height * 0.66
            in_black = style.ink == "color"
            sheet.fill(shape, style.white, at=at, size=height, turn=turn, edge=0.9 if in_black else 0.0)
            if in_black:
                sheet.fill(shape, style.black, at=at, size=height, turn=turn)
        return
    plain = symbol in ("shuffle", "blank") and style.special == "oval"
    if plain:
        sheet.fill((shapes.oval(*style.oval_axes, style.oval_tilt),), style.white)
    else:
        _draw_quarters(sheet, (0.0, 0.0), 1.0)
    for turn in (0, 180):
        _draw_quarters(sheet, style.corner, style.corner_height / 56, turn)
    if symbol == "shuffle":
        paints = [style.color(name) for name in style.quarters[:3]] if plain else [style.white] * 3
        for lean, paint in zip((-28.0, 0.0, 28.0), paints, strict=True):
            fan = shapes.turned(shapes.box(11, 18, 1.2) + (0.0, -9.0), lean) + (0.0, 9.0)
            sheet.raised((fan,), paint, at=(0, 0), size=1, outline=style.outline)
    elif symbol == "blank" and not plain:
        label = shapes.box(30, 12, 2.0)
        sheet.raised((label,), style.white, at=(0, 0), size=1, shadow=style.shadow, outline=style.outline)
    elif symbol == "house":
        house = np.array([(0, -11), (12, 0), (8, 0), (8, 10), (-8, 10), (-8, 0), (-12, 0)], np.float64)
        sheet.raised((house,), style.white, at=(0, 0), size=1, shadow=style.shadow, outline=style.outline)


def _draw_emblem(sheet: _Sheet, paint: Bgr) -> None:
    style = sheet.style
    rx, ry = style.oval_axes
    sheet.fill((shapes.oval(rx, ry, style.oval_tilt),), style.white)
    if style.emblem == "line":
        inner = shapes.oval(rx - style.oval_line, ry - style.oval_line, style.oval_tilt)
        sheet.fill((inner,), paint)
    elif style.emblem == "circle":
        gray = tuple(round(channel * 0.84) for channel in style.white)
        ray = shapes.box(0.3, rx - 1) + (0.0, -(rx - 1) / 2)
        sheet.fill(tuple(shapes.turned(ray, a) for a in range(0, 360, 8)), (gray[0], gray[1], gray[2]))


def _draw_quarters(sheet: _Sheet, at: tuple[float, float], size: float, turn: float = 0.0) -> None:
    """An oval in four colors, cut level and along its own length, in a white rim."""
    style = sheet.style
    rx, ry = style.oval_axes
    rim = 1.3 if size == 1.0 else 0.5
    sheet.fill((shapes.oval(rx, ry, style.oval_tilt, steps=240),), style.white, at=at, size=size, turn=turn)
    inner = shapes.oval(rx - rim / size, ry - rim / size, style.oval_tilt, steps=240)
    lean = np.deg2rad(style.oval_tilt)
    right = inner @ np.array([np.cos(lean), np.sin(lean)]) >= 0
    upper = inner[:, 1] < 0
    quarters = (~right & upper, right & upper, right & ~upper, ~right & ~upper)
    for color, there in zip(style.quarters, quarters, strict=True):
        first = int(np.flatnonzero(there & ~np.roll(there, 1))[0])
        sector = np.vstack([np.roll(inner, -first, axis=0)[: int(there.sum()) + 1], np.zeros((1, 2))])
        sheet.fill((sector,), style.color(color), at=at, size=size, turn=turn)


def _draw_small_card(sheet: _Sheet, paint: Bgr, at: tuple[float, float], size: float = 1.0) -> None:
    style = sheet.style
    lean = np.array([[1, 0], [-np.tan(np.deg2rad(style.cards_slant)), 1]])
    card = shapes.box(13.0, 20.5, 1.4) @ lean
    shadow = (style.shadow[0] * 0.7, style.shadow[1] * 0.7)
    sheet.raised((card,), paint, at=at, size=size, shadow=shadow, outline=style.outline)
    if style.cards_slant:
        sheet.fill((card,), style.white, at=at, size=size)
        sheet.fill((shapes.box(11.2, 18.7, 1.0) @ lean,), paint, at=at, size=size)


def _corner_symbol(symbol: str, style: Style) -> tuple[Shape, float]:
    """The outline of a corner symbol and its height in mm."""
    match symbol:
        case "skip":
            return _skip_sign(style), style.corner_height * 0.98
        case "reverse":
            return shapes.reverse_sign(style.arrow_turn, style.arrow_girth), style.corner_height * 1.15
        case "draw2":
            return shapes.plus("2", style.family, style.weight * 0.85, style.slant), style.corner_height * 0.82
        case _:
            return _digit(symbol, style), style.corner_height


def _middle_symbol(symbol: str, style: Style) -> tuple[Shape, float]:
    match symbol:
        case "skip":
            return _skip_sign(style), style.middle_height * 0.95
        case "reverse":
            return shapes.reverse_sign(style.arrow_turn, style.arrow_girth), style.middle_height * 1.15
        case _:
            return _digit(symbol, style), style.middle_height


def _digit(symbol: str, style: Style) -> Shape:
    return shapes.digit(symbol, style.family, style.weight, style.slant, style.underline, style.stretch)


def _skip_sign(style: Style) -> Shape:
    return shapes.skip_sign(round(style.weight * 0.75, 3))
