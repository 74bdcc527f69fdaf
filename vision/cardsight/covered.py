"""Cards under other cards: looked for closer, believed less, and never passed over in silence.

Most pictures need none of this. Where outlines cross, though, the finder sees less of a card, so it looks at more
sizes; what lies under a card is told only if it is surer than a card that lies free; and what is likely a card, but
cannot be read, is a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from cardsight.distinct import CERTAIN, Card, is_settled
from cardsight.locate import Proposal, locate, once
from cardsight.model import Finders
from cardsight.outline import Outline
from cardsight.rectify import Image

LOOKS_PX: Final = (192, 576, 768)
"""Longer sides of the small pictures at which the finder looks closer, beside those it looks at first."""
UNDER: Final = 0.1
"""An outline that shares this part of itself with a card that was read may lie under it …"""
SHARED: Final = 0.2
"""… and a card that shares so much of itself with others is believed less:"""
DOUBT: Final = 2.0
"""its log odds of being right are lower by this. Measured on heaps and fans laid of photographed cards."""
SIZES: Final = (0.85, 1.18)
ROUGH_SIZES: Final = (0.6, 1.6)
"""Lengths of what is a card, in those of the cards that were read, and of what is worth a closer look."""
APART: Final = 0.2
"""Middles that are nearer than this part of the length are those of one card."""
KNOWN: Final = 0.45
"""What shares this part of both with a card that is known is this card."""
FEW: Final = 2
"""With fewer certain cards than this the finder must be sure by itself: a hand has edges, too."""


def may_hide(found: Sequence[Proposal], cards: Sequence[Card]) -> bool:
    """Whether cards may lie under others: one that was hardly read, or an outline of about their size that none of them
    explains, crosses one that was read for certain."""
    certain = _certain(cards)
    is_hard = any(card.chance < CERTAIN and _crosses(card, certain) for card in cards)
    return is_hard or bool(unread(found, certain, ROUGH_SIZES))


def closer(finders: Finders, levels: list[Image], cards: Sequence[Card]) -> list[Proposal]:
    """What closer looks propose beside the cards that were read for certain."""
    longer, certain = max(levels[0].shape[:2]), _certain(cards)
    looks = [proposal for side in LOOKS_PX if side <= longer for proposal in locate(finders, levels, side)]
    return once([proposal for proposal in looks if not is_settled(proposal, certain)])


def doubt(card: Card, cards: Sequence[Card]) -> float:
    """How much less its face is believed (log odds), since it may lie under others of the ``cards``."""
    shared = sum(card.shared(other) for other in cards if other is not card)
    return DOUBT if shared > SHARED * card.area else 0.0


def unread(found: Sequence[Proposal], cards: Sequence[Card], sizes: tuple[float, float] = SIZES) -> list[Proposal]:
    """What was proposed that lies under the ``cards`` and is likely one itself: of their size, and none of them."""
    certain = _certain(cards)
    if not certain or not found:
        return []
    usual = float(np.median([card.long for card in certain]))
    new: list[Proposal] = []
    for one in sorted(found, key=lambda p: -p.odds):
        is_sized = sizes[0] < one.long / usual < sizes[1]
        is_new = all(one.apart(other) >= APART * usual for other in (*cards, *new))
        if is_sized and is_new and _may_be_under(one, certain) and not any(_is_same(one, card) for card in cards):
            new.append(one)
    return new


def _certain(cards: Sequence[Card]) -> list[Card]:
    return [card for card in cards if card.chance >= CERTAIN]


def _may_be_under(proposal: Proposal, certain: Sequence[Card]) -> bool:
    is_likely = proposal.odds >= 0 or len(certain) >= FEW
    return is_likely and _crosses(proposal, certain)


def _crosses(outline: Outline, certain: Sequence[Card]) -> bool:
    return any(outline.overlap(card) > UNDER for card in certain)


def _is_same(one: Outline, other: Outline) -> bool:
    shared = one.shared(other)
    return shared > KNOWN * (one.area + other.area - shared)
