"""Follows the discard pile from look to look: which card was laid on it, taken back, or only pushed.

A card that was laid is the one that the change in the picture lies inside of, whatever else can be seen of the pile.
That also tells a card laid on its twin (the twin's own place has not changed) from one that was pushed (it has).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cardsight.sighting import Corners, Sighting
from croupier.app.running.watcher import Change, Look, length_px
from croupier.cards import UNREAD

SETTLE_S: Final = 0.25
"""A card must lie still so long: a hand that lays it or lifts it again moves sooner."""

READS: Final = 2
"""… and be read alike in so many frames: a single misread frame is not a card."""

PATIENCE_S: Final = 6.0
"""After so long, enough to push the card once, the table says that it cannot read the card, and a person settles it."""

_EXPLAINS: Final = 0.85
"""Part of the change that must lie inside a card for it to be the cause; the rest is shadow and blur."""

_EXPLAINS_FIRST: Final = 0.6
"""As before, for the first card: nothing else can be the cause, and its shadow is all new."""

_SAME_PLACE: Final = 0.06
"""Two outlines are one place if their corners differ less, in lengths of a card: so much do two readings differ."""

_TWIN_APART: Final = 0.1
"""Nobody lays a card so exactly on its twin; a card seen so near its old place was pushed."""

_UNCOVERED: Final = 0.3
"""So much of a card's old place looks different when the card has left it."""


@dataclass(frozen=True, slots=True)
class Landed:
    """A card was laid on the pile: ``face``, or ``?`` with ``candidates``. It touched at ``t`` give or take ``u``."""

    t: float
    u: float
    face: str
    candidates: tuple[tuple[str, float], ...] = ()
    replaces: bool = False
    """Whether the card that was on top is gone."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The top card was taken off again."""

    t: float


@dataclass(frozen=True, slots=True)
class Pushed:
    """The pile looks different, but no card came or went."""

    t: float


@dataclass(frozen=True, slots=True)
class Recognized:
    """The top card, told as ``?`` before, was pushed and could be read."""

    t: float
    face: str


PileEvent = Landed | TakenBack | Pushed | Recognized


