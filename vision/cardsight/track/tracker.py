"""Tracker of the discard pile: push frames at any rate, get events.

A frame without a change is only compared with the background model. A change is read once it is still
(`ReadingSchedule`), since a reading takes as long as the comparisons of several frames. `pile` explains it. It is
reported when a second reading agrees and nothing that may be a hand touches the cards. Its time then follows from the
frames stored since the pile was settled (`contact_time`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cardsight.card_reader import CardReader
from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from cardsight.track.background_model import QUIET, BackgroundModel
from cardsight.track.blocks import Box, Mask, Part, differs, joined_to_rim, without_specks
from cardsight.track.cards import (
    ROUGHLY,
    as_unread,
    is_likely_same,
    is_same_place,
    likely_face,
    moved,
    read_part,
)
from cardsight.track.contact_time import StoredFrame, contact_time_of, rest_time_of
from cardsight.track.events import CameraFailed, CameraWell, Event, Trouble
from cardsight.track.health import Health
from cardsight.track.pile_change import PileChange
from cardsight.track.pile_state import PileState
from cardsight.track.reading_schedule import ReadingSchedule
from cardsight.track.registration import Stabilizer
from cardsight.track.rims import ELSEWHERE, hidden_card
from croupier_rules.cards import UNREAD

STILL_S: Final = 0.06
"""Minimum time (s) for which a reported card has been still."""
PATIENCE_S: Final = 6.0
"""Time (s) after which an unreadable card is reported as ``?``: long enough to push it once."""
_OCCLUDED_S: Final = 0.6
"""The same for a card that another one covered at once: waiting does not uncover it."""

_ENOUGH: Final = 2
"""Number of readings that must agree."""
_LIES_S: Final = 0.1
"""Time (s) for which a card was read, at least, that the next one then covered whole."""
_COVERED_S: Final = 0.4
"""Time (s) between such a card's last reading and the contact of the next one, in which nobody takes a card away."""
_FREE: Final = 0.5
"""Fraction of its change below which the place of a card is free again."""
_SWEPT: Final = 0.8
"""Fraction of a card's place over which the next card and its hand come; fingers and a hovering card change half."""

_BLINK_S: Final = 0.15
"""Between two frames with a longer gap (s), a hand can exchange a card."""

_SOMETHING: Final = 0.3
"""Still area (fraction of a card) from which a reading is worth its time while a hand moves."""
_SAME: Final = 0.03
"""Fraction of a card's place that differs where the same face is seen: another symbol of its color is more."""
_RESTS_S: Final = 0.4
"""Time (s) without movement after which something that touches a card, away from the edge of the picture, is no arm."""
_ARM_RESTS_S: Final = 1.5
"""The same for something that reaches the edge or may be held outside, if most of the change is the card."""
_STANDS_S: Final = 1.0
"""Time (s) after which what looks as before, though hands came or went meanwhile, stands on the table."""
_LOOKS: Final = 4
_LEFT: Final = 0.05
"""Smallest visible fraction of a buried card."""
_ONE_BY_ONE_S: Final = 0.25
"""Time within which nobody lays two cards one after the other: a part of one card that comes to rest earlier is its
own."""
_MOST: Final = 0.5
_WHOLE: Final = 0.7
"""Fraction of changed blocks from which the light has changed: no arm covers so much."""
_GIVEN_UP_S: Final = 2.0
"""Time (s) after which an unexplained change becomes background, so that the next card is seen."""
_MAX_FRAMES: Final = 150
"""Maximum number of stored frames. When it is exceeded, every second frame of the older half is dropped."""
_ADAPT_S: Final = 1.0
"""Interval (s) at which the background model follows slow changes of the light."""


@dataclass(slots=True)
class _SeenCard:
    """A card that was read since the pile was settled, with certainty ``times`` times of ``looks``. ``frame``: the last
    one in which it was read, ``since``: the time of the first, ``here_since``: of the frame before it was first
    read in its place."""

    card: Sighting
    frame: StoredFrame
    since: float
    here_since: float
    times: int = 0
    looks: int = 0

    def look(self, card: Sighting, frame: StoredFrame, last_t: float) -> None:
        """Add a reading. ``last_t``: time of the frame before."""
        self.frame, self.looks = frame, self.looks + 1
        if not is_same_place(card.corners_px, self.card.corners_px):
            self.here_since = last_t
        if card.face != UNREAD:
            self.card, self.times = card, self.times + 1

    @property
    def as_sure(self) -> Sighting:
        """The card, as unread if it was not read often enough."""
        return self.card if self.times >= _ENOUGH or self.card.face == UNREAD else as_unread(self.card)


