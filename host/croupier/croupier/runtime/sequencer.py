"""The sequencer: takes events from the inbox in the order of time, and returns their sequenced events."""

from __future__ import annotations

from collections.abc import Sequence

from croupier.commands import NameCard
from croupier.events import CommandGiven, DeviceBack, Event, SequencedEvent, ShoeReport
from croupier.runtime.inbox import Inbox
from croupier.runtime.interlocks import Interlocks, PauseGracePeriod
from croupier.runtime.interpreter import EventInterpreter, Expected, KnownPile, Sightings
from croupier_rules.referee.observations import Fault, Observation, Play, Resumed, Upcard


class Sequencer:
    """Returns sequenced events, one at a time; call `expect` after each with the new state of the game.

    ``has_shoe``: as in `EventInterpreter`. ``interlocks``: conditions for a resume, as after a power cut. ``t``: time
    (s) of the last event of the log.
    """

    def __init__(
        self, inbox: Inbox, pile: KnownPile, *, has_shoe: bool, interlocks: Interlocks, t: float = 0.0
    ) -> None:  # fmt: skip
        self._inbox, self._pile, self._interlocks = inbox, pile, interlocks
        self._interpreter = EventInterpreter(self._interlocks, has_shoe=has_shoe)
        self._emitted: list[SequencedEvent] = []
        self._last_t = t
        self._grace = PauseGracePeriod()

    def watch(self, pile: KnownPile) -> None:
        """Go on with another view of the discard pile."""
        self._pile = pile

    def expect(self, expected: Expected) -> None:
        """Set the state of the game from now on."""
        self._interpreter.expected = expected

    @property
    def expected(self) -> Expected:
        """Event for which the game waits."""
        return self._interpreter.expected

    @property
    def sightings(self) -> Sightings:
        """As in `EventInterpreter`."""
        return self._interpreter.sightings

    def arrive(self, event: Event) -> None:
        """Note an event at its arrival, before its turn."""
        match event:
            case ShoeReport(kind="loaded") if self.expected.is_recycling:
                self._pile.keep_only_top()
            case CommandGiven(command=NameCard(card=card)) if not self.expected.is_past(event):
                self._pile.correct(card)

    def reset(self, record: Sequence[Observation]) -> None:
        """Continue from the record after a correction, in the order of time."""
        face = next((one.card for one in reversed(record) if isinstance(one, Play | Upcard)), None)
        if face is not None and self._interpreter.face not in (None, face):
            self._pile.correct(face)
        self._interpreter.face = face
        if record:
            self._last_t = max(self._last_t, record[-1].t)

    def wait_for(self, device: str, is_awaited: bool, now: float) -> None:
        """Keep play paused while ``is_awaited``: ``device`` must first report its state."""
        awaited = self._interlocks.awaited
        if is_awaited:
            awaited.add(device)
        elif device in awaited:
            awaited.remove(device)
            self._inbox.put(DeviceBack(now, device))

    def holds(self, event: Event) -> bool:
        """True while this event waits for its turn, or for the end of a pause."""
        return self._inbox.holds(event) or self._grace.holds(event)

    @property
    def is_waiting(self) -> bool:
        """True while an event waits for its turn."""
        return bool(self._emitted) or not self._inbox.is_empty

    def pull(self) -> SequencedEvent | None:
        """Return the next due event; None if there is none."""
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
