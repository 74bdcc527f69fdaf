"""The score sheet of a game: in the terminal, as JSON, and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from croupier.console import Console
from croupier.errors import one_line
from croupier.i18n import _
from croupier.output_files import write_new
from croupier.replay.stories import Played
from croupier.web.score_pdf import score_sheet, winner
from croupier.web.story import Story


def to_json(story: Story) -> dict[str, Any]:
    """For machines: whose points are counted, the points of each round, the totals."""
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


def say_score(story: Story) -> None:
    """For people: a table, and who won."""
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
    if said := winner(story):
        console.print(said, style="bold", markup=False)


def write_sheet(played: Played, file: Path) -> None:
    """The sheet as PDF into the new file ``file``.

    Raises:
        CannotWrite: it is there already, or cannot be made, or what makes PDF files is not installed.
    """
    write_new(file, score_sheet(played.story, played.began))