class PileTracker:
    """Tracks the discard pile in the part ``zone`` of the frames, in which a card is ``card_px`` long.

    The first frame counts as settled: begin with the zone empty, or call `settle`. ``seats_px``: the seats in px of the
    frame. ``faces``: those of the deck in play, ``None`` if unknown. ``may_freeze``: as of `Health`.
    """

    def __init__(
        self, zone: Box, card_px: float, reader: CardReader, *,
        seats_px: Sequence[tuple[float, float]] = (), faces: Collection[str] | None = None, may_freeze: bool = True,
    ) -> None:  # fmt: skip
        self._card_px, self._reader, self._faces = card_px, reader, faces
        self._part = Part(zone, card_px)
        self._health = Health(may_freeze=may_freeze)
        self._stabilizer = Stabilizer(self._part)
        self._state = PileState(self._part, card_px, seats_px)
        self._schedule = ReadingSchedule()
        self._expected_top: str | None = None
        self._background: BackgroundModel | None = None
        self._former: BackgroundModel | None = None
        """The background before something that may be an arm became part of it: it may return."""
        self._lost: StoredFrame | None = None
        """The last settled frame before the camera was moved."""
        self._adapted_t = 0.0
        self._last: StoredFrame | None = None
        self._image: Image | None = None
        """The last frame."""
        self._moving: Mask = np.zeros(self._part.shape, np.bool_)
        self._moved_t = np.zeros(self._part.shape)
        """Time at which each block moved last."""
        self._whole: BackgroundModel | None = None
        """The background before anything became part of it beside a pending change, which leaves the cards cut out."""
        self._frames: list[StoredFrame] = []
        self._calm: deque[StoredFrame] = deque(maxlen=_LOOKS)
        """The last frame of each time without movement, since the pile was settled."""
        self._change: PileChange | None = None
        self._found_t = 0.0
        self._times_found = 0
        self._seen: list[_SeenCard] = []
        self._is_held = False
        """True while the change waits for a hand to release it, or to be read."""
        self._is_puzzling = False
        """True if something is there that is no arm and unexplained; then occluded cards are read, too."""
        self.unsettled_since: float | None = None
        """Time since which an event may be pending; no later event may be reported before it."""
        self.reading: Reading | None = None
        """The last reading (px of the frame), for drawing."""
        self._read_in: StoredFrame | None = None
        self.unread_since: float | None = None
        """Time since which something lies there in which no card was read; None after the next event."""

    @property
    def trouble(self) -> Trouble | None:
        """The reported fault of the camera."""
        return self._health.trouble

    @property
    def top(self) -> Sighting | None:
        """The up-card as it was seen when it was laid or pushed last."""
        return self._state.pile.top

    def clear(self) -> None:
        """Take the zone as empty: the pile was taken away on purpose."""
        self._state.forget()
        self.unread_since = None
        self.settle()

    def expect_top(self, face: str) -> None:
        """Set the top card before the first frame, when a game is resumed."""
        self._expected_top = face

    def keep_only_top(self) -> None:
        """Forget all cards under the top one: they were taken away on purpose."""
        self._state.pile.keep(self.top)

    def accept_view(self) -> None:
        """Accept the new place of a camera that was reported as moved. The background is learned again, and the top
        card is searched as after `expect_top`."""
        if self.trouble == "moved":
            self._health.forget()
            self._lost = self._frames[0] if self._frames else None
            self._background = self._former = None
            self._expected_top = self.top.face if self.top else self._expected_top

    def correct(self, face: str) -> None:
        """Set the face of the top card: a person corrected it."""
        if self.top:
            self._state.pile.cards[-1] = replace(self.top, face=face)

    def settle(self) -> None:
        """Take the zone as it is now as settled."""
        self._background = BackgroundModel(self._last.small) if self._last else None
        self._quiet()

    def missing(self, now: float) -> tuple[Event, ...]:
        """Process a missing frame at ``now``."""
        failed = self._health.missing(now)
        if failed is not None and self.unsettled_since is None:
            self.unsettled_since = self._last.t if self._last else now
        return (failed,) if failed else ()

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[Event, ...]:
        """Process the frame taken at ``t`` ± ``u``; return the events."""
        health = self._health.push(t, image, is_compensated=self._stabilizer.compensates)
        if self._health.trouble == "unsteady" and self._background is not None:
            self._stabilizer.shrunk(t, image, self._background.small)
        if self._health.trouble is not None:
            self._change, self._is_puzzling = None, False
            self._schedule.interrupt()
            if self.unsettled_since is None:
                self.unsettled_since = self._frames[-1].t if self._frames else t
            return (health,) if isinstance(health, CameraFailed) else ()
        events: list[Event] = []
        if isinstance(health, CameraWell):
            events.append(health)
            self._stabilizer = Stabilizer(self._part)
        settled = self._background.small if self._background else None
        was_trembling = self._stabilizer.is_active
        now, last = StoredFrame(t, u, self._stabilizer.shrunk(t, image, settled)), self._last
        if self._stabilizer.is_active and not was_trembling:
            del self._frames[1:]  # frames without alignment give no time
        self._last, self._image = now, image
        if self._background is None or last is None:
            self._background, self._frames = BackgroundModel(now.small), [now]
            if self._expected_top is not None:
                events += self._find(self._expected_top, image, now)
                self._expected_top = None
            return tuple(events)
        was_moving = self._moving
        is_aligned = was_trembling or self._stabilizer.is_active
        moving = differs(now.small, last.small) if is_aligned else self._stabilizer.moving
        self._moving = without_specks(moving) if now.small.grain else moving
        changed = self._background.differs(now.small)
        if self._former is not None and changed.mean() > QUIET >= self._former.differs(now.small).mean():
            self._background, self._former, self.unread_since = BackgroundModel(now.small), None, None
            changed = np.zeros_like(changed)
        if changed.mean() <= QUIET:
            self._stabilizer.confirm()
            if not self._is_moving and not self._health.is_in_doubt:
                self._quiet()
            return tuple(events)
        self._moved_t[self._moving] = t
        self._store(now)
        if not self._is_moving:
            if self._calm and not (was_moving.mean() > QUIET):
                self._calm.pop()
            self._calm.append(now)
        if self.unsettled_since is None:
            self.unsettled_since = last.t
        if self._is_due(t, changed, was_moving | self._moving) and self._health.is_well(t, image):
            released = self._emit_released(changed, now)
            if released:
                return (*events, *released)
            self.reading, self._read_in = self._read(image, top_only=not self._is_puzzling), now
            gone = self._state.forget_removed(self.reading, changed, self._moving)
            changed = changed & ~self._state.outside() & ~gone
            if gone.any():
                self._background = self._background.renewed(now.small, gone)
            self._note_seen(self.reading, changed, now)
            events += self._consider(self._explain(self.reading, changed, now), changed, now)
        return tuple(events)

    @property
    def has_read_last_frame(self) -> bool:
        """True if the last frame was worth a reading, which takes as long as all else together."""
        return self._read_in is not None and self._read_in is self._last

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
        """Add the cards that were laid just before and are covered now."""
        if not change.laid or change.cards != change.laid:
            return change
        occluded = [card for seen in self._seen if (card := self._occluded(seen, change, changed, now)) is not None]
        laid = (*occluded, *change.laid)
        return replace(change, laid=laid, cards=laid)

    def _occluded(self, seen: _SeenCard, change: PileChange, changed: Mask, now: StoredFrame) -> Sighting | None:
        """Return the seen card if it lies under the laid ones: its rest is visible, or it was covered where it lay.

        If it was only held there and is laid now, another may have taken its place.
        """
        card, laid = seen.card, change.laid
        if seen.looks < _ENOUGH:
            return None
        visible = None
        if any(likely_face(one) in (likely_face(card), UNREAD) for one in laid):
            arms = changed & (now.t - self._moved_t < _ARM_RESTS_S)
            assert self._background is not None
            settled = self._background.small
            is_replaced = self._state.pile.is_replaced(card, laid, changed, arms, now.small, settled)
            return replace(card, face=UNREAD, candidates=()) if is_replaced else None
        if seen.times >= _ENOUGH and not any(is_same_place(one.corners_px, card.corners_px, ROUGHLY) for one in laid):
            visible = self._state.pile.occluded_card(card, laid, changed, now.small, seen.frame.small)
        if visible is not None and visible.face != UNREAD:
            return visible
        is_free = self._state.pile.is_free(card, laid, changed)
        return visible if is_free else self._buried_card(seen, change) or visible

    def _buried_card(self, seen: _SeenCard, change: PileChange) -> Sighting | None:
        """Return the seen card if the next one was brought over it and laid on it before anybody could take it away:
        all of its place looks different for a moment, and the table is not seen there. It is unread if a hand may have
        exchanged the two between two frames."""
        if seen.frame.t - seen.since < _LIES_S:
            return None
        covered = min(t + u for t, u in self._touches(change))
        if not 0 < covered - seen.frame.t <= _COVERED_S:
            return None
        assert self._background is not None
        place, before = self._part.inside(seen.card.corners_px), self._background.small
        frames = [one for one in self._frames if seen.frame.t <= one.t <= covered]
        changed = [differs(one.small, before)[place].mean() for one in frames]
        swept = np.any([differs(one.small, frames[0].small)[place] for one in frames], axis=0).mean()
        if min(changed) < _FREE * changed[0] or swept < _SWEPT:
            return None
        times = [one.t for one in frames]
        return seen.as_sure if max(np.diff(times)) <= _BLINK_S else as_unread(seen.card)

    def _note_seen(self, reading: Reading, changed: Mask, now: StoredFrame) -> None:
        """Record the cards that a reading shows where none was known."""
        last_t = self._frames[-2:][0].t
        for card in self._state.pile.new_cards(reading, changed):
            seen = next((one for one in self._seen if is_likely_same(one.card, card, ROUGHLY)), None)
            if seen is None:
                seen = _SeenCard(card, now, now.t, last_t)
                self._seen.append(seen)
            seen.look(card, now, last_t)

    def _find(self, face: str, image: Image, now: StoredFrame) -> list[Event]:
        """Find the top card of a resumed game, or before a camera that was moved, and the cards laid on it meanwhile.
        An unreadable card counts as the top one if it is the only card, and does not look otherwise than before."""
        self.reading = self._read(image)
        cards = [card for card in self.reading.cards if self._state.is_in_zone(card)]
        top = next((card for card in cards if card.face == face), None)
        lost, self._lost = self._lost, None
        laid = self._state.laid_since(cards, lost.small, now.small) if lost is not None else ()
        if top is None and not laid and [card.face for card in cards] == [UNREAD]:
            top = replace(cards[0], face=face)
        self._state.pile.keep(top)
        if lost is None:
            return []
        t, u = (lost.t + now.t) / 2, (now.t - lost.t) / 2
        return self._state.apply(PileChange(laid=laid), [(t, u)] * len(laid), [now], now.small)

    def _quiet(self) -> None:
        """Settle: nothing happens."""
        last = self._last
        self.unsettled_since = None
        self._relax()
        self._calm.clear()
        if last is not None:
            self._frames = [last]
            if self._background is not None and last.t - self._adapted_t >= _ADAPT_S:
                self._background, self._adapted_t = self._background.adapted(last.small), last.t

    def _relax(self) -> None:
        self._change, self._whole, self._is_puzzling = None, None, False
        self._seen.clear()
        self._schedule.relax()

    def _store(self, now: StoredFrame) -> None:
        self._frames.append(now)
        if len(self._frames) > _MAX_FRAMES:
            self._frames = [*self._frames[: _MAX_FRAMES // 2 : 2], *self._frames[_MAX_FRAMES // 2 :]]

    def _is_due(self, t: float, changed: Mask, moving: Mask) -> bool:
        """True if the change is worth a reading now: by the schedule, or as soon as a hand has released it."""
        lies_there = bool((changed & ~moving).sum() >= _SOMETHING * self._part.card_blocks)
        if self._is_moving and not lies_there:
            self._change = None
        is_due = self._schedule.is_due(t, is_moving=self._is_moving, lies_there=lies_there)
        return is_due or (self._is_held and self._change is not None and self._may_be_emitted(self._change, changed, t))

    def _consider(self, change: PileChange | None, changed: Mask, now: StoredFrame) -> list[Event]:
        """Report a change, or schedule the next reading."""
        if change is None and self._is_given_up(changed, now.t):
            is_lifted = self.reading is not None and self._state.pile.top_is_gone(self.reading, changed, now.small)
            change = PileChange(is_lifted=is_lifted)
        is_new = change is None or not change.is_like(self._change)
        self._found_t, self._times_found = (now.t, 1) if is_new else (self._found_t, self._times_found + 1)
        self._change = change
        self._is_held = change is None or not self._may_be_emitted(change, changed, now.t)
        if change is None or self._is_held:
            arm = self._arm(changed, change.cards if change else ())
            self._is_puzzling, has_more = not self._is_moving and not arm.any(), False
            if change is not None and (change.is_plain or self._schedule.rested(now.t) >= _GIVEN_UP_S):
                resting = arm & (now.t - self._moved_t >= _ARM_RESTS_S)
                has_more = self._take_over(resting | self._standing(changed, change, now), now)
            if change is not None and change.is_plain and (has_more or self._times_found < _ENOUGH):
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

    def _take_over(self, resting: Mask, now: StoredFrame) -> bool:
        """Add blocks that rest beside cards, such as a glass, to the background. No arm rests for so long."""
        assert self._background is not None
        if resting.any():
            self._former, self._whole = self._background, self._whole or self._background
            self._background = self._background.renewed(now.small, resting)
        return bool(resting.any())

    def _standing(self, changed: Mask, change: PileChange, now: StoredFrame) -> Mask:
        """Return the blocks beside the cards that look as they did a while ago, before hands came or went."""
        same = np.zeros_like(changed)
        if not self._is_moving:
            for calm in list(self._calm)[:-1]:
                if now.t - calm.t >= _STANDS_S:
                    same |= ~differs(now.small, calm.small)
        return self._beside(changed, change.cards) & same if same.any() else same

    def _emit_released(self, changed: Mask, now: StoredFrame) -> list[Event]:
        """Report a change that a hand releases in this frame, if it was read often enough before and is still. This
        needs no further reading. The blocks that the hand hid may suggest another explanation."""
        change = self._change
        if change is None or not change.is_plain or self._times_found < _ENOUGH or self._state.outside().any():
            return []
        if not self._may_be_emitted(change, changed, now.t):
            return []
        if self.reading is None or not change.is_like(self._explain(self.reading, changed, now)):
            return []
        if not all(self._is_as_read(card, now) for card in change.laid):
            return []
        touches = self._touches(change)
        if now.t - max(t for t, _ in touches) < STILL_S:
            return []
        return self._emit(change, touches, changed, now)

    def _is_as_read(self, card: Sighting, now: StoredFrame) -> bool:
        """True if the place of the card looks as it did at the last reading; a hand may have put another there."""
        assert self._read_in is not None
        return bool(differs(now.small, self._read_in.small)[self._part.inside(card.corners_px)].mean() <= _SAME)

    def _buried(
        self, change: PileChange, touches: Sequence[tuple[float, float]], changed: Mask
    ) -> tuple[float, float] | None:
        """Return the contact time and uncertainty (s) of a card that was never read, and on which the next was laid at
        once: its rest may have come to lie beside that one earlier, and the place was not free in between."""
        if not change.is_plain:
            return None
        assert self._background is not None
        beside = self._beside(changed, change.cards)
        rest = self._state.pile.touching(beside & ~joined_to_rim(beside), change.cards)
        if rest is None or rest.sum() < _LEFT * self._part.card_blocks:
            return None
        (t, u), (next_t, next_u) = rest_time_of(self._frames, rest, self._background.small), touches[0]
        earliest = t - u
        if next_t - earliest < _ONE_BY_ONE_S:
            return None
        place = self._part.inside(change.laid[0].corners_px)
        between = [one.small for one in self._frames if earliest < one.t <= next_t - next_u]
        is_covered = all(differs(one, self._background.small)[place].mean() >= _FREE for one in between)
        return (t, u) if between and is_covered else None

    def _hidden(self, change: PileChange, now: StoredFrame) -> Sighting | None:
        """Return the card that came under a single one, laid with it as one: only its rims show beside that one."""
        if not change.is_plain or len(change.laid) != 1 or self._part.reaches_beyond(change.laid[0].corners_px, 0.0):
            return None
        assert self._background is not None
        assert self._image is not None
        laid, pile, whole = change.laid[0], self._state.pile, (self._whole or self._background).small
        if (found := hidden_card(self._part, now.small, whole, laid.corners_px)) is None or found.odds <= 0:
            return None
        hidden = Sighting(UNREAD, 0.0, found.outline, doubts=("covered",))
        if (differs(now.small, whole) & ~pile.own(hidden, laid)).mean() > ELSEWHERE:
            return None
        near = (
            card
            for card in self._read(self._image, top_only=False).cards
            if card.face not in (UNREAD, laid.face) and is_same_place(card.corners_px, found.outline, ROUGHLY)
        )
        return next(near, hidden)

    def _touches(self, change: PileChange) -> list[tuple[float, float]]:
        """Return the contact time and uncertainty (s) of each laid card."""
        assert self._background is not None
        return [
            contact_time_of(self._frames_of(card), card.corners_px, self._part, self._background.small)
            for card in (*change.under, *change.laid)
        ]

    def _honest(self, card: Sighting, touch: tuple[float, float]) -> tuple[float, float]:
        """Return the contact with an uncertainty that reaches back to when the card was first read in its place: it was
        held still there, or the camera trembled, so that frames do not match."""
        seen = next((one for one in self._seen if one.card.corners_px == card.corners_px), None)
        if seen is None or seen.looks < _ENOUGH:
            return touch
        return touch[0], max(touch[1], touch[0] - seen.here_since)

    def _frames_of(self, card: Sighting) -> Sequence[StoredFrame]:
        """Return the stored frames up to the last one in which the card was not covered by another."""
        seen = next((one for one in self._seen if one.card.corners_px == card.corners_px), None)
        if seen is None or (self.reading is not None and card in self.reading.cards):
            return self._frames
        return [*(frame for frame in self._frames if frame.t < seen.frame.t), seen.frame]

    def _is_given_up(self, changed: Mask, t: float) -> bool:
        """True if an unexplained change has been still for so long that it becomes background. A still arm takes much
        longer; what lies there is read again when the arm leaves."""
        is_arm = joined_to_rim(changed).any() and changed.mean() < _WHOLE
        return self._schedule.rested(t) >= (PATIENCE_S if is_arm else _GIVEN_UP_S)

    def _arm(self, changed: Mask, cards: Sequence[Sighting]) -> Mask:
        """Return the changed blocks beside these cards that reach the edge of the picture, as an arm does."""
        return joined_to_rim(self._beside(changed, cards))

    def _beside(self, changed: Mask, cards: Sequence[Sighting]) -> Mask:
        """Return the changed blocks beside these cards, glare excepted."""
        assert self._background is not None
        assert self._last is not None
        own = self._state.pile.own(*cards)
        beside = self._background.without_glare(changed & ~own, self._last.small)
        return beside | (self._faint() & ~own) if self._last.small.is_dark else beside

    def _faint(self) -> Mask:
        """Return the blocks that differ faintly from the background: a dark sleeve on a dark table, or anything in the
        dark."""
        assert self._background is not None
        assert self._last is not None
        return self._background.differs_faintly(self._last.small)

    def _may_be_emitted(self, change: PileChange, changed: Mask, t: float) -> bool:
        """True if the change can be reported: it was read, and nothing that may be a hand touches it."""
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
        patience = PATIENCE_S if change.laid and change.laid[-1].face == UNREAD else _OCCLUDED_S
        return change.is_sure or self._schedule.waited(t) >= patience

    def _emit(
        self, change: PileChange, touches: Sequence[tuple[float, float]], changed: Mask, now: StoredFrame
    ) -> list[Event]:  # fmt: skip
        """Report the change and update the background, except below a hand that is still there."""
        assert self._background is not None
        if (buried := self._buried(change, touches, changed)) is not None:
            laid = (replace(change.laid[0], face=UNREAD, confidence=0.0), *change.laid)
            change, touches = replace(change, laid=laid, cards=laid), (buried, *touches)
        elif (hidden := self._hidden(change, now)) is not None:
            laid = (hidden, *change.laid)
            change, touches = replace(change, laid=laid, cards=laid), (*touches, *touches)
        touches = [self._honest(*one) for one in zip((*change.under, *change.laid), touches, strict=True)]
        events = self._state.apply(change, touches, self._frames, self._background.small)
        self._former = self._background if change.is_nothing else None
        self.unread_since = (self.unread_since or self.unsettled_since) if change.is_nothing else None
        if not change.cards or (change.is_nothing and not self._is_moving):
            self._background = BackgroundModel(now.small)
        else:
            own = self._state.pile.own(*change.cards)
            is_settled = own if self._is_moving else own | ~self._arm(changed, change.cards)
            self._background = self._background.renewed(now.small, is_settled)
        self._frames = [now]
        self._relax()
        self.unsettled_since = now.t if self._is_moving else None
        return events
