"""Appeals against planted misreads and against true readings, on hard clips whose truth is known.

Each card that was laid and reported is appealed against once. The verdict rests on the pictures alone, so it judges
the record whatever that says: once the true reading, once a planted misread, by turns any other face and one that looks
alike. Clips of even seeds served to set the limits of `cardsight.track.appeal`; the odd ones are counted here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import repeat
from typing import Any, Final

import numpy as np

from cardsight.reader import Reader
from cardsight.track.appeal import Appeals, Verdict
from cardsight.track.clip import ClipBuffer
from cardsight.track.events import Touched
from croupier_bench.hard_track import KINDS, Filmed
from croupier_bench.score import Score
from croupier_bench.workers import workers
from croupier_rules.cards import DECKS
from croupier_sim.table import PILE_ZONE_MM

SEEDS: Final = range(1, 73, 2)
"""With all kinds of clips more than 1,000 cards."""

_FPS: Final = 12.0
"""Fewer frames than most cameras deliver, and so fewer kept pictures of a card."""
_OFF_S: Final = 0.5
_ALIKE: Final = {
    "6": "9", "9": "6", "3": "8", "8": "3", "0": "8", "1": "7", "7": "1", "blue": "green", "green": "blue",
    "red": "yellow", "yellow": "red", "wild": "wild-draw4", "wild-draw4": "wild",
}  # fmt: skip
"""The misread of one part of a face."""

Appealed = tuple[str, str, Verdict]
"""The true face, the reported one, and the verdict."""


def appeal_clip(kind: str, seed: int, reader: Reader | None = None) -> list[Appealed]:
    """Draw one clip, and appeal against each card that was reported in it."""
    reader = reader or Reader()
    filmed = Filmed.of(kind, seed, reader)
    camera, tracker = filmed.camera, filmed.tracker
    buffer = ClipBuffer(camera.zone_px(PILE_ZONE_MM), camera.card_px(PILE_ZONE_MM))
    touched: list[Touched] = []
    for frame, events in filmed.frames(_FPS):
        is_settled = tracker.unsettled_since is None and tracker.trouble is None
        buffer.push(frame.t, frame.image, events, is_settled=is_settled)
        touched += [event for event in events if isinstance(event, Touched)]
    appeals, waiting, score = Appeals(buffer, lambda: reader, list(DECKS["g7942"])), list(filmed.clip.touches), Score()
    found = []
    for event in touched:
        # A contact time that is far off is no misread: the card in the pictures is the one that has its face.
        is_laid = any(touch.face == event.face and touch.t <= event.t + _OFF_S for touch in waiting)
        after_s = event.t if is_laid else event.u + _OFF_S
        play = score.add_play(event, waiting, 1 / _FPS, event.u + _OFF_S, after_s)
        if play is not None:
            found.append((play.face, event.face, appeals.judge(event.t) or Verdict()))
    return found


def planted(face: str, rng: np.random.Generator) -> str:
    """Another face that the record may say: one that looks alike, or any."""
    color, _, symbol = face.partition("-")
    alike = [_ALIKE[face]] if face in _ALIKE else []
    if color in ("red", "yellow", "green", "blue"):
        alike = [f"{_ALIKE[color]}-{symbol}", *([f"{color}-{_ALIKE[symbol]}"] if symbol in _ALIKE else [])]
    others = [one for one in DECKS["g7942"] if one != face]
    return str(rng.choice(alike if alike and rng.random() < 0.5 else others))


def outcome(recorded: str, face: str, verdict: Verdict) -> str:
    """Return the verdict of an appeal on a record of ``recorded``, where ``face`` was laid."""
    if not verdict.is_sure:
        return "left to people"
    if verdict.face != face:
        return "wrong"
    return "confirmed" if recorded == face else "overturned"


def appeal_clips(kind: str, seeds: Collection[int] = SEEDS) -> Iterator[Appealed]:
    """The appeals of the clips of one kind, on all cores."""
    with workers() as pool:
        for found in pool.map(appeal_clip, repeat(kind), seeds):
            yield from found


def measure(kinds: Iterable[str] = KINDS, seeds: Collection[int] = SEEDS) -> Iterator[dict[str, Any]]:
    """Yield a line for each question, as `croupier bench --json` prints it; ``ours``: percent."""
    rng = np.random.default_rng(24)
    counts = {what: dict[str, int]() for what in ("planted", "true", "unread")}
    remarks = []
    for kind in kinds:
        for face, reported, verdict in appeal_clips(kind, seeds):
            records = {"planted": planted(face, rng), "true": face} if reported == face else {"unread": reported}
            for what, recorded in records.items():
                became = outcome(recorded, face, verdict)
                counts[what][became] = counts[what].get(became, 0) + 1
                if became == "wrong":
                    remarks.append(f"{kind}: {face} recorded as {recorded}: {verdict}")
    for what, title, good in (
        ("planted", "planted misreads that are overturned", "overturned"),
        ("true", "true readings that stay", ""),
        ("unread", "cards not read, or wrongly, that are named", "overturned"),
    ):
        n = sum(counts[what].values())
        right = counts[what].get(good, 0) if good else n - counts[what].get("wrong", 0)
        yield {
            "bench": "appeal", "what": f"{title}, of {n}", "unit": "%", "ours": round(100 * right / max(n, 1), 1),
            "counts": counts[what], "remarks": remarks if what == "true" else [],
        }  # fmt: skip
