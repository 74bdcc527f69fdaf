"""Photographs of a hand in a kitchen: how many sums are told, how many are wrong, and how long it
takes.

Composed pictures (`training.measure.kitchen`) of drawn cards and of cards cropped from photographs, then the
photographs themselves, and the same as cameras take them that are set up wrongly (``cameras``). Crops are told apart by
their source: ``tuning`` sources have a free license, and the model may learn from them; ``report`` sources measure it,
and nothing is ever fitted to them. Without photographs (folder: ``CROUPIER_PHOTOS``) only drawn cards are measured.

Each picture is read as `croupier tally` reads it, without the number of its cards and with it, on one core. Times are
CPU times as ratios to a detector of the size of a YOLO-n, which sees one picture in each scene.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import cv2

from croupier.errors import CannotSimulate
from croupier.pictures.readings import Still, points_of
from croupier.pictures.table_reader import hand_readers, shipped_model
from croupier_bench.detector import SIDE_PX, detector
from croupier_rules.cards import UNREAD
from croupier_tally.tally import Hand

# The composer of scenes belongs to the training of the model, which is in every checkout and in no package.
sys.path.append(str(Path(__file__).parents[2]))
from training.measure import cameras, kitchen
from training.measure.judging import Result, Scene, judge
from training.measure.sets import photographs
from training.photos import DRAWN_ON, LICENSED, TABLES, Photo, load

COUNTS: Final = (
    "pictures", "cards", "cards read", "cards ?", "wrong faces", "sums right", "refused though all read", "refused",
    "sums wrong", "silently short", "needless ?", "number asked", "right if counted",
    "wrong if counted",
)  # fmt: skip
"""Counts of the pictures of a row. ``refused though all read``: no sum, although every card was read and
nothing else; ``refused``: no sum for another reason; ``silently short``: a card is missing in a sum that was told;
``needless ?``: a ``?`` in a picture in which each card shows a corner; ``number asked``:
no sum before a person says how many cards there are; ``if counted``: the sums that are told then.
"""
LIMITS: Final = {"tally": 0.6, "fan": 2.5}
"""Limits of the ratio of `tally` to the detector: on a table, and on hands that overlap."""
PHOTOGRAPHS: Final = "photographs"
CAMERAS: Final = "cameras"
PARTS: Final = (*kitchen.SCENES, PHOTOGRAPHS, CAMERAS)
CLOSE: Final = ("fan 6°", "fan 9°", "overlap .35", "overlap .55")


@dataclass(frozen=True)
class Answer:
    """What was told of a picture: the result of `tally`, its points if there is a score, those if it is
    ``counted``, that is if people say how many cards there are, the CPU time (ms), and the part of the time of `tally`
    that it states itself (0…1)."""

    result: Result
    points: int | None
    counted: int | None
    tally_ms: float
    stated: float

    @property
    def counts(self) -> Counter[str]:
        """This picture in the terms of `COUNTS`."""
        scene, states = self.result.scene, self.result.states
        asked = sum(card.face == UNREAD for card in self.result.reading.cards)
        is_whole = states.count("read") == len(states) and not self.result.wrong
        true = score([card.face for card in scene.cards])
        has_score, is_right = self.points is not None, self.points == true
        return Counter({
            "number asked": self.result.reading.may_hide,
            "right if counted": self.counted == true, "wrong if counted": self.counted not in (None, true),
            "pictures": 1, "cards": len(states), "cards read": states.count("read"), "cards ?": asked,
            "wrong faces": len(self.result.wrong), "sums right": has_score and is_right,
            "refused though all read": not has_score and is_whole, "refused": not has_score and not is_whole,
            "sums wrong": has_score and not is_right, "silently short": has_score and "missed" in states,
            "needless ?": asked > 0 and all(card.corner for card in scene.cards),
        })  # fmt: skip

    @property
    def remarks(self) -> list[str]:
        """Every wrong face, and every wrong sum, by name."""
        name, cards = self.result.scene.name, self.result.scene.cards
        found = [f"{name}: read {one.face} at {one.confidence:.3f}, which is not there" for one in self.result.wrong]
        true = score([card.face for card in cards])
        if self.points is not None and self.points != true:
            states = zip(cards, self.result.states, strict=True)
            missing = ", ".join(f"{card.face} ({card.seen:.2f} visible)" for card, s in states if s != "read")
            found.append(
                f"{name}: told {self.points} points instead of {true}" + f"; missing {missing}" * bool(missing)
            )
        return found


def score(faces: Iterable[str]) -> int | None:
    """Return the points that `croupier tally` tells of a hand; None if it tells none."""
    return Hand(None, [points_of(face) for face in faces]).score(partial=False)


def measure(share: float = 1.0, names: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield a line for each scene and kind of cards, then one for each source of photographs, then the times.

    ``share``: fraction (0…1) of the pictures. ``names``: only these of `PARTS`; all of them if there are none.

    Raises:
        CannotSimulate: there is no scene of this name.
    """
    if unknown := [name for name in names if name not in PARTS]:
        wanted = ", ".join(PARTS)
        raise CannotSimulate(f"there is no scene {unknown[0]!r} in the kitchen: expected one of {wanted}")
    cv2.setNumThreads(1)
    tally = hand_readers(None)[1]
    runtime, run_detector = detector()
    image = kitchen.scene(kitchen.DRAWN, "row", 0).picture()
    tally(image), run_detector(image)  # the first readings also prepare the networks
    photos = [photo for photo in load() if photo.source not in DRAWN_ON]
    composed = [name for name in kitchen.SCENES if name in names or not names]
    pools = list(kitchen.pools(photos)) if composed else []
    told, peer_ms = list[Answer](), list[float]()
    for kind in dict.fromkeys(pool.kind for pool in pools):
        some = [pool for pool in pools if pool.kind == kind]
        for name in composed:
            here = [read_answer(scene, tally) for scene in kitchen.scenes(some, [name], share)]
            peer_ms.append(_cpu_ms(run_detector, here[0].result.scene.picture()))
            told += here
            yield _row(f"{kind} cards: {name}", here, median(peer_ms))
        if kind != "drawn":
            for source, here in _by_source(
                [one for one in told if one.result.scene.source in {p.source for p in some}]
            ):
                yield _row(f"{kind} cards: all scenes with cards of {source}", here, median(peer_ms))
    if photos and (PHOTOGRAPHS in names or not names):
        for source in _sources(photos):
            own = photographs(_part(photos, source, share))
            here = [read_answer(scene, tally) for scene in own]
            peer_ms.append(_cpu_ms(run_detector, here[0].result.scene.picture()))
            kind = "tuning" if source in LICENSED else "report"
            yield _row(f"photographs of {source} ({kind})", here, median(peer_ms))
    if photos and (CAMERAS in names or not names):
        measured = [photo for source in _sources(photos) for photo in _part(photos, source, share)]
        yield from map(_camera_row, cameras.rows(measured, shipped_model()))
    for what, limit, some_told in (
        ("tally of a table", LIMITS["tally"], [one for one in told if _is_table(one)]),
        ("tally of seven that overlap", LIMITS["fan"], [one for one in told if one.result.scene.kind in CLOSE]),
    ):
        if some_told:
            yield {
                "bench": "kitchen", "what": f"{what}, beside a YOLO-n-size detector at {SIDE_PX} px in {runtime}",
                "unit": "times", "ours": round(median(one.tally_ms for one in some_told) / median(peer_ms), 3),
                "limit": limit, "ratio": round(median(one.tally_ms for one in some_told) / median(peer_ms) / limit, 3),
            }  # fmt: skip


