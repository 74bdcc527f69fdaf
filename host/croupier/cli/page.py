"""`croupier page`: the games of a journal, in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from croupier.cli.journal import JOURNAL, At


def page(
    logs: Annotated[
        list[str] | None, typer.Argument(metavar="LOG", help="Table logs to show; without: the journal.")
    ] = None,
    journal: At = JOURNAL,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0: to everybody.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="Where the page is; without: the first free one.")
    ] = None,
) -> None:
    """Show games in a browser, to be replayed line by line."""
    from contextlib import suppress

    from croupier.i18n import _
    from croupier.replay.pages import shown

    with shown(logs or [], journal, host, port) as up:
        print(_("the page is at {address} until Ctrl-C", address=up.address), flush=True)
        if up.reach is not None:
            print(_("in your network it is at {address}", address=up.reach.address), flush=True)
        with suppress(KeyboardInterrupt):
            up.wait()
