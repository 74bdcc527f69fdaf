"""A game in the terminal: line by line, one place of it, and the score sheet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from croupier.console import Console
from croupier.errors import one_line
from croupier.game_views.story import Moment, Story
from croupier.i18n import _, ngettext


def start_of_round(story: Story, number: int) -> int:
    """Return the number of observations before round ``number`` (from 1); the end of the game if there is none."""
    return next((moment.n for moment in story.moments if moment.round >= number), len(story))


def print_lines(story: Story, begin: int, end: int) -> None:
    """Print observations and rulings between two places, with a heading for each round."""
    console = _console_of(story)
    number = 0
    for moment in story.moments[max(1, begin) : end + 1]:
        if moment.round != number:
            number = moment.round
            console.print(_("Round {number}", number=number), style="bold underline")
        for line in _formatted(story, moment):
            console.print(line, soft_wrap=True)


def print_place(story: Story, n: int) -> None:
    """Print what happened last before a place, how the game stands there, and how many cards each player has."""
    console, moment = _console_of(story), story.at(n)
    for line in _formatted(story, moment):
        console.print(line, soft_wrap=True)
    hands = (
        f"{one_line(name)} {ngettext('{n} card', '{n} cards', held)}"
        for name, held in zip(moment.names, moment.position["hands"], strict=True)
    )
    for text in (story.explainer.standing(moment.position), " · ".join(hands)):
        console.print(Text(" " * 11 + one_line(text)), soft_wrap=True)


def _console_of(story: Story) -> Console:
    """A console on which it stands whether the game was simulated."""
    console = Console(highlight=False)
    if story.is_simulation:
        console.print(_("SIMULATION"), style="bold magenta")
    return console


def _formatted(story: Story, moment: Moment) -> Iterator[Text]:
    """The observation and the rulings of a moment."""
    text = story.describe(moment)
    yield Text(f"{text.t:7.1f} s  ", style="dim").append(one_line(text.seen))
    for ruling in text.rulings:
        yield Text(" " * 11).append(one_line(ruling.text), style="bold")


def point_to_the_page(log: str | None) -> None:
    """Tell the reader at a terminal how to go through a game step by step."""
    if sys.stdout.isatty() and log != "-":
        command = "croupier page" if log is None else f"croupier page {log}"
        print(one_line(_("step by step and at speed, on a page: {command}", command=command)), file=sys.stderr)


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
    console, now = _console_of(story), story.at(None)
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
