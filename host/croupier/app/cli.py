"""The program `croupier`: one command a line, each from its own file."""

from __future__ import annotations

import sys

import typer

from croupier.app.commands import referee
from croupier.errors import CroupierError

app = typer.Typer(
    name="croupier",
    help="Reads the cards of a game of UNO, referees it and adds the score.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(referee.referee)


def main() -> None:
    """Run the program; bad input ends with exit status 2 and one line on standard error, Ctrl-C with 130."""
    try:
        app()
    except CroupierError as err:
        print(f"croupier: {err}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
