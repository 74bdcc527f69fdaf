"""Explanation: the cards of a picture by its layout (`cardsight.layout`), and a ``?`` for each card that the layout
needs and that cannot be named.

The likeliest hypothesis becomes part of the layout, and the rest is looked at again, until nothing likely is left. If
people know the number of cards, the likeliest cards of that number are all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from cardsight.classify import FACES
from cardsight.decision import CANDIDATES, SURE, Deck
from cardsight.doubts import FAIRLY_SURE
from cardsight.geometry import Image, Outline, Quad, corners_of, overlap, pyramid, quad_of
from cardsight.indices import FEATURES as INDEX_FEATURES
from cardsight.indices import LEAST
from cardsight.layout import MOST, Hypothesis, LayoutModel, Picture, odds_of, outline_of
from cardsight.model import Model
from cardsight.sighting import Doubt, Reading, Sighting
from croupier_rules.cards import UNREAD

if TYPE_CHECKING:
    from cardsight.track.cards import CardReader

TWINS: Final = 0.05
"""Overlap with a card of the same face from which a card is not named: that one may have been read along a wrong
outline."""
LEGIBLE: Final = 0.6
"""Fraction in the picture from which a face that was read counts."""
SMALL: Final = 0.4
FEW: Final = 3
"""Area, relative to the median of at least so many cards, below which a card is a picture of one, as on a box: all
cards of a deck are of one size, and the farthest card of an oblique table has 0.7 (`training.photos`, table-b)."""
QUESTION: Final = -1.0
"""Log odds from which a hypothesis is a card."""
POSSIBLE: Final = -4.0
"""Log odds from which an index may be that of a card, if people know that there are more cards than were found."""
SPEAKS_AGAINST: Final = 0.0
"""Log odds from which a card speaks against a number that is reached: it is likelier there than not."""
DOUBTED: Final = 0.6
"""Probability that any card is missing in the layout, from which the likeliest one is asked for."""


def explained(
    image: Image,
    reading: Reading,
    model: Model,
    fitted: LayoutModel,
    *,
    may_name: bool = True,
    number: int | None = None,
) -> Reading:
    """Return the layout of a picture: the cards that were read, those that only their index names, and a ``?`` for each
    card that the layout needs and that cannot be named.

    ``may_name``: False for a deck whose colors mean others: a card of which only an index shows is ``?``. ``number``:
    of the cards, if people know it. So many of the likeliest cards that can be named are then all that lie there, and
    nothing is asked; if fewer can be named, each other card is ``?``. A further card that can be named and is likelier
    there than not speaks against the number: it is one of the cards returned, which are then more than people know of.
    """
    if model.corner is None or not (reading.cards or reading.backs):
        return reading
    began = perf_counter()
    reading, small = _without_pictures(reading)
    cards = [_framed(card, reading.size) for card in reading.cards if card.face != UNREAD]
    picture = Picture(pyramid(image), reading, model, fitted.evidence)
    for card in small:
        picture.layout.add(outline_of(card))
    cards = complete(picture, cards, fitted, reading.size, may_name=may_name, number=number)
    spent = (perf_counter() - began) * 1000
    return replace(reading, cards=tuple(cards), ms=reading.ms + spent, stages_ms={**reading.stages_ms, "layout": spent})


def complete(
    picture: Picture, read: Sequence[Sighting], fitted: LayoutModel, size: tuple[int, int], *, may_name: bool,
    number: int | None,
) -> list[Sighting]:  # fmt: skip
    """Return the cards ``read`` of a picture of this ``size`` (px) and those that complete the layout, see
    `explained`."""
    cards = list(read)
    for propose, at_least in ((picture.by_index, QUESTION), (picture.by_cells, QUESTION), (picture.by_index, POSSIBLE)):
        if at_least == POSSIBLE and number is None:
            break
        for _round in range(MOST):
            least = SPEAKS_AGAINST if _is_reached(cards, number) else at_least
            if not (likely := [one for one in propose() if odds_of(one, fitted.layout) > least]):
                break
            for one in disjoint(sorted(likely, key=lambda one: -odds_of(one, fitted.layout))):
                if _is_reached(cards, number) and odds_of(one, fitted.layout) <= SPEAKS_AGAINST:
                    break
                picture.add(one)
                card = _sighting(one, cards, fitted.index, size, may_name=may_name)
                if at_least == QUESTION or card.face != UNREAD:
                    cards.append(card)
    if _is_reached(cards, number):
        return [card for card in cards if card.face != UNREAD]
    if number is None and not any(card.face == UNREAD for card in cards):
        rest = sorted((*picture.by_index(), *picture.by_cells()), key=lambda one: odds_of(one, fitted.layout))
        if rest and chance_of_any([odds_of(one, fitted.layout) for one in rest]) > DOUBTED:
            cards.append(_sighting(rest[-1], cards, fitted.index, size, may_name=False))
        else:
            cards += [
                Sighting(UNREAD, 0.0, corners_of(one), doubts=("covered",), under=_above(Outline(one), cards))
                for one in picture.layout.seams()[:1]
            ]
    return cards


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


def chance_of_any(odds: Sequence[float]) -> float:
    """Return the probability (0…1) that any of the hypotheses with these log odds is a card."""
    return float(1 - np.prod(1 / (1 + np.exp(np.clip(odds, -30, 30)))))


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
    others = list(others)
    under = _above(one, others) if doubts == ("covered",) else None
    if one.asked is not None:
        return replace(one.asked, under=under) if "covered" in one.asked.doubts else one.asked
    if one.unread is None:
        return Sighting(UNREAD, 0.0, corners_of(one.quad), doubts=doubts, under=under)
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
    return Sighting(UNREAD, sure, corners_of(one.quad), candidates=candidates, doubts=doubts, under=under)


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


def _framed(card: Sighting, size: tuple[int, int]) -> Sighting:
    """Return ``?`` for a face of which too little lies in the picture."""
    if _share_inside(quad_of(card.corners_px), size) >= LEGIBLE:
        return card
    return replace(card, face=UNREAD, candidates=((card.face, card.confidence),), doubts=("cut",))


def _share_inside(quad: Quad, size: tuple[int, int]) -> float:
    """Return the fraction (0…1) of an outline that lies in a picture of this width and height (px)."""
    picture = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    return float(cv2.intersectConvexConvex(quad, picture)[0] / max(1.0, cv2.contourArea(quad)))
