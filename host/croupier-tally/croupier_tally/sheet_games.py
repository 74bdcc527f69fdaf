"""Score sheets as games: on the list of games, and in the statistics (`croupier.plugins.GAMES`)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from croupier.game_views.story import Story
from croupier.plugins import GameFile
from croupier_tally.score_sheet import SUFFIX, read_sheet

_CACHED: Final = 64
_DATE: Final = len("2000-01-01")


def sheet_games(journal: Path) -> Iterator[GameFile]:
    """The score sheets beside the file ``journal`` that have a round."""
    for file in journal.parent.glob(f"*{SUFFIX}"):
        try:
            stat = file.stat()
        except OSError:
            continue
        key = (file, stat.st_ino, stat.st_mtime_ns, stat.st_size)
        yield GameFile(key, _began(file, stat.st_mtime), f"/score/{file.stem}", partial(_story, *key))


def _began(file: Path, changed: float) -> float:
    """The day in the name of the sheet; else when it was changed last."""
    try:
        return datetime.fromisoformat(file.stem[:_DATE]).timestamp()
    except (OverflowError, ValueError):
        return changed


@lru_cache(_CACHED)
def _story(file: Path, *_stamp: int) -> Story:
    return read_sheet(file).story
