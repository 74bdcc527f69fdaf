"""A PDF on A4 that is filled from top to bottom, in the present language.

The embedded font (``fonts/``) has Latin, Greek and Cyrillic letters; any other letter is shown as �.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from croupier.game_views.signs import Sign
from croupier.i18n import _, language
from croupier.optional_dependencies import PAPER, requires_extra

INK: Final = (34, 32, 27)
SOFT: Final = (98, 91, 78)
LINE: Final = (205, 196, 178)
BAND: Final = (246, 242, 233)
RED: Final = (200, 40, 30)
"""Colors: of text, of less important text, of lines, of every second row, of a label."""

SIZE_PT: Final = 10.5
ROW_MM: Final = 7.2

_FONTS: Final = Path(__file__).parent / "fonts"
_FONT: Final = "DejaVu"
_MARGIN_MM: Final = 16.0
_HEAD_MM: Final = 24.0
"""Of the first column of a table."""
_MIN_PT: Final = 7.0
_SIGN_MM: Final = 6.0
_SIGN_PT: Final = 7.5


class Sheet:
    """A PDF document; ``pdf`` is that of fpdf2.

    Raises:
        CannotWrite: fpdf2 is not installed.
    """

    def __init__(self, title: str, made: datetime | None = None, *, is_wide: bool = False) -> None:
        with requires_extra(PAPER):
            from fpdf import FPDF
        self.pdf = pdf = FPDF("landscape" if is_wide else "portrait", "mm", "A4")
        pdf.set_title(title)
        pdf.set_lang(language())
        if made is not None:
            pdf.set_creation_date(made)
        pdf.set_margin(_MARGIN_MM)
        pdf.set_auto_page_break(False)
        pdf.add_font(_FONT, "", _FONTS / "DejaVuSans.ttf")
        pdf.add_font(_FONT, "B", _FONTS / "DejaVuSans-Bold.ttf")
        pdf.add_page()
        self._letters = set(pdf.fonts[_FONT.lower()].cmap)  # type: ignore[union-attr]  # it is a TrueType font

    def head(self, title: str, label: str) -> None:
        """Add the title, with a framed label at the right."""
        pdf = self.pdf
        self.write(26, INK, bold=True)
        pdf.cell(pdf.epw, 13, self.shown(title))
        if label:
            self.write(11, RED, bold=True)
            width = pdf.get_string_width(label) + 8
            pdf.set_draw_color(*RED)
            pdf.set_xy(pdf.w - pdf.r_margin - width, pdf.t_margin + 2)
            pdf.cell(width, 8, label, border=1, align="C")
        pdf.set_xy(pdf.l_margin, pdf.t_margin + 14)

    def line(self, text: str, *, bold: bool = False) -> None:
        """Add a paragraph."""
        self.write(13 if bold else SIZE_PT, INK if bold else SOFT, bold=bold)
        self.pdf.multi_cell(self.pdf.epw, 7, self.shown(text), align="L", new_x="LMARGIN", new_y="NEXT")

    def foot(self) -> None:
        """Add the footer of a page."""
        pdf = self.pdf
        self.write(8.5, SOFT)
        pdf.set_xy(pdf.l_margin, pdf.h - 12)
        pdf.cell(pdf.epw / 2, 5, "Croupier")
        pages = pdf.str_alias_nb_pages  # fpdf2 replaces it by their number at the end
        pdf.cell(pdf.epw / 2, 5, _("Page {page} of {pages}", page=pdf.page_no(), pages=pages), align="R")

    def row(
        self, head: str, cells: Sequence[str], *, bold: bool = False, band: bool = False, above: bool | None = None,
        align: Literal["L", "R"] = "R",
    ) -> None:  # fmt: skip
        """Add a row of a table; ``above``: a line above it (True), below it (False), or none."""
        pdf = self.pdf
        width = (pdf.epw - _HEAD_MM) / len(cells)
        pdf.set_fill_color(*BAND)
        pdf.set_draw_color(*INK)
        pdf.set_line_width(0.3)
        self.write(SIZE_PT, INK if bold else SOFT, bold=bold)
        pdf.cell(_HEAD_MM, ROW_MM, self.fitted(head, _HEAD_MM - 2), fill=band)
        for cell in cells:
            self.write(SIZE_PT, INK, bold=bold)
            pdf.cell(width, ROW_MM, self.fitted(cell, width - 2), fill=band, align=align)
        if above is not None:
            y = pdf.y if above else pdf.y + ROW_MM
            pdf.line(pdf.l_margin, y, pdf.w - pdf.r_margin, y)
        pdf.ln(ROW_MM)

    def signs(self, signs: Sequence[Sequence[Sign]]) -> None:
        """Add the signs above the cells of a row; each cell has those of some players."""
        pdf = self.pdf
        width = (pdf.epw - _HEAD_MM) / len(signs)
        for cell, every in enumerate(signs, start=1):
            right = pdf.l_margin + _HEAD_MM + cell * width - 1
            for place, sign in enumerate(reversed(every)):
                self._sign(sign, right - (place + 1) * (_SIGN_MM + 1), pdf.y)
        pdf.ln(_SIGN_MM + 1)

    def _sign(self, sign: Sign, x: float, y: float) -> None:
        """Add a sign at a place; its letter is a text, as all others of the sheet."""
        from fpdf.svg import SVGObject

        pdf, letter = self.pdf, self.shown(sign.letter)
        outline = f'<path fill="{sign.fill}" stroke="{sign.ink}" stroke-width="1.6" d="{sign.path}"/>'
        size = f'viewBox="-1 -1 34 34" width="{_SIGN_MM}mm" height="{_SIGN_MM}mm"'
        SVGObject(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{outline}</svg>').draw_to_page(pdf, x, y)
        self.write(_SIGN_PT, _rgb(sign.ink), bold=True)
        middle = y + (sign.middle + 1) * _SIGN_MM / 34
        pdf.text(x + (_SIGN_MM - pdf.get_string_width(letter)) / 2, middle + pdf.font_size * 0.36, letter)

    def fitted(self, text: str, width: float) -> str:
        """The text in a font so small that it fits; cut if even `_MIN_PT` is too large."""
        pdf, text = self.pdf, self.shown(text)
        while pdf.get_string_width(text) > width and pdf.font_size_pt > _MIN_PT:
            pdf.set_font_size(pdf.font_size_pt - 0.5)
        while pdf.get_string_width(text) > width and len(text) > 2:
            text = text[:-2].rstrip() + "…"
        return text

    def write(self, size: float, color: tuple[int, int, int], *, bold: bool = False) -> None:
        """Choose size (pt), color and weight of what is written next."""
        self.pdf.set_font(_FONT, "B" if bold else "", size)
        self.pdf.set_text_color(*color)

    def shown(self, text: str) -> str:
        """The text with � for letters that the font lacks."""
        return "".join(letter if ord(letter) in self._letters else "�" for letter in text)

    def room(self) -> float:
        """Height (mm) that is left on the page."""
        return float(self.pdf.h - 16 - self.pdf.y)

    def next_page(self) -> None:
        """Finish the page and begin another."""
        self.foot()
        self.pdf.add_page()


def _rgb(color: str) -> tuple[int, int, int]:
    """A color ``#rrggbb`` as numbers."""
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue
