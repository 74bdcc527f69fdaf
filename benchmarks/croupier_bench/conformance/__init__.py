"""A conformance suite for referees and engines of UNO and its kin: cases, a runner, and engines from PyPI and npm.

`croupier bench conformance` asks all of them. ``python -m croupier_bench.conformance --command COMMAND`` asks a program
that reads a table log and writes rulings; ``--cases`` writes every case as JSON (`docs/conformance.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

from croupier_bench.conformance import lengths
from croupier_bench.conformance.engines import Plays, RlCard, SkillUno, UnoEngine
from croupier_bench.conformance.script import Engine
from croupier_bench.conformance.suite import FAILED, NOT_ASKED, PASSED, Result, counted, run


class Peer(NamedTuple):
    """An engine, where it comes from, and under which license."""

    make: Callable[[], Engine]
    package: str
    source: str
    license: str


PEERS: Final = (
    Peer(Plays, "croupier-rules", "this repository", "MIT"),
    Peer(RlCard, "rlcard", "PyPI", "MIT"),
    Peer(SkillUno, "skilluno", "PyPI", "MIT"),
    Peer(UnoEngine, "uno-engine", "npm", "MIT"),
)
VERSIONS: Final = {"uno-engine": "2.0.3"}
"""What is pinned in ``npm/package.json``; a test compares them."""


def asked() -> Iterator[tuple[Peer, str, list[Result] | None]]:
    """Each engine with its version and what came of the cases; None where it is not installed."""
    for peer in PEERS:
        try:
            release = VERSIONS.get(peer.package) or version(peer.package)
            engine = peer.make()
        except (LookupError, PackageNotFoundError):
            yield peer, "", None
            continue
        try:
            yield peer, release, list(run(engine))
        finally:
            if isinstance(engine, UnoEngine):
                engine.close()


def measure() -> Iterator[dict[str, Any]]:
    """Ask every engine, and play the games whose mean lengths others can compare with."""
    for peer, release, results in asked():
        line: dict[str, Any] = {"bench": "conformance", "what": f"{peer.package} {release} ({peer.source})".strip()}
        if results is None:
            yield line | {"ours": "-", "unit": "cases", "missing": [peer.package]}
            continue
        counts = counted(results)
        failed = [f"{one.case['id']}: {one.why}" for one in results if one.outcome == FAILED]
        unit = f"cases passed, {counts[FAILED]} failed, {counts[NOT_ASKED]} cannot be asked"
        yield line | {"ours": counts[PASSED], "unit": unit, "remarks": failed}
    for length in lengths.measured():
        yield {
            "bench": "conformance",
            "what": f"turns of a round, {length.seats} players who lay any card that fits, {length.rounds} rounds",
            "ours": f"{length.mean:.2f} ± {length.error:.2f}",
            "unit": "turns",
        }
