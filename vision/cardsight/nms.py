"""Non-maximum suppression: one entry for each card.

Of several outlines of one card the best stays. Outlines of parts of a card are removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Final

from cardsight.classify import BACK, FACE, FACES, Classification
from cardsight.detector import Proposal
from cardsight.geometry import Outline
from croupier_rules.cards import WILDS

SAME: Final = 0.55
"""Overlap (0…1) from which two outlines are the same card."""
TWO: Final = 0.65
"""IoU below which two overlapping outlines are two cards, if two different faces were read with certainty."""
GHOST: Final = 0.3
TOUCHING: Final = 0.15
"""Overlap with a better card from which an outline with a face probability below GHOST is removed: it consists of parts
of its neighbors."""
PART: Final = 0.75
"""Minimum length of an uncertain card, as a fraction of the median length of the certain ones. All cards are of one
size."""
CERTAIN_PART: Final = 0.4
"""Minimum length of any card, as a fraction of the longest. No camera looks at a table so obliquely."""
WITHIN: Final = 0.9
"""Overlap from which such a short outline is a part of the card around it."""
CERTAIN: Final = 0.8
"""Probability of a face from which a card counts as certain."""


@dataclass(frozen=True, eq=False)
class Card(Outline):
    """An outline that holds a card. ``score``: probability (0…1) that a card lies there."""

    classification: Classification
    score: float

    @cached_property
    def chance(self) -> float:
        """Probability (0…1) of the best face, or of the back."""
        return float(self.classification.kinds[BACK] if self.is_back else self.classification.faces.max())

    @cached_property
    def rank(self) -> float:
        """Order of suppression: of outlines of one card, the highest rank (0…2) stays."""
        return self.score * (1 + self.chance)

    @cached_property
    def is_back(self) -> bool:
        """True if the card lies face down."""
        return bool(self.classification.kinds[BACK] > self.classification.kinds[FACE])

    @cached_property
    def is_wild(self) -> bool:
        """True if the most likely face has no color."""
        return FACES[int(self.classification.faces.argmax())] in WILDS


def suppress(cards: list[Card]) -> list[Card]:
    """Return each card once, the most certain first."""
    best_cards: list[Card] = []
    cards = [card for card in cards if not any(_is_part(card, other) for other in cards)]
    for card in sorted(cards, key=lambda c: -c.rank):
        if not any(_is_same(card, better) for better in best_cards):
            best_cards.append(card)
    certain = [card.long for card in best_cards if card.chance >= CERTAIN]
    if not certain:
        return best_cards
    least, least_certain = PART * median(certain), CERTAIN_PART * max(certain)
    return [card for card in best_cards if card.long >= (least_certain if card.chance >= CERTAIN else least)]


def is_redundant(proposal: Proposal, cards: list[Card]) -> bool:
    """True if the proposal can only be a worse outline of a card that was read: suppression would remove it."""
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
    """True if both cards are certain and have different faces."""
    if min(one.chance, other.chance) < CERTAIN or one.is_back or other.is_back:
        return False
    return int(one.classification.faces.argmax()) != int(other.classification.faces.argmax())


def _is_part(card: Card, whole: Card) -> bool:
    """True if ``card`` is a part of ``whole``, such as its corner or its picture: much shorter, and inside a certain
    card."""
    return card.long < CERTAIN_PART * whole.long and whole.chance >= CERTAIN and card.overlap(whole) > WITHIN
