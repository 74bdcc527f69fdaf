"""The guided test of the buttons: who answers, how fast, how often a contact bounces, and what is wired wrong."""

from __future__ import annotations

from typing import cast

from croupier.config import Config
from croupier.devices.pico import Layout
from croupier.doctor.check import CheckContext
from croupier.doctor.finding import Finding
from croupier.link.commands import Command, Lamps
from croupier.link.conversation import Event
from croupier.link.link import Link
from croupier_extras.button_test import PATIENCE_S, ButtonTest, each, guide
from croupier_sim.shoe_trial import ShoeFault, SimulatedShoe


class Players:
    """A board whose lamps people follow. ``buttons``: what happens at a lamp: the mask that is pressed, and its
    bounces; a seat that is not named presses nothing."""

    def __init__(self, buttons: dict[int, tuple[int, int]]) -> None:
        self._bench = SimulatedShoe(Layout(seats=4), 0, ShoeFault())
        self._buttons, self._is_greeted = buttons, False
        self.now = self._bench.now

    def send(self, command: Command) -> bool:
        if isinstance(command, Lamps):
            for seat, (mask, bounces) in self._buttons.items():
                if command.mask >> seat & 1:
                    self._bench._pico.press(mask, at_us=self._bench._pico.now_us + 400_000, bounces=bounces)
                    break
        return self._bench.send(command)

    def wait(self, seconds: float) -> list[Event]:
        return self._bench.wait(seconds)


def guided(buttons: dict[int, tuple[int, int]], seats: int = 3) -> tuple[int, list[str]]:
    players, said = Players(buttons), list[str]()
    players.wait(2.0)
    return guide(ButtonTest(players, players.now), seats, said.append), said


def test_each_button_is_asked_for_and_says_how_fast_it_answered_and_how_often_it_bounced() -> None:
    status, said = guided({seat: (1 << seat, seat) for seat in range(3)})
    assert status == 0
    assert said[0] == "Press the button at seat 1 …"
    assert [line.rpartition("bounces: ")[2] for line in said[1:-1:2]] == ["0", "1", "2"]
    took = [int(line.partition("answered in ")[2].split()[0]) for line in said[1:-1:2]]
    assert all(1 <= ms <= 20 for ms in took)
    assert said[-1] == "3 of 3 buttons answer."


def test_a_button_that_does_not_answer_is_named_with_its_resistor() -> None:
    status, said = guided({0: (1, 0), 2: (4, 0)})
    assert status == 1
    assert "Seat 2 does not answer: plug, cable, button; then R2 on the board." in said
    assert said[-1] == "2 of 3 buttons answer."
    assert PATIENCE_S > 0


def test_a_plug_in_the_socket_of_another_seat_is_noticed() -> None:
    status, said = guided({0: (0b10, 0), 1: (0b1, 0)}, seats=2)
    assert status == 1
    assert said[1].startswith("  Seat 2: answered")
    assert said[2] == "That was not seat 1 alone: look where its plug is, and whether two cables touch."


def checked(buttons: dict[int, tuple[int, int]], *, moves: bool = True) -> Finding:
    players = Players(buttons)
    players.wait(2.0)
    config = Config.model_validate({"seats": {"names": ["Ann", "Ben", "Cat"]}, "buttons": {"kind": "pico"}})
    table = CheckContext(given=config, moves=moves)
    table.link = cast(Link, players)
    return each(table, players.now)


def test_the_check_takes_the_buttons_in_any_order_and_names_those_that_are_missing() -> None:
    found = checked({2: (4, 2), 0: (1, 0), 1: (2, 1)})
    assert found.state == "ok"
    assert [part.split(":")[0] for part in found.message.split(". ", 1)[1].split(", ")] == [
        "Seat 1",
        "Seat 2",
        "Seat 3",
    ]
    found = checked({2: (4, 2), 0: (1, 0)})
    assert found.state == "wrong"
    assert found.message.startswith("No press came from seat 2.")


def test_the_check_waits_for_nobody_where_none_is_there() -> None:
    assert checked({}).state == checked({}, moves=False).state == "absent"
