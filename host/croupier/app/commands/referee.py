"""`croupier referee`: a table log in, rulings out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from croupier.app.replay import Step
    from croupier.referee import Explainer

File = Annotated[str, typer.Argument(metavar="[FILE]", help="Table log; - for standard input.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON line for each observation, at once.")]


def referee(file: File = "-", as_json: AsJson = False) -> None:
    """Explain each ruling of a table log with the sentence behind it."""
    from croupier.app.replay import Step, replay

    steps = replay(file)
    header = next(steps)
    if as_json:
        for step in steps:
            if isinstance(step, Step):
                print(json.dumps(step.to_json()), flush=True)
        return

    from rich.console import Console

    from croupier.referee import Explainer, Header

    assert isinstance(header, Header)
    console, explainer = Console(highlight=False), Explainer(header)
    for step in steps:
        if isinstance(step, Step):
            _explain(step, explainer, console)


def _explain(step: Step, explainer: Explainer, console: Console) -> None:
    """Print what was seen, and below it each ruling with its source. Only a terminal is wrapped and colored."""
    from textwrap import fill

    def say(text: str, indent: int, style: str) -> None:
        if console.is_terminal:
            text = fill(text, console.width - 1, initial_indent=" " * indent, subsequent_indent=" " * indent)
        else:
            text = " " * indent + text
        console.print(text, style=style, markup=False, soft_wrap=True)

    say(f"{step.observation.t:9.2f}  {explainer.seen(step.observation, step.on_turn)}", 0, "")
    for ruling in step.rulings:
        told = explainer.said(ruling)
        say(told.text, 11, "bold")
        say(told.source, 13, "yellow" if ruling.is_proposed else "dim")
    console.file.flush()
