"""Layout: the cards that explain a picture.

Each cell of the evidence (`cardsight.evidence`) that shows a card says where the center of this card is and how it is
turned. A cell is explained if a card of the layout lies there, with this center and direction. Cells that no card
explains and that agree with each other are a hypothesis: a card that was not read. So is an index that belongs to no
card, and what the reader took for a card and could not name. How likely a hypothesis is a card is one logistic
regression of `FEATURES`, fitted to scenes whose cards are known (`training/train_layout.py`). The likeliest becomes
part of the layout, and the rest is looked at again, until nothing likely is left. What a card of the layout explains,
and what shows no card, asks nothing.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import FACES, NONE, Classification, classify_crops
from cardsight.decision import CANDIDATES, SURE, Deck
from cardsight.detector import Detectors
from cardsight.doubts import FAIRLY_SURE
from cardsight.evidence import Evidence, Peak, Plane, gather
from cardsight.fusion import log_odds
from cardsight.geometry import Image, Outline, Quad, corners_of, overlap, pyramid, quad_of, rectangle, warp_crop
from cardsight.indices import FEATURES as INDEX_FEATURES
from cardsight.indices import LEAST, Patches, Unread, cards_of, own_corners
from cardsight.indices import QUESTION as SHOWN
from cardsight.model import Model
from cardsight.sighting import Doubt, Reading, Sighting
from croupier_rules.cards import CARD_MM, UNREAD

if TYPE_CHECKING:
    from cardsight.track.cards import CardReader

FOLDER: Final = Path(__file__).parent / "layout_model"
NETWORK: Final = "evidence.onnx.gz"
FIGURES: Final = "figures.json"
"""Files of the evidence network and of the weights, which only this module uses."""

IS_CARD: Final = 0.5
"""Probability from which a cell counts as one of a card."""
CENTER: Final = 0.18
ANGLE: Final = 0.32
"""Standard deviations of what cells say of a card: of its center (card lengths) and of its angle (rad)."""
AROUND: Final = 1.12
INNER: Final = 0.94
"""Size of an outline, relative to the card's, up to which cells may be its own, and up to which they surely are:
outlines are not exact."""
TOGETHER: Final = (0.16, 0.3)
"""Distance of centers (card lengths) and of angles (rad) up to which cells are of one card."""
MOST_CELLS: Final = 300
"""Number of cells among which the center of a hypothesis is chosen."""
LEAST_MM2: Final = 40.0
"""Area of the cells that agree from which they are a hypothesis: two cells."""
MOST: Final = 12
"""Maximum number of hypotheses of a kind: it bounds the time."""
INDEX_MM: Final = 7.0
INDEX_ANGLE: Final = 0.6
"""Distance and angle (rad) from the place of a card's index up to which an index is its own."""
NO_INDEX: Final = -3.0
"""Evidence of a card none of whose indices shows."""
TWINS: Final = 0.05
"""Overlap with a card of the same face from which a card is not named: that one may have been read along a wrong
outline."""
LEGIBLE: Final = 0.6
"""Fraction in the picture from which a face that was read counts."""
SMALL: Final = 0.4
FEW: Final = 3
"""Area, relative to the median of at least so many cards, below which a card is a picture of one, as on a box: all
cards of a deck are of one size, and the farthest card of an oblique table has 0.7 (`training.photos`, table-b)."""
QUESTION: Final = -1.5
"""Log odds from which a hypothesis is a card."""

FEATURES: Final = (
    "area",
    "whole",
    "share",
    "covered",
    "partly",
    "crossed",
    "index",
    "corner",
    "none",
    "face",
    "free face",
    "bias",
)
"""Of a hypothesis: log of the area that only it explains (cm²), and this area as a fraction of a card's, since what
shows whole would have been read; the fraction of what should show of it that does; the fraction of its outline that
cards of the layout cover, and 1 if that is a half, 0 if it is all or nothing; the largest overlap of two cards of the
layout, one of which it touches: where cards lie across each other, more lie below; log odds of its index, and those of
its symbol by the corner network; log odds that its crop holds no card; log odds of the likeliest face there; these
times the fraction that shows."""

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hypothesis(Outline):
    """A card that may lie there: its `FEATURES`, and what proposed it: a sighting that could not be named, or an
    index."""

    features: Values
    asked: Sighting | None = None
    unread: Unread | None = None


@dataclass(frozen=True, slots=True)
class LayoutModel:
    """The evidence network, and the weights by feature: ``index`` of `indices.FEATURES`, which tell how sure a card is
    that its index names, and ``layout`` of `FEATURES`."""

    evidence: Detectors
    index: Mapping[str, float]
    layout: Mapping[str, float]


