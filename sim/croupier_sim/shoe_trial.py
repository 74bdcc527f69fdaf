"""The shoe trial of `croupier doctor --shoe --simulated FAULT`: the firmware on a simulated board with one fault.

The simulation knows where each card really lies; the trial must find the fault from the machine's reports alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from croupier.devices.pico import Layout
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier_sim.board import Settings, SimPico
from tablewire.messages import TURN_STEPS

_SLICE_US: Final = 2_000
_TURN_DEG: Final = 360


@dataclass(frozen=True, slots=True)
class ShoeFault:
    """A fault. ``settings`` of the board, and ``acts`` on it: number of cards fed before, device, act, values."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    acts: tuple[tuple[int, str, str, tuple[Any, ...]], ...] = ()


FAULTS: Final[Mapping[str, ShoeFault]] = {
    "nothing": ShoeFault(),
    "sticky": ShoeFault({"jam": 0.08}),
    "double": ShoeFault({"double_feed": 0.06}),
    "hidden-double": ShoeFault(acts=((30, "feeding", "double", (4.0,)), (62, "feeding", "double", (6.0,)))),
    "slip": ShoeFault({"grip": 0.82}),
    "worn-roller": ShoeFault({"grip": 0.84, "best_grip": 0.87}),
    "light-weight": ShoeFault({"unpressed": 6}),
    "lost-steps": ShoeFault({"torque": 0.6}),
    "belt-slips": ShoeFault(acts=((14, "turning", "slip", (35.0,)), (70, "turning", "slip", (-40.0,)))),
    "no-magnet": ShoeFault(acts=((0, "turning", "hold", (True,)),)),
    "dirty-exit": ShoeFault(acts=tuple((at, "feeding", "flicker", (3,)) for at in (20, 45, 80))),
    "brown-out": ShoeFault(acts=((40, "board", "break_down", ("power",)),)),
}


class SimulatedShoe:
    """A board with the shoe of ``layout``, and the person beside it.

    It is a `croupier_extras.shoe_trial.report.SimulatedShoe`.

    ``fault``: a key of `FAULTS`, or another fault.
    """

    def __init__(self, layout: Layout, cards: int, fault: str | ShoeFault = "nothing", *, seed: int = 1) -> None:
        provoked = FAULTS[fault] if isinstance(fault, str) else fault
        self._pico = SimPico(Settings(cards=cards, seed=seed, **provoked.settings))
        self._began_us = self._pico.now_us
        self._angles = layout.places()
        rng = random.Random(seed)
        self._host = Conversation(lambda: rng.randrange(1, 1 << 16))
        self._is_plugged_in = False
        self._due = list(provoked.acts)
        self._left = 0
        self.piles: list[list[int]] = [[] for _ in self._angles]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pico.close()

    def now(self) -> float:
        """Return the seconds since the board had power."""
        return (self._pico.now_us - self._began_us) / 1e6

    def send(self, command: Command) -> bool:
        """Send a command to the board."""
        return self._host.send(command)

    def wait(self, seconds: float) -> list[Event]:
        """Advance simulated time until an event comes, at most ``seconds``."""
        end_us = self._pico.now_us + max(1, round(seconds * 1e6))  # the shortest wait takes time, too
        events = self._host.events()
        while not events and self._pico.now_us < end_us:
            self._slice(min(end_us, self._pico.now_us + _SLICE_US))
            events = self._host.events()
        return events

    def clear(self, kind: str, seat: int) -> bool:
        """Put a stuck card back under the deck; the simulated person always succeeds."""
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
                self._land(event.values[0] * _TURN_DEG / TURN_STEPS)
            elif event.kind in ("boot", "reset"):
                self._is_plugged_in = event.kind == "boot"
                (self._host.connected if self._is_plugged_in else self._host.disconnected)(self.now())
        data = self._pico.read()
        if data and self._is_plugged_in:
            self._host.receive(data, self.now())

    def _land(self, angle_deg: float) -> None:
        """Land a card that left the shoe at this angle, before the nearest seat."""
        off = [abs((angle_deg - at + _TURN_DEG / 2) % _TURN_DEG - _TURN_DEG / 2) for at in self._angles]
        self.piles[off.index(min(off))].append(self._left)
        self._left += 1
