"""Statistics in the terminal: the games that are counted, and a table of the players."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from croupier import plugins
from croupier.console import Console
from croupier.errors import BadLog, one_line
from croupier.game_views.story import Story
from croupier.i18n import _
from croupier.journal import Archive, Damage
from croupier.names import shorten
from croupier.plugins import GameFile
from croupier.replay.games import load_game
from croupier_extras.statistics.figures import Column, GameFigures, PlayerStatistics

_NAME: Final = 16
"""Longest name, in letters; longer ones are cut."""

_BESIDE: Final = 4
"""Players in one table of statistics."""


def count_games(logs: Sequence[str], journal: Path) -> Iterator[GameFigures | Damage]:
    """Yield the figures of ``logs`` (``-``: standard input), or else of all games of ``journal`` and beside it, the
    oldest first.

    A damaged game has its damage instead; one beside the journal is told in standard error, and left out.

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
        for _since, game in sorted(every, key=lambda one: one[0]):
            if isinstance(game, GameFile):
                try:
                    yield GameFigures.of(game.load())
                except BadLog as err:
                    print(one_line(f"croupier: {err}"), file=sys.stderr)
            elif archive is not None:
                lines, damage = archive.whole_lines(game)
                yield damage or GameFigures.of(Story(*lines))


def print_statistics(players: Sequence[PlayerStatistics], rows: Sequence[Column]) -> None:
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
