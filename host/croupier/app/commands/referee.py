"""`croupier referee`: a table log in, rulings out."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def referee(
    file: Annotated[str, typer.Argument(help="Table log; - for standard input.", show_default=False)] = "-",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line for each observation, at once.")] = False,
) -> None:
    """Read a table log and explain each ruling, with the sentence of the document it rests on."""
    from croupier.app.replay import Step, replay

    for step in replay(file):
        if as_json and isinstance(step, Step):
            print(json.dumps(step.to_json()), flush=True)
