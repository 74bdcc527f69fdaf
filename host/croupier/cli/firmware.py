"""`croupier firmware`: what runs on the Pico."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from croupier.cli import examples
from croupier.cli.link import Port
from croupier.optional_dependencies import no_pico

app = typer.Typer(
    rich_markup_mode=None,
    help="Put the firmware onto the Pico, and look what runs there.",
    epilog=examples("croupier firmware install", "croupier firmware check"),
)

AsJson = Annotated[bool, typer.Option("--json", help="The answer as one JSON line.")]


@app.callback()
def firmware() -> None:
    """Put the firmware onto the Pico, and look what runs there."""


@app.command(epilog=examples("croupier firmware install", "croupier firmware install /dev/ttyACM0"))
def install(port: Port = "auto") -> None:
    """Copy the firmware onto a Pico with MicroPython, and start it. Only files that changed are copied."""
    installer = _installer()
    greeted = installer.install(port, print)
    print(f"{greeted.board} runs Croupier ({greeted.world})")


@app.command(epilog=examples("croupier firmware check", "croupier firmware check --json"))
def check(port: Port = "auto", as_json: AsJson = False) -> int:
    """Look whether the Pico runs the firmware of this program.

    The exit status is 1 where it does not.
    """
    installer = _installer()
    found = installer.greeting(port, installer.ANSWER_S)
    is_right = isinstance(found, installer.Greeted)
    if isinstance(found, installer.Greeted):
        told = f"{found.board} runs this firmware ({found.world})"
    elif found is None:
        told = "nobody answers: run croupier firmware install"
    else:
        told = str(found.error)
    if as_json:
        answer = {"ok": is_right, "found": told}
        if isinstance(found, installer.Greeted):
            answer |= {"board": found.board, "world": found.world, "cause": found.cause}
        print(json.dumps(answer))
    else:
        print(told)
    return 0 if is_right else 1


def _installer() -> Any:
    """The module that does it, which needs the extra `pico`."""
    try:
        from croupier.devices.pico import installer
    except ModuleNotFoundError as err:
        raise no_pico(err) from err
    return installer
