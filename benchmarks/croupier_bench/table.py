"""How soon after a card touches the pile the light of the ring and the ruling are there.

A round of the demo is played with a camera of 30 frames a second. Simulated time stands still while a frame is drawn
and while our code works: drawing counts for nothing, and a busy computer makes no card late. What our code takes is
added to what passed at the table: the CPU time from the frame's arrival to the ruling, what the journal waited for the
disk, and what the frames before took longer than a frame lasts, since a frame waits until they are done.

Not in it: the time from the light on the sensor to the frame in memory, which is the camera's; a line to the Pico; the
page, which has a bench of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time, time
from types import MappingProxyType
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.reader import Reader
from cardsight.sources import Frame
from cardsight.track.events import Touched
from croupier.events import Event, SequencedEvent
from croupier.journal import Journal
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import begin
from croupier_rules.referee.observations import Play
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.table import Reach

FPS: Final = 30.0
LIMIT_MS: Final = 300.0
LIMIT_OWN_MS: Final = 100.0

_SEED: Final = 2


class _TimedJournal(Journal):
    """A journal that counts the seconds for which the table waited for the disk."""

    waited_s = 0.0

    def append(
        self, game: int, *lines: Mapping[str, Any], fed: Mapping[int, int] = MappingProxyType({})
    ) -> tuple[bytes, ...]:
        began, worked = perf_counter(), thread_time()
        hashes = super().append(game, *lines, fed=fed)
        self.waited_s += perf_counter() - began - (thread_time() - worked)
        return hashes


class _Stopwatch(Inbox):
    """Measures each card that was ruled on, from its contact (ms): until the hand had left the pile, until the
    tracker reported the card, and until the ruling; and our own code's part.

    It acts as the camera, the inbox and an observer of the demo's table.
    """

    is_over, is_wanted, trouble, invitation = False, True, "", None

    def __init__(self, demo: Demo, journal: _TimedJournal) -> None:
        super().__init__()
        self._demo, self._journal = demo, journal
        self._frame_at = self._waited_before = self._late = 0.0
        self._away: dict[float, float] = {}
        self._seen: dict[float, float] = {}
        self.hand_ms: list[float] = []
        self.seen_ms: list[float] = []
        self.ruled_ms: list[float] = []
        self.own_ms: list[float] = []
        self.start, self.close, self.now = demo.lens.start, demo.lens.close, demo.lens.now
        demo.camera_device = self
        demo.observers.append(self)
        demo.clock.before_wait = self._end_turn

    def frame(self) -> Frame:
        """Take a frame; the time for drawing it does not count."""
        for reach in self._demo.table.reaches:
            if reach.carries is not None:
                self._away[round(reach.touch, 3)] = _away(reach)
        drawn = self._demo.lens.frame()
        self._frame_at, self._waited_before = thread_time(), self._journal.waited_s
        return drawn

    def put(self, *events: Event) -> None:
        """Note when the tracker reports a card."""
        for event in events:
            if isinstance(event, Touched):
                self._seen[round(event.t, 6)] = self._demo.table.now
        super().put(*events)

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Note when a card was ruled on."""
        if not isinstance(event, Play):
            return
        own_s = self._late + self._own_s()
        table = self._demo.table
        touch = min(table.touched, key=lambda t: abs(t - event.t))
        self.hand_ms.append(1000 * (self._away.get(round(touch, 3), touch) - touch))
        self.seen_ms.append(1000 * (self._seen.get(event.t, table.now) - touch))
        self.ruled_ms.append(1000 * (table.now - touch + own_s))
        self.own_ms.append(1000 * own_s)

    def _end_turn(self) -> None:
        self._late = max(0.0, self._late + self._own_s() - 1 / FPS)

    def _own_s(self) -> float:
        return thread_time() - self._frame_at + self._journal.waited_s - self._waited_before


def _away(reach: Reach) -> float:
    """Return when the hand has left its card: after it has moved one card length."""
    steps = np.linspace(reach.back, reach.end, 50)
    return float(next((t for t in steps if reach.depth(float(t)) < _CLEAR_DEPTH), reach.end))


_CLEAR_DEPTH: Final = 0.75
"""Part of the way from the table's edge to the pile: that way is about 430 mm, and a card is 88 mm long."""


def measure() -> Iterator[dict[str, Any]]:
    """Measure; one line for each part of the way."""
    cv2.setNumThreads(1)
    reader = Reader()
    with (
        TemporaryDirectory(prefix="croupier-") as folder,
        _TimedJournal(Path(folder) / "croupier.journal") as journal,
        closing(Demo(DemoOptions(seed=_SEED), lambda table, camera: reader, fps=FPS)) as demo,
    ):
        watch = _Stopwatch(demo, journal)
        demo.begin(begin(journal, demo.header, now=time()), inbox=watch).play()
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
