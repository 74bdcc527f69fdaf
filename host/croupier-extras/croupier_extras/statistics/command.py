"""`croupier stats`: statistics of the players over all games."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from croupier.cli.help_texts import offer
from croupier.cli.options import AsJson, JournalFile
from croupier.errors import one_line
from croupier.files import JOURNAL


def stats(
    logs: Annotated[
        list[str] | None, typer.Argument(metavar="LOG", help="Table logs to count; by default the journal.")
    ] = None,
    journal: JournalFile = JOURNAL,
    simulated: Annotated[bool, typer.Option("--simulated", help="Count simulated games, and only these.")] = False,
    delete: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Make no statistics of this player any more."),
    ] = None,
    restore: Annotated[
        str | None, typer.Option(metavar="NAME", help="Make statistics of a deleted player again.")
    ] = None,
    rename: Annotated[
        str | None,
        typer.Option(metavar="OLD=NEW", help="Show a player under another name; with a known one they are one person."),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table for a spreadsheet.")] = False,
    as_json: AsJson = False,
    luck: Annotated[bool, typer.Option("--luck", help="Also estimate this, up to a second for each round.")] = False,
    as_ladder: Annotated[
        bool, typer.Option("--ladder", help="Show the family ladder: who wins the evenings, and who catches whom.")
    ] = False,
    year: Annotated[int | None, typer.Option(metavar="YEAR", help="Show the family ladder of this year.")] = None,
) -> None:
    """Show statistics of the players over all games: games and rounds won, calls, challenges, time per turn, a rating.

    The rating (Plackett-Luce) compares who won each round against whom; everybody begins at 25. Score sheets beside
    the journal count, too. The games stay as they are when a player's statistics are deleted.
    """
    from croupier import plugins
    from croupier.console import Printer
    from croupier.i18n import _
    from croupier.journal import Damage
    from croupier.replay.games import format_damage

    try:
        from croupier_extras.spreadsheets import print_csv
        from croupier_extras.statistics.figures import COLUMNS, LUCK, LeftOut, statistics, to_csv
        from croupier_extras.statistics.ladder import ladder
        from croupier_extras.statistics.luck import Luck
        from croupier_extras.statistics.people import PeopleFile
        from croupier_extras.statistics.report import count_games, print_ladder, print_statistics
    except ModuleNotFoundError as err:
        raise plugins.incomplete("stats", err, "croupier-extras[statistics]") from err

    left_out, file = LeftOut(journal), PeopleFile(journal)
    if delete is not None:
        file.forget(delete)
    if restore is not None:
        left_out.set(restore, is_out=False)
        file.restore(restore)
    if rename is not None:
        old, sign, new = rename.partition("=")
        if not sign:
            raise typer.BadParameter(_("{hand}: expected such as {example}", hand=rename, example="Anna=Ann"))
        file.rename(old, new)
    games = []
    for one in count_games(logs or [], journal):
        if isinstance(one, Damage):
            print(one_line(f"croupier: {journal}: {format_damage(one)}"), file=sys.stderr)
        elif one.is_simulation == simulated:
            games.append(one)
    if as_ladder or year is not None:
        print_ladder(ladder(games, year, left_out.names(), file.people()), as_json=as_json)
        return
    players = statistics(games, left_out.names(), Luck() if luck else None, people=file.people())
    if as_csv:
        print_csv(to_csv(players))
    elif as_json:
        for player in players:
            print(json.dumps(player.to_json()))
    elif players:
        print_statistics(players, (*COLUMNS, LUCK) if luck else COLUMNS)
    else:
        Printer().print(_("There is no game to count yet."))


stats_app = typer.Typer(rich_markup_mode=None)
offer(stats_app, stats, "", "friday.jsonl saturday.jsonl", "--ladder", "--csv > players.csv", "--delete Ann")
