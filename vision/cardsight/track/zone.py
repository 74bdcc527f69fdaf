"""Watches a part of the table where cards are laid open: is it still, has it changed, and what lies there if it has.

Looks beside the discard pile for cards that lie open where none belongs: next to it, or on the draw pile.

The referee is not told, since nobody knows what was meant; people are, and lay the card where it belongs. What is laid
on the pile is the tracker's business, and that comes first: here is looked seldom, and only while nothing happens.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from cardsight.track.blocks import Box, Part, Small, differs
from cardsight.track.cards import CardReader, is_same_card, lies_in, read_part
from croupier.cards import BACK, UNREAD

_QUIET: Final = 0.002
"""Share of the zone that may differ while it still counts as unchanged: less than a digit of a card."""
_REACH: Final = 0.6
"""In lengths of a card: so far out of the pile's box reaches a card whose middle lies in it."""
_CLEAR_S: Final = 3.0
"""What lies still for so long and shows no card belongs to the table, as a draw pile that has become lower: longer than
an arm rests over cards."""


@dataclass(frozen=True, slots=True)
class Look:
    """The zone in one frame at ``t``. While something moves, and where nothing has changed, nothing is read."""

    t: float
    is_moving: bool = False
    is_changed: bool = False
    cards: tuple[Sighting, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the zone lies still and looks as it does without cards."""
        return not self.is_moving and not self.is_changed


class Zone:
    """Watches the part ``box`` of the frames, in which a card is ``card_px`` long. How it looks in the first frame is
    how it looks empty. ``pile``: where the discard pile lies; what happens there is left out. ``faces``: those of the
    deck in play."""

    def __init__(
        self, box: Box, card_px: float, reader: CardReader, *, pile: Box | None = None,
        faces: Collection[str] | None = None,
    ) -> None:  # fmt: skip
        self._part, self._card_px, self._reader, self._faces = Part(box, card_px), card_px, reader, faces
        self._pile, self._counts = pile, np.ones(self._part.shape, np.bool_)
        if pile is not None:
            left, top, right, bottom = pile
            around = (left, top), (right, top), (right, bottom), (left, bottom)
            counts = ~self._part.inside(around, _REACH * card_px)
            if counts.sum() < self._part.card_blocks:  # hands are laid open on the very place of the pile
                self._pile = None
            else:
                self._counts = counts
        self._empty: Small | None = None
        self._last: Small | None = None
        self._bare_since: float | None = None
        """Since when the zone lies still and has changed, and no card is read there."""
        self._read: tuple[Small, Reading] | None = None
        """How the zone looked when it was last read, and what was read, in pixels of the frame."""

    def reading_in(self, image: Image) -> Reading | None:
        """What was last read, as far as ``image`` still shows it so, for drawing; None where the cards are gone."""
        read = self._read
        if read is None or not self._is_same(self._part.shrunk(image), read[0]):
            return None
        return read[1]

    def look(self, t: float, image: Image) -> Look:
        """What this frame shows of the zone."""
        small = self._part.shrunk(image)
        last, self._last = self._last, small
        bare_since, self._bare_since = self._bare_since, None
        if self._empty is None:
            self._empty = small
        if last is not None and not self._is_same(small, last):
            return Look(t, is_moving=True)
        if self._is_same(small, self._empty):
            return Look(t)
        reading = self._reading(image)
        self._read = small, reading
        if not reading.cards:
            self._bare_since = t if bare_since is None else bare_since
            if t - self._bare_since >= _CLEAR_S:
                self._empty = small
                return Look(t)
        return Look(t, is_changed=True, cards=reading.cards)

    def _is_same(self, now: Small, before: Small) -> bool:
        return bool(differs(now, before)[self._counts].mean() <= _QUIET)

    def _reading(self, image: Image) -> Reading:
        reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=False)
        pile = self._pile
        return replace(reading, cards=tuple(card for card in reading.cards if pile is None or not lies_in(pile, card)))


STRAY_LOOK_S: Final = 2.0
"""Seconds from one look for stray cards to the next. A card that two looks show was not just passing."""
_AROUND: Final = 1.2
"""How far around the pile stray cards are looked for, in card lengths."""


@dataclass(frozen=True, slots=True)
class StrayCard:
    """A card that lies open where none belongs: next to the discard pile, or on the draw pile. Seen since ``t`` (s)."""

    t: float
    card: Sighting


class StrayCardDetector:
    """Finds stray cards around the discard pile.

    The referee gets no event, because nobody knows what was meant. People are told, and lay the card where it belongs.
    Call `look` only while the pile is settled: the tracker comes first.

    ``pile`` and ``show``: the zones where open cards belong. If hands are shown all around the pile, only the pile
    counts. ``card_px``: the length of a card. ``faces``: those of the deck in play.
    """

    def __init__(
        self, pile: Box, show: Box, card_px: float, reader: CardReader, *, faces: Collection[str] | None = None
    ) -> None:
        self._card_px, self._reader, self._faces = card_px, reader, faces
        self._zones = (pile,) if _contains(show, pile) else (pile, show)
        self._part: Part | None = None
        self._next_t = 0.0
        self._seen: tuple[StrayCard, ...] = ()
        self.cards: tuple[StrayCard, ...] = ()
        """The stray cards, in px of the frame."""

    def look(self, t: float, image: Image) -> None:
        """Look at the frame of time ``t``, at most every `STRAY_LOOK_S`."""
        if t < self._next_t:
            return
        self._next_t = t + STRAY_LOOK_S
        if self._part is None:
            self._part = Part(self._around_pile(*image.shape[1::-1]), self._card_px)
        reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=False)
        stray = [card for card in reading.cards if card.face not in (BACK, UNREAD) and not self._belongs(card)]
        before = [next((old for old in self._seen if is_same_card(card, old.card)), None) for card in stray]
        self._seen = tuple(StrayCard(old.t if old else t, card) for card, old in zip(stray, before, strict=True))
        self.cards = tuple(card for card, old in zip(self._seen, before, strict=True) if old)

    def forget(self) -> None:
        """Forget all cards, as when they are collected."""
        self._seen = self.cards = ()

    def _around_pile(self, width: int, height: int) -> Box:
        left, top, right, bottom = self._zones[0]
        reach = round(_AROUND * self._card_px)
        return max(0, left - reach), max(0, top - reach), min(width, right + reach), min(height, bottom + reach)

    def _belongs(self, card: Sighting) -> bool:
        return any(lies_in(zone, card) for zone in self._zones)


def _contains(box: Box, other: Box) -> bool:
    (left, top, right, bottom), (x0, y0, x1, y1) = box, other
    return left <= x0 and top <= y0 and x1 <= right and y1 <= bottom
