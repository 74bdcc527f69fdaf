"""Occluded cards: a second detection at more sizes, lower trust, and ``?`` for what cannot be read.

Most pictures skip this step. Where outlines overlap, the detector sees less of each card, so it examines more sizes. A
card under others needs more confidence than a free one. An outline that is likely a card but cannot be read is reported
as ``?``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.detector import LEAST_ODDS, DetectorPasses, Proposal, deduplicated
from cardsight.fusion import ConfidenceCalibration
from cardsight.geometry import CROP_H, CROP_W, Outline, Quad
from cardsight.nms import CERTAIN, TWO, Card, is_redundant

AnyOutline = TypeVar("AnyOutline", bound=Outline)

WHOLE: Final[Quad] = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32)
"""Corners of a card in a crop without a margin (px)."""
PASSES_PX: Final = (192, 576, 960)
"""Longer sides (px) of the additional detection passes."""
REPEAT: Final = 0.1
"""Distance between centers (card lengths) below which two proposals in a heap are one card."""
MOST: Final = 32
"""Maximum number of proposals of these passes that are classified, and of those that are classified roughly: a heap of
twice as many cards hides most of them. It bounds the time on grounds full of outlines, such as lace."""
UNDER: Final = 0.1
"""Overlap with a certain card from which an outline may lie under it."""
SHARED: Final = 0.2
"""Fraction of its area shared with other cards from which a card counts as occluded."""
MISFIT: Final = 4.0
"""Reduction of the log odds of a card whose size differs from that of the more certain cards it overlaps: its outline
is wrong."""
SIZES: Final = (0.85, 1.18)
ROUGH_SIZES: Final = (0.6, 1.6)
"""Size limits relative to an overlapping card: for an outline that counts as a card, and for one that is worth a second
detection."""
FEW: Final = 2
"""Number of certain cards below which a proposal needs even odds: a hand has edges, too."""


ICON_DOUBT: Final = 2.0
"""Reduction of the log odds of an Add-a-Rule icon on an occluded card."""


class Trust(NamedTuple):
    """Trust in the evidence on a card. ``icon_doubt``: reduction of the log odds of an icon. ``most``: highest
    confidence (0…1). ``is_free``: no other card lies over the card or beside it."""

    calibration: ConfidenceCalibration
    icon_doubt: float = 0.0
    most: float = 1.0
    is_free: bool = False


class Limits(NamedTuple):
    """Limits that distinguish an outline of an occluded card from another outline of a known card."""

    apart: float
    """Distance between centers (card lengths) below which both outlines are of one card."""
    alike: float
    """IoU above which both outlines are of one card."""
    shown: float
    """Visible fraction, between certain cards, below which an outline consists of parts of these cards."""


READ: Final = Limits(0.15, TWO, 0.15)
ROUGH: Final = Limits(0.2, 0.45, 0.4)
"""Limits for outlines refined by the reader, and for proposals that the reader did not take for cards."""


def may_hide(read: Sequence[Card], found: Sequence[Proposal], cards: Sequence[Card]) -> bool:
    """True if cards may lie under others.

    Either two certain cards overlap, or an uncertain card touches a certain one, or an outline of about their size that
    no card explains overlaps one.
    """
    certain = _certain(cards)
    is_hard = any(card.chance < CERTAIN and card.shared(other) > 0 for card in cards for other in certain)
    is_pile = any(one.overlap(other) > UNDER for n, one in enumerate(certain) for other in certain[:n])
    return (
        is_hard or is_pile or bool(unread(face_up(read), cards) or unread(likely(found, cards), certain, ROUGH_SIZES))
    )


def more_proposals(passes: DetectorPasses, cards: Sequence[Card]) -> list[Proposal]:
    """Return the proposals of the additional passes, without those of certain cards: `MOST`, best first."""
    certain = _certain(cards)
    found = [proposal for side in PASSES_PX if side <= passes.longer for proposal in passes.at(side)]
    return deduplicated([proposal for proposal in found if not is_redundant(proposal, certain)], REPEAT)[:MOST]


def uncovered(quad: Quad, others: Iterable[Quad], crop: Quad = WHOLE) -> NDArray[np.uint8]:
    """Return a mask (``CROP_H``, ``CROP_W``) of 0 and 1: which px of a card's crop lie in none of the ``others``.
    ``crop``: the corners of the card in it."""
    mask = np.ones((CROP_H, CROP_W), np.uint8)
    matrix = cv2.getPerspectiveTransform(quad, crop)
    for other in others:
        if cv2.intersectConvexConvex(quad, other)[0] > 0:
            there = cv2.perspectiveTransform(other[None].astype(np.float32), matrix)[0]
            cv2.fillConvexPoly(mask, np.clip(np.rint(there), -9999, 9999).astype(np.int32), 0)
    return mask


def is_occlusion(areas_shared: float, area: float) -> bool:
    """True if the shared area makes the card count as occluded."""
    return areas_shared > SHARED * area


def trust_in(card: Card, cards: Sequence[Card], free: Trust, occluded: ConfidenceCalibration) -> Trust:
    """Return the trust in a card among the ``cards``: ``free`` unless others touch it."""
    others = [other for other in cards if other is not card]
    better = [other for other in _certain(others) if other.rank > card.rank and card.overlap(other) > UNDER]
    if not all(_is_sized(card, other, SIZES) for other in better):
        calibration = free.calibration
        return Trust(calibration._replace(offset=calibration.offset - MISFIT), MISFIT, free.most)
    if is_occlusion(sum(card.shared(other) for other in others), card.area):
        return Trust(occluded, ICON_DOUBT, free.most)
    return free


def face_up(read: Sequence[Card]) -> list[Card]:
    """Return the cards face up, the surest first."""
    return sorted((card for card in read if not card.is_back), key=lambda card: -card.rank)


def likely(found: Sequence[Proposal], cards: Sequence[Card]) -> list[Proposal]:
    """Return the proposals that are likely cards, the surest first."""
    least = 0.0 if len(_certain(cards)) < FEW else LEAST_ODDS
    return sorted((proposal for proposal in found if proposal.odds >= least), key=lambda p: -p.odds)


def unread(
    outlines: Sequence[AnyOutline], cards: Sequence[Card], sizes: tuple[float, float] = SIZES
) -> list[AnyOutline]:
    """Return the outlines (surest first) that are likely cards under ``cards``.

    Such an outline is not one of the cards, has the size of a card or of another such outline that it overlaps, and is
    not hidden by certain cards.
    """
    return _under([one for one in _others(outlines, cards) if not _is_hidden(one, cards)], cards, sizes)


def mostly_hidden(outlines: Sequence[AnyOutline], cards: Sequence[Card]) -> list[AnyOutline]:
    """As `unread`, for outlines that certain cards hide: parts of these cards, or cards of a close fan between them."""
    return _under([one for one in _others(outlines, cards) if _is_hidden(one, cards)], cards, SIZES)


def _others(outlines: Sequence[AnyOutline], cards: Sequence[Card]) -> list[AnyOutline]:
    return [one for one in outlines if not any(_is_same(one, card) for card in cards)] if _certain(cards) else []


def _is_hidden(one: Outline, cards: Sequence[Card]) -> bool:
    shown = uncovered(one.quad, [card.quad for card in _certain(cards) if one.shared(card) > 0])
    return bool(shown.mean() < _limits(one).shown)


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


def _is_under(one: Outline, others: Sequence[Outline], sizes: tuple[float, float]) -> bool:
    return any(_is_sized(one, other, sizes) and one.overlap(other) > UNDER for other in others)


def _is_sized(one: Outline, other: Outline, sizes: tuple[float, float]) -> bool:
    return sizes[0] ** 2 * other.area < one.area < sizes[1] ** 2 * other.area
