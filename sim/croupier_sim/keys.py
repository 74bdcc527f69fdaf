"""What people at the simulated table press and say."""

from __future__ import annotations

from typing import Final

from croupier.commands import Key
from croupier.events import CommandGiven, Press
from croupier.referee import corrections
from croupier_sim.machine import Machine
from croupier_sim.table import SimTable

PRESS_U: Final = 0.005
"""How well a key is stamped."""


class SimKeys:
    """A `Panel`. The UNO buttons are the machine's; all other keys, and the page, are here."""

    def __init__(self, table: SimTable, machine: Machine) -> None:
        self._table, self._machine = table, machine
        self._pressed: list[Press | CommandGiven] = []

    def press(self, seat: int, key: Key) -> None:
        """``seat`` presses ``key`` now."""
        if key == "uno":
            self._machine.press(seat)
        else:
            self.say(Press(t=round(self._table.now, 4), u=PRESS_U, seat=seat, key=key))

    def say(self, said: Press | CommandGiven) -> None:
        """Somebody says this on the page."""
        self._pressed.append(said)

    def count(self) -> None:
        """Somebody counts the cards of all hands and piles on the page, unless one is on its way."""
        table = self._table
        if not table.slides:
            hands = {seat: len(hand) for seat, hand in enumerate(table.hands)}
            counted = {"hands": hands, "draw_pile": len(table.hopper), "discard_pile": len(table.discard)}
            self.say(CommandGiven(t=table.now, command=corrections.SetTo(counted)))

    @property
    def has_pressed(self) -> bool:
        """Whether `presses` would give something."""
        return bool(self._pressed)

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What was pressed and said since the last call."""
        pressed, self._pressed = tuple(self._pressed), []
        return pressed
