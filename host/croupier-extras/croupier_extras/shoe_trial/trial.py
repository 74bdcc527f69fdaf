"""Deals a sorted deck and records jobs, pulses, gaps, faults and the offset of the magnet.

Order of the deck: each color twice, 0 to 9, skip, reverse, draw two, the second time from 1 on; then the wilds, each
sort in turn. No two neighbors are alike, so a double feed or a missing card shows in the order. Each run is one batch
for one seat, so that a pile can be checked at a glance. The commands are those of a game, on any `Line`: the Pico's,
the Pi's own pins, or a simulated board.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Final, Protocol, TypeVar

from croupier.devices.pico import Layout
from croupier.errors import PortNotFound
from croupier.i18n import _
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted, Mismatch, Silent
from croupier_rules.cards import COLORS, DECKS, SYMBOLS


def sorted_runs(deck: str) -> tuple[tuple[str, ...], ...]:
    """Return the runs of a deck of `croupier_rules.cards.DECKS`, in the order in which they leave the shoe."""
    left = Counter(DECKS[deck])
    runs = []
    for color in COLORS:
        while run := tuple(face for symbol in SYMBOLS if left[face := f"{color}-{symbol}"] > 0):
            left.subtract(run)
            runs.append(run)
    wilds = [[face] * n for face, n in (+left).items()]
    runs.append(tuple(face for face in chain.from_iterable(zip_longest(*wilds)) if face is not None))
    return tuple(runs)


def in_words(run: tuple[str, ...]) -> str:
    """Format a run in any language: ``red-0 … red-draw2``; wilds with their numbers."""
    if run[0].partition("-")[0] in COLORS:
        return f"{run[0]} … {run[-1]}"
    return ", ".join(f"{n} {face}" for face, n in Counter(run).items())


@dataclass(slots=True)
class Batch:
    """One run of the deck for one seat. ``passed``: cards that the machine counted. ``ends``: reasons why its jobs
    ended; after a disturbed job another one deals the rest. ``cards``: the cards of each job, in order."""

    seat: int
    run: tuple[str, ...]
    passed: int = 0
    ends: list[str] = field(default_factory=list)
    cards: list[list[wire.Card]] = field(default_factory=list)


@dataclass(slots=True)
class Trial:
    """The record of a trial. ``faults``: kind, and number of cards that had passed. ``drifts``: offsets of the magnet
    at each homing (steps). ``left_over``: the hopper holds cards although all were counted. ``given_up``: why the trial
    ended early, or ""."""

    world: str = ""
    batches: list[Batch] = field(default_factory=list)
    faults: list[tuple[str, int]] = field(default_factory=list)
    drifts: list[int] = field(default_factory=list)
    left_over: bool = False
    given_up: str = ""

    @property
    def passed(self) -> int:
        """The number of cards that the machine counted."""
        return sum(batch.passed for batch in self.batches)

    def count(self, *kinds: str) -> int:
        """Return the number of faults of these kinds."""
        return sum(n for kind, n in Counter(kind for kind, _ in self.faults).items() if kind in kinds)


ANSWER_S, HOME_S, CARD_S, FAULT_S = 5.0, 30.0, 1.0, 0.3
"""Time limits: the greeting of a Pico that was just plugged in; homing on both sides; one card, also if it is pulled
back once; a fault after the job that it ended."""

PATIENCE, MOST_FAULTS = 3, 12
"""Most requests to a person to clear one fault; most faults of a trial."""

APART: Final = (1 << 10, 1 << 16)
"""Random distance of the trial's job numbers from the Pico's last one. A table that was interrupted in mid-job asks for
the outcome by number, and no job of the trial may be taken for it."""

_IS_COVERED, _IS_EMPTY = 1, 2
"""Bits of the shoe's test: the exit is covered, the hopper is empty."""

R = TypeVar("R")


class Line(Protocol):
    """Carries commands and events: `croupier.link.link.Link`, or a simulation."""

    def send(self, command: Command) -> bool:
        """Send a command. Return False if that is not possible now."""

    def wait(self, seconds: float) -> list[Event]:
        """Return the events since the last call, in order; wait for the first at most ``seconds``."""


class Helper(Protocol):
    """The person at the machine."""

    def clear(self, kind: str, seat: int) -> bool:
        """Clear the fault and lay the card back under the deck. Return False to give up."""


class _GivenUp(Exception):
    """The trial cannot go on; the text is a key of `judge.GIVEN_UP`."""


