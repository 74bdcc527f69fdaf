"""`croupier bench`: measures on this machine, against the peers that are installed."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from croupier.errors import CannotSimulate

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="rules, vision, track, link, table or page; nothing: all.", show_default=False),
]


def bench(
    name: Name = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line for each measurement.")] = False,
) -> None:
    """Measure this machine, as ratios to peers and to limits."""
    from croupier_bench import BENCHES, measure

    if name and name not in BENCHES:
        raise typer.BadParameter(f"unknown bench {name!r}: expected one of {', '.join(BENCHES)}")
    for which in [name] if name else BENCHES:
        try:
            for line in measure(which):
                print(json.dumps(line) if as_json else "\n".join(_told(line)), flush=True)
        except CannotSimulate as err:
            if name:
                raise
            print(f"croupier bench: {which} is left out: {err}", file=sys.stderr)


def _told(line: dict[str, object]) -> list[str]:
    """One measurement for people: ours, and what it is compared with."""
    told = [f"{line['bench']}: {line['what']}: {line['ours']} {line['unit']}"]
    peers, ratio = line.get("peers"), line.get("ratio")
    if isinstance(peers, dict) and isinstance(ratio, dict):
        told += [f"  {peer}: {rate} {line['unit']}, ours is {ratio[peer]} times that" for peer, rate in peers.items()]
    if "limit" in line:
        told.append(f"  limit: {line['limit']} {line['unit']}, ours is {ratio} of that")
    if "limit_ratio" in line:
        told.append(f"  limit: {line['limit_ratio']} times that")
    if "cpu" in line:
        told.append(f"  of these {line['cpu']} {line['unit']} work, the rest waiting for others on this machine")
    if "load" in line:
        told.append(f"  load of this machine: {line['load']}")
    missing = line.get("missing")
    if isinstance(missing, list):
        told.append(f"  not installed: {', '.join(missing)}")
    return told
