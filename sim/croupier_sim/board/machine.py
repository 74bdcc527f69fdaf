"""The whole machine on the simulated table: the Pico's driver, the link, the firmware, the mechanics it moves.

machine = BoardMachine(table, seed=1)
machine.feed(Feed(1, 2, 7))            # a directive, as to a real shoe
machine.press(2)                       # a person, whose button goes down on a pin of the board
table.run_to(table.now + 3)            # bytes cross the line, motors turn, cards slide to their seat
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from croupier.devices.pico import Layout, Pico
from croupier.devices.protocols import Feed, Light
from croupier.events import CommandGiven, Press, ShoeReport
from croupier_sim.board.line import SimLine
from croupier_sim.board.pico import Settings, SimPico
from croupier_sim.board.port import LineFaults
from croupier_sim.table import SimTable

_NOISY_S: Final = 1.5
_SILENT_S: Final = 1.2
_NOISE: Final = 0.02
"""Noise on the line lasts so long, and hits so many of its bytes; a silent line, or one without a port, lasts longer
than the host and the firmware wait."""

_STUCK_BUTTON_US: Final = 12_000_000


class BoardMachine:
    """Implements `croupier_sim.machine.Machine`. ``seed``: of all chance on the line and in the mechanics."""

    def __init__(self, table: SimTable, *, seed: int) -> None:
        angles = tuple((table.direction_deg(seat) + 180) % 360 - 180 for seat in range(table.seats))
        settings = Settings(cards=len(table.hopper), seed=seed)
        self._table = table
        self._rng = random.Random(seed)
        self.board = SimPico(settings)
        self.line = SimLine(table, self.board, angles, seed=seed)
        self.pico = Pico(self.line, Layout(seats=table.seats, angles=angles))
        self.pico.shoe.arm()
        self.runs_on = self.board.runs_on
        self._surplus: list[tuple[int, int]] = []
        self._done: set[int] = set()
        self._reported = 0
        self._provoke: dict[str, Callable[[], None]] = {
            "jam": lambda: self.board.do("feeding", "stick", self._rng.uniform(-60.0, 40.0), True),
            "double-feed": lambda: self.board.do("feeding", "double", self._rng.uniform(20.0, 75.0)),
            "empty-hopper": self._empty_hopper,
            "line-noise": lambda: self._for(_NOISY_S, LineFaults(flipped=_NOISE)),
            "lost-bytes": lambda: self._for(_NOISY_S, LineFaults(lost=_NOISE)),
            "doubled-bytes": lambda: self._for(_NOISY_S, LineFaults(doubled=_NOISE)),
            "silence": lambda: self._for(_SILENT_S, LineFaults(is_silent=True)),
            "port-gone": self._unplug,
            "reset": lambda: self.board.do("board", "break_down", "watchdog"),
            "brown-out": lambda: self.board.do("board", "break_down", "power"),
            "stuck-button": lambda: self.board.press(1 << self._seat(), up_after_us=_STUCK_BUTTON_US),
            "two-presses": lambda: self.press(0, 1),
        }
        self.faults = tuple(self._provoke)

    # -- for the program -------------------------------------------------------------------------------------------

    def feed(self, feed: Feed) -> None:
        """As `Shoe.feed`."""
        self.pico.shoe.feed(feed)

    def reports(self) -> tuple[ShoeReport, ...]:
        """As `Shoe.reports`."""
        reports = self.pico.shoe.reports()
        for report in reports:
            if report.kind == "fed" and report.job not in self._done:
                self._done.add(report.job)
                self._reported += report.n
                if report.n > report.asked:
                    self._surplus.append((report.seat, report.n - report.asked))
        return reports

    def told_until(self) -> float:
        """As `Line.told_until`."""
        return self.line.told_until()

    def show(self, light: Light) -> None:
        """As `Ring.show`."""
        self.pico.ring.show(light)

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """As `Panel.presses`."""
        return self.pico.buttons.presses()

    # -- for people ------------------------------------------------------------------------------------------------

    @property
    def is_heard(self) -> bool:
        """Whether the program and the Pico hear each other."""
        return not self.pico.trouble

    @property
    def has_news(self) -> bool:
        """Whether a report or a press has arrived."""
        return self.line.has_events

    @property
    def stuck(self) -> tuple[int, ...]:
        """The seats whose UNO buttons hang."""
        return self.pico.buttons.stuck

    def press(self, *seats: int) -> None:
        """These seats press their UNO buttons, in the same instant."""
        self.line.press(*seats)

    def clear(self) -> None:
        """Somebody opened the shoe, took the trouble out of the way, and said so; where nobody knows how many cards of
        a job came, its seat counts."""
        self.board.do("feeding", "lift", False)
        self.line.clear()
        if self.pico.shoe.in_doubt is not None:
            self.pico.shoe.settle(self.line.fed - self._reported)
        self.pico.shoe.clear()

    def take_surplus(self) -> tuple[tuple[int, int], ...]:
        """Who got how many cards too many, as the seats themselves see it; they see it once."""
        surplus, self._surplus = tuple(self._surplus), []
        return surplus

    def loaded(self) -> None:
        """Somebody filled the hopper: its sensor has seen it."""

    def returned(self, seat: int, n: int) -> None:
        """Somebody put ``n`` cards back that the seat had got too many."""
        self.pico.shoe.returned(seat, n)

    def provoke(self, fault: str) -> None:
        """Let one of ``faults`` happen; those of the shoe befall the next card."""
        self._provoke[fault]()

    def close(self) -> None:
        """Switch the board off."""
        self.board.close()

    # --------------------------------------------------------------------------------------------------------------

    def _seat(self) -> int:
        return self._rng.randrange(self._table.seats)

    def _for(self, seconds: float, faults: LineFaults) -> None:
        """The line misbehaves for so long."""
        self.line.faults = faults
        self._table.at(self._table.now + seconds, self._mend)

    def _mend(self) -> None:
        self.line.faults = LineFaults()

    def _unplug(self) -> None:
        self.line.plug(False)
        self._table.at(self._table.now + _SILENT_S, lambda: self.line.plug(True))

    def _empty_hopper(self) -> None:
        """Somebody lifts the cards off the roller, until the shoe is opened."""
        self.board.do("feeding", "lift", True)
