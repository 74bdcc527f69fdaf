"""A moment of a game as a picture (PNG) for messengers and other pages: what happened, up-card, seats.

It is an SVG (``templates/moment.svg``) with the cards of the page, in the present language. resvg rasterizes it
with the fonts of the package alone, so that it looks the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from croupier.errors import CannotWrite
from croupier.game_views.story import Moment, Story
from croupier.game_views.view import TableView
from croupier.i18n import _
from croupier.names import shorten
from croupier.plugins import Document, DrawnGame
from croupier.web.pages import environment

if TYPE_CHECKING:
    from jinja2 import Template

SIZE: Final = (1200, 630)
"""As Open Graph asks for (px)."""

_HERE: Final = Path(__file__).parent
_FONT: Final = _HERE / "fonts/DejaVuSans-Bold.ttf"
_IN_FONT: Final = str.maketrans({"⊘": "Ø", "⇄": "↔", "⇊": "↓"})
"""Signs of cards that the font does not have."""

_LEFT, _RIGHT, _SAID_END = 380, 1140, 430
"""Begin and end of the text, and the end of the rulings above the seats (px)."""
_LINE: Final = 1.3
_ASCENT: Final = 0.93
"""Distance of lines, and height of letters above their line, in sizes of the font."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text whose letters stand at ``y``, ``px`` high."""

    text: str
    y: float
    px: int


def moment_picture(game: DrawnGame) -> bytes:
    """The picture of the moment of a game that was asked for.

    Raises:
        CannotWrite: resvg or fontTools is not installed.
    """
    try:
        from resvg_py import svg_to_bytes

        svg = _moment_svg(game.story, game.moment)
    except ModuleNotFoundError as missing:
        needs = _("A picture needs {module}: install croupier with its extra paper.", module=missing.name)
        raise CannotWrite(needs) from missing
    return svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=[str(_FONT)])


def _moment_svg(story: Story, moment: Moment) -> str:
    view, text = TableView(story, moment.n), story.describe(moment)
    headline = [*_lines(view.headline, 92, 56, 2)]
    top = headline[-1].y + 56 * (_LINE - _ASCENT) + 14
    said = " ".join((text.seen, *(ruling.text for ruling in text.rulings if ruling.name != "turn")))
    step = (SIZE[0] - 100) / len(view.seats)
    px = min(28, round(step / 6))
    return _template().render(
        seats=view.seats,
        card=view.top and replace(view.top, sign=view.top.sign.translate(_IN_FONT)),
        label=_("SIMULATION") if story.is_simulation else _("Croupier"),
        left=_LEFT,
        headline=headline,
        said=[*_lines(said, top, 30, int((_SAID_END - top + 14) // 39))],
        step=step,
        px=px,
        names=[_wrapped(seat.name, step - 34, px, 1)[0] for seat in view.seats],
    )


@cache
def _template() -> Template:
    return environment(_HERE / "templates").get_template("moment.svg")


def _lines(text: str, top: float, px: int, most: int) -> Iterator[_Line]:
    """At most so many lines of a text, from ``top`` on."""
    for n, line in enumerate(_wrapped(text, _RIGHT - _LEFT, px, most)):
        yield _Line(line, round(top + px * (_ASCENT + n * _LINE), 1), px)


def _wrapped(text: str, width: float, px: float, most: int) -> list[str]:
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


DOCUMENT: Final = Document("image/png", moment_picture)
