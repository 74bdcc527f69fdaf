"""`croupier firmware`: what runs on the Pico."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from croupier.app.commands import examples
from croupier.app.commands.link import Port
from croupier.app.extras import no_pico

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
    flash = _flash()
    greeted = flash.install(port, print)
    print(f"{greeted.board} runs Croupier ({greeted.world})")


@app.command(epilog=examples("croupier firmware check", "croupier firmware check --json"))
def check(port: Port = "auto", as_json: AsJson = False) -> int:
    """Look whether the Pico runs the firmware of this program.

    The exit status is 1 where it does not.
    """
    flash = _flash()
    found = flash.greeting(port, flash.ANSWER_S)
    is_right = isinstance(found, flash.Greeted)
    if isinstance(found, flash.Greeted):
        told = f"{found.board} runs this firmware ({found.world})"
    elif found is None:
        told = "nobody answers: run croupier firmware install"
    else:
        told = str(found.error)
    if as_json:
        answer = {"ok": is_right, "found": told}
        if isinstance(found, flash.Greeted):
            answer |= {"board": found.board, "world": found.world, "cause": found.cause}
        print(json.dumps(answer))
    else:
        print(told)
    return 0 if is_right else 1


def _flash() -> Any:
    """The module that does it, which needs the extra `pico`."""
    try:
        from croupier.app import flash
    except ModuleNotFoundError as err:
        raise no_pico(err) from err
    return flash
