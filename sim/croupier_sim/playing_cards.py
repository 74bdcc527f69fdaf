"""Draws every card face of the decks: those of UNO by `croupier_sim.drawing`, those of suits, hearts to spades, here.

What the card reader learns from is drawn by `croupier_sim.drawing` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from cardsight.geometry import Image
from croupier_rules.cards import CARDS, COLOR_SIGNS, is_face
from croupier_sim import drawing, shapes
from croupier_sim.drawing import Bgr, Style
from croupier_sim.shapes import Shape

_LETTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "A": ("M 0 1 L .5 0 L 1 1", "M .2 .64 L .8 .64"),
    "J": ("M .84 0 L .84 .68 C .84 1.08 .1 1.08 .06 .68",),
    "K": ("M .06 0 L .06 1", "M .94 0 L .1 .6", "M .36 .42 L .94 1"),
    "Q": ("A .5 .5 .5 .5 0 360", "M .56 .7 L 1 1.04"),
}
"""Lines of the pen, in the unit square, y down."""


def draw_face(face: str, style: Style, *, width_px: int = 240) -> Image:
    """Draw a face of any deck, as `croupier_sim.drawing.draw_face` does for UNO's.

    Raises ValueError for a word that is not a face of `croupier_rules.cards`.
    """
    suit, _, rank = face.partition("-")
    if not is_face(face) or suit not in COLOR_SIGNS:
        return drawing.draw_face(face, style, width_px=width_px)
    return _draw_suited(suit, rank, style, width_px)


def _draw_suited(suit: str, rank: str, style: Style, width_px: int) -> Image:
    """Draw a card of a suit: its rank in the middle and in the corners, beside the mark of the suit."""
    sheet = drawing._Sheet(style, width_px)
    text, sign = CARDS.get(rank, {}).get("sign", rank), COLOR_SIGNS[suit]
    red, green, blue = bytes.fromhex(sign["rgb"][1:])
    paint: Bgr = (blue, green, red)
    sheet.panel(paint)
    drawing._draw_emblem(sheet, paint)
    word, mark = _word(text, style), _mark(sign["shape"])
    ink = style.white if style.ink == "white" else paint
    sheet.raised(word, ink, at=(0.6, 0), size=style.middle_height * 0.8, shadow=style.shadow, outline=style.outline)
    x, y = style.corner
    for turn in (0, 180):
        at = (x + len(text) - 1, y)
        sheet.raised(word, style.white, at=at, size=style.corner_height * 0.8, turn=turn, outline=0.35)
        sheet.raised(mark, style.white, at=(-x, y), size=style.corner_height * 0.9, turn=turn, outline=0.3)
    return sheet.picture()


def _word(text: str, style: Style) -> Shape:
    """Return digits and letters of court cards side by side, one unit high, around the origin."""
    middle = (len(text) - 1) / 2
    signs = [(place, _sign(char, style)) for place, char in enumerate(text)]
    return tuple(part + (0.72 * (place - middle), 0.0) for place, sign in signs for part in sign)


def _sign(char: str, style: Style) -> Shape:
    if char not in _LETTERS:
        return shapes.digit(char, style.family, style.weight, style.slant)
    form = shapes.FAMILIES[style.family]
    pen = np.array([style.weight, style.weight * form.contrast])
    size = np.array([form.width, 1.0]) - pen
    shear = np.array([[1, 0], [-np.tan(np.deg2rad(style.slant)), 1]])
    lines = [(shapes._path(path, form.squareness) - 0.5) * size for path in _LETTERS[char]]
    return tuple(shapes.stroke(line, pen) @ shear for line in lines)


def _mark(name: str) -> Shape:
    """Return a ``club``, ``diamond``, ``heart`` or ``spade``, one unit high, around the origin."""
    stem = np.array([(-0.07, 0.1), (0.07, 0.1), (0.2, 0.5), (-0.2, 0.5)])
    if name == "diamond":
        return (np.array([(0.0, -0.5), (0.36, 0.0), (0.0, 0.5), (-0.36, 0.0)]),)
    if name == "club":
        return (*(shapes.oval(0.22, 0.22) + at for at in ((0.0, -0.27), (-0.25, 0.1), (0.25, 0.1))), stem)
    point = np.array([(-0.46, -0.14), (0.46, -0.14), (0.0, 0.5)])
    bow = shapes.oval(0.25, 0.25)
    heart = (bow + (-0.24, -0.25), bow + (0.24, -0.25), point)
    return heart if name == "heart" else (*(part * (1.0, -0.8) + (0.0, -0.08) for part in heart), stem)
