"""The trial without a machine: the firmware's files on a simulated board, whose truth a simulated person tells.

`PROVOKED` names what can be wrong with the simulated machine: the trial has to find each of it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from croupier.devices.pico.layout import Layout
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier_sim.board import Settings, SimPico
from tablewire.messages import TURN_STEPS

_SLICE_US: Final = 5_000
_TURN: Final = 360


@dataclass(frozen=True, slots=True)
class Provoked:
    """What is wrong: ``settings`` of the board, and ``acts`` that befall it when so many cards have left it."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    acts: tuple[tuple[int, str, str, tuple[Any, ...]], ...] = ()


PROVOKED: Final[Mapping[str, Provoked]] = {
    "nothing": Provoked(),
    "sticky": Provoked({"jam": 0.08}),
    "double": Provoked({"double_feed": 0.06}),
    "hidden-double": Provoked(acts=((30, "feeding", "double", (4.0,)), (62, "feeding", "double", (6.0,)))),
    "slip": Provoked({"grip": 0.82}),
    "worn-roller": Provoked({"grip": 0.84, "best_grip": 0.87}),
    "light-weight": Provoked({"unpressed": 6}),
    "lost-steps": Provoked({"torque": 0.6}),
    "belt-slips": Provoked(acts=((14, "turning", "slip", (35.0,)), (70, "turning", "slip", (-40.0,)))),
    "no-magnet": Provoked(acts=((0, "turning", "hold", (True,)),)),
    "dirty-exit": Provoked(acts=tuple((at, "feeding", "flicker", (3,)) for at in (20, 45, 80))),
    "brown-out": Provoked(acts=((40, "board", "break_down", ("power",)),)),
}


class SimBench:
    """A board on the bench, and whoever stands beside it. Implements `trial.Line` and `trial.Helper`.

    ``piles``: the numbers of the cards that really lie before each seat, in the order in which they left the shoe.
    """

    def __init__(self, layout: Layout, cards: int, provoked: Provoked = Provoked(), *, seed: int = 1) -> None:
        self._pico = SimPico(Settings(cards=cards, seed=seed, **provoked.settings))
        self._began_us = self._pico.now_us
        self._angles = layout.places()
        rng = random.Random(seed)
        self._host = Conversation(lambda: rng.randrange(1, 1 << 16))
        self._is_plugged_in = False
        self._due = list(provoked.acts)
        self._left = 0
        self.runs_on = self._pico.runs_on
        self.piles: list[list[int]] = [[] for _ in self._angles]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pico.close()

    def now(self) -> float:
        """Seconds since the board had power."""
        return (self._pico.now_us - self._began_us) / 1e6

    def send(self, command: Command) -> bool:
        """Tell the board."""
        return self._host.send(command)

    def wait(self, seconds: float) -> list[Event]:
        """Let time go on until something is told, at most so long."""
        end_us = self._pico.now_us + round(seconds * 1e6)
        events = self._host.events()
        while not events and self._pico.now_us < end_us:
            self._slice(min(end_us, self._pico.now_us + _SLICE_US))
            events = self._host.events()
        return events

    def clear(self, kind: str, seat: int) -> bool:
        """What sticks goes back under the deck."""
        self._pico.do("feeding", "clear")
        self.wait(0.05)
        return True

    def _slice(self, t_us: int) -> None:
        while self._due and self._due[0][0] <= self._left:
            _, device, act, values = self._due.pop(0)
            self._pico.do(device, act, *values)
        if self._is_plugged_in and (out := self._host.due(self.now())):
            self._pico.write(out)
        for event in self._pico.run_to(t_us):
            if event.kind == "card":
                self._lies(event.values[0] * _TURN / TURN_STEPS)
            elif event.kind in ("boot", "reset"):
                self._is_plugged_in = event.kind == "boot"
                (self._host.connected if self._is_plugged_in else self._host.disconnected)(self.now())
        data = self._pico.read()
        if data and self._is_plugged_in:
            self._host.receive(data, self.now())

    def _lies(self, angle: float) -> None:
        """A card has left at that angle, and lies before the nearest seat."""
        off = [abs((angle - at + _TURN / 2) % _TURN - _TURN / 2) for at in self._angles]
        self.piles[off.index(min(off))].append(self._left)
        self._left += 1
