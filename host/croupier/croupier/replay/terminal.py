"""A game in the terminal: the table as a picture, and the score sheet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from croupier.console import Console
from croupier.errors import one_line
from croupier.game_views.story import Story
from croupier.game_views.view import headline
from croupier.i18n import _
from croupier_rules.referee import Explainer
from croupier_rules.referee.position import Position

if TYPE_CHECKING:
    from croupier.game_views.statistics import Column, PlayerStatistics

ROOM: Final = 24
WIDTH: Final = 76
"""Lines of a standard terminal, and columns inside the frame there: everything fits into them."""

_NAME: Final = 16
"""Longest name, in letters; longer ones are cut."""

_BESIDE: Final = 4
"""Players in one table of statistics."""

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


def to_json(story: Story) -> dict[str, Any]:
    """Return accounts, points of each round and totals for JSON."""
    now = story.at(None)
    rounds = [
        {"round": one.round, "points": [one.points.get(i, 0) for i in range(len(story.accounts))], "totals": one.totals}
        for one in story.scores_at(now)
    ]
    over = now.position["phase"] == "game_over"
    return {
        "accounts": story.accounts, "rounds": rounds, "totals": now.position["scores"], "game_over": over,
        "simulation": story.is_simulation,
    }  # fmt: skip


def print_score(story: Story) -> None:
    """Print the score sheet and the winner."""
    console, now = Console(highlight=False), story.at(None)
    if story.is_simulation:
        console.print(_("SIMULATION"), style="bold magenta")
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    sheet.add_column(_("Round"), footer=_("Total"))
    for name, total in zip(story.accounts, now.position["scores"], strict=True):
        sheet.add_column(Text(one_line(name)), justify="right", footer=str(total))
    for one in story.scores_at(now):
        sheet.add_row(str(one.round), *(str(one.points.get(i, "–")) for i in range(len(story.accounts))))
    console.print(sheet)
    if missing := [one_line(story.header.seats[seat]) for seat in story.hands_to_show]:
        text = _("Round {n}: the cards of {names} are still missing.", n=now.round, names=", ".join(missing))
        console.print(text, markup=False)
    if text := story.winner_text:
        console.print(text, style="bold", markup=False)


def print_statistics(players: Sequence[PlayerStatistics], rows: Sequence[Column]) -> None:
    """Print a column for each player, as many beside each other as fit into a standard terminal."""
    for first in range(0, len(players), _BESIDE):
        beside = players[first : first + _BESIDE]
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("")
        for player in beside:
            table.add_column(Text(one_line(player.name)), justify="right", no_wrap=True, max_width=_NAME)
        for heading, text in rows:
            table.add_row(_(heading), *map(text, beside))
        Console(highlight=False).print(table)
