"""`croupier replay`: a game that was played, gone through again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.journal import JOURNAL, At
from croupier.cli.score import Log, Number


def replay(
    log: Log = None,
    journal: At = JOURNAL,
    game: Number = None,
    from_round: Annotated[int, typer.Option("--round", metavar="N", min=1, help="Begin with this round.")] = 1,
    at: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Show the table after so many observations, and no more.")
    ] = None,
    speed: Annotated[float, typer.Option(metavar="X", min=0.1, max=64, help="Seconds of the game in a second.")] = 4.0,
    play: Annotated[bool, typer.Option("--play", help="Let it play at once.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Line by line, as where there is no terminal.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page that stands alone, into this new file.")
    ] = None,
) -> None:
    """Go through a game again, step by step or at speed.

    On a terminal the arrow keys step and the space bar plays; elsewhere it is told line by line. Faces of hidden hands
    are not shown.
    """
    from croupier.replay.stepping import Player, begin_of, show, step_through, tell
    from croupier.replay.stories import played

    found = played(log, journal, game)
    rounds = found.story.at(None).round
    if from_round > max(1, rounds):
        raise typer.BadParameter(f"--round {from_round}: there is no such round; expected one from 1 to {rounds}")
    begin = begin_of(found.story, from_round) if from_round > 1 else 0
    if page is not None:
        from croupier.replay.pages import write_page

        write_page(found, page)
    elif at is not None:
        show(Player(found.story, at))
    elif plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        tell(found.story, begin, len(found.story))
    else:
        player = Player(found.story, begin, speed)
        player.is_playing = play
        step_through(player)
