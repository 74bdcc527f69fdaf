"""`croupier voice`: what the table says aloud."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier.cli import examples

app = typer.Typer(rich_markup_mode=None, help="Hear what the table says aloud.", epilog=examples("croupier voice try"))


@app.callback()
def voice() -> None:
    """Hear what the table says aloud."""


@app.command(
    "try",
    epilog=examples(
        "croupier voice try",
        "croupier voice try --language el --name Γιώργος --name Ελένη",
        "croupier voice try --language de --voice de+f3 --into sounds",
    ),
)
def try_(
    voice: Annotated[str | None, typer.Option(metavar="VOICE", help="A voice of espeak-ng, such as de+f3.")] = None,
    volume: Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="How loud.")] = None,
    name: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Who plays; may be given again.")] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write WAV files there instead, where nothing can be heard.")
    ] = None,
) -> None:
    """Say what is said in a game, sound by sound and sentence by sentence.

    What is not given is as croupier.toml has it, if there is one.
    """
    from croupier.observers.voice_test import chosen, try_out

    how, header = chosen(voice, volume, tuple(name or ()))
    print(f"{how.language}, {how.speed} words a minute, volume {how.volume}", flush=True)
    try_out(how, header, lambda line: print(f"  {line}", flush=True), into)
