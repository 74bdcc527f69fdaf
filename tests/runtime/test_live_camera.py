"""A running table with a camera: people, cards and pictures are simulated, the rest is what runs on a real table."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardsight.errors import NoFrame
from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Frame
from croupier.devices.protocols import Light
from croupier.runtime.devices import Factories
from croupier.runtime.table_camera import Zones
from croupier_rules.cards import DECKS
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.people import SimPeople
from croupier_sim.players import Behavior
from croupier_sim.table import PILE_ZONE_MM, SHOW_ZONE_MM, SimTable
from tests.patience import PATIENCE_S
from tests.runtime.live import PICO, TWO, Board, Line, Running
from tests.sim.standin import TruthReader

pytestmark = pytest.mark.slow

FRAME_S = 0.25
ZONES = (PILE_ZONE_MM, SHOW_ZONE_MM)
SLIDE_S = 0.3


class Machine:
    """What people do with the machine by hand."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def press(self, *seats: int) -> None:
        self._board.press(*seats)

    def loaded(self) -> None:
        """The hopper was filled."""
        self._board.pico.report("hopper", "filled", self._board.ticks)

    def take_surplus(self) -> tuple[tuple[int, int], ...]:
        return ()

    def returned(self, seat: int, n: int) -> None: ...
    def clear(self) -> None: ...


class DealingBoard(Board):
    """A Pico whose cards are those of the simulated table, and whose ring the people look at."""

    def __init__(self, table: SimTable) -> None:
        self.table = table
        self.people: SimPeople | None = None
        super().__init__()

    def passed(self, seat: int) -> None:
        self.table.feed(seat, SLIDE_S)

    def _do(self, name: str, values: Any) -> None:
        super()._do(name, values)
        if name == "ring" and self.people is not None:
            turn, direction, color, mode, _n = values
            self.people.show(Light(turn if turn >= 0 else None, direction, None if color == "none" else color, mode))


class Eye:
    """The camera, which may be pulled out. ``card``: a place where something light lies (px)."""

    card: tuple[slice, slice] | None = None
    trouble = ""
    invitation, is_wanted = None, True

    def __init__(self, camera: SimCamera, now: Any) -> None:
        self._camera, self._now, self.is_in = camera, now, True

    def start(self) -> None: ...
    def close(self) -> None: ...

    def frame(self) -> Frame:
        if not self.is_in:
            raise NoFrame("unplugged")
        image = self._camera.frame().image.copy()
        if self.card is not None:
            image[self.card] = 230
        return Frame(self._now(), image)

    def now(self) -> float:
        now: float = self._now()
        return now


class Strewn(TruthReader):
    """Beside the zones it also reads what was strewn there: in the corner of what is looked at."""

    strewn: tuple[str, ...] = ()

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        reading = super().read(bgr, faces, **how)
        zones = {(bottom - top, right - left) for left, top, right, bottom in map(self._camera.zone_px, ZONES)}
        if bgr.shape[:2] in zones:
            return reading
        long = self._camera.card_px(PILE_ZONE_MM)
        wide = long * 0.64
        corners = (0.0, 0.0), (wide, 0.0), (wide, long), (0.0, long)
        return replace(reading, cards=tuple(Sighting(face, 1.0, corners) for face in self.strewn))


class Glancing(Strewn):
    """Of an open hand it reads every second card."""

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        reading = super().read(bgr, faces, **how)
        left, top, right, bottom = self._camera.zone_px(SHOW_ZONE_MM)
        is_hand = bgr.shape[:2] == (bottom - top, right - left)
        return replace(reading, cards=reading.cards[::2]) if is_hand else reading


