"""Rounds at the simulated table, for tests: with the real card reader or with the quick stand-in."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2

from cardsight.card_reader import CardReader
from croupier.journal import Journal
from croupier.runtime.session import begin
from croupier_sim.camera import SimCamera
from croupier_sim.demo.faults import FaultyJournal
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.table import SimTable
from tests.sim.standin import TruthReader


@dataclass
class Played:
    """What a demo left behind."""

    summary: dict[str, Any]
    truth_agrees: bool
    gave_up: bool
    log: list[dict[str, Any]] = field(repr=False)


def begin_demo(demo: Demo, journal: Journal) -> None:
    """Begin the demo's game in this journal."""
    demo.begin(begin(journal, demo.header, now=0.0))


def step(demo: Demo) -> None:
    """Let the table's loop go round once."""
    assert demo.live is not None
    demo.live.turn()
    demo.clock.wait(demo.live.inbox, 0.0)


def play(
    options: DemoOptions, reader: Callable[[SimTable, SimCamera], CardReader] = TruthReader, fps: float | None = None,
    most: float = float("inf"),
) -> Played:  # fmt: skip
    """Play to the end, or until the log has ``most`` lines. ``fps``: as `Demo` has it."""
    cv2.setNumThreads(1)
    with (
        TemporaryDirectory() as folder,
        closing(Demo(options, reader, fps)) as demo,
        FaultyJournal(Path(folder) / "croupier.journal", demo.faults.before_writing) as journal,
    ):
        begin_demo(demo, journal)
        while not demo.is_over and len(journal.lines(1)) < most:
            step(demo)
        log = [json.loads(line) for line in journal.lines(1)]
    return Played(demo.summary(), demo.truth_agrees, demo.gave_up, log)


def play_with_the_real_reader(seed: int, *, faults: bool = False) -> Played:
    """One round, four players."""
    from cardsight.reader import Reader

    return play(DemoOptions(seed=seed, faults=faults), lambda table, camera: Reader())
