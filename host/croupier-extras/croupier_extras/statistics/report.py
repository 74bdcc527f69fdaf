"""Statistics in the terminal: the games that are counted, and a table of the players."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final, Protocol, TypeVar

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from croupier import plugins
from croupier.console import Console, Printer
from croupier.errors import BadLog, one_line
from croupier.game_views.story import Story
from croupier.i18n import _, marked
from croupier.journal import Archive, Damage
from croupier.names import shorten
from croupier.plugins import GameFile
from croupier.replay.games import load_game
from croupier_extras.statistics.figures import GameFigures
from croupier_extras.statistics.ladder import COLUMNS, PAIRS, Ladder

_NAME: Final = 16
"""Longest name, in letters; longer ones are cut."""

_BESIDE: Final = 4
"""Players in one table of statistics."""


class _Named(Protocol):
    """The figures of a player."""

    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def count_games(logs: Sequence[str], journal: Path) -> Iterator[GameFigures | Damage]:
    """Yield the figures of ``logs`` (``-``: standard input), or else of all games of ``journal`` and beside it, the
    oldest first.

    A damaged game has its damage instead; one beside the journal is reported in standard error, and left out.

    Raises:
        BadLog: an input is not a table log. BadJournal: there is no journal.
    """
    for log in logs:
        yield GameFigures.of(load_game(log, journal, None).story)
    if logs:
        return
    stored = plugins.game_files(journal)
    with nullcontext() if stored and not journal.exists() else Archive(journal) as archive:
        began = {} if archive is None else archive.began()
        every: list[tuple[float, int | GameFile]] = [*((game.began, game) for game in stored)]
        every += ((since, number) for number, since in began.items())
        for since, game in sorted(every, key=lambda one: one[0]):
            if isinstance(game, GameFile):
                try:
                    yield GameFigures.of(game.load(), game.began)
                except BadLog as err:
                    print(one_line(f"croupier: {err}"), file=sys.stderr)
            elif archive is not None:
                lines, damage = archive.whole_lines(game)
                yield damage or GameFigures.of(Story(*lines), since)


def print_ladder(shown: Ladder, *, as_json: bool) -> None:
    """Print the ladder; in JSON, a line for each player."""
    if as_json:
        for entry in shown.entries:
            print(json.dumps(entry.to_json()))
        return
    if not shown.entries:
        Printer().print(_("There is no game to count yet."))
        return
    print_statistics(shown.entries, ((marked("Place"), lambda one: f"{one.place}."), *COLUMNS))
    for heading, pairs in PAIRS:
        if found := pairs(shown):
            Printer().print(f"{_(heading)}:")
            for (name, other), n in found:
                print(f"  {one_line(name)} → {one_line(other)}: {n} ×")


def print_statistics(players: Sequence[_T], rows: Sequence[tuple[str, Callable[[_T], str]]]) -> None:
    """Print a column for each player, as many beside each other as fit into a standard terminal."""
    for first in range(0, len(players), _BESIDE):
        beside = players[first : first + _BESIDE]
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("", no_wrap=True)
        for player in beside:
            name = Text(shorten(one_line(player.name), _NAME, cell_len))
            table.add_column(name, justify="right", max_width=_NAME)
        for heading, text in rows:
            table.add_row(_(heading), *map(text, beside))
        Console(highlight=False).print(table)
