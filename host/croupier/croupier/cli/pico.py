"""The commands of the Pico: link (talk to it) and firmware (install and check it)."""

from __future__ import annotations

import json
import sys
import time
from typing import Annotated, Any

import typer

from croupier.cli.help_texts import examples
from croupier.cli.options import AsJson
from croupier.optional_dependencies import PICO, requires_extra

link_app = typer.Typer(rich_markup_mode=None, epilog=examples("croupier link console"))

Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT",
        help="A path such as /dev/ttyACM0, with or without wildcards; usb:SERIAL; or auto for the Pico on USB.",
    ),
]
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
        from croupier.cli.link_console import Console
        from croupier.link.link import Link

    begun = time.monotonic()
    with Link(port, lambda: time.monotonic() - begun) as line:
        return Console(line, sys.stdout, as_json=as_json, lingers=lingers).run(sys.stdin)


firmware_app = typer.Typer(
    rich_markup_mode=None,
    help="Install the firmware on the Pico, and check it.",
    epilog=examples("croupier firmware install", "croupier firmware check"),
)


@firmware_app.command(epilog=examples("croupier firmware install", "croupier firmware install /dev/ttyACM0"))
def install(port: Port = "auto") -> None:
    """Copy the firmware to a Pico with MicroPython, and start it. Only changed files are copied."""
    installer = _installer()
    greeted = installer.install(port, print)
    print(f"{greeted.board} runs Croupier ({greeted.world})")


@firmware_app.command(epilog=examples("croupier firmware check", "croupier firmware check --json"))
def check(port: Port = "auto", as_json: AsJson = False) -> int:
    """Check that the Pico runs the firmware of this program.

    The exit status is 1 if it does not.
    """
    installer = _installer()
    found = installer.greeting(port, installer.ANSWER_S)
    details: dict[str, str] = {}
    if is_right := isinstance(found, installer.Greeted):
        text = f"{found.board} runs this firmware ({found.world})"
        details = {"board": found.board, "world": found.world, "cause": found.cause}
    else:
        text = found if isinstance(found, str) else str(found.error)
    print(json.dumps({"ok": is_right, "found": text, **details}) if as_json else text)
    return 0 if is_right else 1


def _installer() -> Any:
    """The module that does it, which needs the extra `pico`."""
    with requires_extra(PICO):
        from croupier.devices.pico import installer
    return installer
