"""`croupier bench`: the command line. Heavy imports stay inside the functions, so that `croupier --help` is quick."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from croupier.cli.help_texts import examples, filled
from croupier.errors import CannotSimulate

BENCHES: Final = ("rules", "vision", "track", "link", "board", "table", "camera", "exit", "page", "hub", "intake")
LONG: Final = {
    "kitchen": ("kitchen", "measure"), "appeal": ("appeal", "measure"), "corrections": ("corrections", "measure"),
    "club": ("hub", "measure_club"), "strangers": ("strangers", "measure"), "budget": ("hub_budget", "measure"),
    "federation": ("federation", "measure"),
    "replay": ("federation", "measure_replay"), "outage": ("federation", "measure_outage"), "away": ("away", "measure"),
    "bot": ("bot", "measure"), "conformance": ("conformance", "measure"),
}  # fmt: skip
"""By their names only, with module and function: they take minutes, `appeal` half an hour."""
NAMES: Final = (*BENCHES, *LONG)

app = typer.Typer()

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help=filled("One of {names}; by default all but {last}.", names=", ".join(NAMES), last=", ".join(LONG)),
        show_default=False,
    ),
]


@app.command(
    epilog=examples("croupier bench rules", "croupier bench --json", "croupier bench board --uf2 RPI_PICO.uf2")
)
def bench(
    name: Name = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line for each result.")] = False,
    attack: Annotated[
        bool, typer.Option("--attack", help="With page: while others try to take the page down.")
    ] = False,
    hard: Annotated[bool, typer.Option("--hard", help="With track: hard clips instead, counted by kind.")] = False,
    hours: Annotated[
        float,
        typer.Option(
            "--hours",
            metavar="N",
            min=0.0,
            help="With track: instead, false faults and lost plays in this many simulated hours.",
        ),
    ] = 0.0,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", metavar="N", min=0.0, help="With strangers: the seconds of the attack; by default 45."
        ),
    ] = 0.0,
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", min=0, help="With bot: rounds at each table; by default 10,000."),
    ] = 0,
    share: Annotated[
        float | None,
        typer.Option("--share", metavar="N", min=0.01, max=1.0, help="With kitchen: this part of its pictures."),
    ] = None,
    scene: Annotated[
        list[str],
        typer.Option("--scene", metavar="NAME", help="With kitchen: only this scene, or photographs; may be repeated."),
    ] = [],  # noqa: B006  Typer makes a new one for each run
    uf2: Annotated[
        Path | None,
        typer.Option(
            "--uf2",
            metavar="FILE",
            help="With board: on an emulated RP2040 with this MicroPython image, which takes an hour. It was tried "
            "with a small test program only, never with MicroPython itself.",
        ),
    ] = None,
) -> None:
    """Measure this machine, as ratios to peers and to limits."""
    if name and name not in NAMES:
        raise typer.BadParameter(f"unknown bench {name!r}: expected one of {', '.join(NAMES)}")
    if attack and name != "page":
        raise typer.BadParameter("--attack belongs to the bench page: expected croupier bench page --attack")
    if hard and name != "track":
        raise typer.BadParameter("--hard belongs to the bench track: expected croupier bench track --hard")
    if hours and name != "track":
        raise typer.BadParameter("--hours belongs to the bench track: expected croupier bench track --hours 3")
    if seconds and name != "strangers":
        raise typer.BadParameter("--seconds belongs to the bench strangers: expected croupier bench strangers")
    if rounds and name != "bot":
        raise typer.BadParameter("--rounds belongs to the bench bot: expected croupier bench bot --rounds 1000")
    if uf2 and name != "board":
        raise typer.BadParameter("--uf2 belongs to the bench board: expected croupier bench board --uf2 FILE")
    if (share is not None or scene) and name != "kitchen":
        raise typer.BadParameter("--share and --scene belong to the bench kitchen: expected croupier bench kitchen")
    how: list[object] = [one for one in (hours, uf2, seconds, rounds) if one]
    if name == "kitchen":
        how = [share or 1.0, scene]
    for which in ["lived_track"] if hours else ["hard_track"] if hard else [name] if name else BENCHES:
        module, function = LONG.get(which, (which, "measure_attack" if attack else "measure"))
        try:
            for line in measure(module, function, *how):
                typer.echo(json.dumps(line) if as_json else "\n".join(_format(line)))
        except CannotSimulate as err:
            if name:
                raise
            print(f"croupier bench: {which} is left out: {err}", file=sys.stderr)


def measure(bench: str, function: str = "measure", *how: object) -> Iterator[dict[str, Any]]:
    """Run a function of a module of this package; yield its lines as they are measured.

    Raises:
        CannotSimulate: something that it needs is not installed.
    """
    try:
        module = import_module(f"croupier_bench.{bench}")
    except ModuleNotFoundError as err:
        raise CannotSimulate(f"{err.name} is missing: pip install 'croupier[all]'") from err
    yield from getattr(module, function)(*how)


def _format(line: dict[str, object]) -> list[str]:
    """Format one measurement as text: our figure, and the figures it is compared with."""
    text = [f"{line['bench']}: {line['what']}: {line['ours']} {line['unit']}"]
    peers, ratio = line.get("peers"), line.get("ratio")
    if isinstance(peers, dict) and isinstance(ratio, dict):
        text += [f"  {peer}: {rate} {line['unit']}, ours is {ratio[peer]} times that" for peer, rate in peers.items()]
    if "limit" in line:
        of_limit = f", ours is {ratio} of that" if isinstance(ratio, int | float) else ""
        text.append(f"  limit: {line['limit']} {line['unit']}{of_limit}")
    if "limit_ratio" in line:
        text.append(f"  limit: {line['limit_ratio']} times that")
    if "cpu" in line:
        text.append(f"  of these {line['cpu']} {line['unit']} work, the rest waiting for others on this machine")
    for part in ("counts", "times"):
        if isinstance(counts := line.get(part), dict):
            text += textwrap.wrap(", ".join(f"{what}: {count}" for what, count in counts.items()), 116,
                                  initial_indent="  ", subsequent_indent="  ")  # fmt: skip
    remarks = line.get("remarks")
    if isinstance(remarks, list):
        text += [f"  {remark}" for remark in remarks]
    if "load" in line:
        text.append(f"  load of this machine: {line['load']}")
    beside = line.get("beside")
    if isinstance(beside, list):
        text += _side_by_side(beside)
    missing = line.get("missing")
    if isinstance(missing, list):
        text.append(f"  not installed: {', '.join(missing)}")
    return text


def _side_by_side(rows: list[dict[str, Any]]) -> list[str]:
    """Format the figures of the stand-in and of the VM as one table; red where they part too far."""
    from croupier_bench.board import APART

    found = [f"  {'':<66}{'stand-in':>10}{'VM':>10}"]
    for row in rows:
        text = (
            f"  {row['what'] + ', ' + row['unit']:<66}{row['stand_in']:>10g}{row['vm']:>10g}  {row['apart']:4.0%} apart"
        )
        found.append(typer.style(f"{text}, too far", fg="red") if row["apart"] > APART else text)
    return found
