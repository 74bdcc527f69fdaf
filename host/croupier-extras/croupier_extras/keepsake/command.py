"""`croupier evening`: the evening as a picture and as a page."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import offer
from croupier.cli.options import Game, JournalFile, Log
from croupier.files import JOURNAL


def evening(
    log: Log = None,
    journal: JournalFile = JOURNAL,
    game: Game = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Write a picture for messengers to this new file.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page that opens anywhere to this new file.")
    ] = None,
    day: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DAY", help="The day of the evening: a table log does not know it."),
    ] = None,
) -> None:
    """Write an evening as a picture or as a page to send: podium, rounds, the best moments.

    LOG may be a score sheet, too. Hands that nobody laid open are not in it.
    """
    from croupier import plugins
    from croupier.i18n import _
    from croupier.output_files import write_new
    from croupier.replay.games import load_game

    if picture is None and page is None:
        raise typer.BadParameter(_("nothing to write: expected --picture FILE.png or --page FILE.html"))
    found = load_game(log, journal, game)
    drawn = plugins.DrawnGame(found.story, found.story.at(None), found.began if day is None else day)
    for option, name, file in (("--picture", "evening.png", picture), ("--page", "evening.html", page)):
        if file is not None:
            document: plugins.Document = plugins.load(plugins.DOCUMENTS, name)
            write_new(file, document.draw(drawn), option)


evening_app = typer.Typer(rich_markup_mode=None)
offer(
    evening_app,
    evening,
    "--picture evening.png",
    "friday.score --page friday.html --day 2026-07-03",
    "--game 3 --page game-3.html",
)
