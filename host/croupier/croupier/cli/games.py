"""The commands for games that were played: referee, replay, page, journal."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import examples
from croupier.cli.options import AsJson, Game, Host, JournalFile, Log, Port
from croupier.files import JOURNAL


def referee(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A table log; - for standard input.", show_default=False)
    ] = "-",
    as_json: AsJson = False,
) -> None:
    """Explain each ruling of a table log with the sentence behind it."""
    from croupier.log_replay import Record, replay

    steps = replay(file, judges=True)
    header = next(steps)
    if as_json:
        for step in steps:
            if isinstance(step, Record):
                print(json.dumps(step.to_json()), flush=True)
        return

    from croupier.console import Printer
    from croupier.i18n import chosen
    from croupier_rules.referee import Explainer, Header

    assert isinstance(header, Header)
    printer, explainer = Printer(), Explainer(header, chosen())
    for step in steps:
        assert isinstance(step, Record)
        printer.print_step(step, explainer)


def replay(
    log: Log = None,
    journal: JournalFile = JOURNAL,
    game: Game = None,
    from_round: Annotated[int, typer.Option("--round", metavar="N", min=1, help="Start with this round.")] = 1,
    at: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Only show the table after N observations.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a standalone page to this new file.")
    ] = None,
) -> None:
    """Replay a game line by line, or write it as a page.

    Faces of hidden hands are not shown.
    """
    from croupier.i18n import _
    from croupier.replay.games import load_game
    from croupier.replay.terminal import point_to_the_page, print_lines, print_place, start_of_round

    found = load_game(log, journal, game)
    rounds = found.story.at(None).round
    if from_round > max(1, rounds):
        text = _("--round {n}: there is no such round; expected one from 1 to {rounds}", n=from_round, rounds=rounds)
        raise typer.BadParameter(text)
    begin = start_of_round(found.story, from_round) if from_round > 1 else 0
    if page is not None:
        from croupier.replay.games import write_page

        write_page(found, page)
    elif at is not None:
        print_place(found.story, at)
    else:
        print_lines(found.story, begin, len(found.story))
        point_to_the_page(log)


def page(
    logs: Annotated[
        list[str] | None, typer.Argument(metavar="LOG", help="Table logs to show; by default the journal.")
    ] = None,
    journal: JournalFile = JOURNAL,
    host: Host = "127.0.0.1",
    port: Port = None,
) -> None:
    """Show and replay games in a browser."""
    from croupier.i18n import _
    from croupier.replay.games import serve_games

    with serve_games(logs or [], journal, host, port) as up:
        print(_("the page is at {address}; press Ctrl-C to stop", address=up.url), flush=True)
        up.run_until_interrupted()


journal_app = typer.Typer(
    rich_markup_mode=None,
    help="The games of a table: list, export, import, verify.",
    epilog=examples("croupier journal list", "croupier journal export > game.jsonl"),
)


@journal_app.command("list", epilog=examples("croupier journal list", "croupier journal list --json"))
def list_(journal: JournalFile = JOURNAL, as_json: AsJson = False) -> None:
    """List the games: beginning, players, length of the log."""
    from croupier.console import Printer
    from croupier.journal import Archive, Damage
    from croupier.replay.games import format_damage, list_games

    printer = Printer()
    with Archive(journal) as archive:
        for game in list_games(archive):
            if isinstance(game, Damage):
                print(json.dumps(asdict(game))) if as_json else printer.print(format_damage(game))
            else:
                print(json.dumps(game.to_json())) if as_json else printer.print(str(game))


@journal_app.command(
    epilog=examples("croupier journal export > game.jsonl", "croupier journal export 3 --to game-3.jsonl")
)
def export(
    game: Annotated[
        int | None, typer.Argument(metavar="GAME", help="The number of the game in the journal; by default the newest.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this new file instead of standard output.")
    ] = None,
    journal: JournalFile = JOURNAL,
) -> None:
    """Write the table log of a game as JSON lines.

    Faces of hidden hands are left out until their round is over. From a damaged journal, the lines before the damage
    are written, and the exit status is 2.
    """
    from croupier.journal import Archive
    from croupier.replay.games import export as export_

    with Archive(journal) as archive:
        export_(archive, game, to)


@journal_app.command(
    "import", epilog=examples("croupier journal import game.jsonl", "croupier journal import - < game.jsonl")
)
def import_(
    logs: Annotated[list[str], typer.Argument(metavar="LOG", help="Table logs; - for standard input.")],
    journal: JournalFile = JOURNAL,
) -> None:
    """Add table logs to the journal, each as a game.

    An invalid log is not added at all.
    """
    from time import time

    from croupier.console import Printer
    from croupier.i18n import _, localize
    from croupier.journal import Journal
    from croupier.replay.games import import_log

    printer = Printer()
    with Journal(journal) as writer:
        if writer.recovery is not None:
            printer.print(localize(writer.recovery.notice)[0])
        for log in logs:
            printer.print(_("{log}: imported as game {game}", log=log, game=import_log(writer, log, now=time())))


@journal_app.command(epilog=examples("croupier journal deck", "croupier journal deck 3"))
def deck(
    game: Annotated[
        int | None, typer.Argument(metavar="GAME", help="The number of the game in the journal; by default the newest.")
    ] = None,
    journal: JournalFile = JOURNAL,
) -> None:
    """Tell whether the deck was whole, by the cards that were read at the card exit.

    Only rounds that are over are told of.
    """
    from croupier import plugins
    from croupier.console import Printer
    from croupier.journal import Archive

    sealer = plugins.load(plugins.FACE_SEALERS, plugins.SEALER)
    printer = Printer()
    with Archive(journal) as archive:
        for text in sealer.deck_report(archive, game or archive.last() or 0):
            printer.print(text)


@journal_app.command(epilog=examples("croupier journal verify", "croupier journal verify --json"))
def verify(journal: JournalFile = JOURNAL, as_json: AsJson = False) -> int:
    """Check that no line of any game was changed, lost or moved.

    The exit status is 1 if one was.
    """
    from croupier.console import Printer
    from croupier.i18n import _, ngettext
    from croupier.journal import Archive
    from croupier.replay.games import format_damage

    with Archive(journal) as archive:
        damages = list(archive.damages())
        games = len(archive.began())
    if as_json:
        print(json.dumps({"games": games, "damages": [asdict(one) for one in damages]}))
    else:
        printer = Printer()
        for one in damages:
            printer.print(format_damage(one))
        counted = ngettext("{n} game", "{n} games", games)
        state = ngettext("{n} damaged", "{n} damaged", len(damages)) if damages else _("all intact")
        printer.print(f"{counted}, {state}")
    return 1 if damages else 0
