"""Cards that the edge of a picture cuts off.

A card of which too little lies in the picture is no card to the reader, so a sum of the others would be too low. The
detector finds it in small copies of the picture with padding around it: gray, as it was trained, and mirrored, where
the part of a card and its mirror image look like a card. Measured on drawn pictures and photographs.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Final

import cv2
import numpy as np

from cardsight.detector import Proposal, detect
from cardsight.geometry import Image, Outline, Quad, corners_of, quad_of
from cardsight.networks import Network
from cardsight.sighting import Reading, Sighting
from cardsight.table_colors import TableColors, uncovered
from croupier_rules.cards import UNREAD

PASSES: Final = ((256, cv2.BORDER_CONSTANT), (192, cv2.BORDER_REFLECT), (256, cv2.BORDER_REFLECT))
"""Longer side (px) and kind of the padding of each pass."""
PADDING_PX: Final = 64
INSIDE: Final = (0.25, 0.95)
"""Fraction of an outline that lies in the picture. Below it, an outline is the mirror image of a whole card."""
SIZES: Final = (0.6, 1.6)
"""Length relative to the median of the cards that were read."""
EXPLAINED: Final = 0.5
"""Fraction of the part in the picture that other cards cover, from which an outline is no other card."""
REPEAT: Final = 0.2
"""Distance between centers (card lengths) below which two outlines are one card."""
TABLE: Final = 0.05
"""Fraction of the uncovered part in the picture whose colors the table does not have, up to which it is table."""
LEGIBLE: Final = 0.6
"""Fraction in the picture from which a face that was read counts."""


def with_cards_at_edge(levels: list[Image], reading: Reading, detector: Network) -> Reading:
    """Add a ``?`` for each card that the edge of the picture (a `pyramid`) cuts off; a face of which too little lies in
    it becomes ``?``, too. Without a card that was read, the size of a card is unknown, and nothing is added."""
    seen = (*reading.cards, *reading.backs)
    known = [Outline(quad_of(card.corners_px)) for card in seen]
    sure = [one.long for one, card in zip(known, seen, strict=True) if card.face != UNREAD]
    if not sure:
        return reading
    width, height = reading.size
    picture = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    long = median(sure)
    shortest, longest = (factor * long for factor in SIZES)
    cut, others = list[Proposal](), list[Outline](known)
    for one in _proposals(levels, detector):
        part = _common_part(one.quad, picture)
        share = _area(part) / one.area if one.area else 0.0
        if not (INSIDE[0] <= share < INSIDE[1] and shortest < one.long < longest):
            continue
        covered = sum(_area(_common_part(part, other.quad)) for other in others)
        if covered > EXPLAINED * _area(part) or any(one.distance_to(o) < REPEAT * o.long for o in others):
            continue
        others.append(one)
        cut.append(one)
    colors = TableColors(levels, others, long)
    strange = (colors.strange(levels, one.quad, uncovered(one.quad, known, reading.size)) for one in cut)
    more = [
        Sighting(UNREAD, one.chance, corners_of(one.quad), doubts=("cut",))
        for one, value in zip(cut, strange, strict=True)
        if value > TABLE
    ]
    return replace(reading, cards=(*(_doubted(card, picture) for card in reading.cards), *more))


def _proposals(levels: list[Image], detector: Network) -> list[Proposal]:
    found = [one for side, kind in PASSES for one in detect(detector, levels, side, PADDING_PX, kind)]
    return sorted(found, key=lambda one: -one.odds)


def _doubted(card: Sighting, picture: Quad) -> Sighting:
    quad = quad_of(card.corners_px)
    if card.face == UNREAD or _area(_common_part(quad, picture)) >= LEGIBLE * cv2.contourArea(quad):
        return card
    return replace(card, face=UNREAD, candidates=((card.face, card.confidence),), doubts=("cut",))


def _common_part(one: Quad, other: Quad) -> Quad:
    """Return the common part of two convex outlines; it may be empty."""
    _size, part = cv2.intersectConvexConvex(one, other)
    return np.asarray(part if part is not None else np.zeros((0, 2)), np.float32).reshape(-1, 2)


def _area(part: Quad) -> float:
    return cv2.contourArea(part) if len(part) > 2 else 0.0
