"""Follows the discard pile through a stream of frames: push in frames at any rate, get out what happened.

A frame in which nothing happens is compared with the settled picture, and that is all. What looks different is read
once it lies still, at once again, and told if both readings agree and nothing that may be a hand touches it; when it
happened is then looked up in the frames that were kept since the pile was settled last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cardsight.rectify import Image
from cardsight.sighting import Reading, Sighting
from cardsight.track.blocks import Box, Mask, Part, Small, differs, joined_to_rim
from cardsight.track.cards import CardReader, read_part, sees
from cardsight.track.events import (
    Astray,
    CameraFailed,
    CameraWell,
    Event,
    Lifted,
    Pushed,
    Recognized,
    TakenAway,
    Touched,
    Trouble,
)
from cardsight.track.health import Health
from cardsight.track.pile import Finding, Pile
from cardsight.track.touch import Still, seat_of_hand, time_of_leaving, time_of_rest
from croupier.cards import UNREAD

STILL_S: Final = 0.06
"""So long a card that is told has been still."""
PATIENCE_S: Final = 6.0
"""After so long, enough to push the card once, the table says that it cannot read the card, and a person settles it."""
_COVERED_S: Final = 0.6
"""… and so long for one that was laid under another at once: waiting does not uncover it."""

_QUIET: Final = 0.004
"""Share of the part that may differ while it still counts as unchanged: less than a digit of a card."""
_SOMETHING: Final = 0.3
"""Part of a card that must lie still for a look to be worth its time while a hand is still moving."""
_PACE_S: Final = (0.1, 0.15, 0.25, 0.4, 0.6, 1.0)
"""From one fruitless reading of what lies still to the next."""
_RESTS_S: Final = 0.4
"""What touches a card and does not reach the edge of the picture is no arm; it is told when it rested so long …"""
_ARM_RESTS_S: Final = 1.5
"""… and what may be an arm when it did so, and most of what is new is the card."""
_MOST: Final = 0.5
_WHOLE: Final = 0.7
"""No arm covers so much of the picture: it is the light that is another."""
_GIVEN_UP_S: Final = 2.0
"""What nobody can explain for so long is taken as it is: the next card is seen all the same."""
_KEPT: Final = 150
"""Frames kept since the pile was settled last; when there are more, of the older half every second one goes."""
_ADAPT_S: Final = 1.0
"""The settled picture follows slow changes of the light."""


class PileTracker:
    """Watches the part ``zone`` of the frames, in which a card is ``card_px`` long.

    The first frame counts as settled: begin with the zone empty, or say `settle`. ``around``: a wider part; a card
    laid in it beside the zone is told as `Astray`. ``seats_px``: where the people sit, in px of the frame. ``faces``:
    those of the deck in play, ``None`` where nobody knows.
    """

    def __init__(
        self, zone: Box, card_px: float, reader: CardReader, *, around: Box | None = None,
        seats_px: Sequence[tuple[float, float]] = (), faces: Collection[str] | None = None,
    ) -> None:  # fmt: skip
        self._zone, self._card_px, self._reader, self._seats_px = zone, card_px, reader, tuple(seats_px)
        self._faces = faces
        self._part = Part(around or zone, card_px)
        self._health = Health()
        self._pile = Pile(self._part, card_px)
        self._lies: str | None = None
        self._astray: list[Sighting] = []
        self._settled: Small | None = None
        self._adapted_t = 0.0
        self._last: Still | None = None
        self._moving: Mask = np.zeros(self._part.shape, np.bool_)
        self._kept: list[Still] = []
        self._still_since: float | None = None
        self._waiting_since: float | None = None
        self._finding: Finding | None = None
        self._found_t = 0.0
        self._read_next_t = 0.0
        self._fruitless = 0
        self.unsettled_since: float | None = None
        """Since when something may have happened that is not yet told: nothing later may be told before it."""
        self.reading: Reading | None = None
        """The last reading, in pixels of the frame, for drawing."""

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong with the camera, for long enough to be told."""
        return self._health.trouble

    @property
    def top(self) -> Sighting | None:
        """The up-card as it was seen when it was laid or pushed last."""
        return self._pile.top

    def clear(self) -> None:
        """The pile was taken away on purpose: the zone as it is now is an empty one."""
        self._pile.keep(None)
        self._astray.clear()
        self.settle()

    def lies(self, face: str) -> None:
        """This card lies on top before the first frame comes: a game is gone on with."""
        self._lies = face

    def bare(self) -> None:
        """What lay under the top card was taken away on purpose."""
        self._pile.keep(self._pile.top)

    def correct(self, face: str) -> None:
        """A person said which card lies on top."""
        if self._pile.top:
            self._pile.cards[-1] = replace(self._pile.top, face=face)

    def settle(self) -> None:
        """The zone as it is now is how it ought to be."""
        self._settled = self._last.small if self._last else None
        self._quiet()

    def missing(self, now: float) -> tuple[Event, ...]:
        """There was no frame at ``now``."""
        told = self._health.missing(now)
        if told is not None and self.unsettled_since is None:
            self.unsettled_since = self._last.t if self._last else now
        return (told,) if told else ()

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[Event, ...]:
        """What this frame, taken at ``t`` give or take ``u``, settles."""
        health = self._health.push(t, image)
        if self._health.trouble is not None:
            self._forget()
            if self.unsettled_since is None:
                self.unsettled_since = self._kept[-1].t if self._kept else t
            return (health,) if isinstance(health, CameraFailed) else ()
        events: list[Event] = [health] if isinstance(health, CameraWell) else []
        now, last = Still(t, u, self._part.shrunk(image)), self._last
        self._last = now
        if self._settled is None or last is None:
            self._settled, self._kept = now.small, [now]
            if self._lies is not None:
                self._find(self._lies, image)
                self._lies = None
            return tuple(events)
        was_moving, self._moving = self._moving, differs(now.small, last.small)
        changed = differs(now.small, self._settled)
        if changed.mean() <= _QUIET:
            if self._moving.mean() <= _QUIET and not self._health.is_in_doubt:
                self._quiet()
            return tuple(events)
        self._keep(now)
        if self.unsettled_since is None:
            self.unsettled_since = last.t
        if self._is_due(t, changed, was_moving | self._moving):
            self.reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=True)
            changed = self._without_astray(changed, self.reading, now)
            finding = self._pile.explain(self.reading, changed, now.small)
            events += self._weigh(finding, changed, now)
        return tuple(events)

    def _find(self, face: str, image: Image) -> None:
        """Where the card is that is known to lie on top; one that cannot be read is taken for it if it lies alone."""
        self.reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=True)
        cards = [card for card in self.reading.cards if self._is_in_zone(card)]
        top = next((card for card in cards if card.face == face), None)
        if top is None and [card.face for card in cards] == [UNREAD]:
            top = replace(cards[0], face=face)
        self._pile.keep(top)

    def _quiet(self) -> None:
        """Nothing happens."""
        last = self._last
        self.unsettled_since = self._waiting_since = None
        self._forget()
        if last is not None:
            self._kept = [last]
            if last.t - self._adapted_t >= _ADAPT_S:
                self._settled, self._adapted_t = last.small, last.t

    def _forget(self) -> None:
        self._finding = self._still_since = None
        self._fruitless = 0
        self._read_next_t = 0.0

    def _keep(self, now: Still) -> None:
        self._kept.append(now)
        if len(self._kept) > _KEPT:
            self._kept = [*self._kept[: _KEPT // 2 : 2], *self._kept[_KEPT // 2 :]]

    def _is_due(self, t: float, changed: Mask, moving: Mask) -> bool:
        """Whether what lies there is worth a reading now."""
        if self._moving.mean() > _QUIET:
            self._still_since = None
            self._fruitless = 0
            if (changed & ~moving).sum() < _SOMETHING * self._part.card_blocks:
                self._finding = None
                return False
            return t >= self._read_next_t
        if self._still_since is None:
            self._still_since, self._read_next_t = t, t
        if self._waiting_since is None:
            self._waiting_since = t
        return t >= self._read_next_t

    def _weigh(self, finding: Finding | None, changed: Mask, now: Still) -> list[Event]:
        """Tell what was found, or look again soon."""
        waited = 0.0 if self._waiting_since is None else now.t - self._waiting_since
        if finding is None and self._is_given_up(changed, now):
            finding = Finding(is_lifted=self.reading is not None and self._pile.top_is_gone(self.reading, changed))
        elif finding is None or not self._may_be_told(finding, changed, now, waited):
            self._finding = None
            self._read_next_t = now.t + _PACE_S[min(self._fruitless, len(_PACE_S) - 1)]
            self._fruitless += 1
            return []
        if not finding.is_like(self._finding):
            self._finding, self._found_t = finding, now.t
            return []
        if now.t - self._found_t < STILL_S:
            self._read_next_t = self._found_t + STILL_S
            return []
        return self._told(finding, changed, now)

    def _is_given_up(self, changed: Mask, now: Still) -> bool:
        """Whether what nothing explains has lain there for so long that the pile now looks so. An arm that lies there
        for much longer is taken as a part of it, too: what lies there is read anew when it goes."""
        rested = 0.0 if self._still_since is None else now.t - self._still_since
        is_arm = joined_to_rim(changed).any() and changed.mean() < _WHOLE
        return rested >= (PATIENCE_S if is_arm else _GIVEN_UP_S)

    def _may_be_told(self, finding: Finding, changed: Mask, now: Still, waited: float) -> bool:
        """Whether nothing that may be a hand touches what was found, and whether it was read."""
        cards = [*finding.laid, *([finding.place] if finding.place else [])]
        if any((self._moving & self._pile.near(card)).sum() > _QUIET * self._moving.size for card in cards):
            return False
        if finding.held is not None:
            rested = 0.0 if self._still_since is None else now.t - self._still_since
            own = np.zeros_like(changed)
            for card in cards:
                own |= self._pile.own(card)
            is_arm = bool((joined_to_rim(changed & ~own) & finding.held).any())
            if is_arm and (rested < _ARM_RESTS_S or (changed & own).sum() < _MOST * changed.sum()):
                return False
            if rested < _RESTS_S:
                return False
        return finding.is_sure or waited >= (PATIENCE_S if finding.laid[-1].face == UNREAD else _COVERED_S)

    def _told(self, finding: Finding, changed: Mask, now: Still) -> list[Event]:
        assert self._settled is not None
        events: list[Event] = []
        before, top = self._settled, self._pile.top
        if finding.is_lifted and top is not None:
            t, u = time_of_leaving(self._kept, top.corners_px, self._part, before)
            events.append(Lifted(t, u, self._pile.lift().face))
        if finding.is_taken:
            self._pile.keep(finding.place)
            events.append(TakenAway(now.t, finding.place.face if finding.place else None))
        elif finding.place is not None and top is not None:
            if top.face == UNREAD != finding.place.face:
                events.append(Recognized(now.t, finding.place.face))
            elif finding.place is not top:
                events.append(Pushed(now.t))
            self._pile.put(finding.place)
        events += [self._laid(card, before) for card in finding.laid]
        self._settle_round(finding, changed, now)
        return events

    def _laid(self, card: Sighting, before: Small) -> Event:
        t, u = time_of_rest(self._kept, card.corners_px, self._part, before)
        if not self._is_in_zone(card):
            self._astray.append(card)
            return Astray(t, u, card.face, card.corners_px)
        self._pile.lay(card, before)
        seat, sure = seat_of_hand(self._kept, t, card.corners_px, self._part, before, self._seats_px)
        return Touched(
            t=t, u=u, face=card.face, corners_px=card.corners_px, candidates=card.candidates, seat=seat,
            seat_confidence=sure,
        )  # fmt: skip

    def _settle_round(self, finding: Finding, changed: Mask, now: Still) -> None:
        """From now on changes count from the picture as it is; a hand that is still over it is none of the picture."""
        assert self._settled is not None
        own = np.zeros_like(changed)
        for card in [*finding.laid, *([finding.place] if finding.place else [])]:
            own |= self._pile.own(card)
        is_alone = self._moving.mean() <= _QUIET
        self._settled = now.small if is_alone else self._settled.with_blocks_of(now.small, own)
        self._kept = [now]
        self._forget()
        self._waiting_since = None
        self.unsettled_since = None if is_alone else now.t

    def _is_in_zone(self, card: Sighting) -> bool:
        left, top, right, bottom = self._zone
        x, y = np.array(card.corners_px).mean(axis=0)
        return bool(left <= x <= right and top <= y <= bottom)

    def _without_astray(self, changed: Mask, reading: Reading, now: Still) -> Mask:
        """What has changed, less the cards that lie beside the pile; one that was taken from there is forgotten."""
        assert self._settled is not None
        for card in tuple(self._astray):
            place = self._pile.own(card)
            is_free = not (self._moving & self._pile.near(card)).any()
            if is_free and changed[place].mean() > _MOST and not sees(reading, card):
                self._astray.remove(card)
                self._settled = self._settled.with_blocks_of(now.small, place)
            changed = changed & ~place
        return changed
