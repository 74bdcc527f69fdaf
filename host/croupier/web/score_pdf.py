"""The score sheet as PDF on A4: the points of each round, the totals, and the chart over the rounds.

The sheet is in the present language. The embedded font (``fonts/``) has Latin, Greek and Cyrillic letters; any other
letter of a name is shown as �.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from croupier.errors import CannotWrite
from croupier.i18n import _, language
from croupier.web.geometry import ScoreChart, score_chart
from croupier.web.story import Moment, RoundScore, Story

if TYPE_CHECKING:
    from fpdf import FPDF

_FONTS: Final = Path(__file__).parent / "fonts"
_FONT: Final = "DejaVu"
_INK, _SOFT, _LINE, _BAND = (34, 32, 27), (98, 91, 78), (205, 196, 178), (246, 242, 233)
_COLORS: Final = (
    (200, 40, 30), (29, 98, 181), (37, 118, 47), (138, 90, 0), (122, 40, 138),
    (0, 122, 130), (90, 90, 90), (190, 80, 130), (80, 60, 20), (20, 20, 20),
)  # fmt: skip
"""Each line of the chart also has its own dashes and its name."""

_MARGIN_MM: Final = 16.0
_ROUND_MM: Final = 24.0
_ROW_MM: Final = 7.2
_CHART_MM: Final = 80.0
_MAX_PORTRAIT: Final = 6
"""Number of accounts that fit on a portrait sheet; more need landscape."""

_SIZE_PT, _MIN_PT = 10.5, 7.0


def score_sheet(story: Story, began: datetime | None = None) -> bytes:
    """The score sheet of a game so far, as PDF; ``began``: the start of the game, if known.

    Raises:
        CannotWrite: fpdf2 is not installed.
    """
    try:
        from babel.dates import format_date, format_time
        from fpdf import FPDF
    except ModuleNotFoundError as missing:
        needs = _("A PDF score sheet needs {module}: install croupier with its extra paper.", module=missing.name)
        raise CannotWrite(needs) from missing
    pdf = FPDF("portrait" if len(story.accounts) <= _MAX_PORTRAIT else "landscape", "mm", "A4")
    pdf.set_title(_("Score sheet"))
    pdf.set_lang(language())
    if began is not None:
        pdf.set_creation_date(began)
    pdf.set_margin(_MARGIN_MM)
    pdf.set_auto_page_break(False)
    pdf.add_font(_FONT, "", _FONTS / "DejaVuSans.ttf")
    pdf.add_font(_FONT, "B", _FONTS / "DejaVuSans-Bold.ttf")
    pdf.add_page()
    sheet = _Sheet(pdf)
    now = story.at(None)
    sheet.head(_("Score sheet"), _("SIMULATION") if story.is_simulation else "")
    about = [story.header.ruleset.title]
    if began is not None:
        about[:0] = [format_date(began, "long", locale=language()), format_time(began, "short", locale=language())]
    sheet.line(" · ".join(about))
    if text := winner_text(story):
        sheet.line(text, bold=True)
    sheet.table(story.accounts, story.scores_at(now), _totals(story, now))
    if drawn := score_chart(story, now):
        sheet.chart(drawn)
    sheet.foot()
    return bytes(pdf.output())


def winner_text(story: Story) -> str:
    """Return the winner in words; "" while the game goes on."""
    return "" if story.winner is None else story.explainer.explain(story.winner).text


def _totals(story: Story, moment: Moment) -> Sequence[int]:
    totals: Sequence[int] = moment.position["scores"]
    assert len(totals) == len(story.accounts)
    return totals


class _Sheet:
    """A PDF document that is filled from top to bottom."""

    def __init__(self, pdf: FPDF) -> None:
        self._pdf = pdf
        self._letters = set(pdf.fonts[_FONT.lower()].cmap)  # type: ignore[union-attr]  # it is a TrueType font

    def head(self, title: str, label: str) -> None:
        """Add the title, with a framed label at the right."""
        pdf = self._pdf
        self._write(26, _INK, bold=True)
        pdf.cell(pdf.epw, 13, self._shown(title))
        if label:
            self._write(11, _COLORS[0], bold=True)
            width = pdf.get_string_width(label) + 8
            pdf.set_draw_color(*_COLORS[0])
            pdf.set_xy(pdf.w - pdf.r_margin - width, pdf.t_margin + 2)
            pdf.cell(width, 8, label, border=1, align="C")
        pdf.set_xy(pdf.l_margin, pdf.t_margin + 14)

    def line(self, text: str, *, bold: bool = False) -> None:
        """Add a paragraph."""
        self._write(13 if bold else _SIZE_PT, _INK if bold else _SOFT, bold=bold)
        self._pdf.multi_cell(self._pdf.epw, 7, self._shown(text), align="L", new_x="LMARGIN", new_y="NEXT")

    def table(self, accounts: Sequence[str], rounds: Sequence[RoundScore], totals: Sequence[int]) -> None:
        """Add the points of each round and the totals. The names are repeated on each page."""
        self._pdf.ln(4)
        self._row(_("Round"), accounts, bold=True, above=False)
        for i, score in enumerate(rounds):
            if self._room() < 2 * _ROW_MM:
                self._next_page()
                self._row(_("Round"), accounts, bold=True, above=False)
            points = [str(score.points.get(account, "–")) for account in range(len(accounts))]
            self._row(str(score.round), points, band=i % 2 == 0)
        self._row(_("Total"), list(map(str, totals)), bold=True, above=True)

    def chart(self, drawn: ScoreChart) -> None:
        """Add the chart, never split by a page break."""
        pdf = self._pdf
        if self._room() < _CHART_MM + 18:
            self._next_page()
        pdf.ln(8)
        self._write(13, _INK, bold=True)
        pdf.cell(pdf.epw, 8, self._shown(_("Totals after each round")), new_x="LMARGIN", new_y="NEXT")
        pdf.ln(2)
        scale = min(pdf.epw / drawn.width, (self._room() - 4) / drawn.height)
        left, top = pdf.l_margin, pdf.y

        def at(x: float, y: float) -> tuple[float, float]:
            return left + x * scale, top + y * scale

        right = max(x for line in drawn.lines for x, _y in line.points)
        self._write(8, _SOFT)
        for points, y in drawn.grid:
            pdf.set_draw_color(*_LINE)
            pdf.set_line_width(0.2)
            pdf.line(*at(44, y), *at(right, y))
            self._text(str(points), *at(36, y), align="R")
        for number, x in drawn.rounds:
            self._text(str(number), *at(x, drawn.height - 14), align="C")
        for i, line in enumerate(drawn.lines):
            pdf.set_draw_color(*_COLORS[i % len(_COLORS)])
            pdf.set_line_width(0.7)
            with pdf.local_context():
                if line.dash:
                    pdf.set_dash_pattern(*_dash(line.dash, scale))
                pdf.polyline([at(x, y) for x, y in line.points])
            self._write(8.5, _COLORS[i % len(_COLORS)], bold=True)
            x, y = at(line.end.x, line.end.y)
            name = self._fitted(line.name, pdf.w - pdf.r_margin - x - pdf.get_string_width(f" {line.total}") - 1)
            self._text(f"{name} {line.total}", x, y, align="L")

    def foot(self) -> None:
        """Add the footer of a page."""
        pdf = self._pdf
        self._write(8.5, _SOFT)
        pdf.set_xy(pdf.l_margin, pdf.h - 12)
        pdf.cell(pdf.epw / 2, 5, "Croupier")
        pages = pdf.str_alias_nb_pages  # fpdf2 replaces it by their number at the end
        pdf.cell(pdf.epw / 2, 5, _("Page {page} of {pages}", page=pdf.page_no(), pages=pages), align="R")

    def _row(
        self, head: str, cells: Sequence[str], *, bold: bool = False, band: bool = False, above: bool | None = None
    ) -> None:
        """Add a row of the table; ``above``: a line above it (True), below it (False), or none."""
        pdf = self._pdf
        width = (pdf.epw - _ROUND_MM) / len(cells)
        pdf.set_fill_color(*_BAND)
        pdf.set_draw_color(*_INK)
        pdf.set_line_width(0.3)
        self._write(_SIZE_PT, _INK if bold else _SOFT, bold=bold)
        pdf.cell(_ROUND_MM, _ROW_MM, self._fitted(head, _ROUND_MM - 2), fill=band)
        for cell in cells:
            self._write(_SIZE_PT, _INK, bold=bold)
            pdf.cell(width, _ROW_MM, self._fitted(cell, width - 2), fill=band, align="R")
        if above is not None:
            y = pdf.y if above else pdf.y + _ROW_MM
            pdf.line(pdf.l_margin, y, pdf.w - pdf.r_margin, y)
        pdf.ln(_ROW_MM)

    def _fitted(self, text: str, width: float) -> str:
        """The text in a font so small that it fits; cut if even `_MIN_PT` is too large."""
        pdf, text = self._pdf, self._shown(text)
        while pdf.get_string_width(text) > width and pdf.font_size_pt > _MIN_PT:
            pdf.set_font_size(pdf.font_size_pt - 0.5)
        while pdf.get_string_width(text) > width and len(text) > 2:
            text = text[:-2].rstrip() + "…"
        return text

    def _text(self, text: str, x: float, y: float, *, align: str) -> None:
        """Add text at a place: left-aligned, centered or right-aligned, vertically centered."""
        pdf = self._pdf
        width = pdf.get_string_width(text)
        pdf.text(x - {"L": 0.0, "C": width / 2, "R": width}[align], y + pdf.font_size * 0.36, text)

    def _write(self, size: float, color: tuple[int, int, int], *, bold: bool = False) -> None:
        self._pdf.set_font(_FONT, "B" if bold else "", size)
        self._pdf.set_text_color(*color)

    def _shown(self, text: str) -> str:
        return "".join(letter if ord(letter) in self._letters else "�" for letter in text)

    def _room(self) -> float:
        return float(self._pdf.h - 16 - self._pdf.y)

    def _next_page(self) -> None:
        self.foot()
        self._pdf.add_page()


def _dash(pattern: str, scale: float) -> tuple[float, float]:
    """The first stroke and gap of an SVG dash pattern, in mm."""
    stroke, gap, *_more = map(float, pattern.split())
    return stroke * scale, gap * scale