class Played(Running):
    """A game that simulated people play at a table that runs as a real one does. ``glance``: reads each frame."""

    def __init__(self, path: Path, seed: int = 5, glance: type[Strewn] = Strewn) -> None:
        cv2.setNumThreads(1)
        rng = np.random.default_rng(seed)
        self.sim = SimTable(2, rng, tuple(face for face, n in DECKS["g7942"].items() for _ in range(n)))
        camera = SimCamera(
            self.sim, style=STYLES[next(iter(STYLES))], ground=GROUNDS[0], lamp=random_lamp(rng), rng=rng
        )
        board = DealingBoard(self.sim)
        machine: Any = Machine(board)
        self.players = board.people = SimPeople(self.sim, machine, rng, [Behavior(wrong_card=0.0)] * 2)
        self.eye: Any = None

        def eye(config: Any, now: Any, *_: Any) -> Eye:
            self.eye = made = Eye(camera, now)
            return made

        zones = Zones(
            pile=camera.zone_px(PILE_ZONE_MM),
            show=camera.zone_px(SHOW_ZONE_MM),
            pile_card_px=camera.card_px(PILE_ZONE_MM),
            show_card_px=camera.card_px(SHOW_ZONE_MM),
        )
        self.reader = glance(self.sim, camera)
        factories = Factories(
            camera=eye, zones=lambda config: zones, reader=lambda config: self.reader,
            close_readers=lambda config: lambda number: Strewn(self.sim, camera),
            link=lambda port, now, wake: Line(self.board, now),
        )  # fmt: skip
        self.zones = zones
        super().__init__(path, TWO + PICO, factories, board=board)

    def page(self) -> Any:
        return self.players

    def wait(self, seconds: float) -> None:
        end = self.t + seconds
        while self.t < end - 1e-9:
            self.t = round(self.t + FRAME_S, 6)
            self.wall += FRAME_S
            self.sim.run_to(self.sim.now + FRAME_S)
            self.board.run_to(self.board.now + FRAME_S)
            for press in self.players.poll():
                self.say(press)
            self.table.turn()

    def strew(self, *faces: str) -> None:
        """Lay cards beside the discard pile, or take them away."""
        left, top, long = *self.zones.pile[:2], round(self.zones.pile_card_px)
        corner = max(0, left - long), max(0, top - long)
        self.reader.strewn = faces
        self.eye.card = np.s_[corner[1] : corner[1] + long, corner[0] : corner[0] + long // 2] if faces else None

    def play_to(self, phase: str, most_s: float = 300.0) -> None:
        end = self.t + most_s
        while self.position.phase != phase and self.t < end:
            self.wait(FRAME_S)
        assert self.position.phase == phase, (self.position, self.log[-5:])


@pytest.mark.parametrize("plays", [5, pytest.param(200, marks=pytest.mark.long, id="a whole round")])
def test_a_game_is_played_with_link_and_camera(tmp_path: Path, plays: int) -> None:
    table = Played(tmp_path / "croupier.journal")
    table.press("go")
    table.play_to("turn")
    while table.position.phase != "round_over" and len(table.sim.laid) < plays:
        table.wait(1)
    table.wait(2)
    assert table.position.top == table.sim.discard[-1].face
    laid = [line["card"] for line in table.log if line["obs"] in ("upcard", "play")]
    assert laid == table.sim.laid[-len(laid) :]
    assert table.faults == []


@pytest.mark.long
def test_the_round_is_scored_from_a_hand_of_which_a_glance_shows_only_a_part(tmp_path: Path) -> None:
    table = Played(tmp_path / "croupier.journal", glance=Glancing)
    table.press("go")
    table.play_to("round_over")
    hand, looks = sorted(table.sim.hands[0] or table.sim.hands[1]), table.table.manager.devices.readers.close_looks
    assert looks is not None
    assert len(hand) > 1
    while not (shown := [line for line in table.log if line["obs"] == "shown"]) and table.t < 1500:
        table.wait(FRAME_S)
        if looks._last is not None:
            wait([looks._last], PATIENCE_S)
    assert [sorted(line["cards"]) for line in shown] == [hand]


@pytest.mark.long
def test_camera_and_pico_are_unplugged_and_the_program_is_killed_in_mid_game(tmp_path: Path) -> None:
    table = Played(tmp_path / "croupier.journal")
    table.press("go")
    table.play_to("turn")
    table.wait(6)
    table.eye.is_in = False
    table.wait(2)
    assert ("camera", "no-picture") in table.faults
    assert table.position.phase == "paused"
    table.eye.is_in = True
    table.wait(4)
    assert table.position.phase != "paused"
    table.board.plug(False)
    table.wait(3)
    assert ("pico", "gone") in table.faults
    table.board.plug(True)
    table.wait(8)  # the people say go themselves
    assert table.position.phase != "paused"
    table.kill()
    table.start()
    table.wait(0.5)
    assert table.position.phase == "paused"
    table.wait(10)
    assert table.position.phase != "paused"
    laid = [line["card"] for line in table.log if line["obs"] in ("upcard", "play")]
    assert laid == table.sim.laid[: len(laid)]
    assert len(table.sim.laid) - len(laid) <= 1  # one may be on its way


@pytest.mark.long
def test_a_card_beside_the_piles_is_reported_until_it_is_taken_away_and_play_goes_on(tmp_path: Path) -> None:
    table = Played(tmp_path / "croupier.journal")
    table.press("go")
    table.play_to("turn")
    table.strew("red-7")
    table.wait(15)
    assert ("pile", "astray") in table.table.alarms.active()
    assert [stray.card.face for stray in table.table.run.watch.stray_cards] == ["red-7"]
    table.strew()
    table.wait(15)
    assert table.table.alarms.active() == ()
    assert table.faults == []