def load(folder: Path = FOLDER) -> LayoutModel:
    """Load the network and the weights. Raises `FileNotFoundError` if a part is missing."""
    figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    return LayoutModel(load_evidence(folder), figures["index"], figures["layout"])


def load_evidence(folder: Path = FOLDER) -> Detectors:
    """Load the evidence network alone. Raises `FileNotFoundError` if it is missing."""
    return Detectors(gzip.decompress((folder / NETWORK).read_bytes()))


def save_weights(folder: Path, index: Mapping[str, float], layout: Mapping[str, float]) -> None:
    """Write the weights of a `LayoutModel`."""
    parts = {"index": index, "layout": layout}
    figures = {name: {field: round(value, 4) for field, value in part.items()} for name, part in parts.items()}
    (folder / FIGURES).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


class Layout:
    """The cards that explain the ``evidence`` of a picture so far. ``long``: length of a card (px)."""

    def __init__(self, evidence: Evidence, long: float) -> None:
        self._seen, self._long = evidence, long
        self._cell_mm2 = (evidence.cell * CARD_MM[1] / long) ** 2
        self._card = 1 - evidence.none
        self._explained = np.zeros_like(evidence.none)
        self._covered = np.zeros(evidence.none.shape, bool)
        self._cards = list[Outline]()
        self._crossings = list[tuple[Outline, float]]()

    def add(self, card: Outline) -> None:
        """Add a card."""
        self._explained = np.maximum(self._explained, self._agreement(card))
        self._covered |= self._inside(card.quad, 1.0)
        for other in self._cards:
            if (shared := card.overlap(other)) > 0:
                self._crossings += [(card, shared), (other, shared)]
        self._cards.append(card)

    def indices(self) -> list[Peak]:
        """Return the indices that belong to no card, the surest first."""
        return [peak for peak in self._seen.indices() if not any(self._is_of(peak, card) for card in self._cards)]

    def has(self, one: Unread) -> bool:
        """True if an index is that of a card."""
        peak = Peak(one.corner.place, one.corner.angle, 0.0)
        return any(self._is_of(peak, card) for card in self._cards)

    def outlines(self) -> Iterator[Quad]:
        """Yield the outlines of cards on which unexplained cells agree, the largest first."""
        is_left = self._card * (1 - self._explained) > IS_CARD
        centers, angles = self._seen.centers[is_left], self._seen.angles[is_left]
        for _ in range(MOST):
            some = np.linspace(0, len(centers) - 1, min(MOST_CELLS, len(centers))).astype(int)
            together = self._together(centers[some], angles[some], centers, angles)
            own = together[together.sum(1).argmax()] if len(centers) else np.zeros(0, bool)
            if own.sum() * self._cell_mm2 < LEAST_MM2:
                return
            center, angle = centers[own].mean(0), float(np.angle(np.exp(2j * angles[own]).mean())) / 2
            x, y = center.tolist()
            yield rectangle(x, y, self._long, self._long * CARD_MM[0] / CARD_MM[1], angle)
            own |= self._together(center[None], np.array([angle]), centers, angles)[0]
            centers, angles = centers[~own], angles[~own]

    def features(self, quad: Quad, seen: Classification, symbol: float = NO_INDEX) -> Values:
        """Return the `FEATURES` of a hypothesis.

        ``seen``: what the reader network says of its crop. ``symbol``: log odds of the symbol of its index.
        """
        card = Outline(quad)
        shown = self._card * self._agreement(card)
        whole = self._inside(quad, INNER)
        free = whole & ~self._covered
        area = float((shown * (1 - self._explained)).sum()) * self._cell_mm2
        indices = [peak.odds for peak in self.indices() if self._is_of(peak, card)]
        share, face = float(free.sum() / max(1, whole.sum())), log_odds(float(seen.faces.max()), LEAST)
        return np.array(
            [
                math.log(0.1 + area / 100),
                area / (CARD_MM[0] * CARD_MM[1]),
                float(shown[free].sum()) / max(float(free.sum()), 4.0),
                1 - share,
                4 * share * (1 - share),
                max((one for near, one in self._crossings if near.shared(card) > 0), default=0.0),
                max([NO_INDEX, *indices]),
                symbol,
                log_odds(float(seen.kinds[NONE]), LEAST),
                face,
                face * share,
                1.0,
            ]
        )

    def _together(self, ones: Plane | Values, turns: Plane | Values, others: Plane, angles: Plane) -> NDArray[np.bool_]:
        apart = np.linalg.norm(ones[:, None] - others[None], axis=2) / self._long
        turned = np.abs((turns[:, None] - angles[None] + np.pi / 2) % np.pi - np.pi / 2)
        return np.asarray((apart < TOGETHER[0]) & (turned < TOGETHER[1]))

    def _agreement(self, card: Outline) -> Values:
        """Return, for each cell, how well (0…1) what it says agrees with a card; 0 outside of the card."""
        apart = ((self._seen.centers - np.array(card.middle, np.float32)) ** 2).sum(2) / (CENTER * self._long) ** 2
        turned = ((self._seen.angles - _angle(card.quad) + np.pi / 2) % np.pi - np.pi / 2) / ANGLE
        agreement = np.exp(-np.minimum((apart + turned**2) / 2, 50)) * self._inside(card.quad, AROUND)
        return np.asarray(agreement, np.float64)

    def _inside(self, quad: Quad, size: float) -> NDArray[np.bool_]:
        """Return the cells whose middles lie in an outline of another ``size``, relative to it."""
        first, last = self._seen.places[0, 0], self._seen.places[-1, -1]
        mask = np.zeros(self._card.shape, np.uint8)
        middle, steps = quad.mean(0), np.maximum(np.array(mask.shape[::-1]) - 1, 1)
        there = (middle + (quad - middle) * size - first) / np.maximum(last - first, 1) * steps
        cv2.fillConvexPoly(mask, np.rint(np.clip(there, -4000, 4000) * 16).astype(np.int32), 1, shift=4)
        return mask > 0

    def _is_of(self, peak: Peak, card: Outline) -> bool:
        """True if an index is one of the two of a card."""
        for end, corner in enumerate(own_corners(card)):
            off = (peak.angle - _angle(card.quad) + math.pi / 2 - math.pi * end + math.pi) % (2 * math.pi) - math.pi
            is_near = math.dist(corner, peak.place) < INDEX_MM * self._long / CARD_MM[1]
            if is_near and abs(off) < INDEX_ANGLE:
                return True
        return False


