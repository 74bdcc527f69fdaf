"""Hours of a table before the pile tracker: false faults, invented and lost plays.

In every second quarter of an hour nothing happens. In the others people play at their leisure, show and take back
cards, reach over the table, cast shadows, switch lamps, put things down, and knock against the table. The camera hangs
still, sways, or is a cheap webcam. Frames are few and small, so that an hour costs minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, exp, pi, sin
from time import process_time
from typing import Any, Final

import numpy as np

from cardsight.geometry import Image
from cardsight.reader import Reader
from croupier_bench.hard_track import SEATS, WEBCAM_NOISE, HardCamera, compress, jitter, shifted, sway, with_glass
from croupier_bench.score import Score
from croupier_bench.track import follow
from croupier_bench.workers import workers
from croupier_rules.cards import DECKS
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.table import PILE_MM, SimTable
from croupier_sim.video import TrackingScenario

SIZE_PX: Final = (640, 360)
FPS: Final = 15.0
QUARTER_S: Final = 900.0
_PLAYS: Final = 85
"""Plays in about a quarter of an hour with pauses of `_PAUSE_S`."""
_PAUSE_S: Final = (1.1, 12.0)
_FIRST_CARDS: Final = 3
"""Plays before nothing happens any more."""

_THING_EVERY_S: Final = (20.0, 90.0)
_THING_STANDS_S: Final = (10.0, 150.0)
_THING_MM: Final = (65.0, 170.0)
"""Distance of a thing from the middle of the pile."""
_KNOCK_EVERY_S: Final = (30.0, 150.0)
_KNOCK_PX: Final = 3.0
_KNOCK_HZ: Final = 8.0
_KNOCK_S: Final = 0.25
"""Time (s) after which the swing of a knock has fallen to a third."""
_SWAY_PX: Final = 1.0


def _webcam(camera: HardCamera, rng: np.random.Generator) -> None:
    compress(camera, rng)
    jitter(camera, rng)


CAMERAS: Final[dict[str, Callable[[HardCamera, np.random.Generator], None]]] = {
    "still": lambda camera, rng: None,
    "swaying": lambda camera, rng: sway(camera, rng, _SWAY_PX),
    "cheap": _webcam,
}


def kind_of(quarter: int) -> tuple[bool, str]:
    """Return whether people live at the table in this quarter of an hour, and its camera."""
    return quarter % 2 == 1, list(CAMERAS)[quarter // 2 % len(CAMERAS)]


def watch_quarter(quarter: int, lasts_s: float = QUARTER_S) -> tuple[Score, float, float]:
    """Film and track one quarter of an hour; its number is its seed. Returns the score, and its length and the
    processor time (s)."""
    began = process_time()
    is_lived, kind = kind_of(quarter)
    rng = np.random.default_rng((6, quarter))
    table = SimTable(SEATS, rng, tuple(DECKS["g7942"]))
    camera = HardCamera(
        table, style=STYLES[str(rng.choice(list(STYLES)))], ground=GROUNDS[int(rng.integers(len(GROUNDS)))],
        lamp=random_lamp(rng), rng=rng, size=SIZE_PX, noise=WEBCAM_NOISE if kind == "cheap" else 3.0,
    )  # fmt: skip
    CAMERAS[kind](camera, rng)
    plays = max(1, round(_PLAYS * lasts_s / QUARTER_S)) if is_lived else _FIRST_CARDS
    scenario = TrackingScenario(
        table, np.random.default_rng(rng.integers(2**32)), plays, troubles=is_lived, faults=(),
        pause_s=_PAUSE_S if is_lived else (1.5, 2.5),
    )  # fmt: skip
    if is_lived:
        _put_things(camera, table, rng, scenario.end)
        _knock(camera, rng, scenario.end)
    else:
        scenario.end = max(scenario.end, lasts_s)
    score = follow(scenario, camera, Reader(), FPS)
    what = f"quarter {quarter}, {kind} camera"
    score.remarks = [f"{what}: {remark}" for remark in score.remarks]
    return score, scenario.end, process_time() - began


def _put_things(camera: HardCamera, table: SimTable, rng: np.random.Generator, end: float) -> None:
    """Put glasses down around the pile, and take them away."""
    standing: dict[int, tuple[float, float]] = {}
    t = 4.0

    def put(number: int, at: tuple[float, float]) -> None:
        table.at(table.wave(int(rng.integers(SEATS)), at), lambda: standing.update({number: at}))

    def take(number: int, at: tuple[float, float]) -> None:
        table.at(table.wave(int(rng.integers(SEATS)), at), lambda: standing.pop(number, None))

    for number in range(ceil(end)):
        t += float(rng.uniform(*_THING_EVERY_S))
        if t > end - _THING_STANDS_S[0]:
            break
        turn, away = rng.uniform(0, 2 * pi), rng.uniform(*_THING_MM)
        at = PILE_MM[0] + float(away * np.cos(turn)), PILE_MM[1] + float(away * np.sin(turn))
        table.at(t, lambda number=number, at=at: put(number, at))  # type: ignore[misc]
        table.at(t + float(rng.uniform(*_THING_STANDS_S)), lambda number=number, at=at: take(number, at))  # type: ignore[misc]

    def with_things(scene: Image, t: float) -> Image:
        for at in list(standing.values()):
            scene = with_glass(scene, camera, at)
        return scene

    camera.on_table = with_things


def _knock(camera: HardCamera, rng: np.random.Generator, end: float) -> None:
    """Let the camera swing for a moment, as when somebody knocks against the table."""
    times = np.cumsum(rng.uniform(*_KNOCK_EVERY_S, ceil(end / _KNOCK_EVERY_S[0])))
    before = camera.in_scene

    def seen(scene: Image, t: float) -> Image:
        scene, since = before(scene, t), t - times[times <= t].max(initial=-100.0)
        swing = _KNOCK_PX * exp(-since / _KNOCK_S) * sin(2 * pi * _KNOCK_HZ * since)
        return shifted(scene, 0.7 * swing, swing) if abs(swing) > 0.05 else scene

    camera.in_scene = seen


def measure(hours: float) -> Iterator[dict[str, Any]]:
    """Yield a line for each kind of table and camera: false faults in 100 hours; then the cost of an hour."""
    scores = {kind_of(quarter): Score() for quarter in range(2 * len(CAMERAS))}
    watched_h = dict.fromkeys(scores, 0.0)
    spent = 0.0
    with workers() as pool:
        for quarter, (score, lasts_s, cpu_s) in enumerate(pool.map(watch_quarter, range(ceil(4 * hours)))):
            scores[kind_of(quarter)].add(score)
            watched_h[kind_of(quarter)] += lasts_s / 3600
            spent += cpu_s
    for (is_lived, camera), score in scores.items():
        if length := watched_h[is_lived, camera]:
            table = "a table with people" if is_lived else "an undisturbed table"
            yield {
                "bench": "track", "unit": "",
                "what": f"false faults in 100 hours of {table}, {camera} camera ({length:.2f} h watched)",
                "ours": round(100 * score.false_faults / length, 1), "counts": score.counts,
                "remarks": score.remarks,
            }  # fmt: skip
    yield {
        "bench": "track", "what": "an hour of such tables costs", "unit": "s of one core",
        "ours": round(spent / sum(watched_h.values())),
    }  # fmt: skip
