"""`croupier setup`: describes the table, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG

_NAMES = "camera, table, deck, seats, shoe, ring, ruleset"


def setup(
    steps: Annotated[
        list[str] | None, typer.Argument(metavar="STEP", help=f"Only these: {_NAMES}.", show_default=False)
    ] = None,
    config: ConfigFile = CONFIG,
    page: Annotated[bool, typer.Option("--page", help="On a page in the browser; also mends a broken file.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="--page: where to listen; 0.0.0.0: to everybody.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="--page: its port; without: the first free one.")
    ] = None,
) -> int:
    """Describe the table in croupier.toml, step by step.

    Each step is tried before it is written, and can be redone.
    """
    from croupier.setup.steps import STEPS

    for name in steps or ():
        if name not in STEPS:
            raise typer.BadParameter(f"there is no step {name!r}; expected one of {', '.join(STEPS)}")
    if page:
        from croupier.setup.page import serve

        return serve(config, host, port)
    from croupier.setup.terminal import set_up

    return set_up(config, steps or ())
