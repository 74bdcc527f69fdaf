"""How soon after a card touches the pile the light of the ring and the ruling are there.

A round of the demo is played with a camera of 30 frames a second. Simulated time stands still while a frame is drawn
and while our code works: drawing counts for nothing, and a busy computer makes no card late. What our code takes is
added to what passed at the table: the CPU time from the frame's arrival to the ruling, what the journal waited for the
disk, and what the frames before took longer than a frame lasts, since a frame waits until they are done.

Not in it: the time from the light on the sensor to the frame in memory, which is the camera's; a line to the Pico; the
page, which has a bench of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time, time
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.reader import Reader
from cardsight.track.events import Event, Touched
from croupier.events import SequencedEvent
from croupier.journal import Journal
from croupier.referee.observations import Observation, Play
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.session import Kept, begin
from croupier_sim.camera import Drawn
from croupier_sim.demo.game import Demo
from croupier_sim.demo.setting import DemoOptions
from croupier_sim.table import Reach

FPS: Final = 30.0
LIMIT_MS: Final = 300.0
LIMIT_OWN_MS: Final = 100.0

_SEED: Final = 2


class _Stopwatch:
    """A listener of a demo's run: for each card that was ruled on, from its touch (ms): until the hand had gone from
    over the pile, until the card was told by the camera's tracker, until the ruling, and what of that was our code."""

    def __init__(self, demo: Demo, journal: Kept) -> None:
        self._demo, self._journal, self._lens_frame = demo, journal, demo.lens.frame
        self._arrived = self._waited = self._late = 0.0
        self._away: dict[float, float] = {}
        self._seen: dict[float, float] = {}
        self.hand_ms: list[float] = []
        self.seen_ms: list[float] = []
        self.ruled_ms: list[float] = []
        self.own_ms: list[float] = []
        demo.lens.frame = self._frame  # type: ignore[method-assign]
        demo.listeners.append(self)

    def begin(self) -> None:
        """The first look."""
        run = self._demo.begin(self._record)
        self._push = run.sequencer.push_pile
        run.sequencer.push_pile = self._push_pile  # type: ignore[method-assign]

    def step(self) -> None:
        """One frame."""
        self._demo.step()
        self._late = max(0.0, self._late + self._own_s() - 1 / FPS)

    def _own_s(self) -> float:
        return thread_time() - self._arrived + self._waited

    def _record(self, observations: Sequence[Observation]) -> None:
        began, worked = perf_counter(), thread_time()
        self._journal.record(observations)
        self._waited += perf_counter() - began - (thread_time() - worked)

    def _frame(self) -> Drawn:
        for reach in self._demo.table.reaches:
            if reach.carries is not None:
                self._away[round(reach.touch, 3)] = _away(reach)
        drawn = self._lens_frame()
        self._arrived, self._waited = thread_time(), 0.0
        return drawn

    def _push_pile(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, Touched):
                self._seen[round(event.t, 6)] = self._demo.table.now
        self._push(events)

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Note when this card was ruled on."""
        if not isinstance(told, Play):
            return
        own_s = self._late + self._own_s()
        table = self._demo.table
        touch = min(table.touched, key=lambda t: abs(t - told.t))
        self.hand_ms.append(1000 * (self._away.get(round(touch, 3), touch) - touch))
        self.seen_ms.append(1000 * (self._seen.get(told.t, table.now) - touch))
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
    with (
        TemporaryDirectory(prefix="croupier-") as folder,
        Journal(Path(folder) / "croupier.journal") as journal,
        closing(Demo(DemoOptions(seed=_SEED), lambda table, camera: reader, fps=FPS)) as demo,
    ):
        watch = _Stopwatch(demo, begin(journal, demo.header, now=time()))
        watch.begin()
        while not demo.is_over:
            watch.step()
    hand, seen, ruled, own = (np.array(ms) for ms in (watch.hand_ms, watch.seen_ms, watch.ruled_ms, watch.own_ms))
    whole = f"from a card's touch to ruling and light, {len(ruled)} cards at {FPS:.0f} frames/s"
    yield from _lines(whole, ruled, LIMIT_MS)
    yield from _lines("of that until the hand has left the card", hand)
    yield from _lines("of that from there until the card is told", seen - hand)
    yield from _lines("of that until everything before it is told", ruled - own - seen)
    yield from _lines("of that our own code, from the frame's arrival", own, LIMIT_OWN_MS)


def _lines(what: str, values: npt.NDArray[np.float64], limit: float | None = None) -> Iterator[dict[str, Any]]:
    for name, part in (("p50", 50), ("p95", 95), ("max", 100)):
        ours = round(float(np.percentile(values, part)), 1)
        line: dict[str, Any] = {"bench": "table", "what": f"{what}: {name}", "unit": "ms", "ours": ours}
        if limit is not None and name == "p95":
            line |= {"limit": limit, "ratio": round(ours / limit, 2)}
        yield line
