"""Which cards of a deck are not of its print, and which are worn: each against the others of the same deck.

The prints are compared in gray, straightened (`cardsight.enroll.profile`), with all cards of the same symbol: a card
of another print differs from most of them, whatever its color. Classic, modern and white-circle prints are told apart
so; printings that differ in shade only are not.
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
from cardsight.enroll.profile import DeckProfile, Vector, most_alike, print_of, upside_down
from cardsight.geometry import CUT_H, CUT_W, Image, corners_of, cut, overlap, pyramid, quad_of
from cardsight.sighting import Corners, Sighting
from croupier.cards import UNREAD
from croupier.i18n import _
from croupier.pictures.readings import Seen

OTHER_PRINT: Final = 0.66
"""Likeness by print below which a card is of another print than the deck: its second greatest to the cards of the same
symbol, since a card of another deck seldom comes without its twin. Photographed decks stay above 0.7, of cards of
another print 99 of 100 stay below 0.65."""
FEWEST: Final = 3
"""So many other cards of a symbol must be seen to say what the print of the deck is."""
DOUBTFUL: Final = 0.97
"""A card told with less confidence reads badly, where the middle one of the deck is told with more."""
SOFT: Final = 0.45
PALE: Final = 0.7
"""A print is soft, or pale, below this part of the sharpness, or contrast, of the middle one of its symbol in the same
picture."""
DAMAGED: Final = 0.2
"""A face is damaged where it is so much less like the others than the middle card of the deck is."""
LEAST_CONTRAST: Final = 12.0
"""Gray levels; a card that shows less has nothing printed that could be compared."""
BESIDE: Final = 0.05
"""It shares no more than this part with a card that was read: else it is made up of parts of its neighbors."""
SAME_SIZE: Final = 0.8
"""What is shaped like a card and has its size but for this part is a card of another game."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about one card: in which picture, which face (``None``: of no game of ours), where, and what."""

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
    """One card that was read, with what its condition is judged by. ``symbol``: what is printed, whatever the color
    (`sign_of`); ``prints``: upright and turned, (2, D)."""

    image: str
    sighting: Sighting
    symbol: str
    prints: Vector
    sharpness: float
    contrast: float


class Condition:
    """Collects the cards of all pictures, and then tells the foreign and the worn ones. With a ``profile`` of the deck
    its print is known; without, it is what most cards have."""

    def __init__(self, profile: DeckProfile | None = None) -> None:
        self._profile = profile
        self._shown: list[CardPrint] = []
        self._strange: list[Remark] = []
        self._known: dict[int, float] | None = None

    def add(self, seen: Seen) -> None:
        """Take in the cards of a picture that are read."""
        levels = pyramid(seen.picture)
        for card in seen.reading.cards:
            if card.face != UNREAD and (shown := _shown(seen.image, card, cut(levels, quad_of(card.corners_px)))):
                self._shown.append(shown)
        self._known = None
        self._strange += [strange for strange in _other_games(seen) if not self._was_told(strange, seen)]

    def is_foreign(self, card: CardPrint) -> bool:
        """Whether a card is of another print than the deck."""
        likeness = self._likeness(card)
        return likeness is not None and likeness < OTHER_PRINT

    def foreign(self) -> list[Remark]:
        """The cards that are of another print, and those that are of another game."""
        others = [
            _remark(card, _("printed otherwise than the rest of the deck"))
            for card in self._shown
            if self.is_foreign(card)
        ]
        return [*others, *self._strange]

    def worn(self) -> list[Remark]:
        """The cards of this deck that read badly, or will: in doubt, blurred, pale, or damaged."""
        own = [card for card in self._shown if not self.is_foreign(card)]
        told = [_remark(card, *self._wear(card, own)) for card in own]
        return [remark for remark in told if remark.why]

    def _was_told(self, strange: Remark, seen: Seen) -> bool:
        """Whether what is no card of ours lay there before in the same video, beside what was shown then."""
        here = quad_of(strange.corners_px)
        return bool(seen.other_cards) and any(is_same(here, quad_of(other.corners_px)) for other in self._strange)

    def _wear(self, card: CardPrint, own: Sequence[CardPrint]) -> Iterator[str]:
        """What is worn about one card, beside the ``own`` ones of the deck."""
        usual = median(other.sighting.confidence for other in own)
        if card.sighting.confidence < DOUBTFUL <= usual:
            read, others = f"{card.sighting.confidence:.0%}", f"{usual:.1%}"
            yield _("read with {read} confidence, the others with {others}", read=read, others=others)
        alike = [other for other in own if other.symbol == card.symbol and other is not card]
        beside = [other for other in alike if other.image == card.image]
        if len(beside) >= FEWEST:
            if card.sharpness < SOFT * median(other.sharpness for other in beside):
                yield _("its print is blurred")
            if card.contrast < PALE * median(other.contrast for other in beside):
                yield _("its print is pale")
        likeness = self._likeness(card)
        if likeness is not None and likeness < median(self._all().values()) - DAMAGED:
            yield _("its face differs from the others: stained, scratched, bent, covered or in glare")

    def _likeness(self, card: CardPrint) -> float | None:
        """How like the print of its symbol in this deck a card is; ``None`` where too few are known."""
        return self._all().get(id(card))

    def _all(self) -> dict[int, float]:
        if self._known is None:
            compared = {id(card): self._compared(card) for card in self._shown}
            self._known = {card: likeness for card, likeness in compared.items() if likeness is not None}
        return self._known

    def _compared(self, card: CardPrint) -> float | None:
        if self._profile is not None:
            learned = np.array([sign_of(other.face) == card.symbol for other in self._profile.cards], bool)
            if learned.any():
                return float(most_alike(card.prints[0], self._profile.prints()[learned]).max())
        others = [other.prints for other in self._shown if other is not card and other.symbol == card.symbol]
        return float(np.sort(most_alike(card.prints[0], np.array(others)))[-2]) if len(others) >= FEWEST else None


def _shown(image: str, card: Sighting, straight: Image) -> CardPrint | None:
    """A card with its print, sharpness and contrast; ``None`` where there is nothing to see."""
    inner = straight.min(axis=2)[CUT_H // 8 : -CUT_H // 8, CUT_W // 8 : -CUT_W // 8]
    low, high = (float(level) for level in np.percentile(inner, (5, 95)))
    if high - low < LEAST_CONTRAST:
        return None
    edges = float(np.percentile(np.abs(cv2.Laplacian(inner, cv2.CV_32F)), 95))
    prints = np.array([print_of(straight), print_of(upside_down(straight))], np.float32)
    return CardPrint(image, card, sign_of(card.face), prints, edges / (high - low), high - low)


def _other_games(seen: Seen) -> list[Remark]:
    """What is shaped and sized like the cards of the picture, but is none that was read or lies face down."""
    quads = [quad_of(card.corners_px) for card in (*seen.reading.cards, *seen.reading.backs, *seen.other_cards)]
    if len(quads) < FEWEST:
        return []
    usual = float(np.median([cv2.contourArea(quad) for quad in quads]))
    found = []
    for quad in outlines(seen.picture, by_edges=False):
        size = cv2.contourArea(quad) / usual
        if SAME_SIZE < size < 1 / SAME_SIZE and not any(overlap(quad, other) > BESIDE for other in quads):
            found.append(Remark(seen.image, None, corners_of(quad), ("shaped like a card, but none of this game",)))
    return found


def _remark(card: CardPrint, *why: str) -> Remark:
    return Remark(card.image, card.sighting.face, card.sighting.corners_px, why)
