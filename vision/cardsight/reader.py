"""Card reader: from a picture to the cards in it.

1. The detector proposes rough outlines in small copies of the picture.
2. Each proposal is cropped and classified. The classifier also returns the corners; if they are far off, the card is
cropped and classified again.
3. Non-maximum suppression keeps the best outline of each card. A doubtful one is classified upside down, too.
4. Where cards may lie under others, more proposals are made (`occlusion`).
5. Marks and printed corners add evidence, and each card is decided (`decision`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Final

import cv2
import numpy as np

from cardsight import model as models
from cardsight import occlusion
from cardsight.card_reader import levels_of
from cardsight.classify import (
    BACK,
    FACES,
    NONE,
    SIGN_OF,
    Classification,
    Mark,
    Probabilities,
    classify_crops,
    classify_marks,
    mark_width,
)
from cardsight.corners import CORNER_CLASSES, classify_corners
from cardsight.decision import Deck, Evidence, believed, decide, decide_hidden, gather_evidence
from cardsight.detector import DetectorPasses, Proposal, proposals
from cardsight.doubts import FAIRLY_SURE, POOR, SURE, UNSURE, is_no_color, is_other_hue, panel_hues, poorness, why
from cardsight.fusion import SOME_COLOR, log_odds, ramp
from cardsight.geometry import (
    CROP_H,
    CROP_W,
    IDEAL,
    Image,
    Quad,
    corners_of,
    length,
    moved,
    pyramid,
    rotated,
    turned,
    warp_crop,
    width,
)
from cardsight.light import as_gray, one_color, panel_colors
from cardsight.networks import Network
from cardsight.nms import CERTAIN, SAME, Card, suppress
from cardsight.novelty import SEEMING, NoveltyDetector
from cardsight.sighting import Reading, Sighting
from croupier_rules.cards import BACK as FACE_DOWN
from croupier_rules.cards import CARD_MM, UNREAD

WIDE: Final = 1.2
"""Width, relative to a card's, from which an outline seen from above may be that of two parallel cards."""
SLANTED: Final = 1.3
"""Length over width below which the sides of an oblique card may have been exchanged."""
DIRECTIONS: Final = (36.0, 72.0, 108.0, 144.0)
"""Rotations (degrees) of a likely outline that holds no card: where two cards lie crosswise, the detector returns a
direction between theirs. The classifier corrects half a step."""
SETTLED: Final = 0.02
"""Corner error (fraction of a side) up to which no second crop is made."""
NEARLY: Final = 0.13
PLAIN: Final = 0.95
"""Corner error up to which no second crop is made if the face or back has at least the probability PLAIN: the print is
easy to read."""
BLURRED: Final = 0.85
"""Probability from which the tolerated corner error grows, up to `PLAIN`."""
HOPELESS: Final = 0.9
"""Probability of no card from which a proposal is dropped at once."""
IS_CARD: Final = 0.5
"""Probability from which a crop counts as a card."""
IS_BACK: Final = 0.98
"""Probability from which a card counts as a back. All backs look alike; what differs a little is another thing with an
oval."""
DOUBTED: Final = 0.9
"""Probability of a face below which the card is also classified upside down."""
LEGIBLE: Final = 0.98
"""Probability of a face below which the printed corners are examined."""
SAMPLE: Final = 2
"""Number of cards of certain color whose marks are examined."""

_SIDES: Final = np.array([CROP_W, CROP_H], np.float32)


@dataclass(slots=True)
class _Stopwatch:
    """Milliseconds per stage."""

    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = perf_counter()
        yield
        self.stages[name] = self.stages.get(name, 0.0) + (perf_counter() - began) * 1000


