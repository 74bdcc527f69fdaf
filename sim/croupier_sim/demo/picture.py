"""The table as a picture in the terminal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from croupier.errors import one_line
from croupier.game_views.view import headline
from croupier.i18n import _
from croupier_rules.referee import Explainer
from croupier_rules.referee.position import Position

ROOM: Final = 24
WIDTH: Final = 76
"""Lines of a standard terminal, and columns inside the frame there: everything fits into them."""

_NAME: Final = 16
"""Longest name, in letters; longer ones are cut."""

_SIGNS: Final = {"red": "●", "yellow": "★", "green": "▲", "blue": "■"}
"""The symbols of the colors on cards for the color-blind."""


def color_text(color: str | None) -> Text:
    """Return a color as word, symbol and color."""
    if color not in _SIGNS:
        return Text("·")
    return Text(f"{_SIGNS[color]} {_(color)}", style=f"bold {color}")


def card_text(card: str | None, explainer: Explainer) -> Text:
    """Return a card with the symbol of its color."""
    if card is None:
        return Text("·")
    color = card.partition("-")[0]
    if color not in _SIGNS:
        return Text(explainer.card(card), style="bold")
    return Text(f"{_SIGNS[color]} {explainer.card(card)}", style=f"bold {color}")


def table_panel(
    names: Sequence[str],
    position: Position,
    explainer: Explainer,
    lines: Iterable[Text],
    *,
    title: str,
    facts: Iterable[tuple[str, str]] = (),
    room: int = ROOM,
) -> Panel:
    """Draw the table at ``position``. ``lines``: the referee's words, newest last; ``facts``: further rows;
    ``room``: height in lines."""
    seats, beside = _seat_table(names, position), _fact_table(names, position, explainer, facts)
    above = max(len(names) + 4, beside.row_count)
    words = _last_lines(lines, room - above - 4)
    both = Table.grid(padding=(0, 2))
    both.add_column(no_wrap=True)
    both.add_column()
    both.add_row(seats, beside)
    body = Group(both, Text(_("the referee says"), style="dim"), *words)
    return Panel(body, title=Text(title), border_style="yellow", box=box.ASCII2)


def _seat_table(names: Sequence[str], position: Position) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column(_("seat"), no_wrap=True, max_width=_NAME)
    for column in (_("cards"), _("owes"), _("score")):
        table.add_column(column, justify="right")
    for seat, name in enumerate(names):
        on_turn = seat == position.turn
        table.add_row(
            "►" if on_turn else "",
            Text(one_line(name), style="bold" if on_turn else ""),
            str(position.hands[seat]),
            str(position.owed.get(seat, "")),
            str(position.scores[seat]) if len(position.scores) == len(names) else "",
        )
    return table


def _fact_table(
    names: Sequence[str], position: Position, explainer: Explainer, facts: Iterable[tuple[str, str]]
) -> Table:
    ways = {"left": "↻ " + _("to the left"), "right": "↺ " + _("to the right")}
    turn = "" if position.turn is None else one_line(names[position.turn])
    rules = position.house_rules.items()
    rows: list[tuple[str, str | Text]] = [
        (_("last card"), card_text(position.top, explainer)),
        (_("color"), color_text(position.color)),
        (_("direction"), ways[position.direction]),
        (_("draw pile"), str(position.draw_pile)),
        (_("discard pile"), str(position.discard_pile)),
        (_("now"), Text(headline({"phase": position.phase}, turn))),
        *((_("rule for {number}", number=number), Text(one_line(text))) for number, text in rules),
        *((name, Text(value)) for name, value in facts),
    ]
    table = Table(box=None, show_header=False, pad_edge=False)
    # In a narrow terminal the values are cut, not their names.
    table.add_column(no_wrap=True, min_width=max(cell_len(name) for name, _said in rows))
    table.add_column(no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _last_lines(lines: Iterable[Text], room: int) -> list[Text]:
    """Return the newest lines that fit into ``room`` terminal lines."""
    fitting: deque[Text] = deque()
    for line in reversed(list(lines)):
        room -= ceil(line.cell_len / WIDTH)
        if room < 0:
            break
        fitting.appendleft(line)
    return list(fitting)
