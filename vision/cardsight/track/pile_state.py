"""State of the discard pile with the cards beside it, and the events of its changes (`pile`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cardsight.sighting import Reading, Sighting
from cardsight.track.blocks import Mask, Part, Small
from cardsight.track.cards import (
    lies_in,
    looks_alike,
    sees,
)
from cardsight.track.contact_time import StoredFrame, removal_time_of, seat_of_hand
from cardsight.track.events import Doubted, Event, Lifted, Pushed, Recognized, TakenAway, Touched
from cardsight.track.pile import Pile
from cardsight.track.pile_change import PileChange
from croupier_rules.cards import UNREAD

_GONE: Final = 0.5
"""Fraction of a card's place that has changed when the card was taken away."""


class PileState:
    """The pile in ``zone`` of a ``part`` of the frame, and the events of its changes.

    A card at the rim whose middle lies outside of the zone is not on the pile and causes no event. ``seats_px``:
    the seats in px of the frame.
    """

    def __init__(self, part: Part, card_px: float, seats_px: Sequence[tuple[float, float]]) -> None:
        self.pile = Pile(part, card_px)
        self._part, self._seats_px = part, tuple(seats_px)
        self._outside: list[Sighting] = []

    def is_in_zone(self, card: Sighting) -> bool:
        """True if the middle of the card lies in the zone."""
        return lies_in(self._part.box, card)

    def forget(self) -> None:
        """Forget all cards."""
        self.pile.keep(None)
        self._outside.clear()

    def outside(self) -> Mask:
        """Return the blocks of cards at the rim that are not on the pile."""
        return self.pile.own(*self._outside)

    def forget_removed(self, reading: Reading, changed: Mask, moving: Mask) -> Mask:
        """Forget cards at the rim that were taken away, and return their blocks."""
        gone = [
            card
            for card in self._outside
            if not (moving & self.pile.near(card)).any()
            and changed[self.pile.own(card)].mean() > _GONE
            and not sees(reading, card)
        ]
        self._outside = [card for card in self._outside if card not in gone]
        return self.pile.own(*gone)

    def laid_since(self, cards: Sequence[Sighting], before: Small, now: Small) -> tuple[Sighting, ...]:
        """Return those of the ``cards`` that were laid since ``before``, when the camera was moved, the lowest first.

        The pile does not have their faces, and none lies under the top card. An unreadable card that is the only one
        was laid if it looks otherwise than the top card did.
        """
        pile, top = self.pile, self.pile.top
        if top is None or not cards:
            return tuple(cards)
        if [card.face for card in cards] == [UNREAD]:
            views = self._part.card_of(now, cards[0].corners_px), self._part.card_of(before, top.corners_px)
            return () if looks_alike(*views) else tuple(cards)
        ordered = pile.in_order(list(cards), now)
        known = Counter(card.face for card in pile.cards)
        lowest = next((n for n, card in enumerate(ordered) if card.face == top.face), -1) + 1
        new = []
        for number, card in enumerate(ordered):
            whose = card.face if known[card.face] else UNREAD
            if number >= lowest and card.face != UNREAD and not known[whose]:
                new.append(card)
            known[whose] -= known[whose] > 0
        return tuple(new)

    def apply(
        self, change: PileChange, touches: Sequence[tuple[float, float]], frames: Sequence[StoredFrame], before: Small
    ) -> list[Event]:
        """Update the pile, and return the events.

        ``touches``: when each card under the top one, and then each laid one, came to rest and the uncertainty, in s.
        ``frames``: those since the part was settled. ``before``: how the part looked then.
        """
        pile, top, t = self.pile, self.pile.top, frames[-1].t
        events: list[Event] = []
        if change.is_lifted and top is not None:
            events.append(Lifted(*removal_time_of(frames, top.corners_px, self._part, before), pile.lift().face))
        if change.is_taken:
            pile.keep(change.place)
            events.append(TakenAway(t, change.place.face if change.place else None))
        elif change.place is not None and top is not None:
            if top.face == UNREAD != change.place.face:
                events.append(Recognized(t, change.place.face))
            elif change.place.face != top.face:
                events.append(Doubted(t, (change.place.face, top.face)))
            elif change.place is not top:
                events.append(Pushed(t))
            if change.place is not top:
                pile.put(change.place)
        for card, touch in zip(change.under, touches, strict=False):
            if self.is_in_zone(card):
                faces = {one.face: one.confidence for one in (pile.cards[-1], card) if one.face != UNREAD}
                pile.slip_under(card)
                doubt = replace(card, face=UNREAD, candidates=tuple(faces.items()), runners_up=())
                events.append(replace(self._touched(doubt, *touch, frames, before), is_covered=True))
        for card, touch in zip(change.laid, touches[len(change.under) :], strict=True):
            if self.is_in_zone(card):
                touched = self._lay(card, *touch, frames, before)
                events.append(replace(touched, is_covered=card is not change.laid[-1]))
            else:
                self._outside.append(card)
        return events

    def _lay(self, card: Sighting, t: float, u: float, frames: Sequence[StoredFrame], before: Small) -> Touched:
        self.pile.lay(card, before)
        return self._touched(card, t, u, frames, before)

    def _touched(
        self, card: Sighting, t: float, u: float, frames: Sequence[StoredFrame], before: Small
    ) -> Touched:  # fmt: skip
        seat, sure = seat_of_hand(frames, t, card.corners_px, self._part, before, self._seats_px)
        return Touched(
            t=t, u=u, face=card.face, corners_px=card.corners_px, candidates=card.candidates,
            runners_up=card.runners_up, seat=seat, seat_confidence=sure,
        )  # fmt: skip
