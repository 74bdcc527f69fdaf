"""Puts what camera, shoe and keys report on one clock, in the order of its time, and turns it into observations.

Which of two things came first may decide a penalty, and neither arrives when it happens: a key is known at once, a card
on the pile only when it has lain still for a while, a report when its line has been sent again. So each source says
until when it has told everything: the camera by the last frame that was looked at, or since when something is open on
the pile; the others by their watermarks. Nothing is told that is later than what any of them may still tell,
and nothing waits longer than that. A source that is gone is not waited for, and what is open on the pile holds back
what happened after it began no longer than `HOLD_S`. Times are arguments; push in what arrives, pull out what is told.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count
from typing import Final

from cardsight.track.events import CameraFailed, CameraWell
from cardsight.track.events import Event as PileEvent
from cardsight.track.zone import Look
from croupier.events import CommandGiven, DeviceBack, DeviceLost, Event, Press, SequencedEvent, ShoeReport
from croupier.referee.observations import Fault, Observation, Resumed
from croupier.runtime.hand_scan import HandTracker
from croupier.runtime.interlocks import Standstill
from croupier.runtime.interpreter import Expected, Meaning, Pile
from croupier.runtime.pause_grace_period import Unnoticed

HOLD_S: Final = 3.0
"""So long an open question on the pile holds back what happened after it: longer than a hand stays to lay a card."""


class Sequencer:
    """Push events, looks, reports and presses as they arrive; `pull` what is due, one at a time, and say after each
    with `expect` what the game waits for now. ``has_shoe``: as `Meaning` has it. ``standstill``: what stands against
    going on, as after a power cut. ``t``: when something was told last."""

    def __init__(
        self, pile: Pile, *, has_shoe: bool = True, standstill: Standstill | None = None, t: float = 0.0
    ) -> None:
        self._pile = pile
        self._standstill = standstill or Standstill()
        self._meaning = Meaning(pile, self._standstill, has_shoe=has_shoe)
        self.hand = HandTracker()
        self._waiting: list[tuple[float, int, Event]] = []
        self._told: list[SequencedEvent] = []
        self._order = count()
        self._last_t = t
        self._is_blind = False
        self._unnoticed = Unnoticed()

    def expect(self, expected: Expected) -> None:
        """What the game waits for from now on."""
        self._meaning.expected = expected
        self.hand.expect(expected.hand)

    def stands(self, record: Sequence[Observation]) -> None:
        """After a correction the record is this: what stands of it, in the order of time."""
        card = self._meaning.last_card
        before = card.face
        card.stands(record)
        if card.face is not None and before not in (None, card.face):
            self._pile.correct(card.face)
        if record:
            self._last_t = max(self._last_t, record[-1].t)

    def push_pile(self, events: tuple[PileEvent, ...]) -> None:
        """What was seen to happen on the discard pile, and to the camera."""
        for event in events:
            if isinstance(event, CameraFailed | CameraWell):
                self._is_blind = isinstance(event, CameraFailed)
            self._push(event)

    def push_hand(self, look: Look) -> None:
        """A look at where hands are laid open."""
        seen = self.hand.push(look)
        if seen is not None:
            self._push(seen)

    def push(self, source: ShoeReport | Press | CommandGiven | DeviceLost | DeviceBack) -> None:
        """What the shoe or a key reported, or a person said on the page, in any order."""
        if isinstance(source, ShoeReport) and source.kind == "loaded" and self._meaning.is_recycling:
            self._pile.bare()
        self._push(source)

    def wait_for(self, device: str, is_waited_for: bool, now: float) -> None:
        """Play that is paused does not go on before ``device`` has said how it stands."""
        awaited = self._standstill.awaited
        if is_waited_for:
            awaited.add(device)
        elif device in awaited:
            awaited.remove(device)
            self.push(DeviceBack(now, device))

    @property
    def is_waiting(self) -> bool:
        """Whether there is something that is not told yet."""
        return bool(self._waiting or self._told)

    def pull(self, until: float) -> SequencedEvent | None:
        """The next thing that is due, or nothing yet. ``until``: until when every source has told everything."""
        if self._pile.unsettled_since is not None and not self._is_blind:
            until = min(until, max(self._pile.unsettled_since, until - HOLD_S))
        while not self._told and self._waiting and self._waiting[0][0] <= until:
            _, _, source = heapq.heappop(self._waiting)
            if self._meaning.is_resting and self._unnoticed.keeps(source, self._meaning.expected.owed):
                continue
            # What came later than it may is told now, with its age as uncertainty: times in the log never go back.
            t = self._last_t = round(max(source.t, self._last_t), 6)
            u = max(0.0, round(getattr(source, "u", 0.0) + (t - source.t), 6))
            self._told.extend(self._meaning.of(source, t, u))
        if not self._told:
            return None
        told = self._told.pop(0)
        self._meaning.last_card.note(told)
        if isinstance(told, Fault) and not self._meaning.expected.is_paused:
            self._unnoticed.begin(told.t)
        elif isinstance(told, Resumed):
            for kept in self._unnoticed.end():
                self._push(kept)
        return told

    def _push(self, source: Event) -> None:
        heapq.heappush(self._waiting, (source.t, next(self._order), source))
