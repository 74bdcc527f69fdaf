"""The whole table without hardware: the product's runtime with simulated devices, people and time.

The referee learns of laid cards only through the camera, of dealt cards only through the shoe's reports, and of calls
only through presses. `Judge` alone compares the truth with the log. The loop is that of `croupier.runtime.table.Table`;
its clock advances simulated time to the next frame worth drawing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter, sleep, time
from typing import Any, Final

import numpy as np

from cardsight.card_reader import CardReader
from cardsight.exit_corner import ExitReader
from croupier.alarms import Alarm, AlarmRegistry
from croupier.config import ruleset_by_name
from croupier.devices.protocols import Asked, Light, Page, Ring
from croupier.events import Amended, Observer, SequencedEvent
from croupier.pictures.table_reader import corner_network
from croupier.runtime.camera import Readers
from croupier.runtime.devices import DeviceManager, Devices
from croupier.runtime.game import GameRun, StepObserver
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import FeedLog, GameSession
from croupier.runtime.table import NO_HOOKS, Hooks, Table
from croupier.runtime.table_camera import TableCamera, Zones
from croupier_extras.sealed.exit_camera import CornerReader
from croupier_rules.cards import COLORS, DECKS
from croupier_rules.referee import Header, Options, Written
from croupier_rules.referee.observations import SIMULATED, Play, Shown
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling
from croupier_rules.rules import RuleSet
from croupier_rules.rules.own_rules import OwnRules
from croupier_sim.board import BoardMachine
from croupier_sim.camera import SimCamera
from croupier_sim.demo import NAMES
from croupier_sim.demo.faults import FaultInjector, Misreader, WatchedShoe
from croupier_sim.demo.judge import Judge
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.exit_camera import SimExitCamera
from croupier_sim.machine import SimMachine, StandIn
from croupier_sim.people import SimPeople
from croupier_sim.players import HABITS, Behavior, mixed
from croupier_sim.table import PILE_ZONE_MM, SHOW_ZONE_MM, SimTable, edge_mm
from croupier_sim.video import TroubledCamera

FRAME_S: Final = 0.25
"""Simulated seconds between two frames while something happens."""
HASTY_FRAME_S: Final = 0.05
"""As `FRAME_S`, if a seat plays out of turn: the arm must be seen, since it shows whose card it is."""
IDLE_FRAME_S: Final = 0.75
"""Simulated seconds between two frames while nothing happens. Such frames are alike and slow to draw."""

_TICK_S: Final = 0.05
"""Step of simulated time between two checks for activity (s)."""
_SAME_S: Final = 1e-4
_JUST_S: Final = 1.2
_STUCK_S: Final = 180.0
_LONGEST_ROUND_S: Final = 3600.0
"""Longest rest and longest round (s). Beyond them table and log will never agree again, and the demo ends with an
error."""
_HEALS_S: Final = 30.0
"""Time for a fault at the end of a round to be reported and to recover (s)."""

_ICONS_A_COLOR: Final = 5
_WRITTEN: Final = Written(text="Ο επόμενος τραβάει τρεις κάρτες και χάνει τη σειρά του.", draw=3, skip=True)
"""The text on blank wilds, in the language of the only deck that has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """Options of a demo. ``rounds``: how many; None: until the game is won. ``house``: house rules that `croupier rules
    presets` lists, on top of the ruleset.

    With several rounds of a sheet whose game is one round, points count up to the sheet's target. ``firmware``: run the
    real firmware on a simulated board; otherwise a quick stand-in. ``exit_camera``: a camera reads what the shoe deals.
    ``habits``: of each seat, keys of `HABITS`; (): at
    random.
    """

    seed: int = 1
    ruleset: str = "g7942-en"
    house: str | None = None
    seats: int = 4
    rounds: int | None = 1
    faults: bool = False
    firmware: bool = True
    exit_camera: bool = False
    habits: tuple[str, ...] = ()


