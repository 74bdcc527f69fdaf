"""What stands against going on while play is paused, and what happens to events that come too soon after the pause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from cardsight.track.events import Doubted, Lifted, Pushed, Recognized, TakenAway, Touched
from croupier.commands import LayCard, MakeHouseRule, NameCard
from croupier.devices.pico import DOUBT
from croupier.events import CommandGiven, Event, Press, ShoeReport
from croupier.referee.observations import Fault, Observation, Resumed

NOTICED_S: Final = 1.0
"""After so long everybody has noticed that play is paused."""

_OF_THE_TABLE: Final = ("go", "pause", "undo")


class Interlocks:
    """Everything that must be cleared before play goes on."""

    def __init__(self, *, needs_go: bool = False, is_shoe_stopped: bool = False) -> None:
        self.needs_go = needs_go
        """True while somebody must press go: only a person can clear what is wrong."""
        self.is_shoe_stopped = is_shoe_stopped
        """True until the shoe reports that its fault is cleared."""
        self.surplus = 0
        """How many cards that were fed by mistake must go back into the shoe; with them the piles are the deck."""
        self.lost: set[str] = set()
        """The devices that must work again."""
        self.awaited: set[str] = set()
        """The devices that must first report their state."""

    @property
    def is_clear(self) -> bool:
        """True when nothing stands against going on."""
        return self.surplus <= 0 and not (self.needs_go or self.is_shoe_stopped or self.lost or self.awaited)


class PauseGracePeriod:
    """Grace period: events within `NOTICED_S` of a pause are kept and replayed on resume.

    A camera that fails is noticed a second later, and nobody can say when a card that it missed was laid. A hand that
    is on its way when the ring begins to blink still arrives. None of this is against the rules."""

    def __init__(self) -> None:
        self._paused_at = float("-inf")
        self._kept: list[Event] = []

    def begin(self, t: float) -> None:
        """Play was paused at ``t`` (s)."""
        self._paused_at = t

    def keeps(self, event: Event, owed: Mapping[int, int]) -> bool:
        """Keep an event that counts only when play goes on; returns True if it was kept. ``owed``: the number of cards
        that each seat is still to get; these it gets during the pause, too."""
        match event:
            case Touched() | CommandGiven(command=LayCard() | MakeHouseRule()):
                is_kept = self._is_within(event.t - event.u)
            case Press():
                is_kept = event.key not in _OF_THE_TABLE and self._is_within(event.t - event.u)
            case ShoeReport(kind="fed"):
                is_kept = 0 < event.n <= event.asked and not owed.get(event.seat)
            case Lifted() | Pushed() | Recognized() | Doubted() | TakenAway() | CommandGiven(command=NameCard()):
                # The event may be about a card that is kept, and then does not come before it.
                is_kept = any(isinstance(one, Touched) for one in self._kept)
            case _:
                is_kept = False
        if is_kept:
            self._kept.append(event)
        return is_kept

    def end(self) -> list[Event]:
        """Play goes on: give back the events that were kept, in their order."""
        kept, self._kept = self._kept, []
        return kept

    def _is_within(self, t: float) -> bool:
        return t <= self._paused_at + NOTICED_S


def uncleared_fault(observations: Iterable[Observation]) -> str:
    """Return the shoe's fault that the log does not say was cleared; "" where there is none.

    A job in doubt does not count: its outcome is asked of the shoe."""
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
