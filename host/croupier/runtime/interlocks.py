"""Why play stands still, and whether it may go on."""

from __future__ import annotations

from collections.abc import Sequence

from croupier.devices.pico import DOUBT
from croupier.referee.observations import Fault, Resumed
from croupier.runtime.session import Past


class Standstill:
    """All that may stand against going on. What only a person can clear waits for a go, before or after the machine is
    ready; the rest is over by itself."""

    def __init__(self, *, waits_for_go: bool = False, is_stopped: bool = False) -> None:
        self.waits_for_go = waits_for_go
        """Whether somebody has to say go …"""
        self.is_stopped = is_stopped
        """… the shoe has to say that its trouble is out of the way …"""
        self.surplus = 0
        """… so many cards that went out by mistake must be back in the shoe, or the piles are no longer the deck …"""
        self.gone: set[str] = set()
        """… these parts must work …"""
        self.awaited: set[str] = set()
        """… and these say how they stand."""

    @property
    def is_over(self) -> bool:
        """Whether nothing stands against it."""
        return self.surplus <= 0 and not (self.waits_for_go or self.is_stopped or self.gone or self.awaited)


def trouble_left(past: Sequence[Past]) -> str:
    """The shoe's trouble of which the log does not say that it was cleared; "" where there is none. A job in doubt is
    none of them: what became of a job, the shoe is asked."""
    left = ""
    for observation, *_ in past:
        match observation:
            case Resumed():
                left = ""
            case Fault(device="shoe", kind=kind) if kind != DOUBT:
                left = kind
            case _:
                pass
    return left
