"""Rounds at the simulated table, for tests: with the real card reader or with the quick stand-in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import cv2

from cardsight.track.cards import CardReader
from croupier.referee.observations import to_json
from croupier_sim.camera import SimCamera
from croupier_sim.demo.game import Demo
from croupier_sim.demo.setting import DemoOptions
from croupier_sim.table import SimTable
from tests.sim.standin import TruthReader


@dataclass
class Played:
    """What a demo left behind."""

    summary: dict[str, Any]
    truth_agrees: bool
    gave_up: bool
    log: list[dict[str, Any]] = field(repr=False)


def play(
    options: DemoOptions, reader: Callable[[SimTable, SimCamera], CardReader] = TruthReader, fps: float | None = None,
    most: float = float("inf"),
) -> Played:  # fmt: skip
    """Play to the end, or until the log has ``most`` lines. ``fps``: as `Demo` has it."""
    cv2.setNumThreads(1)
    with closing(Demo(options, reader, fps)) as demo:
        log = [demo.header.to_json()]
        demo.begin(lambda observations: log.extend(map(to_json, observations)))
        while not demo.is_over and len(log) < most:
            demo.step()
    return Played(demo.summary(), demo.truth_agrees, demo.gave_up, log)


def play_with_the_real_reader(seed: int) -> Played:
    """One round, four players."""
    from cardsight.reader import Reader

    return play(DemoOptions(seed=seed), lambda table, camera: Reader())
