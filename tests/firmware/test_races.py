"""Two players press almost at once: what the referee rules from the stamps of the firmware and of the Pi's kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from croupier.devices.pico import Layout, Pico
from croupier.events import Press
from croupier.log_replay import Record, replay_lines
from croupier.runtime.interlocks import Interlocks
from croupier.runtime.interpreter import EventInterpreter
from croupier_bench.conformance.cases import cases, log_lines
from croupier_extras.gpio.panel import GpioPanel
from croupier_extras.gpio.pins import Clock, Handler
from croupier_extras.gpio.wiring import KeyPin
from croupier_rules.cards import DECKS
from croupier_rules.referee.observations import Observation, to_json
from croupier_sim.board import Settings, SimLine, SimPico
from croupier_sim.table import SimTable

RULES = "g7942-en"


class Pins:
    """Pins of a Pi whose edges a test makes."""

    has_stamps = True

    def __init__(self) -> None:
        self.handlers: dict[int, Handler] = {}

    def watch(self, gpio: int, handler: Handler) -> Callable[[], bool]:
        self.handlers[gpio] = handler
        return lambda: True


class Table:
    """Ten buttons at a Pico, and two at the Pi."""

    def __init__(self, board: SimPico) -> None:
        self.table = SimTable(10, np.random.default_rng(1), tuple(DECKS["g7942"]))
        self.line = SimLine(self.table, board, [36.0 * seat - 180 for seat in range(10)])
        self.board, self.pico = board, Pico(self.line, Layout(seats=10))
        self.pins = Pins()
        keys = tuple(KeyPin(key="uno", gpio=5 + seat, seat=seat) for seat in range(2))
        clock = Clock(lambda: self.table.now, lambda: self.table.now, has_stamps=True)
        self.panel = GpioPanel(self.pins, clock, keys, lambda _key: None)  # type: ignore[arg-type]
        self.table.run_to(6.0)
        self.poll()

    def press(self, seat: int, at: float) -> None:
        """A button of the Pico."""
        self.board.press(1 << seat, at_us=self.line._began_us + round(at * 1e6))

    def press_pi(self, seat: int, at: float) -> None:
        """A button of the Pi."""
        self.pins.handlers[5 + seat](at, False)

    def poll(self) -> list[Press]:
        self.table.run_to(self.table.now + 0.5)
        presses = [one for one in (*self.pico.poll(), *self.panel.presses()) if isinstance(one, Press)]
        return sorted(presses, key=lambda press: press.t)

    def rulings(self, case_id: str, touched: float) -> list[list[dict[str, Any]]]:
        """What is ruled on these presses in the position of a conformance case, whose card touches at ``touched``."""
        (case,) = (one for one in cases() if one["id"] == case_id)
        header, play, *_ = log_lines(case, RULES)
        interpreter, lines = EventInterpreter(Interlocks(), has_shoe=True), []
        for press in self.poll():
            (observation,) = interpreter.interpret(press, round(press.t, 6), press.u)
            assert isinstance(observation, Observation)
            lines.append(json.dumps(to_json(observation)))
        log = [header, json.dumps(json.loads(play) | {"t": touched}), *lines]
        steps = replay_lines([line.encode() for line in log], "log")
        return [json.loads(json.dumps(step.to_json()))["rulings"] for step in steps if isinstance(step, Record)][1:]


@pytest.fixture(scope="module")
def board() -> Iterator[SimPico]:
    with SimPico(Settings()) as board:
        yield board


@pytest.fixture(scope="module")
def table(board: SimPico) -> Table:
    return Table(board)


def kinds(rulings: list[dict[str, Any]]) -> set[str]:
    return {ruling["ruling"] for ruling in rulings}


@pytest.mark.parametrize("apart", [0.002, 0.0005])
@pytest.mark.parametrize("seats", [(0, 1), (0, 3)])
def test_presses_of_one_pico_have_an_order_half_a_millisecond_apart(
    table: Table, seats: tuple[int, int], apart: float
) -> None:
    at = table.table.now + 0.1
    for n, seat in enumerate(seats):
        table.press(seat, at + n * apart)
    called, late = table.rulings("race-on-one-clock__has-an-order", at - 0.3)
    assert [(one["ruling"], one.get("seat")) for one in called] == [("uno", 0)]
    assert kinds(late) == {"void"}


def test_who_catches_half_a_millisecond_before_the_call_catches(table: Table) -> None:
    at = table.table.now + 0.1
    table.press(3, at)
    table.press(0, at + 0.0005)
    caught, late = table.rulings("race-on-one-clock__has-an-order", at - 0.3)
    assert {"caught", "draw"} <= kinds(caught)
    assert "cannot_tell" not in kinds(late)


def test_presses_of_one_pico_have_no_order_within_their_stamps(table: Table) -> None:
    at = table.table.now + 0.1
    table.press(1, at)
    table.press(0, at + 0.00015)
    _, tied = table.rulings("race-on-one-clock__has-an-order", at - 0.3)
    assert "cannot_tell" in kinds(tied)


def test_presses_of_pico_and_pi_have_no_order_within_what_maps_their_clocks(table: Table) -> None:
    at = table.table.now + 0.1
    table.press(1, at)
    table.press_pi(0, at + 0.0005)
    _, tied = table.rulings("race-on-two-clocks__cannot-tell", at - 0.3)
    assert "cannot_tell" in kinds(tied)


def test_presses_of_the_pi_have_an_order_half_a_millisecond_apart(table: Table) -> None:
    at = table.table.now + 0.1
    table.press_pi(0, at)
    table.press_pi(1, at + 0.0005)
    called, late = table.rulings("race-on-one-clock__has-an-order", at - 0.3)
    assert kinds(called) == {"uno"}
    assert kinds(late) == {"void"}


def test_a_press_that_comes_late_into_the_log_says_so_on_its_own_clock_too(table: Table) -> None:
    """Else a press that was moved behind another would count as later than it."""
    table.press(2, table.table.now + 0.1)
    (press,) = table.poll()
    assert press.clock is not None
    interpreter = EventInterpreter(Interlocks(), has_shoe=True)
    (moved,) = interpreter.interpret(press, press.t + 0.003, press.u + 0.003)
    assert isinstance(moved, Observation)
    assert moved.clock is not None
    assert moved.clock.name == press.clock.name
    assert moved.clock.uc == pytest.approx(press.clock.uc + 0.003)