class Reader:
    """Reads pictures. Loading the model takes a moment: make one reader and keep it. Do not share it between threads.

    >>> reader = Reader()                              # doctest: +SKIP
    >>> reader.read(load_picture("table.jpg")).cards   # doctest: +SKIP
    """

    def __init__(self, model: models.Model | None = None) -> None:
        self._model = model or models.load()
        self._poor = np.array([self._model.poor.get(name, 0.0) for name in POOR])

    def read(
        self, image: Image | list[Image], /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Read all cards in a picture (height, width, 3; BGR, uint8), or in its `pyramid` where the caller needs that,
        too. The cards are ordered from top to bottom.

        ``faces``: the faces of the deck in play, with ``red-2*`` for the Add-a-Rule icon; ``None`` if unknown.
        ``top_only``: skip the search for occluded cards, which is faster; enough for the top of a pile, whose deck is
        known: a color that is none of the four is then the camera's (`camera_check`), not the card's. ``long_px``:
        length of the cards if it is known, as below a fixed camera; other sizes are not searched, which is faster
        still.

        Raises `ValueError` if ``image`` has another form, or there are no ``faces``.
        """
        deck = Deck(faces)
        watch, began = _Stopwatch(), perf_counter()
        with watch.stage("shrink"):
            levels = levels_of(image)
            if is_gray := (color := one_color(levels[-1])) is not None:
                levels = pyramid(as_gray(levels[0], color))
        passes, found, read = DetectorPasses(self._model.detector, levels), list[Proposal](), list[Card]()
        for thorough in (False, True):
            with watch.stage("detect"):
                new = [one for one in proposals(passes, long_px, thorough=thorough) if one not in found]
                found += new
            with watch.stage("classify"):
                read += self._cards(levels, new, long_px)
            with watch.stage("suppress"):
                cards = suppress(read)
            if any(card.chance >= CERTAIN for card in cards):
                break
        guesses, mostly_hidden, left_out = list[Card](), list[Card](), list[Proposal]()
        if not top_only and occlusion.may_hide(read, found, cards):
            with watch.stage("occlusion"):
                more = occlusion.more_proposals(passes, cards)
                read += self._cards(levels, more, long_px)
                cards = suppress(read)
                guesses = occlusion.unread(occlusion.face_up(read), cards)
                likely = occlusion.unread(occlusion.likely(found + more, cards), cards + guesses)
                left_out = likely[occlusion.MOST :]
                guesses += self._guesses(levels, likely[: occlusion.MOST])
                mostly_hidden = occlusion.mostly_hidden(occlusion.face_up(read), cards + guesses)
        with watch.stage("classify"):
            cards, guesses, mostly_hidden = (
                self._from_both_ends(levels, some) for some in (cards, guesses, mostly_hidden)
            )
        with watch.stage("marks"):
            marks = self._marks(levels[0], cards)
        with watch.stage("corners"):
            occluded = occlusion.Trust(self._model.occluded, occlusion.ICON_DOUBT)
            trusts = self._trusts(levels, cards, top_only=top_only)
            seen = [gather_evidence(*one, deck) for one in zip(cards, trusts, marks, strict=True)]
            rough = [
                gather_evidence(card, occluded, None, deck) for card in guesses + mostly_hidden if not card.is_back
            ]
            self._add_corners(levels, seen + rough, deck)
        with watch.stage("decide"):
            known = [(one.card, decide(one, deck)) for one in seen]
            for one in rough:
                known.append((one.card, decide_hidden(one, known, deck)))
            sightings = list[Sighting]()
            for one, (card, sighting) in zip(seen + rough, known, strict=True):
                if sighting.face == FACE_DOWN or (sighting.face != UNREAD and sighting.confidence >= SURE):
                    sightings.append(sighting)
                elif sighting.face != UNREAD or card not in mostly_hidden:
                    face = next((face for face, _ in sighting.candidates), sighting.face)
                    doubts = why(levels, card.quad, face, is_covered=not one.trust.is_free, is_gray=is_gray)
                    sightings.append(replace(sighting, doubts=doubts))
            sightings += [Sighting(UNREAD, one.chance, corners_of(one.quad), doubts=("covered",)) for one in left_out]
            sightings.sort(key=lambda card: sum(y for _, y in card.corners_px))
        height, width = levels[0].shape[:2]
        return Reading(
            size=(width, height),
            cards=tuple(s for s in sightings if s.face != FACE_DOWN),
            backs=tuple(s for s in sightings if s.face == FACE_DOWN),
            ms=(perf_counter() - began) * 1000,
            stages_ms=watch.stages,
        )

    def _cards(self, levels: list[Image], found: list[Proposal], long_px: float | None = None) -> list[Card]:
        quads = [proposal.quad for proposal in found]
        classifications = self._classified(levels, quads)
        for n, other in self._turned(levels, quads, classifications).items():
            if other.kinds[NONE] < classifications[n].kinds[NONE]:
                quads[n], classifications[n] = turned(quads[n]), other
        for n, one in self._redirected(levels, found, quads, classifications).items():
            quads[n], classifications[n] = one
        likely = [n for n, classification in enumerate(classifications) if classification.kinds[NONE] < HOPELESS]
        again = []
        for n in likely:
            off = np.abs(classifications[n].corners - IDEAL) / _SIDES
            quads[n] = moved(quads[n], classifications[n].corners)
            if off.max() > _corner_tolerance(classifications[n]) and cv2.isContourConvex(quads[n]):
                again.append(n)
        for n, classification in zip(again, self._classified(levels, [quads[n] for n in again]), strict=True):
            classifications[n], quads[n] = classification, moved(quads[n], classification.corners)
        cards = [
            Card(quads[n], classifications[n], float(1 - classifications[n].kinds[NONE]) * found[n].chance)
            for n in likely
            if _is_card(classifications[n]) and cv2.isContourConvex(quads[n])
        ]
        return [*cards, *self._narrow(levels, cards)] if long_px else cards

    def _narrow(self, levels: list[Image], cards: Sequence[Card]) -> list[Card]:
        """Return the cards at both sides of outlines that are too wide: those of two parallel cards. ``cards``: all
        that were found. A side that cannot be read and overlaps a card that was read is scored no higher than the wide
        outline."""
        sides = [(card, side) for card in cards if _is_wide(card.quad) for side in _sides_of(card.quad)]
        seen = self._classified(levels, [side for _, side in sides])
        quads = [moved(side, one.corners) for (_, side), one in zip(sides, seen, strict=True)]
        found = [
            (wide, Card(quad, one, float(1 - one.kinds[NONE])))
            for (wide, _), quad, one in zip(sides, quads, self._classified(levels, quads), strict=True)
            if _is_card(one) and not _is_wide(quad) and cv2.isContourConvex(quad)
        ]
        read = [card for card in cards if card.chance >= CERTAIN]
        return [
            replace(one, score=one.score * wide.score)
            if one.chance < CERTAIN and any(one.overlap(other) >= SAME for other in read)
            else one
            for wide, one in found
        ]

    def _guesses(self, levels: list[Image], found: Sequence[Proposal]) -> list[Card]:
        """Classify proposals of which too little is visible to refine their outlines."""
        quads = [proposal.quad for proposal in found]
        classifications = self._classified(levels, quads)
        cards = [Card(*one, 0.0) for one in zip(quads, classifications, strict=True)]
        return [card for card in cards if card.classification.kinds[NONE] < HOPELESS]

    def _trusts(self, levels: list[Image], cards: Sequence[Card], *, top_only: bool) -> list[occlusion.Trust]:
        """Return the trust in each card among the others: the poorer its picture, the less; and less in a free one of
        an unusual color. ``top_only``: as in `read`; each card is then taken for a free one, in a color of the deck."""
        model, others = self._model, () if top_only else cards
        free = [occlusion.Trust(model.calibration, is_free=True)] * len(cards)
        up = [n for n, card in enumerate(cards) if not card.is_back] if model.poor else []
        crops = {n: warp_crop(levels, cards[n].quad) for n in up}
        tinted = set[int]()
        for n, poor in zip(up, poorness(np.stack([*crops.values()])) if up else (), strict=True):
            if poor[POOR.index("tint")] > 0:
                tinted.add(n)
            lost = float(self._poor @ poor)
            calibration = model.calibration._replace(offset=model.calibration.offset - lost)
            free[n] = occlusion.Trust(calibration, lost, FAIRLY_SURE if poor.any() else 1.0, is_free=True)
        trusts = [occlusion.trust_in(card, others, own, model.occluded) for card, own in zip(cards, free, strict=True)]
        hued = [n for n in up if trusts[n].is_free and n not in tinted]  # blur leaves a panel its hue
        seen = np.stack([crops[n] for n in hued]) if hued else np.zeros((0, CROP_H, CROP_W, 3), np.uint8)
        panels = [None] * len(hued) if top_only or not hued else panel_colors(seen)
        for n, hue, panel in zip(hued, panel_hues(seen) if hued else (), panels, strict=True):
            face = FACES[int(cards[n].classification.faces.argmax())]
            if is_no_color(panel, face):
                trusts[n] = trusts[n]._replace(most=UNSURE)
            elif is_other_hue(hue, face):
                trusts[n] = trusts[n]._replace(most=FAIRLY_SURE)
        return trusts

    def _from_both_ends(self, levels: list[Image], cards: Sequence[Card]) -> list[Card]:
        """Classify the cards whose face is in doubt upside down, too, and combine the evidence."""
        doubted = [n for n, card in enumerate(cards) if not card.is_back and card.chance < DOUBTED]
        found = list(cards)
        quads = [cards[n].quad[[2, 3, 0, 1]] for n in doubted]
        for n, other in zip(doubted, self._classified(levels, quads), strict=True):
            found[n] = replace(cards[n], classification=_combined(cards[n].classification, other))
        return found

    def _classified(self, levels: list[Image], quads: list[Quad]) -> list[Classification]:
        return classify_crops(self._model.reader, [warp_crop(levels, quad) for quad in quads])

    def _turned(
        self, levels: list[Image], quads: list[Quad], classifications: list[Classification]
    ) -> dict[int, Classification]:
        """Classify proposals that hold no card, but are hardly longer than wide, with their sides exchanged."""
        places = [
            n
            for n, classification in enumerate(classifications)
            if classification.kinds[NONE] > 1 - IS_CARD and length(quads[n]) < SLANTED * width(quads[n])
        ]
        return dict(zip(places, self._classified(levels, [turned(quads[n]) for n in places]), strict=True))

    def _redirected(
        self, levels: list[Image], found: list[Proposal], quads: list[Quad], classifications: list[Classification]
    ) -> dict[int, tuple[Quad, Classification]]:
        """Return the likely proposals that hold no card, in the direction in which one is read with certainty."""
        cards = dict[int, tuple[Quad, Classification]]()
        for n, seen in enumerate(classifications):
            if seen.kinds[NONE] > 1 - IS_CARD and found[n].odds > 0:
                others = [rotated(quads[n], degrees) for degrees in DIRECTIONS]
                best = max(zip(others, self._classified(levels, others), strict=True), key=lambda one: _legible(one[1]))
                if _legible(best[1]) >= CERTAIN:
                    cards[n] = best
        return cards

    def _add_corners(self, levels: list[Image], seen: Sequence[Evidence], deck: Deck) -> None:
        """Add the printed corners of cards that are hard to read, and whether a free card is of an unlearned face."""
        if self._model.corner is None:
            return
        hard = [one for one in seen if not (one.card.is_back or self._is_plain(one))]
        quads = [one.card.quad for one in hard]
        for one, corners in zip(hard, classify_corners(self._model.corner, levels, quads), strict=True):
            one.corners = corners
        if self._model.novelty is not None:
            free = [one for one in seen if one.trust.is_free and not one.card.is_back]
            self._add_novelty(self._model.novelty, self._model.corner, levels, free, deck)

    def _add_novelty(
        self, novelty: NoveltyDetector, net: Network, levels: list[Image], free: Sequence[Evidence], deck: Deck
    ) -> None:
        """Add whether a free card is of an unlearned face. A corner that was not examined is looked at if it may
        decide."""
        prior = log_odds(deck.unexpected)
        at_first = prior + SEEMING
        prints = [one.card.classification.embedding for one in free]
        signs = [int(SIGN_OF[believed(one, deck).argmax()]) for one in free]
        corners = [np.zeros((0, len(CORNER_CLASSES))) if one.corners is None else one.corners for one in free]
        for end in range(2):
            unsettled = [
                n
                for n, shown in enumerate(corners)
                if len(shown) == end and novelty.may_be_unlearned(prints[n], signs[n], shown, at_first)
            ]
            quads = [free[n].card.quad for n in unsettled]
            for n, corner in zip(unsettled, classify_corners(net, levels, quads, slice(end, end + 1)), strict=True):
                corners[n] = np.concatenate([corners[n], corner])
        seeming = [
            n
            for n, shown in enumerate(corners)
            if len(shown) == 2 and novelty.is_unlearned(prints[n], signs[n], shown, at_first)
        ]
        for n, embedding in zip(seeming, self._embeddings(levels, [free[n].card for n in seeming]), strict=True):
            free[n].is_unlearned = novelty.is_unlearned(embedding, signs[n], corners[n], prior)

    def _embeddings(self, levels: list[Image], cards: Sequence[Card]) -> list[Probabilities]:
        """Return the mean embedding of each card along its final outline, from both ends."""
        ends = [quad for card in cards for quad in (card.quad, card.quad[[2, 3, 0, 1]])]
        seen = [one.embedding / (np.linalg.norm(one.embedding) + 1e-9) for one in self._classified(levels, ends)]
        return [np.asarray(one + other, np.float32) for one, other in zip(seen[::2], seen[1::2], strict=True)]

    def _marks(self, image: Image, cards: Sequence[Card]) -> list[Mark | None]:
        """Classify the marks of the cards whose color is in doubt, and of the widest others; of all cards if one of
        these has a mark, since a deck has marks on all its colored cards or on none."""
        colored = [n for n, card in enumerate(cards) if not card.is_back and not card.is_wild]
        widest = sorted(colored, key=lambda n: -mark_width(cards[n].quad))[:SAMPLE]
        some = sorted({*widest, *(n for n in colored if _is_color_doubted(cards[n]))})
        marks = dict(zip(some, classify_marks(self._model.mark, image, [cards[n].quad for n in some]), strict=True))
        if any(mark is not None and mark.shape is not None for mark in marks.values()):
            rest = [n for n in range(len(cards)) if n not in marks]
            quads = [cards[n].quad for n in rest]
            marks |= zip(rest, classify_marks(self._model.mark, image, quads), strict=True)
        return [marks.get(n) for n in range(len(cards))]

    def _is_plain(self, seen: Evidence) -> bool:
        return seen.trust.is_free and bool(seen.faces.max() >= LEGIBLE)


def _is_color_doubted(card: Card) -> bool:
    classification = card.classification
    return bool(classification.faces.max() < PLAIN or classification.colorful < SOME_COLOR)


def _is_wide(quad: Quad) -> bool:
    """True if the outline of a card seen from above is too wide for its length."""
    return width(quad) > WIDE * length(quad) * CARD_MM[0] / CARD_MM[1]


def _sides_of(quad: Quad) -> list[Quad]:
    """Return the outlines of a card at the left and at the right side of an outline that is too wide."""
    a, b, c, d = quad
    share = length(quad) * CARD_MM[0] / CARD_MM[1] / width(quad)
    left = np.array([a, a + share * (b - a), d + share * (c - d), d], np.float32)
    return [left, np.array([b + share * (a - b), b, c, c + share * (d - c)], np.float32)]


def _is_card(classification: Classification) -> bool:
    face, back, none = classification.kinds.tolist()
    return bool(none <= 1 - IS_CARD and (back <= face or back >= IS_BACK))


def _combined(one: Classification, other: Classification) -> Classification:
    """Return the classification of a card by its crops from both ends, with the mean log odds of both."""
    faces, signs = (np.sqrt(a * b) for a, b in ((one.faces, other.faces), (one.signs, other.signs)))
    return replace(one, faces=faces / faces.sum(), signs=signs / signs.sum())


def _legible(classification: Classification) -> float:
    """Return the probability (0…1) that the crop holds a card with its most likely face."""
    return float((1 - classification.kinds[NONE]) * classification.faces.max())


def _corner_tolerance(classification: Classification) -> float:
    """Return the corner error (fraction of a side) up to which no second crop is made."""
    plain = float(max(classification.faces.max(), classification.kinds[BACK]))
    return SETTLED + (NEARLY - SETTLED) * ramp(plain, BLURRED, PLAIN)
