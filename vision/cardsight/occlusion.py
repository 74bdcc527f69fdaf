"""Cards under other cards: looked for closer, believed less, and never passed over in silence.

Most pictures need none of this. Where outlines cross, though, the finder sees less of a card, so it looks at more
sizes; what lies under a card is told only if it is surer than a card that lies free; and what is likely a card, but
cannot be read, is a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

import cv2
import numpy as np

from cardsight.detector import LEAST_ODDS, DetectorPasses, Proposal, once
from cardsight.fusion import ConfidenceCalibration
from cardsight.geometry import CROP_H, CROP_W, Outline
from cardsight.nms import CERTAIN, TWO, Card, is_settled

AnyOutline = TypeVar("AnyOutline", bound=Outline)

WHOLE: Final = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32)

LOOKS_PX: Final = (192, 576, 960)
"""Longer sides of the small pictures at which the finder looks closer, beside those it looks at first."""
REPEAT: Final = 0.1
"""Of cards of a heap the middles are near each other: nearer than this part of the length they are one."""
UNDER: Final = 0.1
"""An outline that shares this part of itself with a card that was read may lie under it …"""
SHARED: Final = 0.2
"""… and a card that shares so much of itself with others is believed less."""
MISFIT: Final = 4.0
"""So much lower are the log odds of one that is not of the size of the surer cards it crosses: its outline is wrong."""
SIZES: Final = (0.85, 1.18)
ROUGH_SIZES: Final = (0.6, 1.6)
"""Sizes of what is a card, in those of the card it crosses, and of what is worth a closer look."""
FEW: Final = 2
"""With fewer certain cards than this the finder must be sure by itself: a hand has edges, too."""


ICON_DOUBT: Final = 2.0
"""The log odds of an Add-a-Rule icon on an occluded card are lower by this."""


class Trust(NamedTuple):
    """How far a card is believed: the ``calibration`` of its face, and how much lower the log odds of an icon are."""

    calibration: ConfidenceCalibration
    icon_doubt: float = 0.0


class Limits(NamedTuple):
    """What tells an outline of a card under others from one of a card that is known."""

    apart: float
    """Middles that are nearer than this part of a card's length are those of one card …"""
    alike: float
    """… and so are outlines more alike than this."""
    shown: float
    """What shows less of itself between cards that were read for certain is made up of their parts."""


READ: Final = Limits(0.15, TWO, 0.15)
ROUGH: Final = Limits(0.2, 0.45, 0.4)
"""Limits for outlines that the reader has set right, and for the finder's, which it has not taken for cards."""


def may_hide(read: Sequence[Card], found: Sequence[Proposal], cards: Sequence[Card]) -> bool:
    """Whether cards may lie under others: two that were read for certain cross each other, or one that was hardly read
    touches such a card, or an outline of about their size that none of them explains crosses one."""
    certain = _certain(cards)
    is_hard = any(card.chance < CERTAIN and card.shared(other) > 0 for card in cards for other in certain)
    is_pile = any(one.overlap(other) > UNDER for n, one in enumerate(certain) for other in certain[:n])
    return (
        is_hard or is_pile or bool(unread(face_up(read), cards) or unread(likely(found, cards), certain, ROUGH_SIZES))
    )


def closer(looks: DetectorPasses, cards: Sequence[Card]) -> list[Proposal]:
    """What closer looks propose beside the cards that were read for certain."""
    certain = _certain(cards)
    found = [proposal for side in LOOKS_PX if side <= looks.longer for proposal in looks.at(side)]
    return once([proposal for proposal in found if not is_settled(proposal, certain)], REPEAT)


def is_occlusion(areas_shared: float, area: float) -> bool:
    """True if a card shares so much of its ``area`` with others that it counts as occluded."""
    return areas_shared > SHARED * area


