"""The card reader: a picture in, the cards that lie in it out.

The finder proposes rough outlines from a small copy of the whole picture. Each is cut out straight and read; the
reader also says where the card's corners really are, and where that is far off the card is cut out and read again.
Of proposals that are one and the same card the best stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Final

import cv2
import numpy as np

from cardsight import model as models
from cardsight.classify import FACES, KINDS, Verdict, judged
from cardsight.light import as_gray, one_color
from cardsight.locate import FILL, Proposal, locate
from cardsight.marks import seen_mark
from cardsight.rectify import CUT_H, CUT_W, IDEAL, Image, Quad, cut, moved, overlap, pyramid, turned
from cardsight.sighting import Corners, Reading, Sighting
from cardsight.witness import calibrated, weighed

FACE, BACK, NONE = range(len(KINDS))

LOOK_PX: Final = 512
"""Longer side of the small picture the finder sees; it finds cards from 20 px on there."""
GLANCES_PX: Final = (224, 128)
"""Further looks, which cost little: for cards that fill much of the picture, or all of it."""
BEST_PX: Final = 80.0
"""Length of a card in the small picture at which the finder is most exact."""
CLOSER_PX: Final = 1024
"""Where cards are so small that they may have been missed, the finder looks again at this size."""
SMALL_PX: Final = 36.0
"""Length of a card in the small picture, below which the finder looks closer."""
MARGIN: Final = 0.3
"""Where nothing was found, the picture is looked at with so much empty ground round it: it may be one card's face."""
SLANTED: Final = 1.3
"""Below this length in widths the long side of a slanted card may have been taken for the short one."""
SETTLED: Final = 0.02
"""Corners that are off by less than this part of a side need no second cut-out …"""
NEARLY: Final = 0.08
PLAIN: Final = 0.95
"""… nor those off by less than the first, where the face is as likely as the second: its print is plain to see."""
REPEAT: Final = 0.15
"""Proposals of one size whose middles are nearer than this part of the length are one."""
SAME: Final = 0.55
"""Two outlines that share this part of the smaller one are the same card."""
GHOST: Final = 0.3
TOUCHING: Final = 0.15
"""What looks like no face in particular and shares this part with a card is made up of parts of its neighbors."""
PART: Final = 0.75
"""Cards are of one size: what is shorter than this part of those read for certain, and uncertain, is part of a card."""
CERTAIN_PART: Final = 0.4
"""… and what is shorter than this part of the longest, however certain: no table is seen so slanted."""
WITHIN: Final = 0.9
"""… and what is that short and has this part of itself inside a card is part of that card."""
MOST: Final = 160
"""Proposals looked at in one picture: more than a deck."""
IS_CARD: Final = 0.5
"""Probability from which a cut-out counts as a card."""
IS_BACK: Final = 0.98
"""… and as a back: backs look all alike, so what is not quite like them is some other thing with an oval on it."""
SURE: Final = 0.8
"""Confidence from which a face is told; below it is ``?`` with candidates. A wrong face is worse than a question."""
CANDIDATES: Final = 4


@dataclass(slots=True)
class _Card:
    quad: Quad
    verdict: Verdict
    score: float

    @property
    def chance(self) -> float:
        """The probability of its likeliest face, or of its being a back."""
        return float(self.verdict.kinds[BACK] if self.is_back else self.verdict.faces.max())

    @property
    def rank(self) -> float:
        """Of outlines that are the same card the one of the highest rank (0…2) stays."""
        return self.score * (1 + self.chance)

    @property
    def is_back(self) -> bool:
        return bool(self.verdict.kinds[BACK] > self.verdict.kinds[FACE])


@dataclass(slots=True)
class _Stopwatch:
    """Milliseconds by stage."""

    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = perf_counter()
        yield
        self.stages[name] = self.stages.get(name, 0.0) + (perf_counter() - began) * 1000


