"""The simulated Pico at the simulated table: its cards are the table's cards, and its time is the table's time.

line = SimLine(table, SimPico(), angles)
pico = Pico(line, Layout(seats=4))     # croupier.devices.pico: the same that drives a real one
table.run_to(t)                        # bytes cross the line, motors turn, cards slide to their seats
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier_sim.board.pico import SimPico
from croupier_sim.board.port import LineFaults
from croupier_sim.table import SimTable
from tablewire.messages import TURN_STEPS

_ANSWER_S: Final = 0.001
"""A USB frame: so soon the Pico hears what it was told, and can answer …"""
_BUSY_S: Final = 0.02
"""… so often the host looks while a motor runs or something is not acknowledged …"""
_QUIET_S: Final = 0.1
"""… and so often while nothing happens: as it pings."""

_SLIDE_S: Final = 0.35
"""From the exit to the hand."""


class SimLine:
    """Carries commands to the firmware and its reports back, in step with ``table``, and moves the table's cards.

    ``angles``: where each seat is (degrees clockwise from the magnet). ``misdealt`` counts cards that left the shoe
    while the turntable did not face a seat; they are in the hand of the nearest. Implements
    `croupier.devices.pico.Line`.
    """

    def __init__(self, table: SimTable, pico: SimPico, angles: Sequence[float], *, seed: int = 1) -> None:
        self.pico, self.faults = pico, LineFaults()
        self.table, self._angles = table, angles
        self._rng = random.Random(seed)
        self._conversation = Conversation(lambda: self._rng.randrange(1, 1 << 16))
        self._began_us = pico.now_us - round(table.now * 1e6)
        self._is_plugged_in = False
        self._in_hopper = -1
        self.fed = self.misdealt = 0
        self.seen: tuple[Any, ...] = ()
        """What a person saw who looked at the board last (`Event`)."""
        self._wakings = 0
        self._wake(0.0)

    def send(self, command: Command) -> bool:
        """Tell the Pico; false where that is not possible now."""
        self._wake(0.0)
        return self._conversation.send(command)

    def events(self) -> list[Event]:
        """What happened since the last call, in order."""
        return self._conversation.events()

    def told_until(self) -> float:
        """As `Conversation.told_until`."""
        return self._conversation.told_until(self.table.now)

    @property
    def has_events(self) -> bool:
        """Whether `events` would give something."""
        return self._conversation.has_events

    def press(self, *seats: int) -> None:
        """The seats press their UNO buttons now, in the same instant."""
        mask = sum(1 << seat for seat in seats)
        self.pico.press(mask, at_us=self._now_us, bounces=self._rng.randrange(3))
        self._wake(_BUSY_S)

    def clear(self) -> None:
        """A person takes what sticks in the shoe out and lays it back into the hopper."""
        self.pico.do("feeding", "clear")

    def plug(self, is_in: bool) -> None:
        """The cable is pulled, or put back."""
        self._is_plugged_in = is_in
        now = self.table.now
        (self._conversation.connected if is_in else self._conversation.disconnected)(now)
        self._wake(0.0)

    @property
    def _now_us(self) -> int:
        return self._began_us + round(self.table.now * 1e6)

    def _wake(self, after_s: float) -> None:
        """Let bytes cross the line then, and not when it was meant before."""
        self._wakings += 1
        self.table.at(self.table.now + after_s, partial(self._slice, self._wakings))

    def _slice(self, waking: int) -> None:
        if waking != self._wakings:
            return
        table, pico, conversation = self.table, self.pico, self._conversation
        if len(table.hopper) != self._in_hopper:
            self._in_hopper = len(table.hopper)
            pico.do("feeding", "set_cards", self._in_hopper)
        for event in pico.run_to(self._now_us):
            if event.kind == "card":
                self._feed(event.values[0] * 360 / TURN_STEPS)
            elif event.kind == "look":
                self.seen = event.values
            elif event.kind in ("boot", "reset"):
                self.plug(event.kind == "boot")
        data = self.faults.befall(pico.read(), self._rng)
        if data and self._is_plugged_in:
            conversation.receive(data, table.now)
        out = self.faults.befall(conversation.due(table.now), self._rng) if self._is_plugged_in else b""
        if out:
            pico.write(out)  # it is read when time goes on
            self._wake(_ANSWER_S)
        else:
            self._wake(_BUSY_S if data or pico.is_driven or conversation.unacknowledged else _QUIET_S)

    def _feed(self, angle: float) -> None:
        off = [abs((angle - at + 180) % 360 - 180) for at in self._angles]
        seat = off.index(min(off))
        self.misdealt += off[seat] > 90 / len(off)
        self.table.feed(seat, _SLIDE_S)
        self._in_hopper -= 1
        self.fed += 1