class SimClock:
    """The table's clock in a simulation: a `croupier.runtime.table.Clock` that does not wait.

    ``is_eventful``: True while the scene is worth a frame. ``frame_s``, ``idle_s``: simulated seconds between two
    frames then, and otherwise. ``on_frame``: called after each wait.
    """

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
        """Returns the simulated seconds per second; None: as fast as possible."""
        self.before_wait: Callable[[], None] = lambda: None
        self.after_wait: Callable[[], None] = lambda: None
        """Called at the end and at the begin of a pass of the table's loop, for benchmarks."""

    def now(self) -> float:
        """Return the simulated time (s)."""
        return self._table.now

    def wall(self) -> float:
        """Return seconds since 1970, advancing with simulated time."""
        return self._started + self._table.now

    def wait(self, inbox: Inbox, seconds: float) -> None:
        """Advance simulated time to the next frame, whatever ``seconds`` is."""
        self.before_wait()
        began = self._table.now
        while self._table.now - began < (self._frame_s if self._is_eventful() else self._idle_s) - _SAME_S:
            self._table.run_to(round(self._table.now + min(_TICK_S, self._frame_s), 6))
        self._on_frame()
        if self.speed is not None:
            # Lost time is not made up: a slow machine shows the game slower, never in a rush.
            self._due = max(self._due + (self._table.now - began) / self.speed(), perf_counter())
            sleep(max(0.0, self._due - perf_counter()))
        self.after_wait()


@dataclass(frozen=True, slots=True)
class _SharedRing:
    """The machine's ring, which the simulated people see as well."""

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

    ``reader``: makes the card reader; only tests use its arguments, table and camera, to see the truth. ``fps``: frames
    per simulated second at all times; None: only frames that are worth drawing.
    """

    def __init__(
        self, options: DemoOptions, reader: Callable[[SimTable, SimCamera], CardReader], fps: float | None = None
    ) -> None:
        # A random stream for each part, so that a change of one part does not change the others.
        rng, looks, chance, whims = np.random.default_rng(options.seed).spawn(4)
        self.options = options
        self.header = header = _header(options, int(rng.integers(options.seats)))
        self.table = SimTable(options.seats, rng, _deck(header.ruleset, rng))
        style = STYLES[str(looks.choice(list(STYLES)))]
        ground = GROUNDS[int(looks.integers(len(GROUNDS)))]
        self.camera = SimCamera(self.table, style=style, ground=ground, lamp=random_lamp(looks), rng=looks)
        self.machine = _machine(self.table, chance, has_firmware=options.firmware)
        self.exit_camera = (
            SimExitCamera(self.table, style, looks.spawn(1)[0], new_corner_reader) if options.exit_camera else None
        )
        self.habits = options.habits or mixed(options.seats, whims)
        """The habits of each seat: keys of `HABITS`."""
        own = OwnRules(header.ruleset)
        behaviors = [_behavior(header.ruleset, HABITS[habit]) for habit in self.habits]
        self.people = SimPeople(self.table, self.machine, whims, behaviors, own)
        self.people.record.read = lambda: self.run.session.referee.standing()
        self.page: Page = self.people
        """Shows requests to people; with a voice, also aloud."""
        self.judge = Judge(self.table, self.people.acts)
        self.lens = TroubledCamera(self.camera)
        self.camera_device: TableCamera = self.lens
        """The camera of the table; a benchmark may wrap it."""
        self.faults = FaultInjector(self.machine, self.lens, chance if options.faults else None)
        self._new_reader = partial(reader, self.table, self.camera)
        self._reader = self._new_reader()
        self._misreader = Misreader(self._reader, chance, self._is_just_laid) if options.faults else None
        self.observers: list[Observer] = [self.judge, self.faults, self._let_people_read]
        """Observers of all events; add to the list before `begin`."""
        self.alarm_listeners: list[Callable[[Alarm], None]] = [self.faults.note_alarm]
        """Listeners of all alarms; add to the list before `begin`."""
        self.alarms = AlarmRegistry(self._notify)
        frame_s, idle_s = FRAME_S, IDLE_FRAME_S
        if "hasty" in self.habits or own.jump_in or own.double:
            frame_s = HASTY_FRAME_S
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
        """True while winner and points of every round match the true cards."""
        self.gave_up = self.is_over = False
        self._failed: Alarm | None = None

    def begin(
        self,
        session: GameSession,
        step_observers: Sequence[StepObserver] = (),
        hooks: Hooks = NO_HOOKS,
        inbox: Inbox | None = None,
    ) -> Table:
        """Begin the game of ``session``, or resume it as after a power cut of the table.

        `Table.play` deals the first cards.
        """
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
            readers=Readers(self._misreader or self._reader, self._reader, self._new_reader),
            shoe=WatchedShoe(self.machine.shoe, self.faults.before_feeding),
            ring=_SharedRing(self.machine.ring, self.people),
            machines={"pico": self.machine},
            needed=frozenset({"pico"}),
            sources={"keys": self.people},
            exit_camera=self.exit_camera,
        )
        self.live = Table(
            session,
            self.header,
            DeviceManager(devices, self.alarms, self.clock.now),
            self.alarms,
            Asked(self.page),
            inbox=inbox or Inbox(),
            clock=self.clock,
            observers=lambda session, submit: self.observers,
            step_observers=step_observers,
            hooks=replace(hooks, may_begin_round=lambda: self._is_counted),
        )
        return self.live

    @property
    def run(self) -> GameRun:
        """The game in progress."""
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
            "troubles": [trial.to_json() for trial in self.faults.trials if not trial.is_waiting],
        }

    def _after_frame(self) -> None:
        """Check what only the simulation knows: standstill, due faults, the end of a round."""
        if self._failed is not None:  # a real game goes on without a failed observer; a simulation must fail
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
        """Compare the round's result with the true cards. Then the next round may begin, or the demo ends."""
        gained = [after - before for after, before in zip(run.position.scores, self._scores_before, strict=True)]
        winner, points = self.judge.true_result()
        if (worth := self.header.ruleset.value("score.knocked_out")) != "none":
            points += int(worth) * len(self.table.knocked_out)
        if self.header.ruleset.value("goal") == "round" and self.header.options.target is None:
            points = 0
        if self.header.ruleset.value("score.values") == "one-a-round":
            points = 1
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
        """True while something moves, was pressed or reported, or awaits a report."""
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
        """Show the simulated people who laid which card, and which hand lies open, as on the page."""
        objections, turn, self._turn = self.people.objections, self._turn, position.turn
        objections.read_rulings(rulings)
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


