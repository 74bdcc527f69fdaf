"""The sequencer: takes events out of the inbox in the order of time, and gives out what they mean for the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from croupier.events import DeviceBack, Event, SequencedEvent, ShoeReport
from croupier.referee.observations import Fault, Observation, Play, Resumed, Upcard
from croupier.runtime.inbox import Inbox
from croupier.runtime.interlocks import Interlocks, PauseGracePeriod
from croupier.runtime.interpreter import EventInterpreter, Expected, NamedPile


class Pile(NamedPile, Protocol):
    """The part of the discard pile that the sequencer uses."""

    def bare(self) -> None:
        """Forget what lay under the top card: it was taken away."""


class Sequencer:
    """Gives out sequenced events, one at a time; say after each with `expect` what the game waits for now.

    ``has_shoe``: as `EventInterpreter` has it. ``interlocks``: what stands against going on, as after a power cut.
    ``t``: the time (s) of the last event of the log."""

    def __init__(
        self, inbox: Inbox, pile: Pile, *, has_shoe: bool = True, interlocks: Interlocks | None = None, t: float = 0.0
    ) -> None:
        self._inbox, self._pile = inbox, pile
        self._interlocks = interlocks or Interlocks()
        self._interpreter = EventInterpreter(pile, self._interlocks, has_shoe=has_shoe)
        self._emitted: list[SequencedEvent] = []
        self._last_t = t
        self._grace = PauseGracePeriod()

    def expect(self, expected: Expected) -> None:
        """Say what the game waits for from now on."""
        self._interpreter.expected = expected

    def arrive(self, event: Event) -> None:
        """Take note of an event at its arrival, before its turn comes."""
        if isinstance(event, ShoeReport) and event.kind == "loaded" and self._interpreter.expected.is_recycling:
            self._pile.bare()

    def reset(self, record: Sequence[Observation]) -> None:
        """Go on from the record as it stands after a correction, in the order of time."""
        face = next((one.card for one in reversed(record) if isinstance(one, Play | Upcard)), None)
        if face is not None and self._interpreter.face not in (None, face):
            self._pile.correct(face)
        self._interpreter.face = face
        if record:
            self._last_t = max(self._last_t, record[-1].t)

    def wait_for(self, device: str, is_awaited: bool, now: float) -> None:
        """While ``is_awaited``, paused play does not go on: ``device`` must first report its state."""
        awaited = self._interlocks.awaited
        if is_awaited:
            awaited.add(device)
        elif device in awaited:
            awaited.remove(device)
            self._inbox.put(DeviceBack(now, device))

    @property
    def is_waiting(self) -> bool:
        """True while an event waits for its turn."""
        return bool(self._emitted) or not self._inbox.is_empty

    def pull(self) -> SequencedEvent | None:
        """Return the next event that is due; None while nothing is."""
        interpreter = self._interpreter
        while not self._emitted and (event := self._inbox.pop()) is not None:
            if interpreter.expected.is_interrupted and self._grace.keeps(event, interpreter.expected.owed):
                continue
            # Times in the log never go back: a late event gets the last time, and its lateness as uncertainty.
            t = self._last_t = max(round(event.t, 6), self._last_t)
            u = max(0.0, round(event.u + (t - event.t), 6))
            self._emitted.extend(interpreter.interpret(event, t, u))
        if not self._emitted:
            return None
        emitted = self._emitted.pop(0)
        if isinstance(emitted, Play | Upcard):
            interpreter.face = emitted.card
        elif isinstance(emitted, Fault) and not interpreter.expected.is_paused:
            self._grace.begin(emitted.t)
        elif isinstance(emitted, Resumed):
            for kept in self._grace.end():
                self._inbox.restore(kept)
        return emitted
