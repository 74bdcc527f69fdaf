"""The simulated machine: shoe, ring and UNO buttons. The program drives it; people press its buttons and open it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from croupier.devices.protocols import DeviceEvent, Feed, JobLog, Machine, NullRing
from croupier.events import CommandGiven, Press, ShoeReport
from croupier_sim.table import SimTable

_TURN_S: Final = 0.40  # a quarter turn of the turntable (notes: mechanics)
_FEED_S: Final = 0.12  # one card past the exit sensor, with the gap to the next
_SLIDE_S: Final = 0.35  # from the exit to the hand
_LINK_S: Final = 0.04  # the largest age of a report at its arrival


@dataclass(frozen=True, slots=True)
class ShoeFaults:
    """Probabilities of faults for each card."""

    jam: float = 0.0
    double_feed: float = 0.0


NO_FAULTS: Final = ShoeFaults()


class SimShoe:
    """A shoe beside the simulated table, with the speeds and faults of a hobby machine (notes: mechanics, peers)."""

    faults = ("jam", "double-feed")
    """Faults that can be provoked, named as in the reports."""

    def __init__(self, table: SimTable, rng: np.random.Generator, chances: ShoeFaults = NO_FAULTS) -> None:
        self._table, self._rng, self._chances = table, rng, chances
        self._jobs: deque[Feed] = deque()
        self._done: dict[int, ShoeReport] = {}
        self._begun: set[int] = set()
        self._outbox: list[tuple[float, ShoeReport]] = []
        self._running = False
        self._surplus: list[tuple[int, int]] = []
        self._provoked: deque[str] = deque()
        self.is_stopped = False
        self.fed = 0

    fault = ""
    is_recovering = False
    in_doubt = None

    def handle(self, event: Press | CommandGiven) -> None:
        """Do nothing: people open the shoe themselves (`clear`)."""

    def begin_game(self) -> bool:
        """As `Shoe.begin_game`."""
        if self._running or self._outbox:
            return False
        for kept in (self._jobs, self._done, self._begun):
            kept.clear()
        return True

    def recover(self, jobs: Sequence[Feed] | None, fault: str) -> None:
        """Do nothing: this shoe keeps no jobs of an earlier run."""

    def hands_counted(self) -> None:
        """Do nothing, as `recover`."""

    def feed(self, feed: Feed) -> None:
        """Start a job; report a finished job again."""
        if feed.job in self._done:
            self._send(self._done[feed.job])
        elif feed.job not in self._begun:
            self._begun.add(feed.job)
            self._jobs.append(feed)
            self._run()

    def provoke(self, fault: str) -> None:
        """Let the next card go wrong: one of ``faults``."""
        self._provoked.append(fault)

    def reports(self) -> tuple[ShoeReport, ...]:
        """Return the reports since the last call."""
        now = self._table.now
        ready = tuple(report for arrival, report in self._outbox if arrival <= now)
        self._outbox = [(arrival, report) for arrival, report in self._outbox if arrival > now]
        return ready

    def clear(self) -> None:
        """As `SimMachine.clear`."""
        self.is_stopped = False
        self._send(ShoeReport(t=self._table.now, kind="ready"))
        self._run()

    def take_surplus(self) -> tuple[tuple[int, int], ...]:
        """As `SimMachine.take_surplus`."""
        surplus, self._surplus = tuple(self._surplus), []
        return surplus

    def loaded(self) -> None:
        """As `SimMachine.loaded`: the hopper's sensor reports it."""
        self._send(ShoeReport(t=self._table.now, kind="loaded"))
        self._run()

    def returned(self, seat: int, n: int) -> None:
        """As `SimMachine.returned`."""
        self._send(ShoeReport(t=self._table.now, kind="returned", seat=seat, n=n))

    def _run(self) -> None:
        if not self._running and not self.is_stopped and self._jobs:
            self._running = True
            job = self._jobs.popleft()
            self._table.at(self._table.now + _TURN_S, lambda: self._feed_next(job, 0))

    def _feed_next(self, job: Feed, n: int) -> None:
        table = self._table
        if n >= job.n or not table.hopper:
            self._finish(job, n)
            return
        provoked = self._provoked[0] if self._provoked else None
        if provoked == "double-feed" and n + 1 < job.n:
            provoked = None  # two cards at once can happen only with a card behind
        if provoked is not None:
            self._provoked.popleft()
        if self._rng.random() < self._chances.jam or provoked == "jam":
            self._stop(job, n, "jam")
        else:
            goes_wrong = self._rng.random() < self._chances.double_feed or provoked == "double-feed"
            twice = goes_wrong and len(table.hopper) > 1
            for _ in range(2 if twice else 1):
                table.feed(job.seat, _SLIDE_S)
                self.fed += 1
                n += 1
            if n > job.n:
                self._surplus.append((job.seat, n - job.n))
                self._stop(job, n, "double-feed")
            else:
                table.at(table.now + _FEED_S, lambda: self._feed_next(job, n))

    def _stop(self, job: Feed, n: int, fault: str) -> None:
        self.is_stopped = True
        self._finish(job, n)
        self._send(ShoeReport(t=self._table.now, kind="fault", job=job.job, seat=job.seat, fault=fault))

    def _finish(self, job: Feed, n: int) -> None:
        report = ShoeReport(t=self._table.now, kind="fed", job=job.job, seat=job.seat, asked=job.n, n=n)
        self._done[job.job] = report
        self._send(report)
        self._running = False
        self._run()

    def _send(self, report: ShoeReport) -> None:
        self._outbox.append((self._table.now + float(self._rng.uniform(0.2, 1.0)) * _LINK_S, report))