class Picture:
    """A picture (a `pyramid`), its layout, and what may be cards of it besides those of the ``reading``."""

    def __init__(self, levels: list[Image], reading: Reading, model: Model, evidence: Detectors) -> None:
        assert model.corner is not None
        self._levels, self._model = levels, model
        self._asked = [card for card in reading.cards if card.face == UNREAD]
        named = [outline_of(card) for card in (*reading.cards, *reading.backs) if card.face != UNREAD]
        long = median(one.long for one in named or map(outline_of, self._asked))
        self.layout = Layout(gather(evidence, levels, long), long)
        for one in named:
            self.layout.add(one)
        patches = Patches(model.corner, levels, long)
        peaks = [(peak.place, peak.angle) for peak in self.layout.indices()[:MOST]]
        likely = [one for one in patches.closely_at(peaks) if one.shown[0] < 1 - SHOWN]
        self._by_index = [
            Hypothesis(one.quad, self.layout.features(one.quad, one.seen, float(one.features[0])), unread=one)
            for one in cards_of(levels, likely, patches.px_per_mm, model)
        ]

    def by_index(self) -> list[Hypothesis]:
        """Return the cards whose index belongs to no card of the layout. Each index is a card, however close they are,
        so their features are those at first."""
        return [one for one in self._by_index if one.unread is not None and not self.layout.has(one.unread)]

    def by_cells(self) -> list[Hypothesis]:
        """Return the cards that the reader could not name, and those on which unexplained cells agree."""
        outlines: list[tuple[Quad, Sighting | None]] = [(quad_of(card.corners_px), card) for card in self._asked]
        outlines += [(quad, None) for quad in self.layout.outlines()]
        crops = classify_crops(self._model.reader, [warp_crop(self._levels, quad) for quad, _ in outlines])
        return [
            Hypothesis(quad, self.layout.features(quad, crop), asked=card)
            for (quad, card), crop in zip(outlines, crops, strict=True)
        ]

    def add(self, one: Hypothesis) -> None:
        """Add a card to the layout."""
        self.layout.add(one)
        self._asked = [card for card in self._asked if card is not one.asked]
        self._by_index = [other for other in self._by_index if other is not one]


def odds_of(one: Hypothesis, weights: Mapping[str, float]) -> float:
    """Return the log odds that a hypothesis is a card."""
    return float(one.features @ np.array([weights.get(name, 0.0) for name in FEATURES]))


