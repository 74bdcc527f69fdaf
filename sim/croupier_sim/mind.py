"""When people get round to what they have in mind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier_sim.table import SimTable

STUCK_S: Final = 4.0
"""When nothing happens for so long, people push the card or lay the hand anew."""


class Mind:
    """What everybody at ``table`` is about to do."""

    def __init__(self, table: SimTable) -> None:
        self._table = table
        self._asked = 0
        self._busy_until = 0.0
        self.is_paused = False
        """Whether the ring shows that play rests."""

    def asked(self) -> None:
        """The table asks for something else: what they would have done `when_free` is not done any more."""
        self._asked += 1

    def wait_until(self, t: float) -> None:
        """Something else comes first."""
        self._busy_until = max(self._busy_until, t)

    def then(self, after_s: float, act: Callable[[], object]) -> None:
        """Do it so much later, whatever happens."""
        self._table.at(self._table.now + after_s, act)

    def when_free(self, after_s: float, act: Callable[[], object]) -> None:
        """Do it, unless the table asks for something else before; wait while play is paused or something else comes
        first."""
        asked = self._asked

        def due() -> None:
            if asked == self._asked:
                if self.is_paused or self._table.now < self._busy_until:
                    self.then(1.0, due)
                else:
                    act()

        self.then(after_s, due)

    def when_stuck(self, act: Callable[[], object]) -> None:
        """If the table has not answered after a while, do something about it, again and again."""

        def push() -> None:
            act()
            self.when_stuck(act)

        self.when_free(STUCK_S, push)
