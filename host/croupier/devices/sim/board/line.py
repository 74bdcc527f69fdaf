"""The simulated Pico at the simulated table: its cards are the table's cards, and its time is the table's time.

line = SimLine(table, SimPico(), angles)
pico = Pico(line, Layout(seats=4))     # croupier.devices.pico: the same that drives a real one
table.run_to(t)                        # bytes cross the line, motors turn, cards slide to their seats
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from croupier.devices.sim.board.pico import SimPico
from croupier.devices.sim.board.port import LineFaults
from croupier.devices.sim.table import SimTable
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event

_SLICE_S: Final = 0.01
"""How often bytes cross the line: a USB frame lasts 1 ms, and no report waits for this."""

_SLIDE_S: Final = 0.35
"""From the exit to the hand."""

_STEPS: Final = 4800


class SimLine:
    """Carries commands to the firmware and its reports back, in step with ``table``, and moves the table's cards.

    ``angles``: where each seat is (degrees clockwise from the magnet). ``misdealt`` counts cards that left the shoe
    while the turntable did not face a seat; they are in the hand of the nearest. Implements
    `croupier.devices.pico.Line`.
    """

    def __init__(self, table: SimTable, pico: SimPico, angles: Sequence[float], *, seed: int = 1) -> None:
        self.pico, self.faults = pico, LineFaults()
        self._table, self._angles = table, angles
        self._rng = random.Random(seed)
        self._conversation = Conversation(lambda: self._rng.randrange(1, 1 << 16))
        self._began_us = pico.now_us - round(table.now * 1e6)
        self._is_plugged_in = False
        self._in_hopper = -1
        self.fed = self.misdealt = 0
        self._slice()

    def send(self, command: Command) -> bool:
        """Tell the Pico; false where that is not possible now."""
        return self._conversation.send(command)

    def events(self) -> list[Event]:
        """What happened since the last call, in order."""
        return self._conversation.events()

    def press(self, seat: int) -> None:
        """The seat presses its UNO button now."""
        self.pico.press(1 << seat, bounces=self._rng.randrange(3))

    def clear(self) -> None:
        """A person takes what sticks in the shoe out and lays it back into the hopper."""
        self.pico.do("feeding", "clear")

    def plug(self, is_in: bool) -> None:
        """The cable is pulled, or put back."""
        self._is_plugged_in = is_in
        now = self._table.now
        (self._conversation.connected if is_in else self._conversation.disconnected)(now)

    def _slice(self) -> None:
        table, pico, conversation = self._table, self.pico, self._conversation
        table.at(table.now + _SLICE_S, self._slice)
        if len(table.hopper) != self._in_hopper:
            self._in_hopper = len(table.hopper)
            pico.do("feeding", "set_cards", self._in_hopper)
        for event in pico.run_to(self._began_us + round(table.now * 1e6)):
            if event.kind == "card":
                self._feed(event.values[0] * 360 / _STEPS)
            elif event.kind in ("boot", "reset"):
                self.plug(event.kind == "boot")
        data = self.faults.befall(pico.read(), self._rng)
        if data and self._is_plugged_in:
            conversation.receive(data, table.now)
        if self._is_plugged_in and (out := self.faults.befall(conversation.due(table.now), self._rng)):
            pico.write(out)  # it is read when time goes on

    def _feed(self, angle: float) -> None:
        off = [abs((angle - at + 180) % 360 - 180) for at in self._angles]
        seat = off.index(min(off))
        self.misdealt += off[seat] > 90 / len(off)
        self._table.feed(seat, _SLIDE_S)
        self._in_hopper -= 1
        self.fed += 1
