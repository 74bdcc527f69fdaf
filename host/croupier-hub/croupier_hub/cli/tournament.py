"""The command tournament: plans of several tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier.cli.help_texts import examples, filled
from croupier.cli.options import AsJson, one_of
from croupier.errors import marked
from croupier.i18n import _
from croupier_hub import FORMATS, SINGLE
from croupier_hub.cli import hub as hub_commands
from croupier_hub.errors import BadPlan

if TYPE_CHECKING:
    from croupier_hub.plan import Plan

tournament_app = typer.Typer(
    name="tournament",
    rich_markup_mode=None,
    help="Plan a tournament over several tables, and collect its results.",
    epilog=examples(
        "croupier tournament plan --players 8 --format g7942-partners-8 --json > plan.json",
        "croupier tournament hub",
        "croupier tournament publish plan.json",
        "croupier tournament standings",
    ),
)


@tournament_app.command(
    epilog=examples(
        "croupier tournament plan --players 8 --format g7942-partners-8",
        "croupier tournament plan --players 22 --format partners --rounds 6 --pdf plan.pdf",
        "croupier tournament plan --names names.txt --format swiss --json > plan.json",
        "croupier tournament plan --after plan.json --scores scores.csv --json > plan-2.json",
        "croupier tournament plan --after plan.json --hub http://192.168.1.20:8400 --final 4",
    )
)
def plan(
    context: typer.Context,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            callback=one_of(FORMATS),
            help=filled("One of {names}.", names=", ".join(FORMATS)),
        ),
    ] = SINGLE,
    players: Annotated[
        int | None, typer.Option(metavar="N", help="Number of players; by default as many as there are names.")
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of the players, one a line, or a table as CSV.", show_default=False),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(metavar="N", help="Number of rounds; by default as many as make it even.")
    ] = None,
    tables: Annotated[
        int | None, typer.Option(metavar="N", help="Number of tables; by default four players at a table.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="The same seed gives the same plan.")] = 1,
    swaps: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="How many swaps of players each search tries; by default 50000 at tables of four.",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        Path | None,
        typer.Option(metavar="PLAN", help="A plan as JSON, to add the next round by score.", show_default=False),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table of names and points so far, such as Ann,120.", show_default=False),
    ] = None,
    hub: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Take totals, late arrivals and withdrawals from a hub.", show_default=False),
    ] = None,
    lowest: Annotated[bool, typer.Option("--lowest", help="The lowest total is the best.")] = False,
    limit: Annotated[
        int, typer.Option("--eliminate", metavar="N", min=1, help="Points at which a player is eliminated.")
    ] = 500,
    final: Annotated[
        int | None, typer.Option(metavar="N", help="After a plan: a final of the N best.", show_default=False)
    ] = None,
    pdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a PDF of rounds and players to this new file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Plan who plays whom, at which table, in which round, as evenly as can be.

    swiss and elimination are planned round by round: --after takes the plan so far, and --scores or --hub the totals.
    Players without names are numbered from 0.
    """
    from croupier.output_files import check_new, write_new
    from croupier_extras.spreadsheets import Sheet, read_file
    from croupier_hub.next_round import final as add_final
    from croupier_hub.next_round import next_round
    from croupier_hub.plan_files import listed_names, listed_scores, read_plan
    from croupier_hub.planner import make
    from croupier_hub.report import plan_pdf, print_plan

    def given(name: str) -> bool:
        return (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"

    sheet: Sheet | None = None
    if pdf is not None:
        check_new(pdf, "--pdf")
    if (after is not None) != ((scores is None) != (hub is None)) or (final is not None and after is None):
        raise BadPlan(marked("expected --after PLAN with --scores FILE or --hub URL, and --final only with them"))
    if after is not None:
        fixed = ("form", "players", "names", "rounds", "tables", "seed")
        if any(map(given, fixed)):
            text = marked(
                "--after: format, players, rounds, tables and seed are those of the plan; leave their options out"
            )
            raise BadPlan(text)
        if swaps is not None:
            raise BadPlan(marked("--swaps: the round after a plan goes by score, without a search; leave it out"))
        before, gone = read_plan(after), frozenset[int]()
        if hub is not None:
            before, gone, totals = _from_hub(hub, before)
        else:
            assert scores is not None
            sheet = read_file(scores, "player", "points")
            totals = listed_scores(sheet, before)
        made = (
            next_round(before, totals, lowest=lowest, limit=limit, gone=gone)
            if final is None
            else add_final(before, totals, final, lowest=lowest, gone=gone)
        )
    else:
        for name, option in (("lowest", "--lowest"), ("limit", "--eliminate")):
            if given(name):
                raise BadPlan(marked("{option}: only with --after PLAN"), option=option)
        if names is not None:
            sheet = read_file(names, "player")
        known = listed_names(sheet) if sheet is not None else ()
        if players is not None and known and players != len(known):
            text = marked("--players {n}: {file} has {names} names")
            raise BadPlan(text, n=players, file=names, names=len(known))
        count = len(known) or players
        if count is None:
            raise BadPlan(marked("how many players? expected --players N or --names FILE"))
        made = make(form, count, rounds=rounds, tables=tables, seed=seed, names=known, swaps=swaps)
    if sheet is not None and sheet.doubt:
        hub_commands.agree(sheet, _("Players: {n}. Go on?", n=len(sheet.rows)), yes=False)
    elif sheet is not None:
        hub_commands.report_sheet(sheet)
    if pdf is not None:
        write_new(pdf, plan_pdf(made), "--pdf")
    print(json.dumps(made.to_json())) if as_json else print_plan(made)


def _from_hub(url: str, plan: Plan) -> tuple[Plan, frozenset[int], list[float]]:
    """The plan with late and withdrawn players, and the total of each player."""
    from croupier_hub.client import DirectorsLog, HubClient
    from croupier_hub.next_round import present
    from croupier_hub.standings import directed

    log = DirectorsLog()
    with HubClient(url) as client:
        log.update(client)
        totals = client.totals()
    plan, gone = present(plan, directed(log.lines))
    return plan, gone, [float(totals.get(name, 0)) for name in plan.names]


for _run, _arguments in hub_commands.COMMANDS.items():
    _examples = (f"croupier tournament {_run.__name__} {one}".rstrip() for one in _arguments)
    tournament_app.command(epilog=examples(*_examples))(_run)