_PRESS_U: Final = 0.005  # uncertainty of a press (s)


class SimMachine(Machine, Protocol):
    """A `croupier.devices.protocols.Machine` for the program, and the same machine for the people at the table."""

    @property
    def runs_on(self) -> str:
        """The interpreter of the firmware, or ``none``."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Faults that can be provoked."""

    @property
    def is_connected(self) -> bool:
        """True while program and machine communicate."""

    @property
    def is_feeding(self) -> bool:
        """True while the shoe has a job."""

    @property
    def has_news(self) -> bool:
        """True if a report or a press has arrived."""

    def restart_program(self, job_log: JobLog, *, is_armed: bool) -> None:
        """Restart the program while the machine runs on. ``is_armed``: a person has pressed go."""

    def press(self, *seats: int) -> None:
        """Press the UNO buttons of these seats in the same instant."""

    def clear(self) -> None:
        """Open the shoe, remove the cause of the fault, and report it cleared."""

    def take_surplus(self) -> tuple[tuple[int, int], ...]:
        """Return seat and number of the cards that each seat got too many, once: the seats themselves notice them."""

    def loaded(self) -> None:
        """Report the hopper as filled, as a person does."""

    def returned(self, seat: int, n: int) -> None:
        """Put ``n`` cards back that the seat had got too many."""

    def provoke(self, fault: str) -> None:
        """Provoke one of ``faults``; those of the shoe hit the next card."""


class StandIn(SimShoe):
    """The machine without firmware: a shoe in Python, buttons without delay, a ring that shows nothing."""

    runs_on = "none"
    is_connected = True
    ring = NullRing()
    stuck = ()

    def __init__(self, table: SimTable, rng: np.random.Generator, chances: ShoeFaults = NO_FAULTS) -> None:
        super().__init__(table, rng, chances)
        self._pressed: list[Press] = []

    @property
    def shoe(self) -> SimShoe:
        """The machine itself is the shoe."""
        return self

    @property
    def is_feeding(self) -> bool:
        """As `SimMachine.is_feeding`."""
        return self._running or bool(self._jobs)

    def restart_program(self, job_log: JobLog, *, is_armed: bool) -> None:
        """Do nothing: the driver has no state of its own."""

    def start(self) -> None:
        """Do nothing; the machine runs already."""

    def poll(self) -> tuple[DeviceEvent, ...]:
        """As `EventSource.poll`."""
        pressed, self._pressed = self._pressed, []
        return (*self.reports(), *pressed)

    def watermark(self) -> float:
        """Return the present time: reports have no delay."""
        return self._table.now

    def alarm(self) -> None:
        """Return None: no part can break."""

    def acknowledge(self) -> None:
        """Do nothing: there are no alarms."""

    @property
    def has_news(self) -> bool:
        """True if a report is on its way or a button was pressed."""
        return bool(self._pressed or self._outbox)

    def press(self, *seats: int) -> None:
        """As `SimMachine.press`."""
        t = round(self._table.now, 4)
        self._pressed += [Press(t=t, u=_PRESS_U, seat=seat, key="uno") for seat in seats]

    def close(self) -> None:
        """Do nothing."""
