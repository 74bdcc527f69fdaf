"""One entry for each card: of several outlines of the same card the best stays, and what is a part of a card goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from cardsight.classify import BACK, FACE, Classification
from cardsight.detector import Proposal
from cardsight.geometry import Outline

SAME: Final = 0.55
"""Two outlines that share this part of the smaller one are the same card."""
TWO: Final = 0.65
"""… unless two faces were read for certain, and the outlines are less alike than this: one lies under the other."""
GHOST: Final = 0.3
TOUCHING: Final = 0.15
"""What looks like no face in particular and shares this part with a card is made up of parts of its neighbors."""
PART: Final = 0.75
"""Cards are of one size: what is shorter than this part of those read for certain, and uncertain, is part of a card."""
CERTAIN_PART: Final = 0.4
"""… and what is shorter than this part of the longest, however certain: no table is seen so slanted."""
WITHIN: Final = 0.9
"""… and what is that short and has this part of itself inside a card is part of that card."""
CERTAIN: Final = 0.8
"""Probability of a face from which a card counts as read for certain."""


@dataclass(frozen=True, eq=False)
class Card(Outline):
    """An outline that holds a card: what was read, and how sure it is (0…1) that one lies there."""

    classification: Classification
    score: float

    @cached_property
    def chance(self) -> float:
        """The probability of its likeliest face, or of its being a back."""
        return float(self.classification.kinds[BACK] if self.is_back else self.classification.faces.max())

    @cached_property
    def rank(self) -> float:
        """Of outlines that are the same card the one of the highest rank (0…2) stays."""
        return self.score * (1 + self.chance)

    @cached_property
    def is_back(self) -> bool:
        """Whether it lies face down."""
        return bool(self.classification.kinds[BACK] > self.classification.kinds[FACE])


def suppress(cards: list[Card]) -> list[Card]:
    """The cards, each once, the most certain first."""
    kept: list[Card] = []
    cards = [card for card in cards if not any(_is_part(card, other) for other in cards)]
    for card in sorted(cards, key=lambda c: -c.rank):
        if not any(_is_same(card, better) for better in kept):
            kept.append(card)
    certain = [card.long for card in kept if card.chance >= CERTAIN]
    if not certain:
        return kept
    least, least_certain = PART * float(np.median(certain)), CERTAIN_PART * max(certain)
    return [card for card in kept if card.long >= (least_certain if card.chance >= CERTAIN else least)]


def is_settled(proposal: Proposal, cards: list[Card]) -> bool:
    """Whether the proposal can only be a lesser outline of a card that was read, which would be thrown out again."""
    return any(
        CERTAIN_PART * proposal.long < card.long
        and card.rank > 2 * proposal.chance
        and card.overlap(proposal) > SAME
        and (proposal.long < PART * card.long or card.iou(proposal) >= TWO)
        for card in cards
    )


def _is_same(card: Card, better: Card) -> bool:
    if card.chance < GHOST:
        return card.overlap(better) >= TOUCHING
    return card.overlap(better) >= SAME and not (_are_two(card, better) and card.iou(better) < TWO)


def _are_two(one: Card, other: Card) -> bool:
    """Whether both were read for certain, and as different faces."""
    if min(one.chance, other.chance) < CERTAIN or one.is_back or other.is_back:
        return False
    return int(one.classification.faces.argmax()) != int(other.classification.faces.argmax())


def _is_part(card: Card, whole: Card) -> bool:
    """Whether ``card`` is the corner or the picture of another one, which is as likely a card and much longer."""
    return card.long < CERTAIN_PART * whole.long and whole.chance >= CERTAIN and card.overlap(whole) > WITHIN
