"""The whole table without hardware: the product's runtime over simulated devices, people and time.

Nothing is passed round the camera: what is played reaches the referee only as sightings, what is dealt and drawn as
the simulated shoe's reports, what is said as presses. `Judge` compares the truth with the log; nothing else knows it.
The loop is `croupier.runtime.table.Table`; its clock lets simulated time go on to the next frame worth drawing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter, sleep, time
from typing import Any, Final

import numpy as np

from cardsight.track.cards import CardReader
from croupier.alarms import Alarm, AlarmRegistry
from croupier.cards import COLORS, DECKS
from croupier.config import ruleset_by_name
from croupier.devices.gpio.panel import Asked
from croupier.devices.protocols import Camera, Light, Page, Ring
from croupier.events import Amended, Observer, SequencedEvent
from croupier.referee import Header, Options, Written
from croupier.referee.observations import SIMULATED, Play, Shown
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.rules import RuleSet
from croupier.runtime.camera import Zones
from croupier.runtime.devices import DeviceManager, Devices
from croupier.runtime.game import GameRun, StepObserver
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import FeedLog, GameSession
from croupier.runtime.table import NO_HOOKS, Hooks, Table
from croupier_sim.board import BoardMachine
from croupier_sim.camera import SimCamera
from croupier_sim.demo.faults import FaultInjector, Misreader, WatchedShoe
from croupier_sim.demo.judge import Judge
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.machine import SimMachine, StandIn
from croupier_sim.people import SimPeople
from croupier_sim.players import HABITS, Behavior, mixed
from croupier_sim.table import PILE_ZONE_MM, SHOW_ZONE_MM, SimTable, edge_mm
from croupier_sim.video import TroubledCamera

FRAME_S: Final = 0.25
"""Simulated seconds between two frames while something happens."""
HASTY_FRAME_S: Final = 0.05
"""As `FRAME_S` where somebody plays out of turn: the arm must be seen, which says whose card it is."""
IDLE_FRAME_S: Final = 0.75
"""Simulated seconds between two frames while nothing happens: such frames are alike, and drawing them costs time."""

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jan")

_TICK_S: Final = 0.05
"""The step of simulated time between two checks whether anything happens."""
_SAME_S: Final = 1e-4
_JUST_S: Final = 1.2
_STUCK_S: Final = 180.0
_LONGEST_ROUND_S: Final = 3600.0
"""After so long at rest, or in one round, table and log will never agree again: the demo gives up and says so."""
_HEALS_S: Final = 30.0
"""At the end of a round a fault has so long to be reported and healed."""

_ICONS_A_COLOR: Final = 5
_WRITTEN: Final = Written(text="Ο επόμενος τραβάει τρεις κάρτες και χάνει τη σειρά του.", draw=3, skip=True)
"""What these people write on blank wilds, in the language of the only deck that has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What is played. ``rounds``: how many, or ``None`` until the game is won. Where a round is the game, and several
    are to be played, points are counted up to the document's target. ``firmware``: shoe, ring and buttons are the real
    firmware on a simulated board; without, quick stand-ins. ``habits``: of each seat, keys of `HABITS`; empty: chosen
    at random."""

    seed: int = 1
    ruleset: str = "g7942-en"
    seats: int = 4
    rounds: int | None = 1
    faults: bool = False
    firmware: bool = True
    habits: tuple[str, ...] = ()


class SimClock:
    """The table's clock in a simulation: a `croupier.runtime.table.Clock` that waits without waiting.

    ``is_eventful``: True while something happens that is worth a frame; ``frame_s`` and ``idle_s``: simulated seconds
    between two frames then, and otherwise. ``on_frame``: called after each wait."""

    def __init__(
        self,
        table: SimTable,
        frame_s: float,
        idle_s: float,
        is_eventful: Callable[[], bool],
        on_frame: Callable[[], None],
    ) -> None:
        self._table, self._frame_s, self._idle_s = table, frame_s, idle_s
        self._is_eventful, self._on_frame = is_eventful, on_frame
        self._started = time() - table.now
        self._due = perf_counter()
        self.speed: Callable[[], float] | None = None
        """Returns the simulated seconds in a second; ``None``: as fast as possible."""
        self.before_wait: Callable[[], None] = lambda: None
        self.after_wait: Callable[[], None] = lambda: None
        """Called when the table's loop has gone round, and when it begins to go round again: for benches."""

    def now(self) -> float:
        """Return the simulated time (s)."""
        return self._table.now

    def wall(self) -> float:
        """Return seconds since 1970; they go on with simulated time."""
        return self._started + self._table.now

    def wait(self, inbox: Inbox, seconds: float) -> None:
        """Let simulated time go on to the next frame, whatever ``seconds`` says."""
        self.before_wait()
        began = self._table.now
        while self._table.now - began < (self._frame_s if self._is_eventful() else self._idle_s) - _SAME_S:
            self._table.run_to(round(self._table.now + min(_TICK_S, self._frame_s), 6))
        self._on_frame()
        if self.speed is not None:
            # What a slow machine did not manage is not made up for later: nobody wants to see a table hurry.
            self._due = max(self._due + (self._table.now - began) / self.speed(), perf_counter())
            sleep(max(0.0, self._due - perf_counter()))
        self.after_wait()


