"""Looks beside the discard pile for cards that lie open where none belongs: next to it, or on the draw pile.

The referee is not told, since nobody knows what was meant; people are, and lay the card where it belongs. What is laid
on the pile is the tracker's business, and that comes first: here is looked seldom, and only while nothing happens.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from cardsight.rectify import Image
from cardsight.sighting import Sighting
from cardsight.track.blocks import Box, Part
from cardsight.track.cards import CardReader, is_same_card, lies_in, read_part
from croupier.cards import BACK, UNREAD

EVERY_S: Final = 2.0
"""From one look to the next; a card that lies there in two looks was not just passing."""

_REACH: Final = 1.2
"""How far round the pile is looked, in lengths of a card."""


class Beside:
    """``pile`` and ``show``: where cards belong; a card is ``card_px`` long. Where hands are laid open all around the
    pile, a card belongs there only while one is shown. ``faces``: those of the deck in play."""

    def __init__(
        self, pile: Box, show: Box, card_px: float, reader: CardReader, *, faces: Collection[str] | None = None
    ) -> None:
        self._card_px, self._reader, self._faces = card_px, reader, faces
        self._places = (pile,) if _holds(show, pile) else (pile, show)
        self._part: Part | None = None
        self._next_t = 0.0
        self._seen: tuple[Sighting, ...] = ()
        self.cards: tuple[Sighting, ...] = ()
        """What lies there, in pixels of the frame."""

    def look(self, t: float, image: Image) -> None:
        """Look at the frame of ``t``, unless that was only just done."""
        if t < self._next_t:
            return
        self._next_t = t + EVERY_S
        if self._part is None:
            self._part = Part(self._box(*image.shape[1::-1]), self._card_px)
        reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=False)
        seen = tuple(card for card in reading.cards if card.face not in (BACK, UNREAD) and self._is_astray(card))
        self.cards = tuple(card for card in seen if any(is_same_card(card, before) for before in self._seen))
        self._seen = seen

    def forget(self) -> None:
        """Cards may lie anywhere now, as when they are collected."""
        self._seen = self.cards = ()

    def _box(self, width: int, height: int) -> Box:
        left, top, right, bottom = self._places[0]
        reach = round(_REACH * self._card_px)
        return max(0, left - reach), max(0, top - reach), min(width, right + reach), min(height, bottom + reach)

    def _is_astray(self, card: Sighting) -> bool:
        return not any(lies_in(place, card) for place in self._places)


def _holds(box: Box, other: Box) -> bool:
    """Whether all of the other lies in the box."""
    (left, top, right, bottom), (x0, y0, x1, y1) = box, other
    return left <= x0 and top <= y0 and x1 <= right and y1 <= bottom
