"""Explanation: the cards of a picture by its layout (`cardsight.layout`), and a ``?`` for each card that the layout
needs and that cannot be named.

The likeliest hypothesis becomes part of the layout, and the rest is looked at again, until nothing likely is left. If
people know the number of cards, the likeliest cards of that number are all. If they do not, and cards lie on each
other, more may lie under them: only the number tells.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from statistics import median
from time import perf_counter
from typing import Final

import cv2
import numpy as np

from cardsight.card_reader import CardReader
from cardsight.classify import FACES
from cardsight.decision import CANDIDATES, SURE, Deck
from cardsight.doubts import FAIRLY_SURE, is_certain_card
from cardsight.geometry import Image, Outline, Quad, corners_of, overlap, pyramid, quad_of
from cardsight.indices import FEATURES as INDEX_FEATURES
from cardsight.indices import LEAST
from cardsight.layout import MOST, Hypothesis, Layout, LayoutModel, Picture, odds_of, outline_of
from cardsight.model import Model
from cardsight.sighting import Doubt, Reading, Sighting
from croupier_rules.cards import UNREAD

TWINS: Final = 0.05
"""Overlap with a card of the same face from which a card is not named: that one may have been read along a wrong
outline."""
LEGIBLE: Final = 0.6
"""Fraction in the picture from which a face that was read counts."""
SMALL: Final = 0.4
FEW: Final = 3
"""Area, relative to the median of at least so many cards, below which a card is a picture of one, as on a box: all
cards of a deck are of one size, and the farthest card of an oblique table has 0.7 (`training.photos`, table-b)."""
LIES_THERE: Final = 0.5
"""Probability by the evidence network, as a mean over an outline, below which it holds no card but a picture of one, or
the pips of a card of another game. In 80 composed kitchens that nothing is measured on (box and other games, drawn,
from 1000 on) 546 cards have .83 and more, and what is none .28 and less, but for 3 of 71; on the licensed photographs,
in every light but that of a lamp of one color, 0.81 and more, but for wilds."""
QUESTION: Final = -1.0
"""Log odds from which a hypothesis is a card: one that is passed over counts as much as 2.7 needless questions
(`training.measure.doubt` tells how well the odds agree with the truth). Of 330 scenes of `training.train_layout`, with
weights of the others, 14 are silently short and 35 have a needless question; 26 and 21 from 0 on, 7 and 73 from -2 on.
"""
POSSIBLE: Final = -4.0
"""Log odds from which an index may be that of a card, if people know that there are more cards than were found."""
ON_EACH_OTHER: Final = 0.15
"""Overlap of two cards from which one lies on the other. In composed kitchens that nothing is measured on
(`training.measure.kitchen`, pictures from 1000 on), cards that lie side by side share up to .08, since outlines are not
exact and people lay cards roughly; hands that overlap share .37 or more."""


class Explanation:
    """The layout of a picture (a `pyramid`): the cards that were read, those that only their index names, and a ``?``
    for each card that the layout needs and that cannot be named.

    ``may_name``: False for a deck whose colors mean others: a card of which only an index shows is ``?``.
    """

    def __init__(
        self, levels: list[Image], reading: Reading, model: Model, fitted: LayoutModel, *, may_name: bool = True
    ) -> None:
        began = perf_counter()
        self._read, self._fitted, self._may_name = reading, fitted, may_name
        self._picture: Picture | None = None
        if model.corner is not None and (reading.cards or reading.backs):
            self._read, self._small = _without_pictures(reading)
            self._picture = Picture(levels, self._read, model, fitted.evidence)
            self._read = _lying(self._read, self._picture.layout())
        self._ms = (perf_counter() - began) * 1000

    def reading(self, number: int | None = None) -> Reading:
        """Return all cards. ``number``: of the cards, if people know it. So many of the likeliest cards that can be
        named are then all that lie there, and nothing is asked; if fewer can be named, each other card is ``?``. A card
        that is named without the number speaks against a number that is too small: it is one of the cards returned,
        which are then more than people know of. Without a number, ``may_hide`` of the reading is set where cards lie on
        each other.
        """
        read, began = self._read, perf_counter()
        if self._picture is None:
            return read
        layout = self._picture.layout()
        for card in self._small:
            layout.add(outline_of(card))
        cards = self._completed(self._picture, layout, number)
        may_hide = number is None and (lie_on_each_other(cards, read.backs) or bool(layout.seams()))
        spent = (perf_counter() - began) * 1000 + self._ms
        stages = {**read.stages_ms, "layout": spent}
        return replace(read, cards=tuple(cards), ms=read.ms + spent, stages_ms=stages, may_hide=may_hide)

    def _completed(self, picture: Picture, layout: Layout, number: int | None) -> list[Sighting]:
        """Return the cards that were read, and those that complete the layout."""
        size, fitted = self._read.size, self._fitted
        cards = [_framed(card, size) for card in self._read.cards if is_certain_card(card)]
        ways = (picture.by_index, QUESTION), (picture.by_cells, QUESTION), (picture.by_index, POSSIBLE)
        for propose, at_least in ways:
            is_likely = at_least == QUESTION  # then it is a card, whatever number was told
            if not is_likely and number is None:
                break
            for _round in range(MOST):
                for one in (likely := disjoint(_likely(propose(layout), at_least, fitted))):
                    if is_likely or not _is_reached(cards, number):
                        layout.guess(one)
                        card = _sighting(one, cards, fitted.index, size, may_name=self._may_name)
                        if is_likely or card.face != UNREAD:
                            cards.append(card)
                if not likely or (not is_likely and _is_reached(cards, number)):
                    break
        if _is_reached(cards, number):
            return [card for card in cards if card.face != UNREAD]
        return cards


def _likely(found: Iterable[Hypothesis], at_least: float, fitted: LayoutModel) -> list[Hypothesis]:
    """Return the hypotheses with log odds above ``at_least``, the likeliest first."""
    odds = [(odds_of(one, fitted.layout), one) for one in found]
    return [one for likely, one in sorted(odds, key=lambda both: -both[0]) if likely > at_least]


def lie_on_each_other(cards: Sequence[Sighting], backs: Sequence[Sighting] = ()) -> bool:
    """True if one of the ``cards`` face up lies on another card, or under it."""
    up, down = ([outline_of(card) for card in some] for some in (cards, backs))
    return any(one.overlap(other) > ON_EACH_OTHER for n, one in enumerate(up) for other in (*up[:n], *down))


def _is_reached(cards: Sequence[Sighting], number: int | None) -> bool:
    """True if as many cards as people know of can be named, or more."""
    return number is not None and sum(card.face != UNREAD for card in cards) >= number


def disjoint(found: Iterable[Hypothesis]) -> list[Hypothesis]:
    """Return the first of the hypotheses, and those that share no part with one before: what is added to the layout
    changes nothing about them."""
    chosen = list[Hypothesis]()
    for one in found:
        if not any(one.shared(other) > 0 for other in chosen):
            chosen.append(one)
    return chosen


class CloseReader:
    """A card reader that returns the cards that ``reader`` finds, and all others of the layout that can be named.

    ``number``: of the cards that are expected; only a part of them may lie there."""

    def __init__(self, reader: CardReader, model: Model, fitted: LayoutModel, number: int | None = None) -> None:
        self._reader, self._model, self._fitted, self._number = reader, model, fitted, number

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        deck = Deck(faces)
        reading = self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)
        explanation = Explanation(pyramid(bgr), reading, self._model, self._fitted)
        for number in dict.fromkeys((self._number, None)):
            found = explanation.reading(number)
            known = tuple(card for card in found.cards if card.face != UNREAD and deck.holds(card.face))
            if len(known) == number:
                return replace(found, cards=known)
        return replace(found, cards=tuple(card for card in found.cards if card in reading.cards or card in known))


def _sighting(
    one: Hypothesis, others: Iterable[Sighting], weights: Mapping[str, float], size: tuple[int, int], *, may_name: bool
) -> Sighting:
    """Return the sighting of a card that was not read: its face if its index names it for certain, else ``?``."""
    others = list(others)
    doubts: tuple[Doubt, ...] = ("cut",)
    if _share_inside(one.quad, size) > LEGIBLE:
        is_covered = one.unread is not None or any(one.shared(outline_of(card)) > 0 for card in others)
        doubts = ("covered",) if is_covered else ("unclear",)
    under = _above(one, others) if doubts == ("covered",) else None
    if one.asked is not None:
        return replace(one.asked, under=under) if "covered" in one.asked.doubts else one.asked
    unknown = Sighting(UNREAD, 0.0, corners_of(one.quad), doubts=doubts, under=under)
    if one.unread is None:
        return unknown
    faces, odds = one.unread.faces, float(one.unread.features @ np.array([weights.get(n, 0.0) for n in INDEX_FEATURES]))
    best, *rest = np.argsort(-faces, kind="stable")[:CANDIDATES].tolist()
    confidence = min(1 / (1 + math.exp(-odds)), FAIRLY_SURE)
    is_twin = any(card.face == FACES[best] and overlap(one.quad, quad_of(card.corners_px)) > TWINS for card in others)
    if confidence >= SURE and may_name and not is_twin and doubts == ("covered",):
        runners_up = tuple(FACES[n] for n in rest)
        return Sighting(FACES[best], confidence, corners_of(one.quad), doubts=doubts, runners_up=runners_up)
    if is_twin:
        return unknown
    sure, chance = min(confidence, SURE), float(faces[best])
    scale = min(sure / chance, (1 - sure) / (1 - chance + LEAST))
    candidates = ((FACES[best], round(sure, 4)), *((FACES[n], round(float(faces[n] * scale), 4)) for n in rest))
    return replace(unknown, confidence=sure, candidates=candidates)


def _above(one: Outline, cards: Sequence[Sighting]) -> str | None:
    """Return the face of the card that shares most of an outline; ``None`` if none does."""
    shared = [(one.shared(outline_of(card)), card.face) for card in cards if card.face != UNREAD]
    most, face = max(shared, default=(0.0, ""))
    return face if most > 0 else None


def _without_pictures(reading: Reading) -> tuple[Reading, list[Sighting]]:
    """Return the reading without the pictures of cards, and these."""
    areas = [outline_of(card).area for card in (*reading.cards, *reading.backs) if card.face != UNREAD]
    least = SMALL * median(areas) if len(areas) >= FEW else 0.0
    small = [card for card in reading.cards if outline_of(card).area < least]
    return replace(reading, cards=tuple(card for card in reading.cards if card not in small)), small


def _lying(reading: Reading, layout: Layout) -> Reading:
    """Return the reading without what the evidence network takes for no card, though the reader named it. It says
    nothing in the light of a lamp of one color, of a wild, which it misses in little light, and where it sees no card
    at all."""
    shown = [layout.shown(quad_of(card.corners_px)) for card in reading.cards]
    if max(shown, default=0.0) < LIES_THERE:
        return reading
    kept = (one >= LIES_THERE or not _is_witnessed(card) for one, card in zip(shown, reading.cards, strict=True))
    return replace(reading, cards=tuple(compress(reading.cards, kept)))


def _is_witnessed(card: Sighting) -> bool:
    """True for a named card that the evidence network hardly misses."""
    face = card.candidates[0][0] if card.face == UNREAD and card.candidates else card.face
    return is_certain_card(card) and "lamp" not in card.doubts and not face.startswith("wild")


def _framed(card: Sighting, size: tuple[int, int]) -> Sighting:
    """Return ``?`` for a face of which too little lies in the picture."""
    if card.face == UNREAD or _share_inside(quad_of(card.corners_px), size) >= LEGIBLE:
        return card
    return replace(card, face=UNREAD, candidates=((card.face, card.confidence),), doubts=("cut",))


def _share_inside(quad: Quad, size: tuple[int, int]) -> float:
    """Return the fraction (0…1) of an outline that lies in a picture of this width and height (px)."""
    picture = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    return float(cv2.intersectConvexConvex(quad, picture)[0] / max(1.0, cv2.contourArea(quad)))
