"""The simulated Pico: it does what the MicroPython VM with the finer mechanics does, and it counts whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from croupier.devices.pico import Layout
from croupier.link import commands
from croupier.link.reports import Report
from tests.firmware.rig import PLACES, Rig
from tests.longer import some
from tests.simulation.line import Cable, HostLine
from tests.simulation.pico import Board
from tests.simulation.world import World

SEATS = len(PLACES)
Provoke = Callable[[Any], None]


class Table:
    """The simulated Pico on its cable, and what it reported."""

    def __init__(self, *, speed: int = 1200, cards: int = 108) -> None:
        self.world = World(3)
        self.board = Board(self.world, seats=SEATS, cards=cards, start_us=0, drift=0.0)
        self.cable = Cable(self.world, self.board)
        self.left: list[float] = []
        self.board.on_card = lambda seat, cards, number: self.left.append(self.world.now)
        self.line = HostLine(self.world, self.cable, lambda: self.world.now, lambda: None)
        self.line.start()
        self.reports: list[Any] = []
        self.run(3)
        layout = Layout(seats=SEATS, angles=tuple(PLACES[seat] / 10 for seat in range(SEATS)), speed=speed)
        self.send(*layout.commands(), commands.Go(), commands.Home())
        self.run(6)
        self.reports.clear()

    def send(self, *sent: commands.Command) -> None:
        for command in sent:
            assert self.line.send(command)

    def run(self, seconds: float) -> None:
        self.world.run_to(self.world.now + seconds)
        self.reports += [event for event in self.line.events() if isinstance(event, Report)]

    def of_kind(self, message: str) -> list[Any]:
        return [one for one in self.reports if one.message == message]


def _stick(at: float, is_hard: bool) -> tuple[Provoke, Provoke]:
    def here(board: Board) -> None:
        board.motor.next_sticks = at, is_hard

    return here, lambda pico: pico.do("feeding", "stick", at, is_hard)


def _double(offset: float) -> tuple[Provoke, Provoke]:
    def here(board: Board) -> None:
        board.motor.next_double = offset

    return here, lambda pico: pico.do("feeding", "double", offset)


def _lift(board: Board) -> None:
    board.motor.is_lifted = True
    board.motor.load(0)


NOTHING: tuple[Provoke, Provoke] = (lambda board: None, lambda pico: None)


@pytest.mark.parametrize(
    ("provoke", "seat", "n"),
    [
        pytest.param(NOTHING, 1, 7, id="seven-cards"),
        pytest.param(NOTHING, 3, 1, id="a-card-across-the-table"),
        pytest.param(_stick(20.0, True), 1, 3, id="stuck-in-the-exit"),
        pytest.param(_stick(-40.0, True), 1, 3, id="stuck-before-the-exit"),
        pytest.param(_stick(20.0, False), 1, 3, id="stuck-until-it-is-pulled-back"),
        pytest.param(_double(40.0), 1, 3, id="two-at-once"),
        pytest.param(_double(70.0), 2, 1, id="one-too-many"),
        pytest.param((_lift, lambda pico: pico.do("feeding", "lift", True)), 1, 2, id="no-card"),
    ],
)
def test_it_reports_what_the_finer_simulation_reports_at_nearly_the_same_time(
    provoke: tuple[Provoke, Provoke], seat: int, n: int
) -> None:
    table = Table()
    provoke[0](table.board)
    began = table.world.now
    table.send(commands.Deal(job=1, seat=seat, n=n))
    table.run(5)
    with Rig(grip=1.0) as rig:
        rig.ready()
        provoke[1](rig.pico)
        rig_began = rig.now
        rig.cards.clear()
        rig.deal(1, seat, n)
        rig.run(0.5)
        (mine,), (finer,) = table.of_kind("done"), rig.of_kind("done")
        assert (mine.fed, mine.why) == (finer.fed, finer.why)
        assert [one.kind for one in table.of_kind("fault")] == [one.kind for one in rig.of_kind("fault")]
        assert [one.index for one in table.of_kind("card")] == [one.index for one in rig.of_kind("card")]
        # The main loop of the finer simulation goes round faster than that of a board.
        assert mine.t - began == pytest.approx(finer.t - rig_began, abs=0.15)
        for a, b in zip(table.of_kind("card"), rig.of_kind("card"), strict=True):
            assert a.t - began == pytest.approx(b.t - rig_began, abs=0.06)
            assert a.pulse == pytest.approx(b.pulse, rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("speed", some([1430, 700, 1200], 3))
def test_a_job_that_silence_breaks_off_at_any_moment_is_counted_right_or_in_doubt(speed: int) -> None:
    for moment in range(40):
        table = Table(speed=speed)
        table.send(commands.Deal(job=1, seat=1, n=9))
        table.run(0.6 + 0.0041 * moment)
        table.cable.plug(False)
        table.run(1.5)
        assert not table.board.is_driven
        table.cable.plug(True)
        table.run(1.5)
        (done,) = table.of_kind("done")
        assert done.why in ("silence", "in-doubt", "complete")
        assert done.why == "in-doubt" or done.fed == len(table.left), f"after {moment} steps"


def test_no_motor_runs_half_a_second_after_the_host_fell_silent() -> None:
    for moment in range(20):
        table = Table()
        table.send(commands.Deal(job=1, seat=moment % SEATS, n=9))
        table.run(0.05 * moment)
        table.cable.is_mute = True
        table.run(0.01)  # what was on its way arrives
        heard = table.board.heard_at
        table.run(heard + 0.5 - table.world.now)
        assert not table.board.is_driven
