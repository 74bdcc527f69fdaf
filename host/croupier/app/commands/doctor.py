"""`croupier doctor`: what is right at this table and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from croupier.app.commands.audit import Deck

Provoked = Literal[
    "nothing", "sticky", "double", "hidden-double", "slip", "worn-roller", "light-weight", "lost-steps", "belt-slips",
    "no-magnet", "dirty-exit", "brown-out",
]  # fmt: skip


def doctor(
    shoe: Annotated[bool, typer.Option("--shoe", help="Deal a sorted deck and tell what to adjust.")] = False,
    deck: Deck = "g7942",
    counts: Annotated[
        bool, typer.Option("--counts", help="--shoe: ask only how many cards lie at each seat, not which.")
    ] = False,
    camera: Annotated[
        bool, typer.Option("--camera", help="--shoe: the camera reads the cards of each seat, laid open in rows.")
    ] = False,
    simulated: Annotated[
        Provoked | None,
        typer.Option("--simulated", help="--shoe: try a simulated shoe with this fault."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="What describes the table.  [default: croupier.toml]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON line.")] = False,
) -> int:
    """Look what is right at this table, what is not, and what to do; what to mend first stands first.

    The exit status is 0 where all is well, 1 where something should be looked at, 2 where something is wrong.
    """
    from croupier.app.config import CONFIG, Config, load
    from croupier.app.doctor.shoe import report

    path = config or CONFIG
    table = load(path) if path.exists() or simulated is None else Config()
    if simulated is not None:
        return report.simulated(table, deck, simulated, as_json=as_json)
    way: report.Way = "camera" if camera else "counts" if counts else "cards"
    return report.on_machine(table, deck, way, as_json=as_json)
