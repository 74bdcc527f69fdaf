"""Pictures of a game: an SVG as a PNG, with the fonts of the package alone, and where its texts break.

resvg rasterizes, so that a picture looks the same on every machine. The font has Latin, Greek, Cyrillic, Armenian,
Georgian, Hebrew and Arabic letters; others are left out (`legible`), never drawn as boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from croupier.errors import CannotWrite
from croupier.i18n import _
from croupier.names import shorten
from croupier.web.pages import environment

if TYPE_CHECKING:
    from jinja2 import Template

IN_FONT: Final = str.maketrans({"⊘": "Ø", "⇄": "↔", "⇊": "↓"})
"""Signs of cards that the font does not have."""

LINE: Final = 1.3
ASCENT: Final = 0.93
"""Distance of lines, and height of letters above their line, in sizes of the font."""

_HERE: Final = Path(__file__).parent
_FONT: Final = _HERE / "fonts/DejaVuSans-Bold.ttf"
_KEPT: Final = 4
"""Pictures that several people ask for at once: they are drawn once."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text whose letters stand at ``y``, ``px`` high."""

    text: str
    y: float
    px: int


def needs_package(missing: ModuleNotFoundError) -> CannotWrite:
    """The error of somebody who asks for a picture where a package is missing."""
    return CannotWrite(_("A picture needs {module}: install croupier with its extra paper.", module=missing.name))


@lru_cache(_KEPT)
def png(svg: str) -> bytes:
    """The picture of an SVG. Raises `ModuleNotFoundError` without resvg."""
    from resvg_py import svg_to_bytes

    return svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=[str(_FONT)])


@cache
def drawing(name: str, folder: Path = _HERE) -> Template:
    """The template ``name`` of an SVG, in the templates of ``folder`` or of this package."""
    return environment(folder / "templates", _HERE / "templates").get_template(name)


def lines(text: str, top: float, px: int, most: int, width: float) -> Iterator[Line]:
    """At most so many lines of a text, from ``top`` on."""
    for n, line in enumerate(wrapped(text, width, px, most)):
        yield Line(line, round(top + px * (ASCENT + n * LINE), 1), px)


def wrapped(text: str, width: float, px: float, most: int) -> list[str]:
    """The lines of a text, ``width`` px wide; what finds no room ends in …"""
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        if _width(longer) * px <= width or not found[-1]:
            found[-1] = longer
        else:
            found.append(word)
    last = min(len(found), most) - 1
    return [*found[:last], shorten(" ".join(found[last:]), width / px, _width)]


def legible(text: str) -> str:
    """The text without the letters that the font lacks."""
    return " ".join("".join(letter for letter in text if letter == " " or ord(letter) in _widths()[0]).split())


def _width(text: str) -> float:
    """The width of a text in sizes of the font."""
    widths, unknown = _widths()
    return sum(widths.get(ord(letter), unknown) for letter in text)


@cache
def _widths() -> tuple[dict[int, float], float]:
    """The width of each letter of the font, and that of the sign for all others."""
    from fontTools.ttLib import TTFont

    with TTFont(_FONT, lazy=True) as font:
        unit, glyphs = font["head"].unitsPerEm, font["hmtx"].metrics
        return {code: glyphs[name][0] / unit for code, name in font.getBestCmap().items()}, glyphs[".notdef"][0] / unit
