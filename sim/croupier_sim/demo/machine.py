"""Which machine stands on the table of a demo, and how program and people share it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from croupier.devices.protocols import Feed, Light, Panel, Ring, Shoe
from croupier.events import CommandGiven, Press, ShoeReport
from croupier_sim.board import BoardMachine
from croupier_sim.machine import Machine, StandIn
from croupier_sim.table import SimTable


def machine_at(table: SimTable, rng: np.random.Generator, *, firmware: bool) -> Machine:
    """The real firmware on a simulated board; the stand-in where that is not wanted, or where a program cannot be
    started as the board needs it (on Windows)."""
    if firmware and os.name == "posix":
        return BoardMachine(table, seed=int(rng.integers(1 << 30)))
    return StandIn(table, rng)


class WatchedShoe:
    """The machine's shoe, of which is known when it feeds."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe
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
        self._shoe.feed(feed)

    def reports(self) -> tuple[ShoeReport, ...]:
        """What has been reported since the last call."""
        reports = self._shoe.reports()
        self._jobs -= {report.job for report in reports if report.kind == "fed"}
        return reports


@dataclass(frozen=True, slots=True)
class Rings:
    """The machine's ring, and the people who look at it."""

    machine: Ring
    people: Ring

    def show(self, light: Light) -> None:
        """Show this from now on."""
        self.machine.show(light)
        self.people.show(light)


@dataclass(frozen=True, slots=True)
class Keys:
    """The machine's UNO buttons, and all other keys."""

    machine: Panel
    people: Panel

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed since the last call."""
        return (*self.machine.presses(), *self.people.presses())
