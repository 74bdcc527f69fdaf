"""The whole table without hardware: a simulated table under the real card reader, sequencer, referee and director.

Nothing is passed round the camera: what is played reaches the referee only as sightings, what is dealt and drawn as
the simulated shoe's reports, what is said as presses. The truth is compared with the log (`judge`), nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

import numpy as np

from cardsight.track.cards import CardReader
from croupier.app.config import ruleset_called
from croupier.app.demo.judge import Judge
from croupier.app.demo.machine import Keys, Rings, machine_at
from croupier.app.demo.misreader import Misreader
from croupier.app.running.run import Devices, Listener, Record, TableRun, Zones
from croupier.cards import COLORS, DECKS
from croupier.devices.protocols import Panel
from croupier.devices.sim.camera import SimCamera
from croupier.devices.sim.ground import GROUNDS, random_lamp
from croupier.devices.sim.people import Manners, SimPeople
from croupier.devices.sim.shoe import ShoeFaults
from croupier.devices.sim.style import STYLES
from croupier.devices.sim.table import PILE_ZONE_MM, SHOW_ZONE_MM, SimTable, edge_mm
from croupier.referee import Header, Options, Referee, Written
from croupier.rules import RuleSet

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jan")

FRAME_S: Final = 0.25
"""Simulated seconds between two frames while something happens …"""

IDLE_FRAME_S: Final = 0.75
"""… and while nothing does: frames of a still table are alike, and drawing them only costs time."""

_TICK_S: Final = 0.05
"""How often to look whether something happens."""

_STUCK_S: Final = 180.0
_LONGEST_ROUND_S: Final = 3600.0
"""After so long at rest, or in one round, table and log will never agree again: the demo gives up and says so."""

_ICONS_A_COLOR: Final = 5

_WRITTEN: Final = Written(text="Ο επόμενος τραβάει τρεις κάρτες και χάνει τη σειρά του.", draw=3, skip=True)
"""What these people write on blank wilds, in the language of the only deck that has them."""

_SHOE_FAULTS: Final = ShoeFaults(jam=0.015, double_feed=0.015)  # of 1,090 cards 2.2 % went wrong (notes: peers)
"""With ``faults``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What is played. ``rounds``: how many, or ``None`` until the game is won. Where a round is the game, and several
    are to be played, points are counted up to the document's target. ``firmware``: shoe, ring and buttons are the real
    firmware on a simulated board; without, quick stand-ins."""

    seed: int = 1
    ruleset: str = "g7942-en"
    seats: int = 4
    rounds: int | None = 1
    faults: bool = False
    firmware: bool = True


class Demo:
    """A game at the simulated table.

    ``reader``: makes the card reader; it gets the table and the camera only so that tests may look at the truth.
    """

    def __init__(self, options: DemoOptions, reader: Callable[[SimTable, SimCamera], CardReader]) -> None:
        rng = np.random.default_rng(options.seed)
        self.options = options
        self.header = header = _header(options, int(rng.integers(options.seats)))
        self.table = SimTable(options.seats, rng, _deck(header.ruleset, rng))
        style = STYLES[str(rng.choice(list(STYLES)))]
        ground = GROUNDS[int(rng.integers(len(GROUNDS)))]
        self.camera = SimCamera(self.table, style=style, ground=ground, lamp=random_lamp(rng), rng=rng)
        faults = _SHOE_FAULTS if options.faults else ShoeFaults()
        self.machine = machine_at(self.table, rng, faults, firmware=options.firmware)
        self.people = SimPeople(self.table, self.machine, rng, _manners(header.ruleset))
        self.panel: Panel = Keys(self.machine, self.people)
        """What is pressed; with a page, also what is pressed there."""
        self.judge = Judge(self.table)
        self._reader = reader(self.table, self.camera)
        self._misreader = Misreader(self._reader, rng) if options.faults else None
        self.listeners: list[Listener] = [self.judge]
        """Told of everything; add to it before `begin`."""
        self.run: TableRun | None = None
        self._began = perf_counter()
        self._moved = self._round_began = 0.0
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
            camera=camera, shoe=self.machine, ring=Rings(self.machine, self.people), panel=self.panel, page=self.people
        )
        self.run = TableRun(
            referee or Referee(self.header),
            record,
            devices,
            pile_reader=self._misreader or self._reader,
            show_reader=self._reader,
            zones=zones,
            listeners=tuple(self.listeners),
            first_job=first_job,
        )
        self.run.step()  # how the table looks before anything moves
        return self.run

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
        while table.now - began < (FRAME_S if self._is_eventful(self.run) else IDLE_FRAME_S):
            table.run_to(table.now + _TICK_S)
        if table.is_moving:
            self._moved = table.now
        if table.now - self._moved > _STUCK_S or table.now - self._round_began > _LONGEST_ROUND_S:
            self.gave_up = self.is_over = True
            return
        self.run.step()
        if self.run.is_round_over:
            self._end_round(self.run)

    def _is_eventful(self, run: TableRun) -> bool:
        """Whether something moves, was pressed or reported, or is still to be told."""
        return self.table.is_moving or self.people.has_pressed or self.machine.has_news or run.is_unsettled

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
        self._round_began = self.table.now
        self.is_over = run.is_game_over or self.rounds_done == self.options.rounds
        if not self.is_over:
            run.next_round()


def _header(options: DemoOptions, dealer: int) -> Header:
    """Who sits where, and what they agreed on before play. Where the document has the dealer chosen, they choose at the
    table; else they have drawn cards before."""
    rules = ruleset_called(options.ruleset)
    target = None
    if rules.value("goal") == "round" and (options.rounds or 1) > 1:
        target = rules.number("score.target")
    agreed = Options(target=target, custom=_WRITTEN if rules.value("custom.blank") != "none" else None)
    is_chosen = rules.value("dealer.pick") == "chosen"
    return Header(ruleset=rules, seats=NAMES[: options.seats], dealer=None if is_chosen else dealer, options=agreed)


def _deck(rules: RuleSet, rng: np.random.Generator) -> tuple[str, ...]:
    """The cards of the deck. Where house rules are made, a few numbers of each color carry the icon, on one card of
    two: which ones, no document lists."""
    cards = [face for face, n in DECKS[rules.deck].items() for _ in range(n)]
    if rules.most_house_rules:
        for color in COLORS:
            for number in rng.choice(np.arange(1, 10), _ICONS_A_COLOR, replace=False):
                cards[cards.index(f"{color}-{number}")] += "*"
    return tuple(cards)


def _manners(rules: RuleSet) -> Manners:
    """They know whether a card that was drawn must be laid."""
    if "must" in (rules.value("draw.forced.then_play"), rules.value("draw.voluntary.then_play")):
        return Manners(play_drawn=1.0)
    return Manners()
