"""A simulated board and the host's side of the line, in step: nothing here waits, and every run is the same."""

from __future__ import annotations

import random
from typing import Any, Self, TypeVar

from croupier.link.commands import Clear, Command, Config, Deal, Go, Home, Place
from croupier.link.conversation import Conversation, Greeted
from croupier.link.reports import Report
from croupier_sim.board import Event, LineFaults, Settings, SimPico

SLICE_US = 5_000
PLACES = {0: -900, 1: 0, 2: 900, 3: 1800}

R = TypeVar("R")


class Rig:
    """``told``: all that the host was told. ``cards``: when cards left the shoe, and at which angle (degrees)."""

    def __init__(self, seed: int = 1, *, on_cpython: bool = False, slice_us: int = SLICE_US, **settings: Any) -> None:
        self.slice_us = slice_us
        self.pico = SimPico(Settings(seed=seed, **({"angle": -150.0} | settings)), on_cpython=on_cpython)
        self.began_us = self.pico.now_us
        self.rng = random.Random(seed)
        self.faults = LineFaults()
        self.host = Conversation(lambda: self.rng.randrange(1, 1 << 16))
        self.is_plugged_in = False
        self.told: list[Any] = []
        self.events: list[Event] = []
        self.cards: list[tuple[float, float]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pico.close()

    @property
    def now(self) -> float:
        """Seconds since the Pico had power; the table's clock here."""
        return (self.pico.now_us - self.began_us) / 1e6

    def run(self, seconds: float, until: Any = None) -> bool:
        """Let time go on for so long, or until ``until()`` holds; tells whether it does."""
        end_us = self.pico.now_us + round(seconds * 1e6)
        while self.pico.now_us < end_us:
            self._slice(min(end_us, self.pico.now_us + self.slice_us))
            if until is not None and until():
                return True
        return False

    def send(self, *commands: Command) -> None:
        for command in commands:
            assert self.host.send(command)

    def ready(self) -> Self:
        """The table is set up, homed, and armed."""
        assert self.run(3, lambda: self.of(Greeted))
        self.set_up()
        self.send(Home())
        self.stand_still()
        self.told.clear()
        return self

    def set_up(self) -> None:
        """The Pico hears how the table is built, and go."""
        self.send(Config(seats=4, lights=24, speed=1200, turn_speed=80, turn_acceleration=40))
        self.send(*(Place(seat=seat, angle=angle) for seat, angle in PLACES.items()), Go())
        self.run(0.1)

    def stand_still(self) -> None:
        """Wait until no motor has been driven for a while."""
        since = self.now
        while self.now - since < 0.2:
            self.run(0.01)
            if self.pico.is_driven:
                since = self.now

    def deal(self, job: int, seat: int, n: int, *, seconds: float = 6) -> None:
        """Ask for a job and wait for its end."""
        self.send(Deal(job=job, seat=seat, n=n))
        done = len(self.of_kind("done")) + 1
        self.run(seconds, lambda: len(self.of_kind("done")) >= done)
        self.run(0.05)  # what comes with it

    def clear(self) -> None:
        """A person takes what is in the way back into the hopper, and says so."""
        self.pico.do("feeding", "clear")
        self.run(0.05)
        self.send(Clear())
        self.run(0.1)

    def of(self, kind: type[R]) -> list[R]:
        """What was told of this kind."""
        return [one for one in self.told if isinstance(one, kind)]

    def of_kind(self, message: str) -> list[Any]:
        """The reports with this message."""
        return [one for one in self.told if isinstance(one, Report) and one.message == message]

    def plug(self, is_in: bool) -> None:
        """The cable is pulled, or put back."""
        self.is_plugged_in = is_in
        (self.host.connected if is_in else self.host.disconnected)(self.now)

    def _slice(self, t_us: int) -> None:
        out = self.host.due(self.now) if self.is_plugged_in else b""
        if out := self.faults.damage(out, self.rng):
            self.pico.write(out)
        for event in self.pico.run_to(t_us):
            self.events.append(event)
            if event.kind == "card":
                self.cards.append((event.t_us / 1e6, event.values[0] * 360 / 4800))
            elif event.kind in ("boot", "reset"):
                self.plug(event.kind == "boot")
        data = self.faults.damage(self.pico.read(), self.rng)
        if data and self.is_plugged_in:
            self.host.receive(data, self.now)
        self.told.extend(self.host.events())
