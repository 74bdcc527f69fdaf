"""The whole table without hardware: a simulated table under the real card reader, sequencer, referee and director.

Nothing is passed round the camera: what is played reaches the referee only as sightings, what is dealt and drawn as
the simulated shoe's reports, what is said as presses. The truth is compared with the log (`judge`), nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np
from croupier.runtime.zones import Zones

from cardsight.track.cards import CardReader
from croupier.alarms import Alarm, AlarmRegistry
from croupier.devices.protocols import EventSource, Page
from croupier.errors import CannotWrite
from croupier.events import Amended, DeviceBack, DeviceLost, SequencedEvent
from croupier.referee import Referee
from croupier.referee.observations import SIMULATED, Observation, Play, Shown
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.table import Devices, Listener, Record, TableRun
from croupier_sim.camera import SimCamera
from croupier_sim.demo.judge import Judge
from croupier_sim.demo.machine import Rings, Sources, WatchedShoe, machine_at
from croupier_sim.demo.misreader import Misreader
from croupier_sim.demo.setting import DemoOptions, behavior_under, deck_of, header_of
from croupier_sim.demo.trials import Trials
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.people import SimPeople
from croupier_sim.players import HABITS, mixed
from croupier_sim.table import PILE_ZONE_MM, SHOW_ZONE_MM, SimTable, edge_mm
from croupier_sim.video import TroubledCamera

FRAME_S: Final = 0.25
"""Simulated seconds between two frames while something happens …"""

HASTY_FRAME_S: Final = 0.05
"""… where somebody plays out of turn, so that the arm is seen that says whose card it is …"""

IDLE_FRAME_S: Final = 0.75
"""… and while nothing does: frames of a still table are alike, and drawing them only costs time."""

_TICK_S: Final = 0.05
"""How often to look whether something happens."""

_SAME_S: Final = 1e-4
_JUST_S: Final = 1.2
_STUCK_S: Final = 180.0
_LONGEST_ROUND_S: Final = 3600.0
"""After so long at rest, or in one round, table and log will never agree again: the demo gives up and says so."""
_HEALS_S: Final = 30.0
"""At the end of a round a fault is given so long to be told and healed."""


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
        self.header = header = header_of(options, int(rng.integers(options.seats)))
        self.table = SimTable(options.seats, rng, deck_of(header.ruleset, rng))
        style = STYLES[str(looks.choice(list(STYLES)))]
        ground = GROUNDS[int(looks.integers(len(GROUNDS)))]
        self.camera = SimCamera(self.table, style=style, ground=ground, lamp=random_lamp(looks), rng=looks)
        self.machine = machine_at(self.table, chance, firmware=options.firmware)
        self.habits = options.habits or mixed(options.seats, whims)
        """What each seat is like, by the names in `HABITS`."""
        self._frame_s = HASTY_FRAME_S if "hasty" in self.habits else FRAME_S
        self._idle_s = IDLE_FRAME_S
        if fps is not None:
            self._frame_s = self._idle_s = 1 / fps
        behaviors = [behavior_under(header.ruleset, HABITS[habit]) for habit in self.habits]
        self.people = SimPeople(self.table, self.machine, whims, behaviors)
        self.page: Page = self.people
        """Where people are asked; with a voice, also aloud."""
        self.judge = Judge(self.table, self.people.acts)
        self.lens = TroubledCamera(self.camera)
        self._shoe = WatchedShoe(self.machine)
        self.source: EventSource = Sources((self._shoe, self.people))
        """All events; with a page, also what is said there. Add to it before `begin`."""
        self.trials = Trials(self.machine, self.lens, self._shoe, chance if options.faults else None)
        self._reader = reader(self.table, self.camera)
        self._misreader = Misreader(self._reader, chance, self._is_just_laid) if options.faults else None
        self.listeners: list[Listener] = [self.judge, self.trials, self._let_people_read]
        """Told of everything; add to it before `begin`."""
        self.alarm_listeners: list[Callable[[Alarm], None]] = [self.trials.note_alarm]
        """Take the alarms, which stop no play; add to it before `begin`."""
        self.alarms = AlarmRegistry(self._notify)
        self.run: TableRun | None = None
        self._began = perf_counter()
        self._moved = self._round_began = 0.0
        self._round_over: float | None = None
        self._turn: int | None = None
        self._scores_before: tuple[int, ...] = (0,) * options.seats
        self.rounds_done = 0
        self.truth_agrees = True
        """Whether winner and points of every round were those of the true cards."""
        self.gave_up = False
        self.is_over = False

    def begin(self, record: Record, referee: Referee | None = None, first_job: int = 1) -> TableRun:
        """Deal the first cards; or go on where ``referee`` stands, after a power cut of the table, not of the people.

        ``record`` writes observations into the log."""
        camera = self.camera
        zones = Zones(
            pile=camera.zone_px(PILE_ZONE_MM),
            show=camera.zone_px(SHOW_ZONE_MM),
            pile_card_px=camera.card_px(PILE_ZONE_MM),
            show_card_px=camera.card_px(SHOW_ZONE_MM),
            seats_px=tuple(self._seat_px(seat) for seat in range(self.table.seats)),
        )
        devices = Devices(
            camera=self.lens,
            shoe=self._shoe,
            ring=Rings(self.machine, self.people),
            source=self.source,
            page=self.page,
        )

        def recorded(observations: Sequence[Observation]) -> None:
            self.trials.before_writing()
            record(observations)

        if referee is None:
            referee = Referee(self.header)
            recorded(SIMULATED)
            for said in SIMULATED:
                referee.observe(said)
        self._was_heard = True
        self.run = TableRun(
            referee,
            recorded,
            devices,
            pile_reader=self._misreader or self._reader,
            show_reader=self._reader,
            zones=zones,
            listeners=tuple(self.listeners),
            first_job=first_job,
        )
        self.run.step()  # how the table looks before anything moves
        return self.run

    def _is_just_laid(self) -> bool:
        touched = self.table.touched
        return bool(touched) and self.table.now - touched[-1] < _JUST_S

    def close(self) -> None:
        """Switch the machine off."""
        self.machine.close()

    def _seat_px(self, seat: int) -> tuple[float, float]:
        x, y = self.camera.to_px([edge_mm(self.table.direction_deg(seat))])[0]
        return float(x), float(y)

    def step(self) -> None:
        """Let simulated time go on by one frame."""
        if self.run is None:
            raise RuntimeError("begin first")
        table, began = self.table, self.table.now
        while table.now - began < (self._frame_s if self._is_eventful(self.run) else self._idle_s) - _SAME_S:
            table.run_to(round(table.now + min(_TICK_S, self._frame_s), 6))
        if table.is_moving:
            self._moved = table.now
        if table.now - self._moved > _STUCK_S or table.now - self._round_began > _LONGEST_ROUND_S:
            self.gave_up = self.is_over = True
            return
        self._look_after_machine(self.run)
        self.trials.step(table.now)
        try:
            self.run.step()
        except CannotWrite as err:
            if not self.trials.is_disk_full:
                raise
            self.alarms.set("journal", "not-written", str(err))
        else:
            self.alarms.set("journal", "")
        if not self.run.is_round_over or self.people.objections.is_pending:
            self._round_over = None
        else:
            self._round_over = self._round_over or table.now
            if not self.trials.is_open or table.now - self._round_over > _HEALS_S:
                self._end_round(self.run)

    def _let_people_read(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Who laid which card, and which hand lies open, they read on the page."""
        objections, turn, self._turn = self.people.objections, self._turn, position.turn
        match told:
            case Play():
                objections.read_play(told, turn if told.seat is None else told.seat)
            case Amended():
                for play in [one for one in told.observations if isinstance(one, Play)][-1:]:
                    objections.update_play(play)
            case Shown():
                objections.read_hand(told)
            case _:
                pass

    def _look_after_machine(self, run: TableRun) -> None:
        """As `croupier run` does: play rests while the machine is not heard."""
        is_heard = self.machine.is_heard
        if self._was_heard and not is_heard:
            run.sequencer.push(DeviceLost(self.table.now, "pico", "silent"))
        elif is_heard and not self._was_heard:
            run.sequencer.push(DeviceBack(self.table.now, "pico"))
        self._was_heard = is_heard
        stuck = ", ".join(self.machine.stuck)
        self.alarms.set("buttons", "stuck" if stuck else "", stuck)

    def _notify(self, alarm: Alarm) -> None:
        for listener in self.alarm_listeners:
            listener(alarm)

    def _is_eventful(self, run: TableRun) -> bool:
        """Whether something moves, was pressed or reported, or is still to be told."""
        is_troubled = self.lens.is_troubled or not self._was_heard
        is_new = self.people.has_pressed or self.machine.has_news
        return self.table.is_moving or is_new or is_troubled or run.is_unsettled

    def summary(self) -> dict[str, Any]:
        """What the contract's last line says."""
        judge = self.judge
        return {
            "rounds": self.rounds_done,
            "cards_read": judge.cards_read,
            "cards_misread": judge.cards_misread,
            "rulings": judge.rulings,
            "dealt": judge.dealt,
            "drawn": judge.drawn,
            "faults": self.judge.faults + (self._misreader.misreads if self._misreader else 0),
            "winner": judge.winner,
            "scores": list(self.run.position.scores) if self.run else [],
            "simulated_s": round(self.table.now, 1),
            "wall_s": round(perf_counter() - self._began, 1),
            "firmware": self.machine.runs_on,
            "habits": list(self.habits),
            "wrongs": judge.wrongs(),
            "troubles": [trial.to_json() for trial in self.trials.trials],
        }

    def _end_round(self, run: TableRun) -> None:
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
        self.is_over = run.is_game_over or self.rounds_done == self.options.rounds
        if not self.is_over:
            run.next_round()
