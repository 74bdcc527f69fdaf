"""The score sheet as PDF on A4: the points of each round, the totals, and the chart over the rounds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from croupier.game_views.geometry import ScoreChart, score_chart
from croupier.game_views.rounds import FinishedRound
from croupier.game_views.signs import Sign, account_signs
from croupier.game_views.story import Moment, Story
from croupier.i18n import _, language
from croupier.optional_dependencies import PAPER, requires_extra
from croupier.plugins import Document, DrawnGame
from croupier_extras.documents.pdf import INK, LINE, ROW_MM, SOFT, Sheet

_CHART_MM: Final = 80.0
_CODE_MM: Final = 26.0
_ABOVE_CODE_MM: Final = 6.0
_MAX_PORTRAIT: Final = 6
"""Number of accounts that fit on a portrait sheet; more need landscape."""


def score_sheet(game: DrawnGame) -> bytes:
    """The score sheet of a game so far, as PDF.

    Raises:
        CannotWrite: fpdf2 is not installed.
    """
    story, began = game.story, game.began
    with requires_extra(PAPER):
        from babel.dates import format_date, format_time
    sheet = _ScoreSheet(
        _("Score sheet"), began if isinstance(began, datetime) else None, is_wide=len(story.accounts) > _MAX_PORTRAIT
    )
    now = story.at(None)
    sheet.head(_("Score sheet"), _("SIMULATION") if story.is_simulation else "")
    about = [story.header.ruleset.title]
    if began is not None:
        about.insert(0, format_date(began, "long", locale=language()))
    if isinstance(began, datetime):
        about.insert(1, format_time(began, "short", locale=language()))
    sheet.line(" · ".join(about))
    if text := story.winner_text:
        sheet.line(text, bold=True)
    signs = account_signs(story.header.seats, story.header.teams, game.marks)
    sheet.table(story.accounts, signs, story.scores_at(now), _totals(story, now))
    if drawn := score_chart(story, now, game.marks):
        sheet.chart(drawn, _receipt_mm(game.hub) if story.receipt else 0)
    if story.receipt:
        sheet.receipt(story.receipt, game.hub)
    sheet.foot()
    return bytes(sheet.pdf.output())


def _totals(story: Story, moment: Moment) -> Sequence[int]:
    totals: Sequence[int] = moment.position["scores"]
    assert len(totals) == len(story.accounts)
    return totals


class _ScoreSheet(Sheet):
    """The score sheet of one game."""

    def table(
        self, accounts: Sequence[str], signs: Sequence[Sequence[Sign]], rounds: Sequence[FinishedRound],
        totals: Sequence[int],
    ) -> None:  # fmt: skip
        """Add the points of each round and the totals. The names are repeated on each page, below the signs of their
        players."""
        self.pdf.ln(4)
        self.signs(signs)
        self.row(_("Round"), accounts, bold=True, above=False)
        for i, score in enumerate(rounds):
            if self.room() < 2 * ROW_MM:
                self.next_page()
                self.signs(signs)
                self.row(_("Round"), accounts, bold=True, above=False)
            points = [str(score.points.get(account, "–")) for account in range(len(accounts))]
            self.row(str(score.round), points, band=i % 2 == 0)
        self.row(_("Total"), list(map(str, totals)), bold=True, above=True)

    def chart(self, drawn: ScoreChart, below_mm: float) -> None:
        """Add the chart, never split by a page break. ``below_mm``: the height of what comes below it."""
        pdf = self.pdf
        if self.room() < _CHART_MM + 18:
            self.next_page()
        pdf.ln(8)
        self.write(13, INK, bold=True)
        pdf.cell(pdf.epw, 8, self.shown(_("Totals after each round")), new_x="LMARGIN", new_y="NEXT")
        pdf.ln(2)
        scale = min(pdf.epw / drawn.width, (self.room() - 4 - below_mm) / drawn.height)
        left, top = pdf.l_margin, pdf.y

        def at(x: float, y: float) -> tuple[float, float]:
            return left + x * scale, top + y * scale

        right = max(x for line in drawn.lines for x, _y in line.points)
        self.write(8, SOFT)
        for points, y in drawn.grid:
            pdf.set_draw_color(*LINE)
            pdf.set_line_width(0.2)
            pdf.line(*at(44, y), *at(right, y))
            self._text(str(points), *at(36, y), align="R")
        for number, x in drawn.rounds:
            self._text(str(number), *at(x, drawn.height - 14), align="C")
        for line in drawn.lines:
            way = [at(x, y) for x, y in line.points]
            pdf.set_draw_color(line.signs[0].ink)
            pdf.set_line_width(1.1)
            pdf.polyline(way)
            pdf.set_draw_color(line.signs[0].fill)
            pdf.set_line_width(0.7)
            with pdf.local_context():
                if line.dash:
                    pdf.set_dash_pattern(*_dash(line.dash, scale))
                pdf.polyline(way)
            self.write(8.5, INK, bold=True)
            x, y = at(line.end.x, line.end.y)
            name = self.fitted(line.name, pdf.w - pdf.r_margin - x - pdf.get_string_width(f" {line.total}") - 1)
            self._text(f"{name} {line.total}", x, y, align="L")
        pdf.set_y(top + drawn.height * scale)

    def receipt(self, code: str, hub: str | None) -> None:
        """Add the receipt; with a hub its QR code and address, too."""
        pdf = self.pdf
        if self.room() < _receipt_mm(hub):
            self.next_page()
        pdf.ln(_ABOVE_CODE_MM)
        left, top = pdf.l_margin, pdf.y
        if hub is not None:
            from croupier.web.addresses import receipt_address

            at = receipt_address(hub, code)
            rows = at.rows
            size = _CODE_MM / len(rows)
            pdf.set_fill_color(0, 0, 0)
            for y, row in enumerate(rows):
                for x, is_dark in enumerate(row):
                    if is_dark:
                        pdf.rect(left + x * size, top + y * size, size, size, style="F")
            pdf.set_xy(left + _CODE_MM + 6, top)
        self.write(13, INK, bold=True)
        pdf.cell(0, 7, self.shown(_("Receipt {code}", code=code)), new_x="LEFT", new_y="NEXT")
        if hub is not None:
            self.write(8.5, SOFT)
            pdf.multi_cell(0, 5, self.shown(at.url), align="L", link=at.url)
            pdf.set_y(top + _CODE_MM)

    def _text(self, text: str, x: float, y: float, *, align: str) -> None:
        """Add text at a place: left-aligned, centered or right-aligned, vertically centered."""
        pdf = self.pdf
        width = pdf.get_string_width(text)
        pdf.text(x - {"L": 0.0, "C": width / 2, "R": width}[align], y + pdf.font_size * 0.36, text)


def _receipt_mm(hub: str | None) -> float:
    """The height of a receipt, with the room above it."""
    return _ABOVE_CODE_MM + (7 if hub is None else _CODE_MM)


def _dash(pattern: str, scale: float) -> tuple[float, float]:
    """The first stroke and gap of an SVG dash pattern, in mm."""
    stroke, gap, *_more = map(float, pattern.split())
    return stroke * scale, gap * scale


DOCUMENT: Final = Document("application/pdf", score_sheet)
