"""When a reading is worth its time: it takes as long as the comparisons of several frames.

Follows the discard pile through a stream of frames: push in frames at any rate, get out what happened.

A frame in which nothing happens is compared with the settled picture, and that is all. What looks different is read
once it lies still (`attention`) and explained (`pile`). It is told (`known`) when another reading says the same and
nothing that may be a hand touches the cards; when it happened is then looked up (`touch`) in the frames that were kept
since the pile was settled last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from cardsight.track.background_model import QUIET, BackgroundModel
from cardsight.track.blocks import Box, Mask, Part, differs, joined_to_rim
from cardsight.track.cards import CardReader, is_same_card, is_same_place, moved, read_part
from cardsight.track.contact_time import StoredFrame, contact_time_of
from cardsight.track.events import CameraFailed, CameraWell, Event, Trouble
from cardsight.track.health import Health
from cardsight.track.pile_state import ROUGHLY, PileChange, PileState
from cardsight.track.registration import Stabilizer
from croupier.cards import UNREAD

_PACE_S: Final = (0.06, 0.15, 0.25, 0.4, 0.6, 1.0)
"""From one fruitless reading to the next. While something moves it is always the first."""


class ReadingSchedule:
    """Asked in each frame in which something looks different from the settled picture."""

    def __init__(self) -> None:
        self._still_since: float | None = None
        self._waiting_since: float | None = None
        self._next_t = 0.0
        self._fruitless = 0

    def is_due(self, t: float, *, is_moving: bool, lies_there: bool) -> bool:
        """Whether to read now. ``lies_there``: while something ``is_moving``, enough for a card lies still."""
        if is_moving:
            if self._still_since is not None:
                self._still_since, self._next_t = None, t
            self._fruitless = 0
            return lies_there and t >= self._next_t
        if self._still_since is None:
            self._still_since = self._next_t = t
        if self._waiting_since is None:
            self._waiting_since = t
        return t >= self._next_t

    def later(self, t: float) -> None:
        """The reading at ``t`` was fruitless."""
        self._next_t = t + _PACE_S[min(self._fruitless, len(_PACE_S) - 1)]
        self._fruitless += 1

    def not_before(self, t: float) -> None:
        """The next reading is worth its time from ``t`` on."""
        self._next_t = t

    def rested(self, t: float) -> float:
        """For how long (seconds) nothing has moved."""
        return 0.0 if self._still_since is None else t - self._still_since

    def waited(self, t: float) -> float:
        """How long ago (seconds) something lay still for the first time that is not told yet."""
        return 0.0 if self._waiting_since is None else t - self._waiting_since

    def relax(self) -> None:
        """What lay there was told, or is gone."""
        self.interrupt()
        self._waiting_since = None

    def interrupt(self) -> None:
        """The camera saw nothing for a while."""
        self._still_since, self._next_t, self._fruitless = None, 0.0, 0


STILL_S: Final = 0.06
"""So long a card that is told has lain still."""
PATIENCE_S: Final = 6.0
"""After so long, enough to push the card once, the table says that it cannot read the card, and a person settles it."""
_COVERED_S: Final = 0.6
"""… and so long for one that was laid under another at once: waiting does not uncover it."""

_ENOUGH: Final = 2
"""So many readings have to say the same."""

_SOMETHING: Final = 0.3
"""Part of a card that must lie still for a look to be worth its time while a hand is still moving."""
_RESTS_S: Final = 0.4
"""What touches a card and does not reach the edge of the picture is no arm; it is told when it rested so long …"""
_ARM_RESTS_S: Final = 1.5
"""… and what may be an arm, or held by one outside the picture, when it did so, and most of what is new is the card."""
_MOST: Final = 0.5
_WHOLE: Final = 0.7
"""No arm covers so much of the picture: it is the light that is another."""
_GIVEN_UP_S: Final = 2.0
"""What nobody can explain for so long is taken as it is: the next card is seen all the same."""
_KEPT: Final = 150
"""Frames kept since the pile was settled last; when there are more, of the older half every second one goes."""
_ADAPT_S: Final = 1.0
"""The settled picture follows slow changes of the light."""


@dataclass(slots=True)
class _SeenCard:
    """A card that was read for certain since the pile was settled, perhaps under a hand. ``frame``: the last in which
    it was read; ``times``: how often it was read."""

    card: Sighting
    frame: StoredFrame
    times: int = 1


class PileTracker:
    """Watches the part ``zone`` of the frames, in which a card is ``card_px`` long.

    The first frame counts as settled: begin with the zone empty, or call `settle`. ``seats_px``: where the
    people sit, in px of the frame. ``faces``: those of the deck in play, ``None`` if unknown.
    """

    def __init__(
        self, zone: Box, card_px: float, reader: CardReader, *,
        seats_px: Sequence[tuple[float, float]] = (), faces: Collection[str] | None = None,
    ) -> None:  # fmt: skip
        self._card_px, self._reader, self._faces = card_px, reader, faces
        self._part = Part(zone, card_px)
        self._health = Health()
        self._stabilizer = Stabilizer(self._part)
        self._state = PileState(self._part, card_px, seats_px)
        self._schedule = ReadingSchedule()
        self._lies: str | None = None
        self._background: BackgroundModel | None = None
        self._former: BackgroundModel | None = None
        """The settled picture before what may be an arm was taken as a part of it: perhaps it comes again."""
        self._adapted_t = 0.0
        self._last: StoredFrame | None = None
        self._moving: Mask = np.zeros(self._part.shape, np.bool_)
        self._moved_t = np.zeros(self._part.shape)
        """When each block moved last."""
        self._kept: list[StoredFrame] = []
        self._change: PileChange | None = None
        self._found_t = 0.0
        self._times_found = 0
        self._seen: list[_SeenCard] = []
        self._is_held = False
        """Whether the change waits for a hand to let go of it, or to be read."""
        self._is_puzzling = False
        """Whether something lies there that is no arm and not explained: cards under others are looked for, too."""
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
        return self._state.pile.top

    def clear(self) -> None:
        """The pile was taken away on purpose: the zone as it is now is an empty one."""
        self._state.forget()
        self.settle()

    def lies(self, face: str) -> None:
        """This card lies on top before the first frame comes: a game is gone on with."""
        self._lies = face

    def bare(self) -> None:
        """What lay under the top card was taken away on purpose."""
        self._state.pile.keep(self.top)

    def stays(self) -> None:
        """The camera that is told to have moved stays where it is: how the table looks is learned once more, and the
        top card looked for as if a game were gone on with."""
        if self.trouble == "moved":
            self._health.forget()
            self._background = self._former = None
            self._lies = self.top.face if self.top else self._lies

    def correct(self, face: str) -> None:
        """A person said which card lies on top."""
        if self.top:
            self._state.pile.cards[-1] = replace(self.top, face=face)

    def settle(self) -> None:
        """The zone as it is now is how it ought to be."""
        self._background = BackgroundModel(self._last.small) if self._last else None
        self._quiet()

    def missing(self, now: float) -> tuple[Event, ...]:
        """There was no frame at ``now``."""
        told = self._health.missing(now)
        if told is not None and self.unsettled_since is None:
            self.unsettled_since = self._last.t if self._last else now
        return (told,) if told else ()

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[Event, ...]:
        """What this frame, taken at ``t`` give or take ``u``, settles."""
        health = self._health.push(t, image, is_compensated=self._stabilizer.compensates)
        if self._health.trouble == "unsteady" and self._background is not None:
            self._stabilizer.shrunk(t, image, self._background.small)
        if self._health.trouble is not None:
            self._change, self._is_puzzling = None, False
            self._schedule.interrupt()
            if self.unsettled_since is None:
                self.unsettled_since = self._kept[-1].t if self._kept else t
            return (health,) if isinstance(health, CameraFailed) else ()
        events: list[Event] = []
        if isinstance(health, CameraWell):
            events.append(health)
            self._stabilizer = Stabilizer(self._part)
        settled = self._background.small if self._background else None
        was_trembling = self._stabilizer.is_active
        now, last = StoredFrame(t, u, self._stabilizer.shrunk(t, image, settled)), self._last
        if self._stabilizer.is_active and not was_trembling:
            del self._kept[1:]  # frames that were not brought onto the settled one date nothing
        self._last = now
        if self._background is None or last is None:
            self._background, self._kept = BackgroundModel(now.small), [now]
            if self._lies is not None:
                self._find(self._lies, image)
                self._lies = None
            return tuple(events)
        was_moving = self._moving
        is_aligned = was_trembling or self._stabilizer.is_active
        self._moving = differs(now.small, last.small) if is_aligned else self._stabilizer.moving
        changed = self._background.differs(now.small)
        if self._former is not None and changed.mean() > QUIET >= self._former.differs(now.small).mean():
            self._background, self._former = BackgroundModel(now.small), None
            changed = np.zeros_like(changed)
        if changed.mean() <= QUIET:
            if not self._is_moving and not self._health.is_in_doubt:
                self._quiet()
            return tuple(events)
        self._moved_t[self._moving] = t
        self._keep(now)
        if self.unsettled_since is None:
            self.unsettled_since = last.t
        if self._is_due(t, changed, was_moving | self._moving) and self._health.is_well(t, image):
            told = self._emit_released(changed, now)
            if told:
                return (*events, *told)
            self.reading = self._read(image, top_only=not self._is_puzzling)
            gone = self._state.forget_removed(self.reading, changed, self._moving)
            changed = changed & ~self._state.outside() & ~gone
            if gone.any():
                self._background = self._background.renewed(now.small, gone)
            self._note_seen(self.reading, changed, now)
            events += self._consider(self._explain(self.reading, changed, now), changed, now)
        return tuple(events)

    @property
    def _is_moving(self) -> bool:
        return bool(self._moving.mean() > QUIET)

    def _read(self, image: Image, *, top_only: bool = True) -> Reading:
        reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=top_only)
        return moved(reading, *self._stabilizer.offset_px) if self._stabilizer.is_active else reading

    def _explain(self, reading: Reading, changed: Mask, now: StoredFrame) -> PileChange | None:
        assert self._background is not None
        change = self._state.pile.explain(reading, changed, now.small, self._background.small)
        return change if change is None else self._with_occluded(change, changed, now)

    def _with_occluded(self, change: PileChange, changed: Mask, now: StoredFrame) -> PileChange:
        """The change, with the cards that were laid just before and are covered now."""
        if not change.laid or change.cards != change.laid:
            return change
        occluded = [
            card
            for seen in self._seen
            if seen.times >= _ENOUGH
            and not any(is_same_place(seen.card.corners_px, card.corners_px, ROUGHLY) for card in change.laid)
            and (card := self._state.pile.occluded_card(seen.card, change.laid, changed, now.small, seen.frame.small))
        ]
        laid = (*occluded, *change.laid)
        return replace(change, laid=laid, cards=laid)

    def _note_seen(self, reading: Reading, changed: Mask, now: StoredFrame) -> None:
        """Note the cards that a reading shows where none was known."""
        for card in self._state.pile.new_cards(reading, changed):
            seen = next((one for one in self._seen if is_same_card(one.card, card, ROUGHLY)), None)
            if seen is None:
                self._seen.append(_SeenCard(card, now))
            else:
                seen.card, seen.frame, seen.times = card, now, seen.times + 1

    def _find(self, face: str, image: Image) -> None:
        """Where the card is that is known to lie on top; one that cannot be read is taken for it if it lies alone."""
        self.reading = self._read(image)
        cards = [card for card in self.reading.cards if self._state.is_in_zone(card)]
        top = next((card for card in cards if card.face == face), None)
        if top is None and [card.face for card in cards] == [UNREAD]:
            top = replace(cards[0], face=face)
        self._state.pile.keep(top)

    def _quiet(self) -> None:
        """Nothing happens."""
        last = self._last
        self.unsettled_since = None
        self._relax()
        if last is not None:
            self._kept = [last]
            if self._background is not None and last.t - self._adapted_t >= _ADAPT_S:
                self._background, self._adapted_t = self._background.adapted(last.small), last.t

    def _relax(self) -> None:
        self._change, self._is_puzzling = None, False
        self._seen.clear()
        self._schedule.relax()

    def _keep(self, now: StoredFrame) -> None:
        self._kept.append(now)
        if len(self._kept) > _KEPT:
            self._kept = [*self._kept[: _KEPT // 2 : 2], *self._kept[_KEPT // 2 :]]

    def _is_due(self, t: float, changed: Mask, moving: Mask) -> bool:
        """Whether what lies there is worth a reading now: at once where a hand has let go of what was found."""
        lies_there = bool((changed & ~moving).sum() >= _SOMETHING * self._part.card_blocks)
        if self._is_moving and not lies_there:
            self._change = None
        is_due = self._schedule.is_due(t, is_moving=self._is_moving, lies_there=lies_there)
        return is_due or (self._is_held and self._change is not None and self._may_be_emitted(self._change, changed, t))

    def _consider(self, change: PileChange | None, changed: Mask, now: StoredFrame) -> list[Event]:
        """Tell what was found, or look again soon."""
        if change is None and self._is_given_up(changed, now.t):
            is_lifted = self.reading is not None and self._state.pile.top_is_gone(self.reading, changed)
            change = PileChange(is_lifted=is_lifted)
        is_new = change is None or not change.is_like(self._change)
        self._found_t, self._times_found = (now.t, 1) if is_new else (self._found_t, self._times_found + 1)
        self._change = change
        self._is_held = change is None or not self._may_be_emitted(change, changed, now.t)
        if change is None or self._is_held:
            arm = self._arm(changed, change.cards if change else ())
            self._is_puzzling = not self._is_moving and not arm.any()
            if change is not None and change.is_plain:
                self._take_over(arm & (now.t - self._moved_t >= _ARM_RESTS_S), now)
            if change is not None and change.is_plain and self._times_found < _ENOUGH:
                self._schedule.not_before(now.t)
            else:
                self._schedule.later(now.t)
            return []
        touches = self._touches(change)
        rests_since = min(self._found_t, max((t for t, _ in touches), default=now.t))
        if is_new or now.t - rests_since < STILL_S:
            self._schedule.not_before(rests_since + STILL_S)
            return []
        return self._emit(change, touches, changed, now)

    def _take_over(self, resting: Mask, now: StoredFrame) -> None:
        """Add blocks that rest beside cards to the settled picture, such as a glass. No arm rests for so long, whatever
        moves elsewhere."""
        assert self._background is not None
        if resting.any():
            self._former = self._background
            self._background = self._background.renewed(now.small, resting)

    def _emit_released(self, changed: Mask, now: StoredFrame) -> list[Event]:
        """Tell what a hand lets go of in this frame, if it was read often enough while the hand was there and lies
        still: that can be seen without reading it once more. What the hand hid may be another explanation."""
        change = self._change
        if change is None or not change.is_plain or self._times_found < _ENOUGH or self._state.outside().any():
            return []
        if not self._may_be_emitted(change, changed, now.t):
            return []
        if self.reading is None or not change.is_like(self._explain(self.reading, changed, now)):
            return []
        touches = self._touches(change)
        if now.t - max(t for t, _ in touches) < STILL_S:
            return []
        return self._emit(change, touches, changed, now)

    def _touches(self, change: PileChange) -> list[tuple[float, float]]:
        """When the cards that were laid came to rest, and the uncertainty of each."""
        assert self._background is not None
        return [
            contact_time_of(self._frames_of(card), card.corners_px, self._part, self._background.small)
            for card in change.laid
        ]

    def _frames_of(self, card: Sighting) -> Sequence[StoredFrame]:
        """The stored frames up to the last in which the card was not covered by another."""
        seen = next((one for one in self._seen if one.card.corners_px == card.corners_px), None)
        if seen is None or (self.reading is not None and card in self.reading.cards):
            return self._kept
        return [frame for frame in self._kept if frame.t <= seen.frame.t]

    def _is_given_up(self, changed: Mask, t: float) -> bool:
        """Whether what nothing explains has lain there for so long that the pile now looks so. An arm that lies there
        for much longer is taken as a part of it, too: what lies there is read anew when it goes."""
        is_arm = joined_to_rim(changed).any() and changed.mean() < _WHOLE
        return self._schedule.rested(t) >= (PATIENCE_S if is_arm else _GIVEN_UP_S)

    def _arm(self, changed: Mask, cards: Sequence[Sighting]) -> Mask:
        """What is new beside these cards and reaches the edge of the picture, as an arm does."""
        return joined_to_rim(self._beside(changed, cards))

    def _beside(self, changed: Mask, cards: Sequence[Sighting]) -> Mask:
        """What is new beside these cards, light that falls there apart."""
        assert self._background is not None
        assert self._last is not None
        own = self._state.pile.own(*cards)
        beside = self._background.without_glare(changed & ~own, self._last.small)
        return beside | (self._faint() & ~own) if self._last.small.is_dark else beside

    def _faint(self) -> Mask:
        """What stands out but little from the settled picture, as a dark sleeve on a dark table and all in the dark."""
        assert self._background is not None
        assert self._last is not None
        return self._background.differs_faintly(self._last.small)

    def _may_be_emitted(self, change: PileChange, changed: Mask, t: float) -> bool:
        """Whether nothing that may be a hand touches what was found, and whether it was read."""
        rested = self._schedule.rested(t)
        if rested < _ARM_RESTS_S and self._state.pile.reaches_out(change.laid):
            return False
        beside = self._beside(changed, change.cards)
        touching, arm = self._state.pile.touching(beside, change.cards), joined_to_rim(beside)
        if change.is_nothing and arm.any():
            return rested >= _ARM_RESTS_S
        if touching is not None:
            own = (changed & self._state.pile.own(*change.cards)).sum()
            is_most = own >= _MOST * (own + beside.sum())
            if not (arm & touching).any():
                arm = joined_to_rim(touching | self._faint())
            if (arm & touching).any() and (rested < _ARM_RESTS_S or not is_most):
                return False
            if rested < _RESTS_S:
                return False
        patience = PATIENCE_S if change.laid and change.laid[-1].face == UNREAD else _COVERED_S
        return change.is_sure or self._schedule.waited(t) >= patience

    def _emit(
        self, change: PileChange, touches: Sequence[tuple[float, float]], changed: Mask, now: StoredFrame
    ) -> list[Event]:  # fmt: skip
        """Tell it. From now on changes count from the picture as it is; a hand that is still over it is none of it."""
        assert self._background is not None
        events = self._state.apply(change, touches, self._kept, self._background.small)
        self._former = self._background if change.is_nothing else None
        if not change.cards or (change.is_nothing and not self._is_moving):
            self._background = BackgroundModel(now.small)
        else:
            own = self._state.pile.own(*change.cards)
            is_settled = own if self._is_moving else own | ~self._arm(changed, change.cards)
            self._background = self._background.renewed(now.small, is_settled)
        self._kept = [now]
        self._relax()
        self.unsettled_since = now.t if self._is_moving else None
        return events
