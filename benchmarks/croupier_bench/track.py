"""Accuracy and speed of the pile tracker on drawn video with hands, bad light and camera faults, against its limits.

Drawn faces are easy for the reader. Hands, shadows, blur and times are what is measured.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean
from time import thread_time
from typing import Any, Final

import cv2
import numpy as np

from cardsight.card_reader import CardReader
from cardsight.reader import Reader
from cardsight.track.clip import ClipBuffer
from cardsight.track.events import CameraFailed, CameraWell, Event, Lifted, TakenAway, Touched
from cardsight.track.tracker import PileTracker
from cardsight.track.zone import StrayCard, StrayCardDetector
from croupier_bench.score import Score
from croupier_rules.cards import DECKS
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.table import PILE_ZONE_MM, Reach, SimTable, edge_mm
from croupier_sim.video import FAULTS, FPS, Spell, Touch, TrackingScenario, Video

PLAYS: Final = 40
SIZE_PX: Final = (960, 540)
"""Small: otherwise drawing would take longer than the tracker."""
SEATS: Final = 4

LIMIT_IDLE_MS: Final = 3.0
LIMIT_CLIP_MS: Final = 1.0
LIMIT_DECIDED_S: Final = 0.15
LIMIT_GROWTH_MB: Final = 1.0
LIMIT_FAULT_S: Final = 2.0

_TOO_EARLY_S: Final = 1.0
_TOO_LATE_S: Final = 8.0
"""Error of a reported time from which the report is one of another event. A play may be told earlier by its own
uncertainty."""
_HAND_MM: Final = 50.0
"""Half a hand with its fingers."""
_IDLE_FRAMES: Final = 300
_MEMORY_FRAMES: Final = 3000


@dataclass(frozen=True)
class _Report:
    at: float
    event: Event
    hand_s: float
    """Time since a hand was over the pile."""


def watch(
    seed: int, plays: int, *, reader: CardReader | None = None, size: tuple[int, int] = SIZE_PX, fps: float = FPS,
    troubles: bool = True,
) -> Score:  # fmt: skip
    """Draw a scenario of ``plays`` plays and track it. ``troubles``: with bad light and camera faults."""
    rng = np.random.default_rng(seed)
    table = SimTable(SEATS, rng, tuple(DECKS["g7942"]))
    scenario = TrackingScenario(table, np.random.default_rng(seed + 1), plays, troubles=troubles)
    return follow(scenario, _camera(table, rng, size), reader or Reader(), fps)


def follow(scenario: TrackingScenario, camera: SimCamera, reader: CardReader, fps: float) -> Score:
    """Film a scenario, track it, and compare the events with what happened."""
    table = scenario.table
    video = Video(table, camera, fps=fps, spells=scenario.spells)
    tracker = _tracker(table, camera, reader)
    reports: list[_Report] = []
    strays, found = _stray_detector(table, camera, reader), list[StrayCard]()
    known: set[tuple[float, str]] = set()
    hand_t = 0.0
    while table.now < scenario.end:
        try:
            frame = video.frame()
        except OSError:
            events = tracker.missing(video.now())
        else:
            events = tracker.push(frame.t, frame.image, frame.u)
            if tracker.unsettled_since is None:
                strays.look(frame.t, frame.image)
                found += [card for card in strays.cards if (card.t, card.card.face) not in known]
                known |= {(card.t, card.card.face) for card in strays.cards}
        if any(_is_over_pile(table, reach) for reach in table.reaches):
            hand_t = table.now
        reports += [_Report(table.now, event, max(0.0, table.now - hand_t)) for event in events]
    return _scored(scenario, reports, found, 1 / fps)


def measure() -> Iterator[dict[str, Any]]:
    """Yield a line for each figure, as `croupier bench --json` prints it; ``ratio``: ours over the limit."""
    cv2.setNumThreads(1)
    for size in ((1920, 1080), (1280, 720)):
        what = f"a video frame of {size[0]}x{size[1]} in which nothing happens, one core"
        yield _row(what, "ms", _idle_ms(size), LIMIT_IDLE_MS)
        for is_settled, state in ((True, "nothing"), (False, "something")):
            what = f"keeping a frame of {size[0]}x{size[1]} for a clip while {state} happens, one core"
            yield _row(what, "ms", _clip_ms(size, is_settled=is_settled), LIMIT_CLIP_MS)
    score = watch(1, PLAYS)
    row = _row(
        "the median delay of a play's report after the hand has left",
        "s",
        float(np.median(score.decided_s)),
        LIMIT_DECIDED_S,
    )
    yield row | {"counts": score.counts, "remarks": score.remarks}
    if score.fault_s:
        yield _row("the slowest report of a failing camera", "s", max(score.fault_s), LIMIT_FAULT_S)
    yield _row(f"growth of memory over {_MEMORY_FRAMES} frames", "MB", _growth_mb(), LIMIT_GROWTH_MB)


def _idle_ms(size: tuple[int, int]) -> float:
    """Return the CPU time (ms) of a frame, the checks of the camera included."""
    rng = np.random.default_rng(1)
    table = SimTable(SEATS, rng, tuple(DECKS["g7942"]))
    camera = _camera(table, rng, size)
    tracker = _tracker(table, camera, Reader())
    images = [camera.frame().image for _ in range(20)]
    spent = []
    for number in range(_IDLE_FRAMES):
        began = thread_time()
        tracker.push(number / FPS, images[number % len(images)])
        spent.append((thread_time() - began) * 1000)
    return mean(spent[30:])


def _clip_ms(size: tuple[int, int], *, is_settled: bool) -> float:
    """Return the CPU time (ms) of a frame, those that are not kept included."""
    rng = np.random.default_rng(1)
    camera = _camera(SimTable(SEATS, rng, tuple(DECKS["g7942"])), rng, size)
    buffer = ClipBuffer(camera.zone_px(PILE_ZONE_MM), camera.card_px(PILE_ZONE_MM))
    images = [camera.frame().image for _ in range(20)]
    began = thread_time()
    for number in range(_IDLE_FRAMES):
        buffer.push(number / FPS, images[number % len(images)], (), is_settled=is_settled)
    return (thread_time() - began) * 1000 / _IDLE_FRAMES


def _growth_mb() -> float:
    """Return the growth (MB) of the tracker's memory after its first tenth, while a hand rests over the pile again and
    again."""
    rng = np.random.default_rng(1)
    table = SimTable(SEATS, rng, tuple(DECKS["g7942"]))
    camera = _camera(table, rng, (640, 360))
    tracker = _tracker(table, camera, Reader())
    still = [camera.frame().image for _ in range(4)]
    table.wave(0)
    table.run_to(table.now + 0.7)
    hand = [camera.frame().image for _ in range(4)]
    sizes = []
    tracemalloc.start()
    for number in range(_MEMORY_FRAMES):
        images = hand if number // 300 % 2 else still
        tracker.push(number / FPS, images[number % 4])
        if number in (_MEMORY_FRAMES // 10, _MEMORY_FRAMES - 1):
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return (sizes[1] - sizes[0]) / 1e6


def _camera(table: SimTable, rng: np.random.Generator, size: tuple[int, int]) -> SimCamera:
    style = STYLES[str(rng.choice(list(STYLES)))]
    ground = GROUNDS[int(rng.integers(len(GROUNDS)))]
    return SimCamera(table, style=style, ground=ground, lamp=random_lamp(rng), rng=rng, size=size)


def _tracker(table: SimTable, camera: SimCamera, reader: CardReader) -> PileTracker:
    seats = [camera.to_px([edge_mm(table.direction_deg(seat))])[0] for seat in range(SEATS)]
    return PileTracker(
        camera.zone_px(PILE_ZONE_MM), camera.card_px(PILE_ZONE_MM), reader,
        seats_px=[(float(x), float(y)) for x, y in seats], faces=set(table.deck),
    )  # fmt: skip


def _stray_detector(table: SimTable, camera: SimCamera, reader: CardReader) -> StrayCardDetector:
    """Make a detector for a table on which no hand is shown: only the pile is a zone of open cards."""
    pile, card_px = camera.zone_px(PILE_ZONE_MM), camera.card_px(PILE_ZONE_MM)
    return StrayCardDetector(pile, (0, 0, 0, 0), card_px, reader, faces=set(table.deck))


def _is_over_pile(table: SimTable, reach: Reach) -> bool:
    edge = edge_mm(table.direction_deg(reach.seat))
    x, y = (a + (b - a) * reach.depth(table.now) for a, b in zip(edge, reach.at, strict=True))
    left, top, right, bottom = PILE_ZONE_MM
    return left - _HAND_MM <= x <= right + _HAND_MM and top - _HAND_MM <= y <= bottom + _HAND_MM


def _scored(scenario: TrackingScenario, reports: list[_Report], found: list[StrayCard], frame_s: float) -> Score:
    waiting = [touch for touch in scenario.touches if not touch.is_astray]
    score = Score(videos=1, plays=len(waiting), lifts=len(scenario.lifts), recycled=len(scenario.recycled))
    lifts: dict[float, str | None] = dict(scenario.lifts)
    recycled: dict[float, str | None] = dict.fromkeys(scenario.recycled)
    for report in reports:
        match report.event:
            case Touched() as event:
                if touch := score.add_play(event, waiting, frame_s, max(_TOO_EARLY_S, event.u), _TOO_LATE_S):
                    score.decided_s.append(report.hand_s)
                    if abs(off := event.t - touch.t) > frame_s:
                        score.remarks.append(f"{touch} reported {off * 1000:+.0f} ms off, u {event.u:.3f}")
            case Lifted() as event:
                score.lifts_found += _score_taken(score, lifts, event)
            case TakenAway() as event:
                score.recycled_found += _score_taken(score, recycled, event)
            case _:
                pass
    score.add_lost(waiting)
    _score_strays(score, [touch for touch in scenario.touches if touch.is_astray], found)
    score.remarks += [f"missed that {face} was taken back at {t:.2f}" for t, face in lifts.items()]
    score.remarks += [f"missed that the pile was taken away at {t:.2f}" for t in recycled]
    for spell in scenario.spells:
        if spell.kind in FAULTS:
            _score_fault(score, spell, reports)
    alarms = [one for one in reports if isinstance(one.event, CameraFailed) and not _is_failing(scenario, one.at)]
    score.false_faults = len(alarms)
    score.remarks += [f"false alarm {one.event}" for one in alarms]
    return score


def _score_strays(score: Score, waiting: list[Touch], found: list[StrayCard]) -> None:
    score.strays = len(waiting)
    for stray in found:
        touch = next((t for t in waiting if t.face == stray.card.face and 0.0 < stray.t - t.t < _TOO_LATE_S), None)
        if touch is None:
            score.add_invented(stray)
        else:
            waiting.remove(touch)
            score.strays_found += 1
    score.remarks += [f"missed the stray {touch}" for touch in waiting]


def _is_failing(scenario: TrackingScenario, t: float) -> bool:
    return any(spell.kind in FAULTS and spell.begin <= t <= spell.end for spell in scenario.spells)


def _score_taken(score: Score, waiting: dict[float, str | None], event: Lifted | TakenAway) -> bool:
    """True if the event matches one of ``waiting``: times at which something was taken, and its face if it matters."""
    for t, face in waiting.items():
        if -_TOO_EARLY_S < event.t - t < _TOO_LATE_S and face in (None, getattr(event, "face", None)):
            del waiting[t]
            return True
    score.add_invented(event)
    return False


def _score_fault(score: Score, spell: Spell, reports: list[_Report]) -> None:
    score.faults += 1
    kind = "no-picture" if spell.kind == "unplugged" else spell.kind
    during = [one for one in reports if spell.begin <= one.at <= spell.end + 1.0]
    failed = [one.at for one in during if isinstance(one.event, CameraFailed) and one.event.kind == kind]
    if failed and any(isinstance(one.event, CameraWell) for one in during):
        score.faults_found += 1
        score.fault_s.append(failed[0] - spell.begin)
    else:
        score.remarks.append(f"not reported, or its end was not: {spell}")


def _row(what: str, unit: str, ours: float, limit: float) -> dict[str, Any]:
    return {
        "bench": "track", "what": what, "unit": unit, "ours": round(ours, 3), "limit": limit,
        "ratio": round(ours / limit, 3),
    }  # fmt: skip
