"""The whole machine at the simulated table: driver, link, firmware and mechanics, as program and people meet it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from croupier.devices.protocols import Feed, Light
from croupier.events import Press, ShoeReport
from croupier_rules.cards import DECKS
from croupier_sim.board import BoardMachine
from croupier_sim.table import SimTable

DECK = tuple(face for face, n in DECKS["g7942"].items() for _ in range(n))


@pytest.fixture
def machine() -> Iterator[BoardMachine]:
    with closing(BoardMachine(SimTable(4, np.random.default_rng(1), DECK), seed=1)) as machine:
        yield machine


def run(machine: BoardMachine, seconds: float) -> list[ShoeReport]:
    """What the shoe reports until then."""
    table, told = machine.line.table, list[ShoeReport]()
    end = table.now + seconds
    while table.now < end:
        table.run_to(table.now + 0.05)
        told += [event for event in machine.poll() if isinstance(event, ShoeReport)]
    return told


def test_cards_that_are_ordered_before_the_board_has_started_are_dealt_when_it_has(machine: BoardMachine) -> None:
    machine.shoe.feed(Feed(1, 2, 7))
    assert [(one.kind, one.seat, one.n) for one in run(machine, 8)] == [("fed", 2, 7)]
    assert [len(hand) for hand in machine.line.table.hands] == [0, 0, 7, 0]


def test_two_seats_that_press_in_the_same_instant_have_the_same_time(machine: BoardMachine) -> None:
    run(machine, 3)
    pressed = machine.line.table.now
    machine.press(3, 1)
    assert not machine.has_news
    machine.line.table.run_to(pressed + 0.2)
    assert machine.has_news
    first, second = machine.poll()
    assert isinstance(first, Press)
    assert isinstance(second, Press)
    assert {first.seat, second.seat} == {1, 3}
    assert first.t == second.t
    assert abs(first.t - pressed) <= first.u < 0.002


def test_the_lights_show_what_the_ring_is_to_show(machine: BoardMachine) -> None:
    run(machine, 3)
    machine.ring.show(Light(1, "left", "red", "play"))
    run(machine, 0.1)
    machine.board.do("board", "look")
    machine.line.table.run_to(machine.line.table.now + 0.2)
    lights, lamps = machine.line.seen[1:3]
    assert sum(lights[2::4]) > sum(lights[1::4])  # more red than blue
    assert lamps == 1 << 1


def test_a_card_too_many_is_seen_by_its_seat_once_and_counts_when_it_is_back(machine: BoardMachine) -> None:
    run(machine, 3)
    machine.provoke("double-feed")
    machine.shoe.feed(Feed(1, 0, 1))
    fed, fault = run(machine, 8)
    assert (fed.kind, fed.n, fed.asked, fault.fault) == ("fed", 2, 1, "double-feed")
    assert machine.take_surplus() == ((0, 1),)
    assert machine.take_surplus() == ()
    machine.returned(0, 1)
    machine.clear()
    assert [one.kind for one in run(machine, 1)] == ["returned", "ready"]


def test_where_the_power_was_lost_while_cards_came_the_seat_counts_them(machine: BoardMachine) -> None:
    run(machine, 1)
    machine.shoe.feed(Feed(1, 1, 7))
    while machine.line.fed < 3:
        run(machine, 0.05)
    machine.provoke("brown-out")
    told = run(machine, 3)
    assert "job-in-doubt" in [one.fault for one in told]
    assert machine.pico.shoe.in_doubt is not None
    machine.clear()
    told = run(machine, 1)
    assert [(one.kind, one.n) for one in told if one.kind == "fed"] == [("fed", machine.line.fed)]
    assert len(machine.line.table.hands[1]) == machine.line.fed < 7
