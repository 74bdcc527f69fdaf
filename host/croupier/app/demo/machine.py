"""Which machine stands on the table of a demo, and how program and people share it."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from croupier.devices.protocols import FromPage, Light, Panel, Press, Ring
from croupier.devices.sim.board import BoardMachine
from croupier.devices.sim.machine import Machine, StandIn
from croupier.devices.sim.table import SimTable


def machine_at(table: SimTable, rng: np.random.Generator, *, firmware: bool) -> Machine:
    """The real firmware on a simulated board; the stand-in where that is not wanted, or where a program cannot be
    started as the board needs it (on Windows)."""
    if firmware and os.name == "posix":
        return BoardMachine(table, seed=int(rng.integers(1 << 30)))
    return StandIn(table, rng)


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

    def presses(self) -> tuple[Press | FromPage, ...]:
        """What has been pressed since the last call."""
        return (*self.machine.presses(), *self.people.presses())
