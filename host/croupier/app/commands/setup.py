"""`croupier setup`: describes the table, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_NAMES = "camera, table, deck, seats, shoe, ring, ruleset"


def setup(
    steps: Annotated[
        list[str] | None, typer.Argument(metavar="[STEP…]", help=f"Only these: {_NAMES}.", show_default=False)
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="What describes the table.  [default: croupier.toml]"),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="On a page in the browser; also mends a broken file.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="--page: where to listen; 0.0.0.0: to everybody.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="--page: its port; without: the first free one.")
    ] = None,
) -> int:
    """Describe the table in croupier.toml, step by step; each is tried before it is written, and can be redone."""
    from croupier.app.config import CONFIG
    from croupier.app.setting_up.steps import STEPS

    file = config or CONFIG
    for name in steps or ():
        if name not in STEPS:
            raise typer.BadParameter(f"there is no step {name!r}; expected one of {', '.join(STEPS)}")
    if page:
        from croupier.app.setting_up.page import serve

        return serve(file, host, port)
    from croupier.app.setting_up.terminal import set_up

    return set_up(file, steps or ())