class ShoeTrial:
    """Deals ``runs`` to the seats of ``layout`` in turn. ``clock``: seconds, as they pass for the machine."""

    def __init__(
        self, line: Line, layout: Layout, helper: Helper, clock: Callable[[], float], *, has_turntable: bool = True
    ) -> None:
        self._line, self._layout, self._helper, self._clock = line, layout, helper, clock
        self._has_turntable = has_turntable
        self.seats = layout.seats if has_turntable else 1
        """Number of piles."""
        self._arrived: deque[Event] = deque()
        self._job = 0
        self.trial = Trial()

    def run(self, runs: tuple[tuple[str, ...], ...]) -> Trial:
        """Deal all runs. A trial that cannot go on sets `Trial.given_up`.

        Raises:
            PortNotFound: no Pico answers. ProtocolMismatch: its firmware speaks another protocol.
        """
        try:
            self._greet()
            self._set_up()
            due = 0
            for number, run in enumerate(runs):
                due += len(run)
                batch = Batch(number % self.seats, run)
                self.trial.batches.append(batch)
                is_empty = not self._deal(batch, due)
                if is_empty or batch.seat == self.seats - 1 or number == len(runs) - 1:
                    self._look_for_home()
                if is_empty:
                    break
            self.trial.left_over = not self._sensors() & _IS_EMPTY
        except _GivenUp as why:
            self.trial.given_up = str(why)
        self._line.send(commands.Stop())
        self._line.wait(0.1)
        return self.trial

    def _greet(self) -> None:
        greeted = self._await(Greeted, ANSWER_S)
        if greeted is None:
            text = _("the Pico: no answer: expected one with our firmware; run croupier firmware check")
            raise PortNotFound(text)
        self.trial.world = greeted.world
        self._send(*self._layout.commands())
        state = self._await(wire.State, ANSWER_S)
        self._job = (state.job if state else 0) + random.randrange(*APART)
        if state and state.step == "fault":
            self._send(commands.Clear())
        self._send(commands.Go())

    def _set_up(self) -> None:
        sensors = self._sensors()
        if sensors & _IS_COVERED:
            raise _GivenUp("exit-covered")
        if sensors & _IS_EMPTY:
            raise _GivenUp("hopper-empty")
        self._look_for_home()
        self.trial.drifts.clear()  # the position before is unknown

    def _deal(self, batch: Batch, due: int) -> bool:
        """Feed until ``due`` cards of the deck have passed. Return False if the hopper is empty before."""
        while (n := due - self.trial.passed) > 0:
            self._job += 1
            batch.cards.append([])
            self._send(commands.Deal(job=self._job, seat=batch.seat, n=n))
            done = self._done(batch, HOME_S + n * CARD_S)
            batch.passed += done.fed
            batch.ends.append(done.why)
            if done.why == "empty":
                return False
            self._clear(batch.seat, 0.0 if done.why == "complete" and done.fed == n else FAULT_S)
        return True

    def _done(self, batch: Batch, seconds: float) -> wire.Done:
        """Wait for the end of the job; without it, count the cards that passed."""
        done = None
        try:
            done = self._await(wire.Done, seconds, batch)
        finally:
            if done is None and batch.cards[-1]:
                batch.passed += batch.cards[-1][-1].index
        if done is None:
            raise _GivenUp("no-answer")
        return done

    def _look_for_home(self) -> None:
        if self._has_turntable:
            tested = self._test("turntable")
            if not tested.ok:
                raise _GivenUp("no-magnet")
            self.trial.drifts.append(tested.detail)

    def _sensors(self) -> int:
        """Return the bits of the shoe's test. The Pi's own pins have no tests; there the state gives the hopper."""
        if self._has_turntable:
            return self._test("shoe").detail
        self._await(Mismatch, FAULT_S)  # lets the hopper's reading settle
        self._send(commands.Go())
        state = self._await(wire.State, ANSWER_S)
        return _IS_EMPTY if state and state.hopper == "empty" else 0

    def _test(self, part: str) -> wire.Tested:
        self._send(commands.Test(part=part))  # type: ignore[arg-type]  # one of the few words that this file says
        tested = self._await(wire.Tested, HOME_S)
        if tested is None:
            raise _GivenUp("no-answer")
        return tested

    def _clear(self, seat: int, seconds: float) -> None:
        """Have a fault that is reported within ``seconds`` cleared."""
        fault = self._await(wire.Fault, seconds)
        for _time in range(PATIENCE):
            if fault is None or fault.kind == "stuck-button":
                return
            if len(self.trial.faults) >= MOST_FAULTS:
                raise _GivenUp("too-much-trouble")
            if not self._helper.clear(fault.kind, seat):
                raise _GivenUp("person")
            self._send(commands.Clear(), commands.Go())
            if self._await(wire.Cleared, FAULT_S) is not None:
                return
            fault = next((one for one in self._arrived if isinstance(one, wire.Fault)), fault)
        raise _GivenUp("not-cleared")

    def _send(self, *commands: Command) -> None:
        until = self._clock() + ANSWER_S
        for command in commands:
            while not self._line.send(command):
                if self._clock() > until:
                    raise _GivenUp("no-answer")
                self._arrived.extend(self._line.wait(0.05))

    def _await(self, kind: type[R], seconds: float, batch: Batch | None = None) -> R | None:
        """Return the next event of this kind; record the events before it in the trial, cards in ``batch``."""
        until = self._clock() + seconds
        while True:
            while self._arrived:
                event = self._arrived.popleft()
                self._note(event, batch)
                if isinstance(event, kind):
                    return event
            if self._clock() >= until:
                return None
            self._arrived.extend(self._line.wait(min(0.05, until - self._clock())))

    def _comes_back_anew(self) -> bool:
        """True if a Pico that fell silent answers again after a reset, so that its supply broke down."""
        until = self._clock() + ANSWER_S
        while self._clock() < until:
            for event in self._line.wait(0.1):
                if isinstance(event, Greeted):
                    return event.is_reset
        return False

    def _note(self, event: Event, batch: Batch | None) -> None:
        match event:
            case Mismatch():
                raise event.error
            case Greeted() if self.trial.world and (event.is_reset or event.is_new):
                raise _GivenUp("reset")
            case Silent():
                raise _GivenUp("reset" if self._comes_back_anew() else "silent")
            case wire.Card() if batch is not None and batch.cards:
                batch.cards[-1].append(event)
            case wire.Fault():
                self.trial.faults.append((event.kind, self.trial.passed))
            case _:
                pass
