"""`croupier run`: the real table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier.files import CONFIG

ConfigFile = Annotated[Path, typer.Option("--config", metavar="FILE", help="What describes the table.")]


def run(
    config: ConfigFile = CONFIG,
    new: Annotated[bool, typer.Option("--new", help="Begin a new game, even if the last one is not over.")] = False,
    mend: Annotated[
        bool,
        typer.Option("--mend", help="If the file is wrong or missing, wait until it is mended on a page."),
    ] = False,
) -> int:
    """Play at the table that croupier.toml describes.

    Goes on with the game that is not over, where it stood. The motor waits until somebody says go: with the key, on
    the page, or by typing it here. Any part may be missing, or come later.
    """
    if mend:
        from croupier.runtime.systemd import Notify
        from croupier.setup.page import mended

        mended(config, Notify())
    from croupier.runtime.play import play

    return play(config, is_new=new)