def new_corner_reader(faces: Collection[str]) -> CornerReader:
    """Return the reader of printed corners, for a deck with these faces."""
    return ExitReader(corner_network(), faces)


def _machine(table: SimTable, rng: np.random.Generator, *, has_firmware: bool) -> SimMachine:
    """Return the real firmware on a simulated board.

    Without firmware, or where its interpreter cannot run (Windows), return the stand-in.
    """
    if has_firmware and os.name == "posix":
        return BoardMachine(table, seed=int(rng.integers(1 << 30)))
    return StandIn(table, rng)


def _header(options: DemoOptions, dealer: int) -> Header:
    """Return the header of the log: seats and options. If the sheet has the dealer chosen, people choose at the table;
    otherwise they have drawn cards before."""
    rules = ruleset_by_name(options.ruleset, options.house)
    target = None
    if rules.value("goal") == "round" and (options.rounds or 1) > 1:
        target = rules.number("score.target")
    agreed = Options(target=target, custom=_WRITTEN if rules.value("custom.blank") != "none" else None)
    is_chosen = rules.value("dealer.pick") == "chosen"
    return Header(ruleset=rules, seats=NAMES[: options.seats], dealer=None if is_chosen else dealer, options=agreed)


def _deck(rules: RuleSet, rng: np.random.Generator) -> tuple[str, ...]:
    """Return the cards of the deck.

    If the sheet has house rules, some numbers of each color carry the icon, on one of their two cards: no document
    lists which.
    """
    cards = [face for face, n in DECKS[rules.deck].items() for _ in range(n)]
    if rules.most_house_rules:
        for color in COLORS:
            for number in rng.choice(np.arange(1, 10), _ICONS_A_COLOR, replace=False):
                cards[cards.index(f"{color}-{number}")] += "*"
    return tuple(cards)


def _behavior(rules: RuleSet, behavior: Behavior) -> Behavior:
    """Return the behavior of people who know whether a card that fits must be laid."""
    own = OwnRules(rules)
    if own.must_lay:
        behavior = replace(behavior, draw_by_choice=0.0)
    if own.must_lay_drawn or "must" in (rules.value("draw.forced.then_play"), rules.value("draw.voluntary.then_play")):
        return replace(behavior, play_drawn=1.0)
    return behavior
