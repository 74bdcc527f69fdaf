"""The score sheet of a game, in the terminal and for programs."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from croupier.errors import one_line
from croupier.game_views.story import Story
from croupier.i18n import _
from croupier.replay.terminal import console_of


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
    console, now = console_of(story), story.at(None)
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