def trust_in(card: Card, cards: Sequence[Card], free: ConfidenceCalibration, occluded: ConfidenceCalibration) -> Trust:
    """Return how far a card is believed among the ``cards``, by the calibrations of free and of occluded cards."""
    others = [other for other in cards if other is not card]
    better = [other for other in _certain(others) if other.rank > card.rank and card.overlap(other) > UNDER]
    if not all(_is_sized(card, other, SIZES) for other in better):
        return Trust(free._replace(offset=free.offset - MISFIT), MISFIT)
    if is_occlusion(sum(card.shared(other) for other in others), card.area):
        return Trust(occluded, ICON_DOUBT)
    return Trust(free)


def face_up(read: Sequence[Card]) -> list[Card]:
    """What the reader takes for cards face up, surest first."""
    return sorted((card for card in read if not card.is_back), key=lambda card: -card.rank)


def likely(found: Sequence[Proposal], cards: Sequence[Card]) -> list[Proposal]:
    """What the finder takes for cards, surest first."""
    least = 0.0 if len(_certain(cards)) < FEW else LEAST_ODDS
    return sorted((proposal for proposal in found if proposal.odds >= least), key=lambda p: -p.odds)


def unread(
    outlines: Sequence[AnyOutline], cards: Sequence[Card], sizes: tuple[float, float] = SIZES
) -> list[AnyOutline]:
    """Of the outlines, surest first, those that lie under ``cards`` and are likely one themselves: none of them, of the
    size of one that they cross, be it a card or such an outline, and not hidden by cards that were read for certain."""
    return _under([one for one in _others(outlines, cards) if not _is_hidden(one, cards)], cards, sizes)


def mostly_hidden(outlines: Sequence[AnyOutline], cards: Sequence[Card]) -> list[AnyOutline]:
    """The same of those that are hidden by cards that were read for certain: they are made up of parts of these, or lie
    between them, as the cards of a close fan do."""
    return _under([one for one in _others(outlines, cards) if _is_hidden(one, cards)], cards, SIZES)


def _others(outlines: Sequence[AnyOutline], cards: Sequence[Card]) -> list[AnyOutline]:
    return [one for one in outlines if not any(_is_same(one, card) for card in cards)] if _certain(cards) else []


def _is_hidden(one: Outline, cards: Sequence[Card]) -> bool:
    return _shown(one, _certain(cards)) < _limits(one).shown


def _under(
    rest: Sequence[AnyOutline], cards: Sequence[Card], sizes: tuple[float, float]
) -> list[AnyOutline]:  # fmt: skip
    new = list[AnyOutline]()
    while under := next((one for one in rest if _is_under(one, [*cards, *new], sizes)), None):
        new.append(under)
        rest = [one for one in rest if not _is_same(one, under)]
    return new


def _certain(cards: Sequence[Card]) -> list[Card]:
    return [card for card in cards if card.chance >= CERTAIN]


def _is_same(one: Outline, other: Outline) -> bool:
    limits = _limits(one)
    return one.distance_to(other) < limits.apart * other.long or one.iou(other) > limits.alike


def _limits(one: Outline) -> Limits:
    return ROUGH if isinstance(one, Proposal) else READ


def _shown(one: Outline, cards: Sequence[Card]) -> float:
    """The part of an outline that none of the cards covers, 0…1."""
    shown = np.ones((CROP_H, CROP_W), np.uint8)
    matrix = cv2.getPerspectiveTransform(one.quad, WHOLE)
    for card in cards:
        if one.shared(card) > 0:
            covered = cv2.perspectiveTransform(card.quad[None], matrix)[0]
            cv2.fillConvexPoly(shown, np.rint(covered).astype(np.int32), 0)
    return float(shown.mean())


def _is_under(one: Outline, others: Sequence[Outline], sizes: tuple[float, float]) -> bool:
    return any(_is_sized(one, other, sizes) and one.overlap(other) > UNDER for other in others)


def _is_sized(one: Outline, other: Outline, sizes: tuple[float, float]) -> bool:
    return sizes[0] ** 2 * other.area < one.area < sizes[1] ** 2 * other.area
