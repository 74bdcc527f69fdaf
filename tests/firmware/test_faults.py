"""Whatever befalls the Pico, its line or its mechanics: the motors are safe in time, and every card is accounted for.

The driver of the real Pico (`croupier.devices.pico`) deals at the simulated table; somebody clears what is reported,
and counts where there is doubt, as the page would have a person do.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from croupier.devices.pico import Layout, Pico
from croupier.devices.protocols import Feed
from croupier.events import ShoeReport
from croupier_rules.cards import DECKS
from croupier_sim.board import LineFaults, Settings, SimLine, SimPico
from croupier_sim.table import SimTable
from tests.longer import seeds, some

ANGLES = (-135.0, -45.0, 45.0, 135.0)
SAFE_S = 0.5
RIGHT_S = 10.0
LOOK_S = 0.02


@dataclass
class Scene:
    """A table in play, and the fault that befalls it."""

    rng: random.Random
    table: SimTable
    line: SimLine
    pico: Pico

    @property
    def board(self) -> SimPico:
        return self.line.pico

    def later(self, low: float, high: float, act: Callable[[], object]) -> None:
        self.table.at(self.table.now + self.rng.uniform(low, high), act)


# Each fault: what happens; True where no line reaches the firmware any more, so that the motors must stop.


def noise(scene: Scene) -> bool:
    scene.line.faults = LineFaults(flipped=0.004, lost=0.002, doubled=0.002)
    scene.later(0.5, 3, lambda: setattr(scene.line, "faults", LineFaults()))
    return False


def lost_and_doubled_bytes(scene: Scene) -> bool:
    scene.line.faults = LineFaults(lost=0.01, doubled=0.01)
    scene.later(0.5, 3, lambda: setattr(scene.line, "faults", LineFaults()))
    return False


def silence(scene: Scene) -> bool:
    scene.line.faults = LineFaults(is_silent=True)
    scene.later(0.8, 3, lambda: setattr(scene.line, "faults", LineFaults()))
    return True


def port_gone(scene: Scene) -> bool:
    scene.line.plug(False)
    scene.later(0.8, 3, lambda: scene.line.plug(True))
    return True


def reset(scene: Scene) -> bool:
    scene.board.do("board", "break_down", "watchdog")
    return True


def power_lost(scene: Scene) -> bool:
    scene.board.do("board", "break_down", "power")
    return True


def brown_out_on_reversal(scene: Scene) -> bool:
    scene.board.do("feeding", "weaken")
    scene.board.do("feeding", "stick", scene.rng.uniform(-60, 40), False)
    return False


def hanging_firmware(scene: Scene) -> bool:
    scene.board.do("board", "hang")
    return True


def jam(scene: Scene) -> bool:
    scene.board.do("feeding", "stick", scene.rng.uniform(-60, 80), scene.rng.random() < 0.5)
    return False


def double_feed(scene: Scene) -> bool:
    scene.board.do("feeding", "double", scene.rng.uniform(18, 92))
    return False


def empty_hopper(scene: Scene) -> bool:
    hopper = scene.table.hopper
    kept, scene.table.hopper = hopper[2:], hopper[:2]
    scene.later(2, 4, lambda: scene.table.hopper.extend(kept))
    return False


def stuck_button(scene: Scene) -> bool:
    scene.board.press(1 << scene.rng.randrange(4), up_after_us=None)
    return False


def two_presses_at_once(scene: Scene) -> bool:
    scene.board.press(0b101, bounces=2)
    return False


FAULTS = (
    noise, lost_and_doubled_bytes, silence, port_gone, reset, power_lost, brown_out_on_reversal, hanging_firmware, jam,
    double_feed, empty_hopper, stuck_button, two_presses_at_once,
)  # fmt: skip


def check(fault: Callable[[Scene], bool], seed: int) -> None:
    """Deal, let the fault befall the deal, and see it through."""
    rng = random.Random(seed)
    table = SimTable(4, np.random.default_rng(seed), tuple(DECKS["g7942"]))
    with SimPico(Settings(cards=len(table.hopper), seed=seed, angle=-100.0)) as board:
        line = SimLine(table, board, ANGLES, seed=seed)
        pico = Pico(line, Layout(seats=4, angles=ANGLES))
        scene = Scene(rng, table, line, pico)
        pico.shoe.arm()
        while pico.greeted is None:
            table.run_to(table.now + LOOK_S)
            pico.alarm()
        seat, asked = rng.randrange(4), rng.randint(2, 7)
        pico.shoe.feed(Feed(1, seat, asked))
        table.run_to(table.now + rng.uniform(0.0, 2.5))
        is_cut_off = fault(scene)
        if is_cut_off:
            table.run_to(table.now + SAFE_S)
            assert not board.is_driven, "the motors still run"
        see_through(scene, seat, asked)


def see_through(scene: Scene, seat: int, asked: int) -> None:
    """Be the people and the director until all is right again; count what was told against what lies there."""
    table, pico, line = scene.table, scene.pico, scene.line
    healed = table.now + 4.0  # no fault lasts longer
    end = healed + RIGHT_S
    told, job, ready_at = 0, 1, 0.0
    is_waiting = True
    while table.now < end:
        table.run_to(table.now + LOOK_S)
        for report in pico.poll():
            if not isinstance(report, ShoeReport):
                continue
            if report.kind == "fed":
                told += report.n
                is_waiting = False
            elif report.kind == "fault":
                ready_at = table.now + 0.5
        if pico.shoe.fault and ready_at and table.now >= ready_at and pico.greeted:
            ready_at = 0.0
            line.clear()
            table.run_to(table.now + 0.4)  # what still slides has arrived
            doubt = pico.shoe.in_doubt
            if doubt:
                pico.shoe.settle(len(table.hands[seat]) - told)
            else:
                pico.shoe.clear()
        if not is_waiting and not pico.shoe.fault and told < asked and table.hopper and pico.greeted:
            job += 1
            is_waiting = True
            pico.shoe.feed(Feed(job, seat, asked - told))
        if told >= asked and not is_waiting and not pico.shoe.fault and pico.greeted and table.now > healed:
            break
    table.run_to(table.now + 0.5)
    assert pico.greeted
    assert not pico.shoe.fault
    assert [len(hand) for hand in table.hands] == [told if at == seat else 0 for at in range(4)]
    assert asked <= told <= asked + 1
    assert line.misdealt == 0


@pytest.mark.parametrize("fault", some(FAULTS, 2), ids=lambda fault: fault.__name__.replace("_", "-"))
@pytest.mark.parametrize("seed", some(range(4), 4))
def test_a_fault_ends_safely_and_in_the_right_state(fault: Callable[[Scene], bool], seed: int) -> None:
    check(fault, seed)


@pytest.mark.parametrize("seed", seeds(1000, 100, long=10))
def test_faults_by_chance(seed: int) -> None:
    check(random.Random(seed).choice(FAULTS), seed)
