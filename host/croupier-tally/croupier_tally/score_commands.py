"""The command score: score sheets of games that were played, and of evenings without a referee."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from croupier.cli.help_texts import examples
from croupier.cli.options import AsJson, ConfigFile, Game, Host, House, JournalFile, Log, Port
from croupier.errors import BadJournal, one_line
from croupier.files import CONFIG, JOURNAL
from croupier.i18n import _
from croupier_tally.given_hands import HandSizes
from croupier_tally.options import DeckProfileOption

if TYPE_CHECKING:
    from croupier_tally.score_sheet import ScoreSheet

SHEET: Final = Path("croupier.score")
"""In the folder where the program is started, as `croupier.journal`."""

SheetFile = Annotated[Path, typer.Option("--sheet", metavar="FILE", help="The file of the score sheet.")]


class _ShowsByDefault(TyperGroup):
    """Without a subcommand, `show` is meant: ``croupier score game.jsonl``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["show", *args]
        return super().parse_args(ctx, args)


score_app = typer.Typer(
    name="score",
    cls=_ShowsByDefault,
    rich_markup_mode=None,
    help="Keep the score of an evening, or show that of a game.",
    epilog=examples(
        "croupier score new Ann Ben Cat",
        "croupier score add Ann=out Ben=ben.jpg Cat=red-7,wild",
        "croupier score",
        "croupier score game.jsonl",
    ),
)


@score_app.command(
    epilog=examples(
        "croupier score show", "croupier score show game.jsonl --pdf score.pdf",
        "croupier score show --journal ours.journal --game 3 --json",
    )
)  # fmt: skip
def show(
    log: Log = None,
    journal: JournalFile = JOURNAL,
    game: Game = None,
    pdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a PDF with a chart to this new file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a score sheet: points by round, and totals.

    Without LOG it is that of the newest game of the journal; without a journal, croupier.score. A round counts as soon
    as its hands were laid open. An unfinished game has a score sheet, too.
    """
    from croupier.replay.games import load_game
    from croupier_tally.score_output import print_score, to_json

    if log is None and game is None and journal == JOURNAL and not journal.exists():
        if not SHEET.exists():
            text = _("there is no {journal} and no {sheet} here: name a game's file, or begin a score sheet with "
                     "croupier score new", journal=JOURNAL, sheet=SHEET)  # fmt: skip
            raise BadJournal(text)
        log = str(SHEET)
    found = load_game(log, journal, game)
    if pdf is not None:
        from croupier import plugins
        from croupier.output_files import write_new

        sheet: plugins.Document = plugins.load(plugins.DOCUMENTS, plugins.SCORE_SHEET)
        write_new(pdf, sheet.draw(plugins.DrawnGame(found.story, found.story.at(None), found.began)), "--pdf")
    print(json.dumps(to_json(found.story))) if as_json else print_score(found.story)


@score_app.command(
    epilog=examples(
        "croupier score new Ann Ben Cat", "croupier score new Ann Ben --ruleset house-rules-pl --target 300",
        "croupier score new Ann Ben Cat Dan --partners --sheet friday.score",
    )
)  # fmt: skip
def new(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="The players, clockwise.", show_default=False)],
    sheet: SheetFile = SHEET,
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="The ruleset: one that `croupier rules` lists.")
    ] = "g7942-en",
    house: House = None,
    target: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Points that end the game; by default as the ruleset says.")
    ] = None,
    lowest: Annotated[
        bool, typer.Option("--lowest", help="All keep their own points, and the lowest total wins.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--eliminate", metavar="N", min=1, help="Points at which a player is eliminated.")
    ] = None,
    partners: Annotated[bool, typer.Option("--partners", help="Play in pairs, seated as the ruleset says.")] = False,
) -> None:
    """Begin a score sheet, for an evening without a referee.

    Whoever goes out gets the points of all others' hands, and the first with 500 points wins, unless the ruleset or
    an option says otherwise.
    """
    from croupier.config import ruleset_by_name
    from croupier_tally.score_sheet import new_sheet

    rules = ruleset_by_name(ruleset, house).name
    begun = new_sheet(names, rules, target=target, lowest=lowest, limit=limit, partners=partners)
    _begin(sheet, begun, "--sheet")


@score_app.command(
    epilog=examples(
        "croupier score add Ann=out Ben=ben.jpg Cat=cat.jpg", "croupier score add Ann=out Ben=red-7,wild Cat=r7,+4",
        "croupier score add Ann=out Ben=ben.jpg Cat=r7 --cards 5,1", "croupier score add Ann=out Ben=camera",
    )
)  # fmt: skip
def add(
    hands: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=HAND",
            help="Who went out (Ann=out), and the hands of the others: a picture, a video, camera, or cards with commas"
            " between them. At a terminal you are asked for what is left out.",
            show_default=False,
        ),
    ] = None,
    sheet: SheetFile = SHEET,
    cards: HandSizes = None,
    as_json: AsJson = False,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Add a round to a score sheet: who went out, and what the others held.

    A card that could not be read is asked for; if nobody answers, nothing is written. Hands may also be added one by
    one: the round counts when the last is there.
    """
    return _enter(sheet, hands, None, cards, as_json=as_json, deck_profile=deck_profile, config=config)


@score_app.command(
    epilog=examples("croupier score mend 2 Ben=red-9", "croupier score mend 2 Cat=out Ann=ann.jpg --sheet friday.score")
)
def mend(
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="The number of the round.", show_default=False)],
    hands: Annotated[
        list[str],
        typer.Argument(metavar="NAME=HAND", help="What was not as the sheet has it, as for add.", show_default=False),
    ],
    sheet: SheetFile = SHEET,
    cards: HandSizes = None,
    as_json: AsJson = False,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Mend a round of a score sheet: who went out, or what somebody held. The file keeps what stood there before."""
    return _enter(sheet, hands, number - 1, cards, as_json=as_json, deck_profile=deck_profile, config=config)


@score_app.command(epilog=examples("croupier score undo", "croupier score undo --sheet friday.score"))
def undo(sheet: SheetFile = SHEET, as_json: AsJson = False) -> None:
    """Take back the last round of a score sheet. The file keeps it."""
    from croupier_tally.score_sheet import read_sheet

    before = read_sheet(sheet)
    _keep(sheet, before.without_last_round(), before, as_json=as_json)


@score_app.command("continue", epilog=examples("croupier score continue", "croupier score continue --target 1500"))
def go_on(
    sheet: SheetFile = SHEET,
    target: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Points that end the game now."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play on after the end of a game, up to another number of points."""
    from croupier_tally.score_sheet import read_sheet

    before = read_sheet(sheet)
    _keep(sheet, before.going_on(target or before.next_target or 0), before, as_json=as_json)


