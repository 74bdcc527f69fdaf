"""Which machine stands on the table of a demo, and how program and people share it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from croupier.devices.protocols import DeviceEvent, EventSource, Feed, Light, Ring
from croupier.events import CommandGiven, Press, ShoeReport
from croupier_sim.board import BoardMachine
from croupier_sim.machine import SimMachine, StandIn
from croupier_sim.table import SimTable


def machine_at(table: SimTable, rng: np.random.Generator, *, firmware: bool) -> SimMachine:
    """The real firmware on a simulated board; the stand-in where that is not wanted, or where a program cannot be
    started as the board needs it (on Windows)."""
    if firmware and os.name == "posix":
        return BoardMachine(table, seed=int(rng.integers(1 << 30)))
    return StandIn(table, rng)


class WatchedShoe:
    """The machine's shoe and events, of which is known when it feeds. People open the shoe and say so themselves."""

    fault = ""
    is_recovering = False
    in_doubt = None

    def __init__(self, machine: SimMachine) -> None:
        self._machine = machine
        self._jobs: set[int] = set()
        self.before_feeding: Callable[[], None] = lambda: None
        """Called when it is asked for cards."""

    @property
    def is_feeding(self) -> bool:
        """Whether there is a job of which it has not said what became of it."""
        return bool(self._jobs)

    def feed(self, feed: Feed) -> None:
        """Begin a job."""
        self.before_feeding()
        self._jobs.add(feed.job)
        if (shoe := self._machine.shoe) is not None:
            shoe.feed(feed)

    def handle(self, event: Press | CommandGiven) -> None:
        """People look after the shoe."""

    def recover(self, jobs: Sequence[Feed], fault: str) -> None:
        """The simulated machine is never restarted alone."""

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return self._machine.watermark()

    def poll(self) -> Sequence[DeviceEvent]:
        """As `EventSource.poll`."""
        events = self._machine.poll()
        self._jobs -= {event.job for event in events if isinstance(event, ShoeReport) and event.kind == "fed"}
        return events


@dataclass(frozen=True, slots=True)
class Rings:
    """The machine's ring, and the people who look at it."""

    machine: SimMachine
    people: Ring

    @property
    def fault(self) -> str:
        """As `Ring.fault`."""
        return ""

    def show(self, light: Light) -> None:
        """Show this from now on."""
        if (ring := self.machine.ring) is not None:
            ring.show(light)
        self.people.show(light)


@dataclass(frozen=True, slots=True)
class Sources:
    """Several sources as one `EventSource`."""

    sources: tuple[EventSource, ...]

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return min(source.watermark() for source in self.sources)

    def poll(self) -> list[DeviceEvent]:
        """As `EventSource.poll`."""
        return [event for source in self.sources for event in source.poll()]
