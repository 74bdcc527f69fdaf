"""The simulated Pico deals the cards of the simulated table, driven by the same class as a real one."""

from __future__ import annotations

import numpy as np

from croupier.devices.pico import Layout, Pico
from croupier.devices.protocols import Feed
from croupier.events import Press, ShoeReport
from croupier_rules.cards import DECKS
from croupier_sim.board import Settings, SimLine, SimPico
from croupier_sim.table import SimTable

ANGLES = (-135.0, -45.0, 45.0, 135.0)


def test_the_shoe_deals_the_cards_of_the_table() -> None:
    table = SimTable(4, np.random.default_rng(1), tuple(DECKS["g7942"]))
    order = list(table.hopper)
    with SimPico(Settings(cards=len(order))) as board:
        line = SimLine(table, board, ANGLES)
        pico = Pico(line, Layout(seats=4, angles=ANGLES))
        pico.shoe.arm()
        for job, (seat, n) in enumerate([(0, 7), (2, 7), (1, 3), (3, 1)], start=1):
            pico.shoe.feed(Feed(job, seat, n))
        reports: list[ShoeReport] = []
        while len(reports) < 4 and table.now < 20:
            table.run_to(table.now + 0.25)
            reports += [event for event in pico.poll() if isinstance(event, ShoeReport)]
        table.run_to(table.now + 1)
        assert [(report.job, report.seat, report.n) for report in reports] == [
            (1, 0, 7),
            (2, 2, 7),
            (3, 1, 3),
            (4, 3, 1),
        ]
        assert table.hands == [order[:7], order[14:17], order[7:14], order[17:18]]
        assert (line.fed, line.misdealt, len(table.hopper)) == (18, 0, len(order) - 18)

        line.press(2)
        table.run_to(table.now + 0.1)
        pressed = table.now - 0.1
        (press,) = pico.poll()
        assert isinstance(press, Press)
        assert (press.seat, press.key) == (2, "uno")
        assert abs(press.t - pressed) < press.u
        assert pico.greeted is not None
        assert pico.greeted.world == "SIMULATION"


def test_a_jam_at_the_table_is_reported_cleared_and_made_good() -> None:
    table = SimTable(4, np.random.default_rng(1), tuple(DECKS["g7942"]))
    with SimPico(Settings(cards=len(table.hopper))) as board:
        line = SimLine(table, board, ANGLES)
        pico = Pico(line, Layout(seats=4, angles=ANGLES))
        pico.shoe.arm()
        pico.shoe.feed(Feed(1, 1, 3))
        board.do("feeding", "stick", 10.0, True)
        kinds = []
        for _ in range(48):
            table.run_to(table.now + 0.25)
            for report in pico.poll():
                assert isinstance(report, ShoeReport)
                kinds.append(report.kind)
                if report.kind == "fault":
                    assert report.fault == "jam"
                    line.clear()
                    table.run_to(table.now + 0.1)
                    pico.shoe.clear()
                elif report.kind == "ready":
                    pico.shoe.feed(Feed(2, 1, 3))
        assert kinds == ["fed", "fault", "ready", "fed"]
        assert len(table.hands[1]) == 3 == line.fed
