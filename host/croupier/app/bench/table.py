"""How soon after a card touches the pile the light of the ring and the ruling are there.

A round of the demo is played with a camera of 30 frames a second. Simulated time stands still while a frame is drawn
and while our code works: drawing counts for nothing, and a busy computer makes no card late. The CPU time that our code
took from the frame's arrival to the ruling is added to what passed at the table. The page has a bench of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from time import thread_time
from typing import Any, Final

import cv2
import numpy as np

from cardsight.reader import Reader
from croupier.app.demo.game import Demo
from croupier.app.demo.setting import DemoOptions
from croupier.app.running.position import Position
from croupier.app.running.sequencer import Told
from croupier.devices.sim.camera import Drawn
from croupier.devices.sim.motion import Reach
from croupier.referee.observations import Play
from croupier.referee.rulings import Ruling

FPS: Final = 30.0
LIMIT_MS: Final = 300.0
LIMIT_OWN_MS: Final = 100.0

_SEED: Final = 2


class _Stopwatch:
    """A listener of a demo's run: for each card that was ruled on, from its touch (ms): until the hand had gone from
    over the pile, until the ruling, and what of that was our code."""

    def __init__(self, demo: Demo) -> None:
        self._demo, self._lens_frame = demo, demo.lens.frame
        self._arrived = 0.0
        self._away: dict[float, float] = {}
        self.hand_ms: list[float] = []
        self.ruled_ms: list[float] = []
        self.own_ms: list[float] = []
        demo.lens.frame = self._frame  # type: ignore[method-assign]
        demo.listeners.append(self)

    def _frame(self) -> Drawn:
        for reach in self._demo.table.reaches:
            if reach.carries is not None:
                self._away[round(reach.touch, 3)] = _away(reach)
        drawn = self._lens_frame()
        self._arrived = thread_time()
        return drawn

    def __call__(self, told: Told, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Note when this card was ruled on."""
        if not isinstance(told, Play):
            return
        own_s = thread_time() - self._arrived
        table = self._demo.table
        touch = min(table.touched, key=lambda t: abs(t - told.t))
        self.hand_ms.append(1000 * (self._away.get(round(touch, 3), touch) - touch))
        self.ruled_ms.append(1000 * (table.now - touch + own_s))
        self.own_ms.append(1000 * own_s)


def _away(reach: Reach) -> float:
    """When the hand has left the card that it laid: it has gone as far as a card is long."""
    steps = np.linspace(reach.back, reach.end, 50)
    return float(next((t for t in steps if reach.depth(float(t)) < _CLEAR_DEPTH), reach.end))


_CLEAR_DEPTH: Final = 0.75
"""From the table's edge to the pile it is about 430 mm, and a card is 88 mm long."""


def measure() -> Iterator[dict[str, Any]]:
    """One line for each part of the way."""
    cv2.setNumThreads(1)
    reader = Reader()
    with closing(Demo(DemoOptions(seed=_SEED), lambda table, camera: reader, fps=FPS)) as demo:
        watch = _Stopwatch(demo)
        demo.begin(lambda observations: None)
        while not demo.is_over:
            demo.step()
    after_hand = [ruled - hand for ruled, hand in zip(watch.ruled_ms, watch.hand_ms, strict=True)]
    n = len(watch.ruled_ms)
    yield from _lines(
        f"from a card's touch to ruling and light, {n} cards at {FPS:.0f} frames/s", watch.ruled_ms, LIMIT_MS
    )
    yield from _lines("of that until the hand has left the card", watch.hand_ms, None)
    yield from _lines("from the hand's leaving to ruling and light", after_hand, None)
    yield from _lines("of that our own code, from the frame's arrival", watch.own_ms, LIMIT_OWN_MS)


def _lines(what: str, values: list[float], limit: float | None) -> Iterator[dict[str, Any]]:
    for name, part in (("p50", 50), ("p95", 95), ("max", 100)):
        ours = round(float(np.percentile(values, part)), 1)
        line: dict[str, Any] = {"bench": "table", "what": f"{what}: {name}", "unit": "ms", "ours": ours}
        if limit is not None and name == "p95":
            line |= {"limit": limit, "ratio": round(ours / limit, 2)}
        yield line
