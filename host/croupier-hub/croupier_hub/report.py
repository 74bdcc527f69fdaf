"""Documents of a tournament: a plan as text, and as PDF with the pairings of each round and of each player; the
standings as PDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from croupier.console import Printer
from croupier.i18n import _, marked
from croupier_extras.documents.pdf import INK, ROW_MM, SOFT, Sheet
from croupier_hub.plan import Plan
from croupier_hub.results import place_rows, points_text
from croupier_hub.search import Table

_PAIRED: Final = marked(
    "Counted for each two players: partners {partner} ×, opponents {opponent} ×, left neighbors {left} ×. "
    "For each player: byes {byes} ×, changes of table {moves} ×."
)
_SINGLE: Final = marked(
    "Counted for each two players: opponents {opponent} ×, left neighbors {left} ×. "
    "For each player: byes {byes} ×, changes of table {moves} ×."
)

_PLAYER_MM: Final = 5.6
"""Height of a line in the list of a player."""


def print_plan(plan: Plan) -> None:
    """Print a plan: why, how even, and each round."""
    printer = Printer()
    for reason in plan.reasons:
        printer.print(reason)
    printer.print(evenness_text(plan))
    for number, one in enumerate(plan.rounds, start=1):
        printer.print("")
        printer.print(_heading(number, is_final=one.is_final), style="bold")
        for at, table in enumerate(one.tables, start=1):
            printer.print(f"{_('Table {n}', n=at)}: {table_text(plan, table)}", 2)
        if one.byes:
            printer.print(f"{_('Bye')}: {_names(plan, one.byes)}", 2)
    if plan.winners:
        printer.print("")
        printer.print(winner_text(plan), style="bold")


def evenness_text(plan: Plan) -> str:
    """Return what was counted: the least and the most."""
    counted = ("partner", "opponent", "left", "byes", "moves")
    ranges = {name: "–".join(map(str, sorted(set(getattr(plan.evenness, name))))) for name in counted}
    return _(_PAIRED if plan.has_partners else _SINGLE, **ranges)


def winner_text(plan: Plan) -> str:
    """Return who has won."""
    return _("Won: {names}", names=_names(plan, plan.winners))


def table_text(plan: Plan, table: Table) -> str:
    """Return who sits at a table, clockwise; partners as pairs."""
    return " – ".join(" + ".join(map(plan.name, team)) for team in plan.teams(table)) or _names(plan, table)


def plan_pdf(plan: Plan) -> bytes:
    """Return the plan as PDF.

    Raises:
        CannotWrite: fpdf2 is not installed.
    """
    sheet = Sheet(_("Tournament"))
    sheet.head(_("Tournament"), "")
    for reason in plan.reasons:
        sheet.line(reason)
    sheet.line(evenness_text(plan))
    if plan.winners:
        sheet.line(winner_text(plan), bold=True)
    for number, one in enumerate(plan.rounds, start=1):
        rows = [(_("Table {n}", n=at), table_text(plan, table)) for at, table in enumerate(one.tables, start=1)]
        rows += [(_("Bye"), plan.name(player)) for player in one.byes]
        _add_rows(sheet, [_heading(number, is_final=one.is_final), ""], rows)
    sheet.next_page()
    for player in range(plan.players):
        _add_player(sheet, plan, player)
    sheet.foot()
    return bytes(sheet.pdf.output())


def standings_pdf(results: dict[str, Any]) -> bytes:
    """Return the standings, penalties and the points of each round as PDF. ``results``: in the form of `Results`.

    Raises:
        CannotWrite: fpdf2 is not installed.
    """
    sheet = Sheet(_("Standings"))
    sheet.head(_("Standings"), "")
    titles, *places = place_rows(results)
    _add_rows(sheet, titles, places)
    lost = [[_heading(one["round"], is_final=False), f"{one['player']} {points_text(-one['points'])}", one["why"]]
            for one in results["penalties"]]  # fmt: skip
    _add_rows(sheet, [_("Penalties"), "", ""], lost)
    for one in results["rounds"]:
        tables = [
            [
                _("Table {n}", n=table["table"]),
                ", ".join(map("{} {}".format, table["seats"], map(points_text, table["points"]))),
            ]
            for table in one["tables"]
            if table["points"] is not None
        ]
        _add_rows(sheet, [_heading(one["round"], is_final=False), ""], tables)
    sheet.foot()
    return bytes(sheet.pdf.output())


def _add_rows(sheet: Sheet, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Add rows under their titles, which each page repeats; nothing without rows."""
    for n, (head, *cells) in enumerate(rows):
        if n == 0 or sheet.room() < ROW_MM:
            if sheet.room() < 4 * ROW_MM:
                sheet.next_page()
            sheet.pdf.ln(3)
            sheet.row(titles[0], titles[1:], bold=True, above=False, align="L")
        sheet.row(head, cells, band=n % 2 == 0, align="L")


def _add_player(sheet: Sheet, plan: Plan, player: int) -> None:
    """Add the list of one player, to be handed out: a line for each round."""
    lines = list(_player_lines(plan, player))
    for i, (head, text) in enumerate(lines):
        if sheet.room() < _PLAYER_MM * (3 if i == 0 else 1):
            sheet.next_page()
        if i == 0:
            sheet.pdf.ln(2)
            sheet.write(11, INK, bold=True)
            sheet.pdf.cell(sheet.pdf.epw, _PLAYER_MM, sheet.fitted(plan.name(player), sheet.pdf.epw), border="B")
            sheet.pdf.ln(_PLAYER_MM)
        sheet.write(9, SOFT)
        sheet.pdf.cell(44, _PLAYER_MM, sheet.fitted(head, 42))
        sheet.pdf.cell(sheet.pdf.epw - 44, _PLAYER_MM, sheet.fitted(text, sheet.pdf.epw - 46))
        sheet.pdf.ln(_PLAYER_MM)


def _player_lines(plan: Plan, player: int) -> Iterator[tuple[str, str]]:
    for number, one in enumerate(plan.rounds, start=1):
        heading = _heading(number, is_final=one.is_final)
        if player in one.byes:
            yield heading, _("Bye")
        for at, table in enumerate(one.tables, start=1):
            if player in table:
                others = tuple(other for other in table if other != player)
                text = _("with {names}", names=_names(plan, others))
                if plan.has_partners:
                    seat = table.index(player)
                    partner, opponents = table[seat - 2], (table[seat - 1], table[seat - 3])
                    names = _names(plan, opponents)
                    text = _("with {partner} against {names}", partner=plan.name(partner), names=names)
                yield f"{heading} · {_('Table {n}', n=at)}", text


def _heading(number: int, *, is_final: bool) -> str:
    return _("Final") if is_final else _("Round {n}", n=number)


def _names(plan: Plan, players: Table) -> str:
    return ", ".join(map(plan.name, players))
