"""The command `link`: talk to the Pico."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from croupier.cli.help_texts import examples
from croupier.cli.options import AsJson
from croupier.optional_dependencies import PICO, requires_extra
from croupier_extras.firmware.command import Port
from tablewire.pins import SEATS

link_app = typer.Typer(
    name="link", rich_markup_mode=None, epilog=examples("croupier link console", "croupier link buttons --seats 4")
)

Lingers = Annotated[
    float, typer.Option("--listen", metavar="SECONDS", min=0, help="How long to listen after the last line of a pipe.")
]


@link_app.callback()
def link() -> None:
    """Talk to the Pico."""


@link_app.command(
    epilog=examples("croupier link console", "echo deal 1 0 7 | croupier link console /dev/ttyACM0 --json --listen 5")
)
def console(port: Port = "auto", as_json: AsJson = False, lingers: Lingers = 1.0) -> int:
    """Send the Pico commands of the protocol and show its reports.

    The times of the reports are those of the table's clock.
    """
    with requires_extra(PICO):
        from croupier.link.link import Link
        from croupier_extras.link_console.console import Console

    begun = time.monotonic()
    with Link(port, lambda: time.monotonic() - begun) as line:
        return Console(line, sys.stdout, as_json=as_json, lingers=lingers).run(sys.stdin)


@link_app.command(epilog=examples("croupier link buttons", "croupier link buttons --seats 4"))
def buttons(
    port: Port = "auto",
    seats: Annotated[int, typer.Option(min=1, max=SEATS, help="How many seats have a button.")] = SEATS,
) -> int:
    """Test the UNO buttons at the Pico: asks for one after the other, says how fast it answered and how often it
    bounced."""
    with requires_extra(PICO):
        from croupier.link.link import Link
    from croupier_extras.button_test import ButtonTest, guide

    with Link(port, time.monotonic) as line:
        return guide(ButtonTest(line, time.monotonic), seats, print)
