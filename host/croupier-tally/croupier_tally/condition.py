"""Finds foreign and worn cards by comparing each card with the others of the deck.

Straightened gray prints (`cardsight.enroll.profile`) of all cards of the same symbol are compared: a card of another
print differs from most of them, whatever its color. That distinguishes classic, modern and white-circle prints, but not
printings that differ only in shade.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import cv2
import numpy as np

from cardsight.classify import sign_of
from cardsight.enroll.outlines import is_same, outlines
from cardsight.enroll.profile import DeckProfile, Vector, print_of, similarities, upside_down
from cardsight.geometry import CROP_H, CROP_W, Image, corners_of, overlap, pyramid, quad_of, warp_crop
from cardsight.sighting import Corners, Sighting
from croupier.i18n import _
from croupier.pictures.readings import Seen
from croupier_rules.cards import UNREAD

OTHER_PRINT: Final = 0.66
"""Similarity (0–1) below which a card is of another print: its second greatest to cards of the same symbol, since a
card of another deck seldom comes without its twin. Photographed decks stay above 0.7; 99 of 100 cards of another print
stay below 0.65."""
FEWEST: Final = 3
"""Number of other cards of a symbol that are needed to know the print of the deck."""
DOUBTFUL: Final = 0.97
"""Confidence below which a card is hard to read, if the median of the deck is above."""
SOFT: Final = 0.45
PALE: Final = 0.7
"""Fractions of the median sharpness and contrast of the same symbol in the same picture, below which a print is soft or
pale."""
DAMAGED: Final = 0.2
"""A face is damaged if its similarity is so much below the median of the deck."""
LEAST_CONTRAST: Final = 12.0
"""Contrast, in gray levels, below which nothing printed can be compared."""
BESIDE: Final = 0.05
"""Overlap (0–1) with a card that was read, above which a shape is only made up of parts of cards."""
SAME_SIZE: Final = 0.8
"""Smallest ratio of the areas of a card and of a shape that counts as a card of another game."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a card: its picture, its face (``None``: a card of another game), its place, and reasons."""

    image: str
    card: str | None
    corners_px: Corners
    why: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Its entry in the last line of `croupier audit --json`."""
        quad = [[round(x, 1), round(y, 1)] for x, y in self.corners_px]
        return {"image": self.image, "card": self.card, "quad": quad, "why": list(self.why)}


@dataclass(frozen=True, slots=True, eq=False)
class CardPrint:
    """A card that was read, with the features that show its condition.

    ``symbol``: without the color (`sign_of`). ``prints``: upright and turned, shape (2, D).
    """

    image: str
    sighting: Sighting
    symbol: str
    prints: Vector
    sharpness: float
    contrast: float


class Condition:
    """Collects the cards of all pictures and then finds the foreign and the worn ones.

    The print of the deck is that of its ``profile``; without a profile, the print that most cards have.
    """

    def __init__(self, profile: DeckProfile | None = None) -> None:
        self._profile = profile
        self._cards: list[CardPrint] = []
        self._other_game_cards: list[Remark] = []
        self._similarities: dict[int, float] | None = None

    def add(self, seen: Seen) -> None:
        """Add the cards of a picture. Of covered ones too little shows to judge them."""
        levels = pyramid(seen.picture)
        for card in seen.reading.cards:
            if (
                card.face != UNREAD
                and "covered" not in card.doubts
                and (shown := _card_print(seen.image, card, warp_crop(levels, quad_of(card.corners_px))))
            ):
                self._cards.append(shown)
        self._similarities = None
        self._other_game_cards += [strange for strange in _other_games(seen) if not self._is_reported(strange, seen)]

    def is_foreign(self, card: CardPrint) -> bool:
        """True if a card is of another print than the deck."""
        similarity = self._similarity(card)
        return similarity is not None and similarity < OTHER_PRINT

    def foreign(self) -> list[Remark]:
        """Return the cards of another print and the cards of another game."""
        others = [
            _remark(card, _("printed differently from the rest of the deck"))
            for card in self._cards
            if self.is_foreign(card)
        ]
        return [*others, *self._other_game_cards]

    def worn(self) -> list[Remark]:
        """Return the cards of this deck that are doubtful, blurred, pale or damaged."""
        own = [card for card in self._cards if not self.is_foreign(card)]
        remarks = [_remark(card, *self._signs_of_wear(card, own)) for card in own]
        return [remark for remark in remarks if remark.why]

    def _is_reported(self, strange: Remark, seen: Seen) -> bool:
        """True if this card of another game was found at the same place earlier in the same video."""
        here = quad_of(strange.corners_px)
        return bool(seen.other_cards) and any(
            is_same(here, quad_of(other.corners_px)) for other in self._other_game_cards
        )

    def _signs_of_wear(self, card: CardPrint, own: Sequence[CardPrint]) -> Iterator[str]:
        """Yield the signs of wear of a card, compared with the ``own`` cards of the deck."""
        usual = median(other.sighting.confidence for other in own)
        if card.sighting.confidence < DOUBTFUL <= usual:
            read, others = f"{card.sighting.confidence:.0%}", f"{usual:.1%}"
            yield _("read with a confidence of {read}, the others with {others}", read=read, others=others)
        alike = [other for other in own if other.symbol == card.symbol and other is not card]
        nearby = [other for other in alike if other.image == card.image]
        if len(nearby) >= FEWEST:
            if card.sharpness < SOFT * median(other.sharpness for other in nearby):
                yield _("its print is blurred")
            if card.contrast < PALE * median(other.contrast for other in nearby):
                yield _("its print is faded")
        similarity = self._similarity(card)
        if similarity is not None and similarity < median(self._all_similarities().values()) - DAMAGED:
            yield _("its face differs from the others: stained, scratched, bent, covered or in glare")

    def _similarity(self, card: CardPrint) -> float | None:
        """Return the similarity (0–1) of a card to its symbol in this deck; ``None`` if too few are known."""
        return self._all_similarities().get(id(card))

    def _all_similarities(self) -> dict[int, float]:
        if self._similarities is None:
            compared = {id(card): self._similarity_to_deck(card) for card in self._cards}
            self._similarities = {card: similarity for card, similarity in compared.items() if similarity is not None}
        return self._similarities

    def _similarity_to_deck(self, card: CardPrint) -> float | None:
        if self._profile is not None:
            learned = np.array([sign_of(other.face) == card.symbol for other in self._profile.cards], bool)
            if learned.any():
                return float(similarities(card.prints[0], self._profile.prints()[learned]).max())
        others = [other.prints for other in self._cards if other is not card and other.symbol == card.symbol]
        return float(np.sort(similarities(card.prints[0], np.array(others)))[-2]) if len(others) >= FEWEST else None


def _card_print(image: str, card: Sighting, straight: Image) -> CardPrint | None:
    """Measure print, sharpness and contrast of a card; ``None`` if there is nothing printed."""
    inner = straight.min(axis=2)[CROP_H // 8 : -CROP_H // 8, CROP_W // 8 : -CROP_W // 8]
    low, high = (float(level) for level in np.percentile(inner, (5, 95)))
    if high - low < LEAST_CONTRAST:
        return None
    edges = float(np.percentile(np.abs(cv2.Laplacian(inner, cv2.CV_32F)), 95))
    prints = np.array([print_of(straight), print_of(upside_down(straight))], np.float32)
    return CardPrint(image, card, sign_of(card.face), prints, edges / (high - low), high - low)


def _other_games(seen: Seen) -> list[Remark]:
    """Find shapes of the form and size of cards that are neither read nor face down."""
    quads = [quad_of(card.corners_px) for card in (*seen.reading.cards, *seen.reading.backs, *seen.other_cards)]
    if len(quads) < FEWEST:
        return []
    usual = float(np.median([cv2.contourArea(quad) for quad in quads]))
    found = []
    for quad in outlines(seen.picture, by_edges=False):
        size = cv2.contourArea(quad) / usual
        if SAME_SIZE < size < 1 / SAME_SIZE and not any(overlap(quad, other) > BESIDE for other in quads):
            found.append(Remark(seen.image, None, corners_of(quad), (_("shaped like a card, but none of this game"),)))
    return found


def _remark(card: CardPrint, *why: str) -> Remark:
    return Remark(card.image, card.sighting.face, card.sighting.corners_px, why)
