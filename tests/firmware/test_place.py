"""The place of the turntable: after any loss of the motors' current, or a hand at the table, it is found again before a
card is fed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from croupier.link.commands import Clear, Deal, Go, Stop
from tests.firmware.rig import Rig


@pytest.fixture
def table() -> Iterator[Rig]:
    with Rig() as rig:
        yield rig.ready()


def faults(rig: Rig) -> list[str]:
    return [fault.kind for fault in rig.of_kind("fault")]


def restore(rig: Rig) -> None:
    """The switch is closed again, and a person says go, as the program passes it on."""
    rig.pico.do("supply", "restore")
    rig.run(0.3)
    rig.clear()
    rig.send(Go())
    rig.run(0.1)


def place_of_next_card(rig: Rig, job: int, seat: int) -> float:
    cards = len(rig.cards)
    rig.deal(job, seat, 1, seconds=15)
    assert len(rig.cards) == cards + 1
    return rig.cards[-1][1]


def test_a_table_turned_by_hand_during_an_emergency_stop_finds_its_place_again(table: Rig) -> None:
    table.deal(1, 2, 1)
    table.pico.do("supply", "disconnect")
    table.run(1)
    assert faults(table) == ["no-power"]
    assert table.of_kind("state")[-1].armed == 0
    table.pico.do("turning", "shove", 533.0)  # 40°
    restore(table)
    assert place_of_next_card(table, 2, 2) == pytest.approx(90, abs=1)


@pytest.mark.parametrize("after", [0.2, 0.35, 0.5])
def test_an_emergency_stop_during_a_turn_ends_the_job_without_a_card(table: Rig, after: float) -> None:
    table.deal(1, 0, 1)
    table.send(Deal(job=2, seat=3, n=3))
    table.run(after)
    table.pico.do("supply", "disconnect")
    table.run(1)
    done = table.of_kind("done")[-1]
    assert (done.job, done.fed, done.why) == (2, 0, "no-power")
    assert faults(table) == ["no-power"]
    restore(table)
    assert abs(place_of_next_card(table, 3, 3)) == pytest.approx(180, abs=1)


def test_an_emergency_stop_while_cards_are_fed_ends_the_job_with_those_that_passed(table: Rig) -> None:
    table.send(Deal(job=1, seat=1, n=20))
    table.run(2, lambda: len(table.cards) == 3)
    table.pico.do("supply", "disconnect")
    table.run(2)
    (done,) = table.of_kind("done")
    assert done.why in ("no-power", "in-doubt")  # a card that leaves the roller while it stops may look like two
    assert done.fed == len(table.cards) < 20
    assert faults(table) == [done.why]


def test_motors_stay_off_when_the_supply_comes_back_by_itself(table: Rig) -> None:
    table.send(Deal(job=1, seat=1, n=20))
    table.run(2, lambda: len(table.cards) == 3)
    table.pico.do("supply", "disconnect", 60_000)
    table.run(0.3)
    cards = len(table.cards)
    table.run(2)
    assert not table.pico.is_driven
    assert len(table.cards) == cards
    assert table.of_kind("done")[-1].why in ("no-power", "in-doubt")


def test_a_go_without_power_is_answered_by_the_fault_and_so_is_a_clear(table: Rig) -> None:
    table.send(Stop())
    table.pico.do("supply", "disconnect")
    table.run(2)
    assert faults(table) == []  # the motors were not to run, so nobody needs to know
    table.send(Go())
    table.run(0.2)
    assert faults(table) == ["no-power"]
    table.send(Clear())
    table.run(0.2)
    assert faults(table) == ["no-power", "no-power"]
    assert not table.of_kind("cleared")
    restore(table)
    assert len(table.of_kind("cleared")) == 1
    assert place_of_next_card(table, 1, 0) == pytest.approx(-90, abs=1)


def test_a_table_pushed_while_a_person_frees_a_jam_finds_its_place_again(table: Rig) -> None:
    """The motor held it all the time: the firmware knows of no loss."""
    table.pico.do("feeding", "stick", 30.0, True)
    table.deal(1, 2, 1)
    assert faults(table) == ["jam"]
    table.pico.do("turning", "shove", -640.0)
    table.clear()
    assert place_of_next_card(table, 2, 2) == pytest.approx(90, abs=1)


def test_a_table_that_is_let_go_in_motion_runs_out(table: Rig) -> None:
    table.deal(1, 0, 1)
    table.send(Deal(job=2, seat=3, n=1))
    table.run(1, lambda: table.pico.is_driven)
    table.run(0.3)
    table.send(Stop())
    table.run(1)
    table.send(Go())
    assert abs(place_of_next_card(table, 3, 3)) == pytest.approx(180, abs=1)


def test_steps_lost_where_no_turn_passes_the_magnet_are_found_before_a_card_is_fed(table: Rig) -> None:
    table.deal(1, 2, 1)
    table.pico.do("turning", "weaken", 0.4)
    table.deal(2, 3, 1)
    assert faults(table) == ["lost-steps"]
    assert [done.fed for done in table.of_kind("done")] == [1, 0]
    table.pico.do("turning", "weaken", 1.0)
    table.clear()
    assert abs(place_of_next_card(table, 3, 3)) == pytest.approx(180, abs=1)


def test_a_turning_table_that_a_hand_holds_for_a_moment_feeds_no_card(table: Rig) -> None:
    table.deal(1, 2, 1)
    table.send(Deal(job=2, seat=3, n=1))
    table.run(0.3)
    table.pico.do("turning", "shove", -320.0)
    table.run(2)
    assert faults(table) == ["lost-steps"]
    assert len(table.cards) == 1


def test_a_table_that_is_pushed_while_it_deals_stops_and_says_so(table: Rig) -> None:
    table.send(Deal(job=1, seat=2, n=9))
    table.run(4, lambda: len(table.cards) == 2)
    table.pico.do("turning", "shove", 640.0)
    table.run(2)
    (done,) = table.of_kind("done")
    assert done.why in ("turntable", "in-doubt")
    assert done.fed == len(table.cards) < 9
    assert faults(table) == ["pushed" if done.why == "turntable" else "in-doubt"]
    table.clear()
    assert place_of_next_card(table, 2, 2) == pytest.approx(90, abs=1)


def test_a_table_that_is_pushed_at_rest_finds_its_place_without_a_fault(table: Rig) -> None:
    table.deal(1, 2, 1)
    table.pico.do("turning", "shove", 640.0)
    assert place_of_next_card(table, 2, 2) == pytest.approx(90, abs=1)
    assert faults(table) == []


def test_a_hand_that_pushes_the_table_past_the_magnet_does_not_move_the_home_place(table: Rig) -> None:
    table.send(Stop(), Go(), Deal(job=1, seat=2, n=1))
    table.run(5, lambda: any(event.kind == "card" for event in table.events))
    cards = len(table.cards)
    table.clear()
    table.send(Deal(job=2, seat=2, n=1))
    for _ in range(12):
        table.run(0.1)
        table.pico.do("turning", "shove", 1184.0)
        table.pico.do("turning", "shove", -1184.0)
    table.run(8)
    astray = [angle for _, angle in table.cards[cards:] if abs(angle - 90) > 18]
    assert astray == [] or faults(table)
