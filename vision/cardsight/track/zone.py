"""Zones of open cards: the area in which hands are shown, and stray cards around the discard pile."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cardsight.card_reader import CardReader
from cardsight.geometry import Image
from cardsight.sighting import Corners, Reading, Sighting
from cardsight.track.blocks import Box, Mask, Part, Small, differs
from cardsight.track.cards import is_same_card, lies_in, moved, read_part
from cardsight.track.registration import Stabilizer
from croupier_rules.cards import BACK, UNREAD

_QUIET: Final = 0.002
"""Fraction of the zone that may differ in an unchanged zone: less than a digit of a card."""
_REACH: Final = 0.6
"""Distance (card lengths) by which a card centered in the pile's box can extend beyond it."""
_CLEAR_S: Final = 3.0
"""Time (s) without movement after which a change without cards belongs to the table, such as a lower draw pile: longer
than an arm rests over cards."""


@dataclass(frozen=True, slots=True)
class ZoneView:
    """The zone in the frame at ``t``. Cards are read only if the zone has changed and is still."""

    t: float
    is_moving: bool = False
    is_changed: bool = False
    cards: tuple[Sighting, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """True if the zone looks as it does without cards. A single frame shows it."""
        return not self.is_moving and not self.is_changed


class Zone:
    """Watches the part ``box`` of the frames, in which a card is ``card_px`` long. The first frame without a card shows
    the empty zone. Frames of a swaying camera are aligned.

    ``pile``: box of the discard pile; changes there are ignored. ``faces``: those of the deck in play.
    """

    def __init__(
        self, box: Box, card_px: float, reader: CardReader, *, pile: Box | None = None,
        faces: Collection[str] | None = None,
    ) -> None:  # fmt: skip
        self._part, self._card_px, self._reader, self._faces = Part(box, card_px), card_px, reader, faces
        self._pile, self._counts = pile, np.ones(self._part.shape, np.bool_)
        if pile is not None:
            counts = ~self._part.inside(_corners(pile), _REACH * card_px)
            if counts.sum() < self._part.card_blocks:  # hands are laid open where the pile lies
                self._pile = None
            else:
                self._counts = counts
        self._stabilizer = Stabilizer(self._part)
        self._empty: Small | None = None
        self._first: Small | None = None
        """The first frame, with or without cards, with which the others are aligned until the zone is empty."""
        self._last: Small | None = None
        self._bare_since: float | None = None
        """Time since which the zone is still and changed, without a card read in it."""
        self._read: tuple[Small, Reading] | None = None
        """The zone as it was last read, and the reading (px of the frame)."""

    def reading_in(self, image: Image) -> Reading | None:
        """Return the last reading for drawing; None if ``image`` does not show it any more."""
        read = self._read
        now = self._stabilizer.again(image)
        if read is None or not _is_same(now, read[0], self._counts):
            return None
        return read[1]

    def forget(self) -> None:
        """Take the next frame as the empty zone: the camera was moved."""
        self._empty = self._first = self._last = None
        self._stabilizer = Stabilizer(self._part)

    def look(self, t: float, image: Image) -> ZoneView:
        """Examine a frame."""
        small = self._stabilizer.shrunk(t, image, self._empty or self._first)
        self._first = self._first or small
        last, self._last = self._last, small
        bare_since, self._bare_since = self._bare_since, None
        if self._empty is not None and _is_same(small, self._empty, self._counts):
            return ZoneView(t)
        if last is not None and not _is_same(small, last, self._counts):
            return ZoneView(t, is_moving=True)
        reading = self._reading(image)
        if self._empty is None and not reading.cards:
            self._empty = small
            return ZoneView(t)
        self._read = small, reading
        if not reading.cards:
            self._bare_since = t if bare_since is None else bare_since
            if t - self._bare_since >= _CLEAR_S:
                self._empty = small
                return ZoneView(t)
        return ZoneView(t, is_changed=True, cards=reading.cards)

    def close_look(self, image: Image) -> Callable[[CardReader], tuple[Sighting, ...]]:
        """Return what reads the cards of this frame, the last one, with another reader, at any time in any thread."""
        offset_px = self._stabilizer.offset_px
        return lambda reader: self._read_by(reader, image, offset_px).cards

    def _reading(self, image: Image) -> Reading:
        return self._read_by(self._reader, image, self._stabilizer.offset_px)

    def _read_by(self, reader: CardReader, image: Image, offset_px: tuple[float, float]) -> Reading:
        reading = read_part(reader, self._part, self._card_px, image, self._faces, top_only=False)
        reading, pile = moved(reading, *offset_px), self._pile
        return replace(reading, cards=tuple(card for card in reading.cards if pile is None or not lies_in(pile, card)))


STRAY_LOOK_S: Final = 2.0
"""Interval (s) of the search for stray cards. A card in two looks is not just passing."""
_AROUND: Final = 1.2
"""Distance (card lengths) around the pile in which stray cards are searched."""


@dataclass(frozen=True, slots=True)
class StrayCard:
    """A card that lies open next to the discard pile or on the draw pile. Seen since ``t`` (s)."""

    t: float
    card: Sighting


class StrayCardDetector:
    """Finds stray cards around the discard pile.

    The referee gets no event, because the intention is unknown. An alarm asks people to lay the card where it belongs.
    Call `look` only while the pile is settled: the tracker comes first.

    ``pile`` and ``show``: zones of open cards. If hands are shown all around the pile, only the pile counts.
    ``card_px``: length of a card. ``faces``: those of the deck in play.
    """

    def __init__(
        self, pile: Box, show: Box, card_px: float, reader: CardReader, *, faces: Collection[str] | None = None
    ) -> None:
        self._card_px, self._reader, self._faces = card_px, reader, faces
        self._zones = (pile,) if _contains(show, pile) else (pile, show)
        self._around: tuple[Part, Mask] | None = None
        """The pile with its surroundings, and the blocks that count: a card laid on the pile is no change."""
        self._read: Small | None = None
        """The surroundings of the pile as they were last read."""
        self._next_t = 0.0
        self._seen: tuple[StrayCard, ...] = ()
        self.cards: tuple[StrayCard, ...] = ()
        """The stray cards (px of the frame)."""

    def look(self, t: float, image: Image) -> None:
        """Examine the frame at ``t``, at most every `STRAY_LOOK_S`."""
        if t < self._next_t:
            return
        self._next_t = t + STRAY_LOOK_S
        if self._around is None:
            part = Part(self._around_pile(*image.shape[1::-1]), self._card_px)
            self._around = part, ~part.inside(_corners(self._zones[0]))
        part, counts = self._around
        now = part.shrunk(image)
        is_settled = len(self._seen) == len(self.cards)
        if is_settled and self._read is not None and _is_same(now, self._read, counts):
            return
        self._read = now
        # Of stray cards on each other the top one is enough: a search below each card of the pile holds up the table.
        reading = read_part(self._reader, part, self._card_px, image, self._faces, top_only=True)
        stray = [card for card in reading.cards if card.face not in (BACK, UNREAD) and not self._belongs(card)]
        before = [next((old for old in self._seen if is_same_card(card, old.card)), None) for card in stray]
        self._seen = tuple(StrayCard(old.t if old else t, card) for card, old in zip(stray, before, strict=True))
        self.cards = tuple(card for card, old in zip(self._seen, before, strict=True) if old)

    def forget(self) -> None:
        """Forget all cards, as when they are collected."""
        self._seen, self.cards, self._read = (), (), None

    def _around_pile(self, width: int, height: int) -> Box:
        left, top, right, bottom = self._zones[0]
        reach = round(_AROUND * self._card_px)
        return max(0, left - reach), max(0, top - reach), min(width, right + reach), min(height, bottom + reach)

    def _belongs(self, card: Sighting) -> bool:
        return any(lies_in(zone, card) for zone in self._zones)


def _is_same(now: Small, before: Small, counts: Mask) -> bool:
    """True if two pictures show the same in the blocks that count."""
    return bool(differs(now, before)[counts].mean() <= _QUIET)


def _corners(box: Box) -> Corners:
    left, top, right, bottom = box
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _contains(box: Box, other: Box) -> bool:
    (left, top, right, bottom), (x0, y0, x1, y1) = box, other
    return left <= x0 and top <= y0 and x1 <= right and y1 <= bottom
