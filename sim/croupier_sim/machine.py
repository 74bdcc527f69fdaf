"""What stands on the simulated table: shoe, ring and UNO buttons. The program drives it, people press and open it."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from croupier.devices.protocols import Feed, Light
from croupier.events import CommandGiven, Press, ShoeReport
from croupier_sim.shoe import NO_FAULTS, ShoeFaults, SimShoe
from croupier_sim.table import SimTable

_PRESS_U: Final = 0.005  # how well a seat's button is stamped


class Machine(Protocol):
    """A `Shoe`, a `Ring` and a `Panel` for the program; below, what only people do with it."""

    @property
    def runs_on(self) -> str:
        """What runs the firmware, or ``none``."""

    @property
    def faults(self) -> tuple[str, ...]:
        """What may be provoked."""

    def feed(self, feed: Feed) -> None:
        """As `Shoe.feed`."""

    def reports(self) -> tuple[ShoeReport, ...]:
        """As `Shoe.reports`."""

    def show(self, light: Light) -> None:
        """As `Ring.show`."""

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """As `Panel.presses`."""

    def told_until(self) -> float:
        """All that happened before this comes with the next reports and presses."""

    @property
    def is_heard(self) -> bool:
        """Whether the program and the machine hear each other."""

    @property
    def has_news(self) -> bool:
        """Whether a report or a press has arrived."""

    @property
    def stuck(self) -> tuple[int, ...]:
        """The seats whose UNO buttons hang."""

    def press(self, *seats: int) -> None:
        """These seats press their UNO buttons, in the same instant."""

    def clear(self) -> None:
        """Somebody opened the shoe, took the trouble out of the way, and said so."""

    def take_surplus(self) -> tuple[tuple[int, int], ...]:
        """Who got how many cards too many, as the seats themselves see it; they see it once."""

    def loaded(self) -> None:
        """Somebody filled the hopper."""

    def returned(self, seat: int, n: int) -> None:
        """Somebody put ``n`` cards back that the seat had got too many."""

    def provoke(self, fault: str) -> None:
        """Let one of ``faults`` happen; those of the shoe befall the next card."""

    def close(self) -> None:
        """Switch it off."""


class StandIn(SimShoe):
    """The machine where no firmware can run: a shoe in Python, buttons that are known at once, a ring nobody sees."""

    runs_on = "none"
    is_heard = True
    stuck = ()

    def __init__(self, table: SimTable, rng: np.random.Generator, chances: ShoeFaults = NO_FAULTS) -> None:
        super().__init__(table, rng, chances)
        self._pressed: list[Press] = []

    def show(self, light: Light) -> None:
        """Show this from now on."""

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed since the last call."""
        pressed, self._pressed = tuple(self._pressed), []
        return pressed

    def told_until(self) -> float:
        """It tells everything at once."""
        return self._table.now

    @property
    def has_news(self) -> bool:
        """Whether a report is on its way, or something was pressed."""
        return bool(self._pressed or self._outbox)

    def press(self, *seats: int) -> None:
        """These seats press their UNO buttons, in the same instant."""
        t = round(self._table.now, 4)
        self._pressed += [Press(t=t, u=_PRESS_U, seat=seat, key="uno") for seat in seats]

    def close(self) -> None:
        """Nothing runs."""
