"""Card reader that learns from corrections: it compares each card that is not read for certain with the cards that
people named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from time import perf_counter
from typing import Final

from cardsight.card_reader import CardReader
from cardsight.decision import SURE, Deck
from cardsight.enroll.corrected import CorrectedCards, Look
from cardsight.enroll.profile import Learned
from cardsight.geometry import Image, pyramid, quad_of, warp_crop
from cardsight.sighting import Corners, Reading, Sighting
from croupier_rules.cards import UNREAD, color_of, is_wild, symbol_of

ENOUGH: Final = 2
"""Number of pictures of a face that are kept."""
_CERTAIN: Final = 0.999
"""Confidence from which a card is not compared."""
_CONFIDENCE: Final = 0.99
"""Confidence in a face with a learned symbol."""
_SURE_COLOR: Final = 0.95
"""Probability from which the reader is believed about a color that was not learned."""


class CorrectedReader:
    """Reads cards as ``reader`` does, and those of the print of ``cards``, which people named, with their help.

    A card with a learned symbol has that symbol. Its color is the learned one or, if it has none of the learned ones,
    that of the reader. A card of the print that contradicts what was learned is ``?``. All others stay as they were
    read. Do not share it between threads.
    """

    def __init__(self, reader: CardReader, cards: Iterable[Learned] = ()) -> None:
        self._reader, self._known = reader, CorrectedCards.of(cards)

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        reading = self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)
        known = self._known
        if not known.cards or all(_is_certain(card) for card in reading.cards):
            return reading
        began, levels, deck = perf_counter(), pyramid(bgr), Deck(faces)
        cards = list(reading.cards)
        for n, card in enumerate(cards):
            if not _is_certain(card):
                cards[n] = _named(card, known.look(warp_crop(levels, quad_of(card.corners_px))), known, deck)
        own = (perf_counter() - began) * 1000
        stages = reading.stages_ms | {"corrections": own}
        return replace(reading, cards=tuple(cards), ms=reading.ms + own, stages_ms=stages)

    @property
    def cards(self) -> list[Learned]:
        """The learned cards."""
        return [card.learned for card in self._known.cards]

    def learn(self, bgr: Image, outline: Corners, face: str) -> bool:
        """Learn a card that people named; True if this changes `cards`.

        One of two words is wrong if the card was learned as another one: that is forgotten, and this is not learned.
        """
        card, known = Learned(face, warp_crop(pyramid(bgr), quad_of(outline))), self._known
        seen = known.look(card.crop)
        if seen.by_symbol is not None and seen.symbol != symbol_of(face):
            self._known = known.without(seen.by_symbol)
        elif seen.by_color is not None and color_of(face) not in (None, seen.color):
            self._known = known.without(seen.by_color)
        elif sum(one.face == face for one in self.cards) < ENOUGH:
            self._known = known.having(card)
        return self._known is not known


def _is_certain(card: Sighting) -> bool:
    return card.face != UNREAD and card.confidence >= _CERTAIN


def _named(card: Sighting, seen: Look, known: CorrectedCards, deck: Deck) -> Sighting:
    """Return the sighting with what was learned about its card."""
    if seen.symbol is None:
        return _doubted(card) if seen.is_of_print and _contradicts(card, seen, known) else card
    color = seen.color or _color_read(card, known)
    face = seen.symbol if is_wild(seen.symbol) else f"{color}-{seen.symbol}"
    starred = f"{face}*"
    read = {card.face, *(one for one, _ in card.candidates)}
    if (color is None and face != seen.symbol) or {face, starred} <= read or not deck.holds(face):
        return _doubted(card)
    name = starred if starred in read else deck.name_of(face)
    return Sighting(name, _CONFIDENCE, card.corners_px, card.symbol)


def _contradicts(card: Sighting, seen: Look, known: CorrectedCards) -> bool:
    """True if a card without a learned symbol was read as one with it, or has another color than it was read as."""
    is_symbol_known = symbol_of(card.face) in known.symbols
    return card.face != UNREAD and (is_symbol_known or seen.color not in (None, color_of(card.face)))


def _color_read(card: Sighting, known: CorrectedCards) -> str | None:
    """Return the color that the reader is sure of, unless it was learned: then this card has another one."""
    chances: dict[str | None, float] = defaultdict(float)
    for face, chance in card.candidates or ((card.face, card.confidence),):
        chances[color_of(face)] += chance
    color = max(chances, key=chances.__getitem__)
    return color if chances[color] >= _SURE_COLOR and color not in known.colors else None


def _doubted(card: Sighting) -> Sighting:
    """Return the sighting as ``?``."""
    if card.face == UNREAD:
        return card
    sure = min(card.confidence, SURE)
    return Sighting(UNREAD, sure, card.corners_px, card.symbol, ((card.face, sure),), card.doubts)