def explained(image: Image, reading: Reading, model: Model, fitted: LayoutModel, *, may_name: bool = True) -> Reading:
    """Return the layout of a picture: the cards that were read, those that only their index names, and a ``?`` for each
    card that the layout needs and that cannot be named.

    ``may_name``: False for a deck whose colors mean others: a card of which only an index shows is ``?``.
    """
    if model.corner is None or not (reading.cards or reading.backs):
        return reading
    began = perf_counter()
    reading, small = _without_pictures(reading)
    picture = Picture(pyramid(image), reading, model, fitted.evidence)
    for card in small:
        picture.layout.add(outline_of(card))
    cards = [_framed(card, reading.size) for card in reading.cards if card.face != UNREAD]
    for proposals in (picture.by_index, picture.by_cells):
        while likely := [one for one in proposals() if odds_of(one, fitted.layout) > QUESTION]:
            best = max(likely, key=lambda one: odds_of(one, fitted.layout))
            picture.add(best)
            cards.append(_sighting(best, cards, fitted.index, reading.size, may_name=may_name))
    spent = (perf_counter() - began) * 1000
    return replace(reading, cards=tuple(cards), ms=reading.ms + spent, stages_ms={**reading.stages_ms, "layout": spent})


class CloseReader:
    """A card reader that returns the cards that ``reader`` finds, and all others of the layout that can be named."""

    def __init__(self, reader: CardReader, model: Model, fitted: LayoutModel) -> None:
        self._reader, self._model, self._fitted = reader, model, fitted

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        deck = Deck(faces)
        reading = self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)
        found = explained(bgr, reading, self._model, self._fitted)
        known = (card for card in found.cards if card in reading.cards or deck.holds(card.face))
        return replace(found, cards=tuple(card for card in known if card.face != UNREAD or card in reading.cards))


def _sighting(
    one: Hypothesis, others: Iterable[Sighting], weights: Mapping[str, float], size: tuple[int, int], *, may_name: bool
) -> Sighting:
    """Return the sighting of a card that was not read: its face if its index names it for certain, else ``?``."""
    doubts: tuple[Doubt, ...] = ("covered",) if _share_inside(one.quad, size) > LEGIBLE else ("cut",)
    if one.asked is not None:
        return one.asked
    if one.unread is None:
        return Sighting(UNREAD, 0.0, corners_of(one.quad), doubts=doubts)
    faces, odds = one.unread.faces, float(one.unread.features @ np.array([weights.get(n, 0.0) for n in INDEX_FEATURES]))
    best, *rest = np.argsort(-faces, kind="stable")[:CANDIDATES].tolist()
    confidence = min(1 / (1 + math.exp(-odds)), FAIRLY_SURE)
    is_twin = any(card.face == FACES[best] and overlap(one.quad, quad_of(card.corners_px)) > TWINS for card in others)
    if confidence >= SURE and may_name and not is_twin and doubts == ("covered",):
        runners_up = tuple(FACES[n] for n in rest)
        return Sighting(FACES[best], confidence, corners_of(one.quad), doubts=doubts, runners_up=runners_up)
    sure, chance = min(confidence, SURE), float(faces[best])
    scale = min(sure / chance, (1 - sure) / (1 - chance + LEAST))
    candidates = ((FACES[best], round(sure, 4)), *((FACES[n], round(float(faces[n] * scale), 4)) for n in rest))
    return Sighting(UNREAD, sure, corners_of(one.quad), candidates=candidates, doubts=doubts)


def _without_pictures(reading: Reading) -> tuple[Reading, list[Sighting]]:
    """Return the reading without the pictures of cards, and these."""
    areas = [outline_of(card).area for card in (*reading.cards, *reading.backs) if card.face != UNREAD]
    least = SMALL * median(areas) if len(areas) >= FEW else 0.0
    small = [card for card in reading.cards if outline_of(card).area < least]
    return replace(reading, cards=tuple(card for card in reading.cards if card not in small)), small


def _framed(card: Sighting, size: tuple[int, int]) -> Sighting:
    """Return ``?`` for a face of which too little lies in the picture."""
    if _share_inside(quad_of(card.corners_px), size) >= LEGIBLE:
        return card
    return replace(card, face=UNREAD, candidates=((card.face, card.confidence),), doubts=("cut",))


def _share_inside(quad: Quad, size: tuple[int, int]) -> float:
    """Return the fraction (0…1) of an outline that lies in a picture of this width and height (px)."""
    picture = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    return float(cv2.intersectConvexConvex(quad, picture)[0] / max(1.0, cv2.contourArea(quad)))


def outline_of(card: Sighting) -> Outline:
    """Return the outline of a sighting."""
    return Outline(quad_of(card.corners_px))


def angle_between(one: Quad, other: Quad) -> float:
    """Return the angle (rad, 0…π/2) between the long sides of two cards."""
    return abs((_angle(one) - _angle(other) + math.pi / 2) % math.pi - math.pi / 2)


def _angle(quad: Quad) -> float:
    """Return the direction of the long sides, from the first edge on (rad)."""
    x, y = (quad[2] + quad[3] - quad[0] - quad[1]).tolist()
    return math.atan2(y, x)
