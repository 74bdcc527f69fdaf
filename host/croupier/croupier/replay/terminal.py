"""A game in the terminal: line by line, or one place of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

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
    console = console_of(story)
    number = 0
    for moment in story.moments[max(1, begin) : end + 1]:
        if moment.round != number:
            number = moment.round
            console.print(_("Round {number}", number=number), style="bold underline")
        for line in _formatted(story, moment):
            console.print(line, soft_wrap=True)


def print_place(story: Story, n: int) -> None:
    """Print what happened last before a place, how the game stands there, and how many cards each player has."""
    console, moment = console_of(story), story.at(n)
    for line in _formatted(story, moment):
        console.print(line, soft_wrap=True)
    hands = (
        f"{one_line(name)} {ngettext('{n} card', '{n} cards', held)}"
        for name, held in zip(moment.names, moment.position["hands"], strict=True)
    )
    for text in (story.explainer.standing(moment.position), " · ".join(hands)):
        console.print(Text(" " * 11 + one_line(text)), soft_wrap=True)


def console_of(story: Story) -> Console:
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
