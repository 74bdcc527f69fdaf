"""What is known to lie in the part: the discard pile, and cards beside it. What was found becomes events here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cardsight.sighting import Reading, Sighting
from cardsight.track.blocks import Box, Mask, Part, Small
from cardsight.track.cards import lies_in, sees
from cardsight.track.contact_time import Still, seat_of_hand, time_of_leaving
from cardsight.track.events import Astray, Doubted, Event, Lifted, Pushed, Recognized, TakenAway, Touched
from cardsight.track.pile import Finding, Pile
from croupier.cards import UNREAD

_GONE: Final = 0.5
"""So much of a card's place has changed when it was taken from there."""


class Known:
    """The pile in ``zone``, a box within the ``part``, in which a card is ``card_px`` long, and what lies astray.
    ``seats_px``: where the people sit, in px of the frame."""

    def __init__(self, part: Part, zone: Box, card_px: float, seats_px: Sequence[tuple[float, float]]) -> None:
        self.pile = Pile(part, card_px)
        self._part, self._zone, self._seats_px = part, zone, tuple(seats_px)
        self._astray: list[Sighting] = []

    def is_in_zone(self, card: Sighting) -> bool:
        """Whether the card lies where the pile belongs."""
        return lies_in(self._zone, card)

    def forget(self) -> None:
        """Nothing lies there any more."""
        self.pile.keep(None)
        self._astray.clear()

    def tell(
        self, finding: Finding, touches: Sequence[tuple[float, float]], frames: Sequence[Still], before: Small
    ) -> list[Event]:
        """What happened. ``touches``: when each card that was laid came to rest, and the uncertainty; the rest is
        looked up in the ``frames`` since the part was settled; ``before`` is how it looked then."""
        pile, top, t = self.pile, self.pile.top, frames[-1].t
        events: list[Event] = []
        if finding.is_lifted and top is not None:
            events.append(Lifted(*time_of_leaving(frames, top.corners_px, self._part, before), pile.lift().face))
        if finding.is_taken:
            pile.keep(finding.place)
            events.append(TakenAway(t, finding.place.face if finding.place else None))
        elif finding.place is not None and top is not None:
            if top.face == UNREAD != finding.place.face:
                events.append(Recognized(t, finding.place.face))
            elif finding.place.face != top.face:
                events.append(Doubted(t, (finding.place.face, top.face)))
            elif finding.place is not top:
                events.append(Pushed(t))
            pile.put(finding.place)
        return events + [
            self._laid(card, *touch, frames, before) for card, touch in zip(finding.laid, touches, strict=True)
        ]

    def _laid(self, card: Sighting, t: float, u: float, frames: Sequence[Still], before: Small) -> Event:
        if not self.is_in_zone(card):
            self._astray.append(card)
            return Astray(t, u, card.face, card.corners_px)
        self.pile.lay(card, before)
        seat, sure = seat_of_hand(frames, t, card.corners_px, self._part, before, self._seats_px)
        return Touched(
            t=t, u=u, face=card.face, corners_px=card.corners_px, candidates=card.candidates, seat=seat,
            seat_confidence=sure,
        )  # fmt: skip

    def astray(self) -> Mask:
        """The blocks of the cards that lie beside the pile."""
        return self.pile.own(*self._astray)

    def gone_astray(self, reading: Reading, changed: Mask, moving: Mask) -> Mask:
        """The blocks of those that were taken from there, which are forgotten."""
        gone = [card for card in self._astray if self._has_left(card, reading, changed, moving)]
        self._astray = [card for card in self._astray if card not in gone]
        return self.pile.own(*gone)

    def _has_left(self, card: Sighting, reading: Reading, changed: Mask, moving: Mask) -> bool:
        is_free = not (moving & self.pile.near(card)).any()
        return is_free and bool(changed[self.pile.own(card)].mean() > _GONE) and not sees(reading, card)
