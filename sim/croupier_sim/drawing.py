"""Drawn cards, hands, table tops and light: our own drawings, no publisher's artwork.

A `Style` holds all measures and colors of a print as data: mm on a card of 56 x 88 mm, degrees clockwise, BGR 0…255.
`draw_face` draws a card three times too large and shrinks it, which smooths its edges. Layers are bytes, 0…255, which
OpenCV processes fastest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from croupier_rules.cards import CARD_MM, CARDS, OWN_SYMBOLS, is_face, symbol_of
from croupier_sim import shapes
from croupier_sim.shapes import Points, Shape

Bgr = tuple[int, int, int]
Part = tuple[Shape | str, float, float, float]
"""A shape or its name, its size (heights of the middle symbol), and its place (mm; x right, y down)."""

CORNER_MM: Final = 4.0


@dataclass(frozen=True, slots=True)
class Style:
    """One print. The fields are in the order of drawing.

    ``emblem``: shape around the middle symbol: an oval ``line``, a filled ``oval`` or a ``circle`` with rays.
    ``ink``: fill of the middle symbol, ``white`` or the card's ``color``.
    ``corner``: offset of the upper left corner symbol from the card's middle (mm).
    ``family``: shape of the digits, a key of `shapes.FAMILIES`; ``weight``: width of their pen in heights;
    ``stretch``: factor of their width; ``underline``: thickness of the line under 6 and 9 (heights).
    ``arrow_turn`` and ``arrow_girth``: direction (0 level, -90 upright) and stoutness of the arrows of a reverse.
    ``shadow``: offset of the shadow of the middle symbol (mm; x right, y down, for the upright side).
    ``special``: symbol of shuffle and blank wilds, an empty white ``oval`` or the ``wheel`` of a wild.
    ``marks``: True if the marks for the color-blind are printed.
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
        """Return the BGR of ``red`` ``yellow`` ``green`` ``blue`` ``white`` ``black``."""
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
"""The styles of prints on sale, by the names of the card reader's sources."""


def lay_over(under: Image, drawing: Image, cover: Image, shadow: Image) -> Image:
    """Return ``drawing``, already masked and lit, over ``under`` (both height x width x 3).

    ``cover`` hides ``under`` where it is 255, ``shadow`` darkens it (both height x width).
    """
    left = times(255 - shadow, 255 - cover)
    return np.asarray(cv2.add(times(under, three(left)), drawing), np.uint8)


def times(a: Image, b: Image, part: float = 1.0) -> Image:
    """Return the product of two layers (255 is 1), times ``part``."""
    return np.asarray(cv2.multiply(a, b, scale=part / 255), np.uint8)


def part_of(layer: Image, part: float) -> Image:
    """Return the layer times ``part``."""
    return np.asarray(cv2.convertScaleAbs(layer, alpha=part), np.uint8)


def three(layer: Image) -> Image:
    """Return one layer as three equal channels."""
    return np.asarray(cv2.cvtColor(layer, cv2.COLOR_GRAY2BGR), np.uint8)


def softened(layer: Image, side: int) -> Image:
    """Return the layer blurred twice by a box of ``side`` pixels: nearly a Gaussian blur, and much faster."""
    return np.asarray(cv2.blur(cv2.blur(layer, (side, side)), (side, side)), np.uint8)


def shifted(layer: Image, right: int, down: int) -> Image:
    """Return the layer moved; 0 comes in at the edges."""
    moved = np.zeros_like(layer)
    moved[down:, right:] = layer[: max(0, layer.shape[0] - down), : max(0, layer.shape[1] - right)]
    return moved


Ground = Literal["wood", "cloth", "paper"]
GROUNDS: Final[tuple[Ground, ...]] = ("wood", "cloth", "paper")

_WOODS: Final = ((70, 105, 150), (50, 75, 110), (95, 135, 175))
_CLOTHS: Final = ((70, 90, 45), (85, 50, 45), (60, 60, 62))
_PAPERS: Final = ((150, 158, 160), (140, 150, 140))


@dataclass(frozen=True, slots=True)
class Lamp:
    """``tint``: gain of blue, green, red; ``level``: brightness 0…1; ``fall``: loss towards the corners 0…1."""

    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    level: float = 0.95
    fall: float = 0.25

    def map(self, size: tuple[int, int]) -> npt.NDArray[np.float32]:
        """Return the light at every pixel, height x width x 3, 0…1."""
        width, height = size
        y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
        vignette = 1 - self.fall * (x * x + y * y) / 2
        return np.asarray(vignette[..., None] * np.array(self.tint, np.float32) * self.level, np.float32)


def random_lamp(rng: np.random.Generator) -> Lamp:
    """Return a random kitchen lamp: warm to cold, dim to bright."""
    warmth = float(rng.uniform(-0.12, 0.12))
    return Lamp((1.0 - max(warmth, 0) * 1.6, 1.0 - abs(warmth) * 0.4, 1.0 + min(warmth, 0) * 1.6),
                float(rng.uniform(0.6, 1.0)), float(rng.uniform(0.1, 0.35)))  # fmt: skip


