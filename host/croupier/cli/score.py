"""`croupier score`: the score sheet of a game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.journal import JOURNAL, AsJson, At

Log = Annotated[
    str | None, typer.Argument(metavar="LOG", help="Table log; - for standard input; without: a game of the journal.")
]
Number = Annotated[
    int | None, typer.Option("--game", metavar="N", min=1, help="Which game of the journal; without: the newest.")
]


def score(
    log: Log = None,
    journal: At = JOURNAL,
    game: Number = None,
    pdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also as PDF with a chart, into this new file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the score sheet of a game: points by round, and totals.

    A round counts as soon as its hands were laid open; a game that is not over is shown as far as it is.
    """
    from croupier.replay.scoring import say_score, to_json, write_sheet
    from croupier.replay.stories import played

    found = played(log, journal, game)
    if pdf is not None:
        write_sheet(found, pdf)
    print(json.dumps(to_json(found.story))) if as_json else say_score(found.story)