def read_answer(scene: Scene, tally: Still) -> Answer:
    """Read a picture as `tally` does, without the number of its cards and with it."""
    image = scene.picture()
    began, clock = process_time(), perf_counter()
    reading = tally(image)
    wall_ms, spent_ms = (perf_counter() - clock) * 1000, (process_time() - began) * 1000
    counted = tally(image, number=len(scene.cards))
    hands = Hand(None), Hand(len(scene.cards))
    for hand, seen in zip(hands, (reading, counted), strict=True):
        hand.see(seen)
    points, if_counted = (hand.score(partial=False) for hand in hands)
    return Answer(judge(scene, reading), points, if_counted, spent_ms, reading.ms / wall_ms)


def _is_table(one: Answer) -> bool:
    return one.result.scene.kind not in CLOSE and len(one.result.scene.cards) == kitchen.CARDS


def _sources(photos: Sequence[Photo]) -> list[str]:
    return list(dict.fromkeys(photo.source for photo in photos))


def _part(photos: Sequence[Photo], source: str, share: float) -> list[Photo]:
    """Return the photographs of a source that are measured: of tables all of them."""
    own = [photo for photo in photos if photo.source == source]
    return own if source in TABLES else own[:: max(1, round(1 / share))]


def _by_source(told: Iterable[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    found = defaultdict[str, list[Answer]](list)
    for one in told:
        found[one.result.scene.source].append(one)
    yield from sorted(found.items())


def _cpu_ms(run: Any, image: Any) -> float:
    began = process_time()
    run(image)
    return (process_time() - began) * 1000


def _camera_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return how many pictures of a source that are ``altered`` are told, and of good ones how many are suspected."""
    told = sum(number for name, number in row.items() if name.startswith("told"))
    return {
        "bench": "kitchen", "what": f"camera of {row['source']}: {row['pictures are']}", "ours": told,
        "unit": f"of {row['pictures']} told", "counts": {k: v for k, v in row.items() if isinstance(v, int)},
    }  # fmt: skip


def _row(what: str, told: Sequence[Answer], peer_ms: float) -> dict[str, Any]:
    counts = sum((one.counts for one in told), Counter[str]())
    return {
        "bench": "kitchen", "what": what, "unit": f"of {len(told)} sums right", "ours": int(counts["sums right"]),
        "counts": {name: int(counts[name]) for name in COUNTS},
        "times": {
            "tally / detector": round(median(one.tally_ms for one in told) / peer_ms, 3),
            "stated ms / true ms": round(median(one.stated for one in told), 2),
        },
        "remarks": [remark for one in told for remark in one.remarks],
    }  # fmt: skip
