"""`croupier referee`: a table log in, rulings out."""

from __future__ import annotations

import json
from typing import Annotated

import typer

File = Annotated[str, typer.Argument(metavar="FILE", help="Table log; - for standard input.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON line for each observation, at once.")]


def referee(file: File = "-", as_json: AsJson = False) -> None:
    """Explain each ruling of a table log with the sentence behind it."""
    from croupier.log_replay import Step, replay

    steps = replay(file)
    header = next(steps)
    if as_json:
        for step in steps:
            if isinstance(step, Step):
                print(json.dumps(step.to_json()), flush=True)
        return

    from croupier.console import Teller
    from croupier.i18n import chosen
    from croupier.referee import Explainer, Header

    assert isinstance(header, Header)
    teller, explainer = Teller(), Explainer(header, chosen())
    for step in steps:
        if isinstance(step, Step):
            teller.say(f"{step.observation.t:9.2f}  {explainer.seen(step.observation, step.on_turn)}")
            teller.ruled(step.rulings, explainer)
