"""A moment of a game as a picture (PNG) for messengers and other pages: what happened, up-card, seats.

The picture is in the present language. It is drawn twice as large, so that edges are smooth.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from croupier.errors import CannotWrite
from croupier.game_views.story import Moment, Story
from croupier.game_views.view import Card, TableView
from croupier.i18n import _

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE: Final = (1200, 630)
"""As Open Graph asks for (px)."""

_SCALE: Final = 2
_FONT: Final = Path(__file__).parent / "fonts/DejaVuSans-Bold.ttf"
_FELT, _RIM, _PAPER, _INK, _GOLD, _SOFT = "#124234", "#6b4424", "#fdfcf8", "#1d1b1a", "#f2c14e", "#d9d2c2"
_COLORS: Final = {
    "red": "#c8281e", "yellow": "#f0b400", "green": "#2e8b3d", "blue": "#1d62b5", "wild": _INK, "unknown": "#77706a"
}  # fmt: skip
_SIGNS: Final = {"skip": "Ø", "reverse": "↔"}
_IN_FONT: Final = str.maketrans({"⊘": "Ø", "⇄": "↔", "⇊": "↓"})
"""Signs of cards that the font does not have."""

_CARD: Final = (250, 393)


def moment_picture(story: Story, moment: Moment) -> bytes:
    """The picture of a moment.

    Raises:
        CannotWrite: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ModuleNotFoundError as missing:
        needs = _("A picture needs {module}: install croupier with its extra paper.", module=missing.name)
        raise CannotWrite(needs) from missing
    view, text = TableView(story, moment.n), story.describe(moment)
    image = Image.new("RGB", (SIZE[0] * _SCALE, SIZE[1] * _SCALE), _RIM)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((18 * _SCALE, 18 * _SCALE, 1182 * _SCALE, 612 * _SCALE), 60 * _SCALE, fill=_FELT)
    if view.top is not None:
        card = Image.new("RGBA", (_CARD[0] * _SCALE, _CARD[1] * _SCALE))
        _draw_card(ImageDraw.Draw(card), view.top)
        turned = card.rotate(4, Image.Resampling.BICUBIC, expand=True)
        image.paste(turned, (60 * _SCALE, 38 * _SCALE), turned)
    paper = _Paper(draw)
    paper.text((380, 52), _("SIMULATION") if story.is_simulation else _("Croupier"), 24, _SOFT, lines=1)
    y = paper.text((380, 92), view.headline, 56, _PAPER, lines=2)
    said = " ".join((text.seen, *(ruling.text for ruling in text.rulings if ruling.name != "turn")))
    paper.text((380, y + 14), said, 30, _SOFT, lines=(430 - y) // 39)
    paper.seats(view)
    found = BytesIO()
    image.resize(SIZE, Image.Resampling.LANCZOS).save(found, "PNG")
    return found.getvalue()


def _font(px: float) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(_FONT, px * _SCALE)


def _draw_card(draw: ImageDraw, card: Card) -> None:
    width, height = (length * _SCALE for length in _CARD)
    edge = width / 16
    draw.rounded_rectangle((0, 0, width - 1, height - 1), edge * 1.4, fill=_PAPER)
    draw.rounded_rectangle((edge, edge, width - edge, height - edge), edge, fill=_COLORS[card.color])
    middle = (width / 2, height / 2)
    if card.color == "wild":
        for begin, color in ((180, "red"), (270, "blue"), (0, "green"), (90, "yellow")):
            draw.pieslice((edge * 3, height / 6, width - edge * 3, height * 5 / 6), begin, begin + 90, _COLORS[color])
    else:
        draw.ellipse((edge * 2, height / 7, width - edge * 2, height * 6 / 7), fill=_PAPER)
    sign = _SIGNS.get(card.sign, card.sign).translate(_IN_FONT)
    ink = _COLORS[card.color] if card.color in ("red", "green", "blue") else _INK
    if card.color == "wild":
        draw.text(
            middle,
            sign,
            _PAPER,
            _font(100 if len(sign) < 3 else 70),
            anchor="mm",
            stroke_width=8 * _SCALE,
            stroke_fill=_INK,
        )
    else:
        draw.text(middle, sign, ink, _font(150 if len(sign) < 2 else 100), anchor="mm")
        if sign in ("6", "9"):
            draw.line(
                (middle[0] - edge * 2, middle[1] + edge * 4.4, middle[0] + edge * 2, middle[1] + edge * 4.4), ink, 16
            )
    small = _font(42)
    draw.text((edge * 1.7, edge * 1.5), sign, _PAPER, small)
    draw.text((width - edge * 1.7, height - edge * 1.5), sign, _PAPER, small, anchor="rd")


class _Paper:
    """Text on the picture; places and sizes in px of `SIZE`."""

    def __init__(self, draw: ImageDraw) -> None:
        self._draw = draw

    def text(self, place: tuple[int, int], text: str, px: int, color: str, *, lines: int) -> int:
        """Write a text in at most so many lines; returns where the next one may begin."""
        font, (x, y) = _font(px), place
        for line in self._wrapped(text, font, (SIZE[0] - 60 - x) * _SCALE, lines):
            self._draw.text((x * _SCALE, y * _SCALE), line, color, font)
            y += round(px * 1.3)
        return y

    def seats(self, view: TableView) -> None:
        """The seats with their cards, in a row; that on turn has a rim of gold."""
        step = (SIZE[0] - 100) / len(view.seats)
        px = min(28, round(step / 6))
        for seat in view.seats:
            left, right = (50 + step * seat.number + 5) * _SCALE, (50 + step * (seat.number + 1) - 5) * _SCALE
            rim = _GOLD if seat.is_on_turn else _SOFT
            box = (left, 478 * _SCALE, right, 592 * _SCALE)
            self._draw.rounded_rectangle(
                box, 14 * _SCALE, fill="#0a2a20", outline=rim, width=(5 if seat.is_on_turn else 2) * _SCALE
            )
            (name,) = self._wrapped(seat.name, _font(px), right - left - 24 * _SCALE, 1)
            middle = (left + right) / 2
            self._draw.text((middle, 506 * _SCALE), name, _PAPER, _font(px), anchor="mm")
            count = "–" if seat.is_out else str(seat.cards)
            self._draw.text((middle, 554 * _SCALE), count, rim, _font(46), anchor="mm")

    def _wrapped(self, text: str, font: FreeTypeFont, width: float, most: int) -> list[str]:
        """The lines of a text; what finds no room ends in …"""
        found = [""]
        for word in text.split():
            longer = f"{found[-1]} {word}".strip()
            if font.getlength(longer) <= width or not found[-1]:
                found[-1] = longer
            else:
                found.append(word)
        kept = found[:most]
        if len(found) > most or font.getlength(kept[-1]) > width:
            while font.getlength(f"{kept[-1]}…") > width:
                kept[-1] = kept[-1][:-1]
            kept[-1] = f"{kept[-1].rstrip()}…"
        return kept