def draw_ground(kind: Ground, size: tuple[int, int], rng: np.random.Generator) -> Image:
    """Draw a table top, ``size`` = (width, height) px, unlit."""
    palette = {"wood": _WOODS, "cloth": _CLOTHS, "paper": _PAPERS}[kind]
    base = np.array(palette[int(rng.integers(len(palette)))], np.float32)
    if kind == "wood":
        grain = (
            0.05 * _noise(size, (60, 2), rng) + 0.06 * _noise(size, (240, 9), rng) + 0.04 * _noise(size, (500, 60), rng)
        )
    elif kind == "cloth":
        grain = 0.05 * _noise(size, (2, 2), rng) + 0.04 * _noise(size, (120, 120), rng)
    else:
        grain = 0.012 * _noise(size, (3, 3), rng) + 0.025 * _noise(size, (300, 300), rng)
    return np.asarray(np.clip(base * (1 + grain[..., None]), 0, 255), np.uint8)


def _noise(size: tuple[int, int], grain_px: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return smooth noise of about unit spread with spots of ``grain_px`` (width, height)."""
    spots = rng.normal(0, 1, (size[1] // grain_px[1] + 3, size[0] // grain_px[0] + 3)).astype(np.float32)
    return np.asarray(cv2.resize(spots, size, interpolation=cv2.INTER_CUBIC), np.float32)


_OVERSAMPLE: Final = 3
_SUBPIXEL: Final = 4  # bits: OpenCV draws to a sixteenth of a pixel

_MARKS: Final[dict[str, Points]] = {
    "red": shapes.oval(2.05, 2.05, steps=32),
    "blue": shapes.box(4.1, 4.1),
    "green": np.array([(-2.3, -2.05), (2.3, -2.05), (0.0, 2.05)]),
    "yellow": shapes.star(4, 2.9, 1.25),
}
"""Marks for the color-blind at the upper edge (mm, measured in photos): half on the border, half on the panel."""


def draw_face(face: str, style: Style, *, width_px: int = 240) -> Image:
    """Draw a card face as BGR picture of ``width_px`` by 88/56 of it; apply `card_mask` to cut its corners.

    Raises ValueError for a word that is not a face of `croupier_rules.cards`.
    """
    if not is_face(face):
        raise ValueError(f"no such face: {face!r}")
    sheet = _Sheet(style, width_px)
    color, _, symbol = face.rstrip("*").partition("-")
    if symbol_of(face) in OWN_SYMBOLS:
        _draw_own(sheet, color, CARDS[symbol_of(face)]["drawing"])
    elif color == "wild":
        _draw_wild(sheet, symbol)
    else:
        _draw_colored(sheet, color, symbol)
        if face.endswith("*"):
            for turn in (0, 180):
                sheet.fill((shapes.star(6, 0.5, 0.2),), style.white, at=(-style.corner[0], style.corner[1]),
                           size=style.corner_height * 0.7, turn=turn)  # fmt: skip
    return sheet.picture()


def draw_back(style: Style, *, width_px: int = 240) -> Image:
    """Draw the back of a card: a plain panel with nested ovals, the same either end up."""
    sheet = _Sheet(style, width_px)
    sheet.panel(style.back_panel)
    for ring, size in enumerate(np.linspace(1.0, 0.2, 7)):
        color = style.back_oval if ring % 2 == 0 else style.back_panel
        sheet.fill((shapes.oval(17.5, 34.0, style.oval_tilt),), color, size=float(size))
    return sheet.picture()


@lru_cache(maxsize=8)
def card_mask(width_px: int) -> Image:
    """Return the mask of a card with rounded corners, 0…255."""
    sheet = _Sheet(Style(white=(0, 0, 0)), width_px)
    sheet.fill((shapes.box(*CARD_MM, radius=CORNER_MM),), (255, 255, 255))
    mask: Image = sheet.picture()[:, :, 0]
    return mask


class _Sheet:
    """A card being drawn. Coordinates are mm from its middle."""

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
        """Fill ``shape`` with a thin outline and a shadow, so that it stands out like a block."""
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


def draw_sign(
    color: str, parts: Sequence[Part], corner: Shape | str, style: Style, *, wild_emblem: str = "oval",
    width_px: int = 240,
) -> Image:  # fmt: skip
    """Draw a card of ``color`` (or ``wild``) with ``parts`` in its middle and ``corner`` in its corners.

    ``wild_emblem``: what lies under the parts of a wild: a white ``oval``, the ``wheel`` of a wild, or nothing
    (``none``).
    """
    sheet = _Sheet(style, width_px)
    _draw_parts(sheet, color, parts, corner, wild_emblem)
    return sheet.picture()


def _draw_own(sheet: _Sheet, color: str, drawing: Sequence[str]) -> None:
    """Draw a card as its deck file says: shapes in the middle, the first of them in the corners (docs/decks.md)."""
    parts = [(shape, float(size), float(x), float(y)) for shape, size, x, y in (part.split() for part in drawing)]
    _draw_parts(sheet, color, parts, parts[0][0])


def _draw_parts(
    sheet: _Sheet, color: str, parts: Sequence[Part], corner: Shape | str, wild_emblem: str = "oval"
) -> None:
    style, is_wild = sheet.style, color == "wild"
    paint = style.black if is_wild else style.color(color)
    sheet.panel(paint)
    if not is_wild:
        _draw_emblem(sheet, paint)
    elif wild_emblem == "wheel":
        _draw_quarters(sheet, (0.0, 0.0), 1.0)
    elif wild_emblem == "oval":
        sheet.fill((shapes.oval(*style.oval_axes, style.oval_tilt),), style.white)
    is_white = wild_emblem != "oval" if is_wild else style.ink == "white"
    for shape, size, x, y in parts:
        _draw_part(sheet, shape, style.white if is_white else paint, (x, y), size * style.middle_height)
    for turn in (0, 180):
        at = (style.corner[0] + 1.6, style.corner[1])
        height = style.corner_height * (0.6 if isinstance(corner, str) and len(corner) == len("+10") else 0.8)
        _draw_part(sheet, corner, style.white, at, height, turn)


def _draw_part(
    sheet: _Sheet, shape: Shape | str, ink: Bgr, at: tuple[float, float], height: float, turn: float = 0.0
) -> None:  # fmt: skip
    """Draw a shape, ``height`` mm high, or one that deck files name: ``card``, ``wheel``, ``skip``, ``reverse`` or a
    sum (``+6``)."""
    style = sheet.style
    if shape == "wheel":
        _draw_quarters(sheet, at, height / 75, turn)
        return
    if shape == "card":
        sign: Shape = (shapes.box(0.63, 1.0, 0.07),)
    elif shape == "skip":
        sign = _skip_sign(style)
    elif shape == "reverse":
        sign = shapes.reverse_sign(style.arrow_turn, style.arrow_girth)
    elif isinstance(shape, str):
        sign = shapes.plus(shape[1:], style.family, style.weight * 0.85, style.slant)
    else:
        sign = shape
    sheet.raised(sign, ink, at=at, size=height, turn=turn, outline=style.outline)


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
    """Draw an oval of four colors in a white rim, divided by a level line and by its own long axis."""
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


_FINGERS = ((-24.0, 28.0), (-9.0, 40.0), (7.0, 42.0), (22.0, 34.0))
"""Tips of the fingers, to the side of and ahead of the middle of the palm (mm)."""
_THUMB = (-38.0, 8.0)
_SHADOW: Final = 0.4


def draw_hand(
    image: Image, light: Image, points_px: npt.NDArray[np.float64], px_per_mm: float,
    skin: tuple[int, int, int], sleeve: tuple[int, int, int],
) -> None:  # fmt: skip
    """Draw a hand into ``image``.

    Its fingertips reach just past the first of ``points_px``; the second is the wrist; the arm leaves the picture
    towards the third. ``light``: at each pixel of ``image``, 0…255.
    """
    tip, wrist, edge = points_px
    forward = (tip - wrist) / max(float(np.hypot(*(tip - wrist))), 1.0)
    side = np.array([-forward[1], forward[0]])
    palm = tip - forward * 34 * px_per_mm

    def place(sideways: float, ahead: float) -> npt.NDArray[np.float64]:
        return np.asarray(palm + (side * sideways + forward * ahead) * px_per_mm)

    bones = [(place(x * 0.8, 4), place(x, ahead), 15.0) for x, ahead in _FINGERS]
    bones += [(place(-18, -22), place(*_THUMB), 17.0), (place(-7, -8), place(7, -8), 52.0), (wrist, palm, 40.0)]
    arm = [(edge, wrist - forward * 6 * px_per_mm, 62.0)]

    ends = np.array([end for bone in bones + arm for end in bone[:2]])
    margin = 40 * px_per_mm
    left, top = np.maximum(ends.min(axis=0) - margin, 0).astype(int)
    right, bottom = np.minimum(ends.max(axis=0) + margin, (image.shape[1], image.shape[0])).astype(int)
    if right - left < 2 or bottom - top < 2:
        return
    layer = np.zeros((bottom - top, right - left, 3), np.uint8)
    mask = np.zeros((bottom - top, right - left), np.uint8)
    for parts, color in ((bones, skin), (arm, sleeve)):
        for shade, width in ((0.72, 1.0), (0.9, 0.82), (1.0, 0.5)):
            paint = tuple(channel * shade for channel in color)
            for a, b, thick in parts:
                ends_px = [tuple(int(v) for v in np.round(end - (left, top))) for end in (a, b)]
                line_px = max(1, round(thick * width * px_per_mm))
                cv2.line(layer, ends_px[0], ends_px[1], paint, line_px, cv2.LINE_AA)
                cv2.line(mask, ends_px[0], ends_px[1], 255, line_px, cv2.LINE_AA)
    layer, cover = softened(layer, 5), softened(mask, 3)
    shadow = part_of(shifted(softened(mask, 15), 8, 12), _SHADOW)
    part = np.s_[top:bottom, left:right]
    image[part] = lay_over(image[part], times(times(layer, light[part]), three(cover)), cover, shadow)
