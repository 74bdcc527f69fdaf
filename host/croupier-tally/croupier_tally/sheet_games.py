"""Score sheets as games: on the list of games, and in the statistics (`croupier.plugins.GAMES`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, time
from functools import partial
from pathlib import Path

from croupier.game_views.story import Story
from croupier.plugins import GameFile
from croupier_tally.sheet_files import day_in, load_sheet, sheet_files, stamp_of


def sheet_games(journal: Path) -> Iterator[GameFile]:
    """The score sheets beside the file ``journal`` that have a round."""
    for file in sheet_files(journal.parent):
        try:
            stamp = stamp_of(file)
        except OSError:
            continue
        yield GameFile(
            (file, *stamp), _began(file, stamp.changed_ns / 1e9), f"/score/{file.stem}", partial(_story, file)
        )


def _began(file: Path, changed: float) -> float:
    """The day in the name of the sheet; else when it was changed last."""
    if (day := day_in(file.stem)) is not None:
        with suppress(OverflowError, ValueError):
            return datetime.combine(day, time()).timestamp()
    return changed


def _story(file: Path) -> Story:
    return load_sheet(file).story