class PileTracker:
    """Push in looks, get out what happened. Whoever owns the watcher settles it after every event."""

    def __init__(self) -> None:
        self._pile: list[Sighting] = []
        self._is_bare = False
        self._before = 0.0
        self._still_since: float | None = None
        self._alike: list[PileEvent] = []
        self._place: Corners | None = None
        self.unsettled_since: float | None = None
        """Since when something may have happened that is not yet told: nothing later may be told before it."""

    @property
    def top(self) -> Sighting | None:
        """The up-card as it was seen when it landed or was pushed last."""
        return self._pile[-1] if self._pile else None

    def clear(self) -> None:
        """The pile was taken away: a new round."""
        self._pile.clear()

    def bare(self) -> None:
        """What lay under the top card was taken away: whatever else is seen from now on was laid since."""
        del self._pile[:-1]
        self._is_bare = bool(self._pile)

    def correct(self, face: str) -> None:
        """A person said which card lies on top."""
        if self._pile:
            self._pile[-1] = replace(self._pile[-1], face=face)

    def push(self, look: Look) -> PileEvent | None:
        """What this look settles, if anything."""
        if look.is_unchanged:
            self._before, self._is_bare = look.t, False
            self._forget()
            self.unsettled_since = None
            return None
        if self.unsettled_since is None:
            self.unsettled_since = self._before
        if look.change is None:
            self._forget()
            return None
        if self._still_since is None:
            self._still_since = look.t
        event, card = self._explain(look, look.change)
        waited = look.t - self._still_since
        if event is None or getattr(event, "face", "") == UNREAD:
            self._alike.clear()
            if waited < PATIENCE_S:
                return None
            event, card = self._at_last(look, look.change, event, card)
            if event is None:
                return None
        elif not self._is_confirmed(event, card) or waited < SETTLE_S:
            return None
        self._take(event, card)
        self._before = look.t
        self._forget()
        self.unsettled_since = None
        return event

    def _explain(self, look: Look, change: Change) -> tuple[PileEvent | None, Sighting | None]:
        """The likeliest cause of the change, and the card that is the top card after it."""
        top = self.top
        if self._is_bare and top is not None:
            return self._explain_bare(look, top)
        if look.is_as_before and top is not None:
            return TakenBack(look.t), None
        share, card = self._likeliest(look, change)
        if card is not None and share >= (_EXPLAINS if top else _EXPLAINS_FIRST):
            if top is not None and card.face == top.face and self._was_pushed(change, top, card):
                return Pushed(look.t), card
            if top is not None and top.face == UNREAD and self._was_pushed(change, top, card):
                return Recognized(look.t, card.face), card
            return Landed(*self._touch(), card.face, card.candidates), card
        if top is None:
            return None, None
        seen_top = next((seen for seen in look.cards if seen.face == top.face), None)
        if card is not None and top.face == UNREAD and change.share_in(top.corners_px, card.corners_px) >= _EXPLAINS:
            return Recognized(look.t, card.face), card
        if card is not None and seen_top is None and change.share_in(top.corners_px, card.corners_px) >= _EXPLAINS:
            # Two moves while hands were over the pile: the top card was taken back and another one laid.
            return Landed(*self._touch(), card.face, card.candidates, replaces=True), card
        if seen_top is not None and change.share_in(top.corners_px, seen_top.corners_px) >= _EXPLAINS:
            return Pushed(look.t), seen_top
        under = self._pile[-2] if len(self._pile) > 1 else None
        gone = seen_top is None and change.share_in(top.corners_px) >= _EXPLAINS
        if gone and (under is None or any(_same_card(seen, under) for seen in look.cards)):
            return TakenBack(look.t), None
        return None, None

    def _explain_bare(self, look: Look, top: Sighting) -> tuple[PileEvent | None, Sighting | None]:
        """The top card, perhaps in another place, or one that was laid on it."""
        still_there = [
            card for card in look.cards if card.face == top.face or _same_place(card.corners_px, top.corners_px)
        ]
        old = min(still_there, key=lambda card: _apart(card.corners_px, top.corners_px), default=None)
        new = max((card for card in look.cards if card is not old), key=lambda card: card.confidence, default=None)
        if new is not None:
            return Landed(*self._touch(), new.face, new.candidates), new
        return (Pushed(look.t), replace(old, face=top.face)) if old is not None else (None, None)

    def _at_last(
        self, look: Look, change: Change, event: PileEvent | None, card: Sighting | None
    ) -> tuple[PileEvent | None, Sighting | None]:
        """What to make of a change that nothing explains for so long; where no card is seen, the wait goes on."""
        if event is not None:
            return event, card
        share, card = self._likeliest(look, change)
        if card is not None and share >= _EXPLAINS / 2:
            return Landed(*self._touch(), UNREAD, card.candidates or ((card.face, card.confidence),)), card
        top = next((seen for seen in look.cards if self._pile and seen.face == self._pile[-1].face), None)
        return (Pushed(look.t), top) if top else (None, None)

    def _likeliest(self, look: Look, change: Change) -> tuple[float, Sighting | None]:
        """The card not seen in this place before that most of the change lies inside of, and how much of it does."""
        new = [(change.share_in(card.corners_px), card) for card in look.cards if not self._is_known(card)]
        return max(new, key=lambda one: one[0], default=(0.0, None))

    def _was_pushed(self, change: Change, top: Sighting, card: Sighting) -> bool:
        """Whether ``card`` is the old top card in a new place: then its old place shows what was under it."""
        apart = _apart(top.corners_px, card.corners_px)
        return apart < _TWIN_APART or change.density_in(top.corners_px, outside=card.corners_px) > _UNCOVERED

    def _is_confirmed(self, event: PileEvent, card: Sighting | None) -> bool:
        """Whether the same was found in enough looks."""
        place = card.corners_px if card else None
        if self._alike and not (_same_event(self._alike[-1], event) and _same_place(self._place, place)):
            self._alike.clear()
        self._alike.append(event)
        self._place = place
        return len(self._alike) >= READS

    def _take(self, event: PileEvent, card: Sighting | None) -> None:
        self._is_bare = False
        match event:
            case Landed():
                if event.replaces:
                    self._pile.pop()
                if card is not None:
                    self._pile.append(card)
            case TakenBack():
                self._pile.pop()
            case Pushed() | Recognized():
                if card is not None:
                    self._pile[-1] = card

    def _touch(self) -> tuple[float, float]:
        """When the card touched: between the last look without it and the first with it."""
        begin = self.unsettled_since if self.unsettled_since is not None else self._before
        end = self._still_since if self._still_since is not None else begin
        return (begin + end) / 2, (end - begin) / 2

    def _is_known(self, card: Sighting) -> bool:
        """Whether the card is one of the two on top, in its old place. Cards further down are all but covered: where
        one seems to be the cause of a change, it is a twin that was laid there."""
        return any(_same_card(card, known) for known in self._pile[-2:])

    def _forget(self) -> None:
        self._still_since = None
        self._alike.clear()


def _same_event(a: PileEvent, b: PileEvent) -> bool:
    return type(a) is type(b) and getattr(a, "face", None) == getattr(b, "face", None)


def _same_card(a: Sighting, b: Sighting) -> bool:
    return a.face == b.face and _same_place(a.corners_px, b.corners_px)


def _same_place(a: Corners | None, b: Corners | None) -> bool:
    return a is b if a is None or b is None else _apart(a, b) < _SAME_PLACE


def _apart(a: Corners, b: Corners) -> float:
    """How far the corners of two outlines are apart, in lengths of a card, whichever end they begin at."""
    first, second = np.array(a), np.array(b)
    length = max(length_px(a), 1.0)
    return min(float(np.hypot(*(first - np.roll(second, turn, axis=0)).T).mean()) for turn in (0, 2)) / length