class Reader:
    """Reads pictures. Loading the model takes a moment, so make one and keep it; not to be shared between threads.

    >>> reader = Reader()                              # doctest: +SKIP
    >>> reader.read(load_picture("table.jpg")).cards   # doctest: +SKIP
    """

    def __init__(self, model: models.Model | None = None) -> None:
        self._model = model or models.load()

    def read(self, image: Image) -> Reading:
        """Every card that is seen in the picture (height, width, 3; BGR, uint8), from top to bottom."""
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(f"a picture is an array of uint8, height x width x 3, not {image.dtype} {image.shape}")
        watch, began = _Stopwatch(), perf_counter()
        with watch.stage("shrink"):
            levels = pyramid(image)
            if (color := one_color(levels[-1])) is not None:
                image = as_gray(image, color)
                levels = pyramid(image)
        with watch.stage("locate"):
            proposals = self._look(levels)
        with watch.stage("read"):
            cards = self._cards(levels, proposals[:MOST])
        with watch.stage("sort out"):
            cards = _distinct(cards)
        with watch.stage("marks"):
            seen = [self._sighting(image, card) for card in sorted(cards, key=lambda c: float(c.quad[:, 1].mean()))]
        height, width = image.shape[:2]
        return Reading(
            size=(width, height),
            cards=tuple(s for s in seen if s.face != "back"),
            backs=tuple(s for s in seen if s.face == "back"),
            ms=(perf_counter() - began) * 1000,
            stages_ms=watch.stages,
        )

    def _look(self, levels: list[Image]) -> list[Proposal]:
        finders, longer = self._model.finders, max(levels[0].shape[:2])
        found = locate(finders[LOOK_PX], levels, LOOK_PX)
        small = bool(found) and float(np.median([p.length_px for p in found])) < SMALL_PX
        for side in GLANCES_PX:
            found += locate(finders[side], levels, side)
        if not found:
            edge = round(MARGIN * longer)
            wide = cv2.copyMakeBorder(levels[0], edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=FILL)
            found = locate(finders[GLANCES_PX[0]], [wide.astype(np.uint8)], GLANCES_PX[0])
            return [replace(p, quad=p.quad - np.float32(edge)) for p in found]
        if small and longer > LOOK_PX:
            found += locate(finders[CLOSER_PX], levels, min(CLOSER_PX, longer))
        return _once(found)

    def _cards(self, levels: list[Image], proposals: list[Proposal]) -> list[_Card]:
        cards: list[_Card] = []
        for proposal in proposals:
            if any(_is_settled(card, proposal) for card in cards):
                continue
            if card := self._card(levels, proposal):
                cards.append(card)
        return cards

    def _card(self, levels: list[Image], proposal: Proposal) -> _Card | None:
        quad = proposal.quad
        verdict = judged(self._model.reader, cut(levels, quad))
        if verdict.kinds[NONE] > 1 - IS_CARD and _length(quad) < SLANTED * _width(quad):
            other = judged(self._model.reader, cut(levels, turned(quad)))
            if other.kinds[NONE] < verdict.kinds[NONE]:
                quad, verdict = turned(quad), other
        if verdict.kinds[NONE] > 0.9:
            return None
        off = np.abs(verdict.corners - IDEAL) / (CUT_W, CUT_H)
        quad = moved(quad, verdict.corners)
        if off.max() > (NEARLY if verdict.faces.max() >= PLAIN else SETTLED):
            if not cv2.isContourConvex(quad):
                return None
            verdict = judged(self._model.reader, cut(levels, quad))
            quad = moved(quad, verdict.corners)
        if verdict.kinds[NONE] > 1 - IS_CARD or not cv2.isContourConvex(quad):
            return None
        if IS_BACK > verdict.kinds[BACK] > verdict.kinds[FACE]:
            return None
        return _Card(quad, verdict, float(1 - verdict.kinds[NONE]) * _sigmoid(proposal.odds))

    def _sighting(self, image: Image, card: _Card) -> Sighting:
        corners = _corners(card.quad)
        if card.is_back:
            return Sighting("back", float(card.verdict.kinds[BACK]), corners)
        mark = seen_mark(self._model.mark, image, card.quad)
        faces = calibrated(card.verdict.faces, self._model.slope, self._model.offset)
        faces = weighed(faces, card.verdict.signs, card.verdict.colorful, mark) * float(1 - card.verdict.kinds[BACK])
        best = np.argsort(-faces, kind="stable")[:CANDIDATES]
        face, confidence = FACES[best[0]], float(faces[best[0]])
        symbol = mark.told if mark and not face.startswith("wild") else None
        if confidence < SURE:
            candidates = tuple((FACES[i], round(float(faces[i]), 4)) for i in best)
            return Sighting("?", confidence, corners, symbol, candidates)
        return Sighting(face, confidence, corners, symbol)


def _sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def _once(proposals: list[Proposal]) -> list[Proposal]:
    """The proposals, likeliest first, without those that repeat a better one of about the same place and size."""
    kept: list[Proposal] = []
    places: list[tuple[list[float], float]] = []
    for one in sorted(proposals, key=lambda p: abs(math.log2(p.length_px / BEST_PX)) - p.odds):
        middle, length = one.quad.mean(0).tolist(), _length(one.quad)
        if not any(math.dist(middle, at) < REPEAT * size and 0.7 < length / size < 1.4 for at, size in places):
            kept.append(one)
            places.append((middle, length))
    return kept


def _distinct(cards: list[_Card]) -> list[_Card]:
    """One entry for each card: of outlines that are the same card the most certain one."""
    kept: list[_Card] = []
    cards = [card for card in cards if not any(_is_part(card, other) for other in cards)]
    for card in sorted(cards, key=lambda c: -c.rank):
        most = TOUCHING if card.chance < GHOST else SAME
        if all(overlap(card.quad, other.quad) < most for other in kept):
            kept.append(card)
    certain = [_length(card.quad) for card in kept if card.chance >= SURE]
    if not certain:
        return kept
    least, least_certain = PART * float(np.median(certain)), CERTAIN_PART * max(certain)
    return [card for card in kept if _length(card.quad) >= (least_certain if card.chance >= SURE else least)]


def _is_settled(card: _Card, proposal: Proposal) -> bool:
    """Whether the proposal can only be a lesser outline of a card that was read, which would be thrown out again."""
    length, most_rank = _length(card.quad), 2 * _sigmoid(proposal.odds)
    return (  # what is quick to see comes first
        math.dist(card.quad[0].tolist(), proposal.quad[0].tolist()) < 3 * length
        and CERTAIN_PART * _length(proposal.quad) < length
        and card.rank > most_rank
        and overlap(card.quad, proposal.quad) > SAME
    )


def _is_part(card: _Card, whole: _Card) -> bool:
    """Whether ``card`` is the corner or the picture of another one, which is as likely a card and much longer."""
    return (
        _length(card.quad) < CERTAIN_PART * _length(whole.quad)
        and whole.chance >= SURE
        and overlap(card.quad, whole.quad) > WITHIN
    )


def _length(quad: Quad) -> float:
    a, b, c, d = quad.tolist()
    return (math.dist(b, c) + math.dist(d, a)) / 2


def _width(quad: Quad) -> float:
    return _length(turned(quad))


def _corners(quad: Quad) -> Corners:
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in quad)
    return (a, b, c, d)
