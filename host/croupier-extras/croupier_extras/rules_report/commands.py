"""The command rules: sheets listed, explained and compared, and one line of a table log explained."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from croupier.cli.help_texts import examples
from croupier.cli.options import AsJson, House

rules_app = typer.Typer(name="rules", rich_markup_mode=None)

Name = Annotated[
    str, typer.Argument(metavar="RULESET", help="The ruleset: one that `croupier rules` lists.", show_default=False)
]


@rules_app.callback(
    invoke_without_command=True,
    epilog=examples("croupier rules", "croupier rules show g7942-fr", "croupier rules diff g7942-en classic-hu"),
)
def rules(context: typer.Context, as_json: AsJson = False) -> None:
    """List the rulesets; show, compare and explain them."""
    if context.invoked_subcommand is None:
        from croupier.console import Printer
        from croupier_extras.rules_report.sheet import listing, print_ruleset_line

        printer = Printer()
        for line in listing():
            _print_json(line) if as_json else print_ruleset_line(line, printer)


@rules_app.command(epilog=examples("croupier rules presets", "croupier rules presets --json"))
def presets(as_json: AsJson = False) -> None:
    """List the house rules that people know under one name."""
    from croupier.console import Printer
    from croupier_extras.rules_report.sheet import preset_lines, print_preset

    printer = Printer()
    for line in preset_lines():
        _print_json(line) if as_json else print_preset(line, printer)


@rules_app.command(epilog=examples("croupier rules show g7942-fr --house party", "croupier rules show house --json"))
def show(name: Name, house: House = None, as_json: AsJson = False) -> None:
    """Show a ruleset rule by rule, with the sentences of its document."""
    from croupier.config import ruleset_by_name
    from croupier.console import Printer
    from croupier_extras.rules_report.sheet import print_sheet, sheet

    report = sheet(ruleset_by_name(name, house))
    _print_json(report) if as_json else print_sheet(report, Printer())


@rules_app.command(
    epilog=examples(
        "croupier rules diff g7942-en g7942-es", "croupier rules diff g7942-en g7942-en --house party",
        "croupier rules diff g7942-en house",
    )
)  # fmt: skip
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="The sheet that you know.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The sheet that you switch to.", show_default=False)],
    house: House = None,
    as_json: AsJson = False,
) -> None:
    """Show which rulings change when a table switches from sheet A to B, with --house to the house rules on B."""
    from croupier.config import ruleset_by_name
    from croupier.console import Printer
    from croupier_extras.rules_report.sheet import differences, print_differences

    report = differences(ruleset_by_name(a), ruleset_by_name(b, house))
    _print_json(report) if as_json else print_differences(report, Printer())


@rules_app.command(epilog=examples("croupier rules why game.jsonl --at 12", "croupier rules why - --at 2 < game.jsonl"))
def why(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A table log; - for standard input.", show_default=False)],
    at: Annotated[
        int, typer.Option(metavar="N", min=1, help="The line of the log; the header is line 1.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Explain one line of a table log and the rulings on it."""
    from croupier.console import Printer
    from croupier_extras.rules_report.why import moment, print_moment, to_line

    found = moment(log, at)
    _print_json(to_line(found)) if as_json else print_moment(found, Printer())


def _print_json(report: dict[str, Any]) -> None:
    print(json.dumps(report))
