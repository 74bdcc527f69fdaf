"""`croupier link`: the line to the Pico."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from croupier.cli import examples
from croupier.optional_dependencies import no_pico

app = typer.Typer(rich_markup_mode=None, help="Talk to the Pico.", epilog=examples("croupier link console"))

Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT",
        help="A path such as /dev/ttyACM0, which may have wildcards; usb:SERIAL; or auto, the first Pico on USB.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON line for each report.")]
Lingers = Annotated[
    float, typer.Option("--listen", metavar="SECONDS", min=0, help="How long to listen after the last line of a pipe.")
]


@app.callback()
def link() -> None:
    """Talk to the Pico."""


@app.command(
    epilog=examples("croupier link console", "echo deal 1 0 7 | croupier link console /dev/ttyACM0 --json --listen 5")
)
def console(port: Port = "auto", as_json: AsJson = False, lingers: Lingers = 1.0) -> int:
    """Tell the Pico what to do, in the words of the protocol.

    Its reports are shown as they come, on the table's clock.
    """
    try:
        from croupier.cli.link_console import Console
        from croupier.link.link import Link
    except ModuleNotFoundError as err:
        raise no_pico(err) from err

    begun = time.monotonic()
    with Link(port, lambda: time.monotonic() - begun) as line:
        return Console(line, as_json=as_json, lingers=lingers).run()