@dataclass(frozen=True, slots=True)
class _SharedRing:
    """The machine's ring, and the people who look at it."""

    machine: Ring
    people: Ring

    @property
    def fault(self) -> str:
        return self.machine.fault

    def show(self, light: Light) -> None:
        self.machine.show(light)
        self.people.show(light)


class Demo:
    """A game at the simulated table.

    ``reader``: makes the card reader; it gets the table and the camera only so that tests may look at the truth.
    ``fps``: frames a simulated second, all the time; ``None``: as many as are worth their drawing.
    """

    def __init__(
        self, options: DemoOptions, reader: Callable[[SimTable, SimCamera], CardReader], fps: float | None = None
    ) -> None:
        # A stream for each, so that what one of them does leaves the others as they are.
        rng, looks, chance, whims = np.random.default_rng(options.seed).spawn(4)
        self.options = options
        self.header = header = _header(options, int(rng.integers(options.seats)))
        self.table = SimTable(options.seats, rng, _deck(header.ruleset, rng))
        style = STYLES[str(looks.choice(list(STYLES)))]
        ground = GROUNDS[int(looks.integers(len(GROUNDS)))]
        self.camera = SimCamera(self.table, style=style, ground=ground, lamp=random_lamp(looks), rng=looks)
        self.machine = _machine(self.table, chance, has_firmware=options.firmware)
        self.habits = options.habits or mixed(options.seats, whims)
        """The habits of each seat: keys of `HABITS`."""
        behaviors = [_behavior(header.ruleset, HABITS[habit]) for habit in self.habits]
        self.people = SimPeople(self.table, self.machine, whims, behaviors)
        self.page: Page = self.people
        """Where people are asked; with a voice, also aloud."""
        self.judge = Judge(self.table, self.people.acts)
        self.lens = TroubledCamera(self.camera)
        self.camera_device: Camera = self.lens
        """The camera that the table gets; a bench may watch it."""
        self.faults = FaultInjector(self.machine, self.lens, chance if options.faults else None)
        self._reader = reader(self.table, self.camera)
        self._misreader = Misreader(self._reader, chance, self._is_just_laid) if options.faults else None
        self.observers: list[Observer] = [self.judge, self.faults, self._let_people_read]
        """Told of every event; add to it before `begin`."""
        self.alarm_listeners: list[Callable[[Alarm], None]] = [self.faults.note_alarm]
        """Told of every alarm; add to it before `begin`."""
        self.alarms = AlarmRegistry(self._notify)
        frame_s, idle_s = HASTY_FRAME_S if "hasty" in self.habits else FRAME_S, IDLE_FRAME_S
        if fps is not None:
            frame_s = idle_s = 1 / fps
        self.clock = SimClock(self.table, frame_s, idle_s, self._is_eventful, self._after_frame)
        self.live: Table | None = None
        """The table's runtime, from `begin` on."""
        self._began = perf_counter()
        self._moved = self._round_began = 0.0
        self._round_over: float | None = None
        self._is_counted = False
        self._turn: int | None = None
        self._scores_before: tuple[int, ...] = (0,) * options.seats
        self.rounds_done = 0
        self.truth_agrees = True
        """True while winner and points of every round were those of the true cards."""
        self.gave_up = self.is_over = False
        self._failed: Alarm | None = None

    def begin(
        self,
        session: GameSession,
        step_observers: Sequence[StepObserver] = (),
        hooks: Hooks = NO_HOOKS,
        inbox: Inbox | None = None,
    ) -> Table:
        """Begin the game of ``session``, or resume it after a power cut of the table, not of the people; the first
        cards are dealt by `Table.play`."""
        if not session.past:
            session.write(session.judge(SIMULATED), fed={})
        self.machine.restart_program(FeedLog(session.journal, self.alarms), is_armed=not session.past)
        assert self.machine.shoe is not None
        assert self.machine.ring is not None
        camera = self.camera
        devices = Devices(
            camera=self.camera_device,
            zones=Zones(
                pile=camera.zone_px(PILE_ZONE_MM),
                show=camera.zone_px(SHOW_ZONE_MM),
                pile_card_px=camera.card_px(PILE_ZONE_MM),
                show_card_px=camera.card_px(SHOW_ZONE_MM),
                seats_px=tuple(self._seat_px(seat) for seat in range(self.table.seats)),
            ),
            pile_reader=self._misreader or self._reader,
            hand_reader=self._reader,
            shoe=WatchedShoe(self.machine.shoe, self.faults.before_feeding),
            ring=_SharedRing(self.machine.ring, self.people),
            machines={"pico": self.machine},
            needed=frozenset({"pico"}),
            sources={"keys": self.people},
        )
        self.live = Table(
            session,
            self.header,
            DeviceManager(devices, self.alarms, self.clock.now),
            self.alarms,
            Asked(self.page),
            inbox=inbox or Inbox(),
            clock=self.clock,
            observers=lambda session: self.observers,
            step_observers=step_observers,
            hooks=replace(hooks, may_begin_round=lambda: self._is_counted, on_fault=self.faults.provoke),
        )
        return self.live

    @property
    def run(self) -> GameRun:
        """The game that is played now."""
        assert self.live is not None, "begin first"
        return self.live.run

    def close(self) -> None:
        """Switch the machine off."""
        self.machine.close()

    def summary(self) -> dict[str, Any]:
        """Return the last line of `croupier demo --json`."""
        judge = self.judge
        return {
            "rounds": self.rounds_done,
            "cards_read": judge.cards_read,
            "cards_misread": judge.cards_misread,
            "rulings": judge.rulings,
            "dealt": judge.dealt,
            "drawn": judge.drawn,
            "faults": judge.faults + (self._misreader.misreads if self._misreader else 0),
            "winner": judge.winner,
            "scores": list(self.run.position.scores) if self.live else [],
            "simulated_s": round(self.table.now, 1),
            "wall_s": round(perf_counter() - self._began, 1),
            "firmware": self.machine.runs_on,
            "habits": list(self.habits),
            "wrongs": judge.wrongs(),
            "troubles": [trial.to_json() for trial in self.faults.trials],
        }

    def _after_frame(self) -> None:
        """Check what only the simulation knows: standstill, faults that are due, the end of a round."""
        if self._failed is not None:  # a game goes on without one of its observers, a simulation is no use without
            raise RuntimeError(f"{self._failed.device} failed: {self._failed.detail}")
        now, run = self.table.now, self.run
        if self.table.is_moving:
            self._moved = now
        if now - self._moved > _STUCK_S or now - self._round_began > _LONGEST_ROUND_S:
            self.gave_up = True
            self._end()
            return
        self.faults.step(now)
        if not run.is_round_over or self.people.objections.is_pending:
            self._round_over = None
            self._is_counted = False
        elif not self._is_counted:
            self._round_over = self._round_over or now
            if not self.faults.is_open or now - self._round_over > _HEALS_S:
                self._count_round(run)

    def _count_round(self, run: GameRun) -> None:
        """Compare the round's result with the true cards; the next round may begin, or the demo ends."""
        gained = [after - before for after, before in zip(run.position.scores, self._scores_before, strict=True)]
        winner, points = self.judge.true_result()
        if self.header.ruleset.value("goal") == "round" and self.header.options.target is None:
            points = 0
        self.truth_agrees &= (
            winner == self.judge.winner and winner is not None and gained[winner] == points == sum(gained)
        )
        self._scores_before = run.position.scores
        self.rounds_done += 1
        self._round_began, self._round_over = self.table.now, None
        if run.is_game_over or self.rounds_done == self.options.rounds:
            self._end()
        else:
            self._is_counted = True

    def _end(self) -> None:
        self.is_over = True
        if self.live is not None:
            self.live.end()

    def _is_eventful(self) -> bool:
        """True while something moves, was pressed or reported, or is still to be reported."""
        is_troubled = self.lens.is_troubled or not self.machine.is_connected
        is_new = self.people.has_pressed or self.machine.has_news
        return self.table.is_moving or is_new or is_troubled or self.run.is_unsettled

    def _is_just_laid(self) -> bool:
        touched = self.table.touched
        return bool(touched) and self.table.now - touched[-1] < _JUST_S

    def _seat_px(self, seat: int) -> tuple[float, float]:
        x, y = self.camera.to_px([edge_mm(self.table.direction_deg(seat))])[0]
        return float(x), float(y)

    def _let_people_read(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """People read on the page who laid which card, and which hand lies open."""
        objections, turn, self._turn = self.people.objections, self._turn, position.turn
        match event:
            case Play():
                objections.read_play(event, turn if event.seat is None else event.seat)
            case Amended():
                for play in [one for one in event.observations if isinstance(one, Play)][-1:]:
                    objections.update_play(play)
            case Shown():
                objections.read_hand(event)
            case _:
                pass

    def _notify(self, alarm: Alarm) -> None:
        if alarm.kind == "failed":
            self._failed = alarm
        for listener in self.alarm_listeners:
            listener(alarm)


def _machine(table: SimTable, rng: np.random.Generator, *, has_firmware: bool) -> SimMachine:
    """Return the real firmware on a simulated board; the stand-in without firmware, or where a program cannot be
    started as the board needs it (on Windows)."""
    if has_firmware and os.name == "posix":
        return BoardMachine(table, seed=int(rng.integers(1 << 30)))
    return StandIn(table, rng)


def _header(options: DemoOptions, dealer: int) -> Header:
    """Return who sits where, and what they agreed on. Where the document has the dealer chosen, people choose at the
    table; otherwise they have drawn cards before."""
    rules = ruleset_by_name(options.ruleset)
    target = None
    if rules.value("goal") == "round" and (options.rounds or 1) > 1:
        target = rules.number("score.target")
    agreed = Options(target=target, custom=_WRITTEN if rules.value("custom.blank") != "none" else None)
    is_chosen = rules.value("dealer.pick") == "chosen"
    return Header(ruleset=rules, seats=NAMES[: options.seats], dealer=None if is_chosen else dealer, options=agreed)


def _deck(rules: RuleSet, rng: np.random.Generator) -> tuple[str, ...]:
    """Return the cards of the deck. Where house rules are made, a few numbers of each color carry the icon, on one card
    of two: no document lists which."""
    cards = [face for face, n in DECKS[rules.deck].items() for _ in range(n)]
    if rules.most_house_rules:
        for color in COLORS:
            for number in rng.choice(np.arange(1, 10), _ICONS_A_COLOR, replace=False):
                cards[cards.index(f"{color}-{number}")] += "*"
    return tuple(cards)


def _behavior(rules: RuleSet, behavior: Behavior) -> Behavior:
    """Return the behavior of people who know whether a card that was drawn must be laid."""
    if "must" in (rules.value("draw.forced.then_play"), rules.value("draw.voluntary.then_play")):
        return replace(behavior, play_drawn=1.0)
    return behavior
