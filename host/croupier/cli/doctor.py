"""`croupier doctor`: what is right at this table and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from croupier.cli.audit import Deck
from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG

Provoked = Literal[
    "nothing", "sticky", "double", "hidden-double", "slip", "worn-roller", "light-weight", "lost-steps", "belt-slips",
    "no-magnet", "dirty-exit", "brown-out",
]  # fmt: skip


def doctor(
    try_: Annotated[
        bool, typer.Option("--try", help="Also try what moves or shines: the turntable goes home, the ring lights up.")
    ] = False,
    only: Annotated[
        list[str], typer.Option(metavar="ID", help="Only this check, or those that begin so: camera, pico.clock.")
    ] = [],  # noqa: B006  Typer makes a new one for each run
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="FILE.zip", help="Also write a file for a bug report, without names, secrets and hands."),
    ] = None,
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
        typer.Option(
            metavar="FAULT", help=f"--shoe: try a simulated shoe with this fault: {', '.join(get_args(Provoked))}."
        ),
    ] = None,
    config: ConfigFile = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON line.")] = False,
) -> int:
    """Look what is wrong at this table, and what to do about it.

    What to mend first stands first. The exit status is 0 where all is well, 1 where something should be looked at, 2
    where something is wrong.
    """
    from croupier.config import Config, load

    if not shoe and simulated is None:
        from croupier.doctor.runner import report

        return report(config, only=only, moves=try_, bundle=bundle, as_json=as_json)

    from croupier.doctor.shoe import report as trial

    table = load(config) if config.exists() or simulated is None else Config()
    if simulated is not None:
        return trial.simulated(table, deck, simulated, as_json=as_json)
    way: trial.Way = "camera" if camera else "counts" if counts else "cards"
    return trial.on_machine(table, deck, way, as_json=as_json)