@score_app.command(epilog=examples("croupier score rematch second.score --sheet friday.score"))
def rematch(
    new_file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file.", show_default=False)],
    sheet: SheetFile = SHEET,
) -> None:
    """Begin a new score sheet with the people and the rules of another one. The deal goes on to the next player."""
    from croupier_tally.score_sheet import read_sheet

    _begin(new_file, read_sheet(sheet).rematch(), "FILE")


@score_app.command(epilog=examples("croupier score page", "croupier score page --host 0.0.0.0"))
def page(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of the score sheets.", exists=True, file_okay=False)
    ] = Path(),
    host: Host = "127.0.0.1",
    port: Port = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> None:
    """Score hands with a phone: it takes the pictures, and keeps score sheets in a folder.

    Everybody who can reach the page may write on the sheets: with --host 0.0.0.0, everybody in your network.
    """
    from croupier.console import Printer
    from croupier.pictures.table_reader import profile_path
    from croupier_tally.page.serving import serve_scores

    printer = Printer()
    with serve_scores(folder, host, port, profile_path(deck_profile, config)) as up:
        printer.print(_("the page is at {address}; press Ctrl-C to stop", address=up.url))
        up.run_until_interrupted()


def _enter(
    sheet: Path, hands: list[str] | None, place: int | None, cards: str | None, *, as_json: bool,
    deck_profile: str | None, config: Path,
) -> int:  # fmt: skip
    """Add a round, or mend that at ``place`` (from 0)."""
    from croupier.ctrl_c import terminal
    from croupier_tally.round_entry import RoundEntry
    from croupier_tally.score_sheet import read_sheet

    def readers(cards: Mapping[str, int]) -> Any:
        from croupier.pictures.table_reader import hand_readers, profile_path

        return hand_readers(profile_path(deck_profile, config), cards, is_refereed=True)[:2]

    before = read_sheet(sheet)
    entry = RoundEntry(before, None if as_json else terminal(), readers, config)
    with redirect_stdout(sys.stderr if as_json else sys.stdout):
        given = entry.parse(hands or [])
        sizes = entry.sizes(given, cards)
        if not (entry.add(given, sizes) if place is None else entry.mend(place, given, sizes)):
            return 1
        if hands is None:
            entry.ask_for_hands()
    _keep(sheet, entry.sheet, before, as_json=as_json)
    return 0


def _begin(file: Path, sheet: ScoreSheet, option: str) -> None:
    """Write a new sheet into a new file, which ``option`` names, and print it."""
    from croupier.output_files import write_new
    from croupier_tally.sheet_files import make_newest

    write_new(file, sheet.text.encode(), option)
    make_newest(file)
    _print(sheet)


def _keep(file: Path, sheet: ScoreSheet, before: ScoreSheet, *, as_json: bool) -> None:
    """Write what the sheet ``before`` has become as the newest one of its folder, and print it."""
    from croupier_tally.sheet_files import put_newest

    if sheet.text != before.text:
        put_newest(file, sheet.text.encode(), after=before.version)
    _print(sheet, as_json=as_json)


def _print(sheet: ScoreSheet, *, as_json: bool = False) -> None:
    from croupier_tally.score_output import print_score, to_json

    missing = [sheet.names[seat] for seat in sheet.to_show]
    dealer = None if sheet.dealer is None else sheet.names[sheet.dealer]
    podium = [{"place": one.place, "account": one.name, "points": one.points} for one in sheet.podium]
    if as_json:
        print(json.dumps(to_json(sheet.story) | {"missing": missing, "dealer": dealer, "podium": podium}))
        return
    print_score(sheet.story)
    if sheet.is_over:
        for one in sheet.podium:
            print(one_line(f"{one.place}. {one.name} {one.points}"))
    elif dealer is not None:
        print(one_line(f"{dealer} {_('deals')}"))
