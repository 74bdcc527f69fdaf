"""Interlocks, which keep play paused, and the grace period after the begin of a pause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from cardsight.track.events import Doubted, Lifted, Pushed, Recognized, TakenAway, Touched
from croupier.commands import FOR_THE_TABLE, LayCard, MakeHouseRule, NameCard
from croupier.devices.pico import DOUBT
from croupier.events import CommandGiven, Event, Press, ShoeReport
from croupier_rules.referee.observations import Fault, Observation, Resumed

NOTICED_S: Final = 1.0
"""Time after which everybody has noticed a pause."""


class Interlocks:
    """The conditions that must be met before play resumes."""

    def __init__(self, *, needs_go: bool = False, is_shoe_stopped: bool = False) -> None:
        self.needs_go = needs_go
        """True while an operator must press go: only a person can clear the fault."""
        self.is_shoe_stopped = is_shoe_stopped
        """True until the shoe reports that its fault is cleared."""
        self.surplus = 0
        """Number of cards fed by mistake that must go back into the shoe."""
        self.lost: set[str] = set()
        """Devices that must work again."""
        self.awaited: set[str] = set()
        """Devices that must first report their state."""

    @property
    def is_clear(self) -> bool:
        """True if play may resume."""
        return self.surplus <= 0 and not (self.needs_go or self.is_shoe_stopped or self.lost or self.awaited)


class PauseGracePeriod:
    """Grace period: events within `NOTICED_S` of a pause are kept and replayed on resume.

    A failure of the camera is detected a second later, and the time of a card that it missed is unknown. A hand that is
    on its way when the ring begins to blink still arrives. Neither breaks a rule.
    """

    def __init__(self) -> None:
        self._paused_at = float("-inf")
        self._kept: list[Event] = []

    def begin(self, t: float) -> None:
        """Begin the grace period of a pause at ``t`` (s)."""
        self._paused_at = t

    def keeps(self, event: Event, owed: Mapping[int, int]) -> bool:
        """Keep an event that counts only after the pause. Returns True if it was kept.

        ``owed``: number of cards that each seat still gets, also during the pause.
        """
        match event:
            case Touched() | CommandGiven(command=LayCard() | MakeHouseRule()):
                is_kept = self._is_within(event.t - event.u)
            case Press():
                is_kept = event.key not in FOR_THE_TABLE and self._is_within(event.t - event.u)
            case ShoeReport(kind="fed"):
                is_kept = 0 < event.n <= event.asked and not owed.get(event.seat)
            case TakenAway() | ShoeReport(kind="loaded"):
                is_kept = True  # the discard pile may have become the draw pile
            case Lifted() | Pushed() | Recognized() | Doubted() | CommandGiven(command=NameCard()):
                # The event may refer to a kept card, so it must not come before that card.
                is_kept = any(isinstance(one, Touched) for one in self._kept)
            case _:
                is_kept = False
        if is_kept:
            self._kept.append(event)
        return is_kept

    def holds(self, event: Event) -> bool:
        """True while this event is kept."""
        return any(one is event for one in self._kept)

    def end(self) -> list[Event]:
        """End the pause. Returns the kept events in order."""
        kept, self._kept = self._kept, []
        return kept

    def _is_within(self, t: float) -> bool:
        return t <= self._paused_at + NOTICED_S


def uncleared_fault(observations: Iterable[Observation]) -> str:
    """Return the shoe's fault that the log does not report as cleared; "" without one.

    A job in doubt does not count: the shoe is asked for its outcome.
    """
    fault = ""
    for observation in observations:
        match observation:
            case Resumed():
                fault = ""
            case Fault(device="shoe", kind=kind) if kind != DOUBT:
                fault = kind
            case _:
                pass
    return fault
