"""What the shoe deals, and what it says of it: the real firmware on simulated mechanics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from croupier.config.options import options
from croupier.config.sections import Shoe
from croupier.devices.deal_plan import MotorLimits, plan_deal
from croupier.link import commands
from croupier.link.commands import Clear, Config, Deal, Go, Home, Stop
from tests.firmware.rig import PLACES, Rig


@pytest.fixture
def table() -> Iterator[Rig]:
    with Rig() as rig:
        yield rig.ready()


def ends(rig: Rig) -> list[tuple[int, int, str]]:
    return [(done.job, done.fed, done.why) for done in rig.of_kind("done")]


def faults(rig: Rig) -> list[str]:
    return [fault.kind for fault in rig.of_kind("fault")]


def test_each_card_reaches_its_seat_and_is_reported_as_it_passes(table: Rig) -> None:
    for job, seat in enumerate((0, 2, 3, 1), start=1):
        table.deal(job, seat, 2)
    assert ends(table) == [(job, 2, "complete") for job in (1, 2, 3, 4)]
    assert [round(angle) for _, angle in table.cards] == [-90, -90, 90, 90, 180, 180, 0, 0]
    told = table.of_kind("card")
    assert [(card.job, card.index) for card in told] == [(job, n) for job in (1, 2, 3, 4) for n in (1, 2)]
    # A card is told by when its leading edge came; it has left when the trailing edge has passed.
    left = [(t_us - table.began_us / 1e6) for t_us, _ in table.cards]
    assert [card.t + card.pulse / 1e6 for card in told] == pytest.approx(left, abs=0.004)


def test_the_opening_deal_stays_close_to_the_mechanical_limit(table: Rig) -> None:
    plan = plan_deal({seat: angle / 10 for seat, angle in PLACES.items()}, 7, MotorLimits())
    began = table.now
    for job, (seat, n) in enumerate(plan.feeds, start=1):
        table.deal(job, seat, n)
    took = table.of_kind("done")[-1].t - began
    assert len(table.cards) == 28
    assert took <= 1.2 * plan.limit_s
    assert took == pytest.approx(plan.seconds, rel=0.1)


(SPEED,) = (one for one in options(Shoe) if one.name == "speed")


@pytest.mark.parametrize("speed", [int(SPEED.words["least"]), int(SPEED.words["most"]), 2000])
def test_single_cards_are_reported_as_single_cards_at_the_slowest_the_full_and_more_than_the_full_speed(
    table: Rig, speed: int
) -> None:
    table.send(Config(seats=4, lights=24, speed=speed, turn_speed=80, turn_acceleration=40))
    table.deal(1, 0, 7)
    table.deal(2, 1, 1)
    assert (ends(table), faults(table)) == ([(1, 7, "complete"), (2, 1, "complete")], [])
    assert len(table.cards) == 8


def test_a_job_that_was_done_is_sent_again_and_feeds_nothing(table: Rig) -> None:
    table.deal(1, 0, 3)
    table.deal(1, 0, 3)
    assert ends(table) == [(1, 3, "complete")] * 2
    assert len(table.cards) == 3


def test_a_job_of_long_ago_is_never_fed(table: Rig) -> None:
    for job in range(1, 12):
        table.deal(job, 0, 1)
    table.deal(1, 0, 1)
    assert len(table.cards) == 11
    assert ends(table)[-1] == (1, 0, "in-doubt")


@pytest.mark.parametrize("cause", ["watchdog", "power"])
def test_a_finished_job_is_not_fed_again_after_a_reset(table: Rig, cause: str) -> None:
    table.deal(1, 0, 3)
    table.pico.do("board", "break_down", cause)
    table.run(3)
    state = table.of_kind("state")[-1]
    if cause == "power":
        assert (state.job, state.armed) == (0, 0)  # nothing is known any more: the host must ask a person
        return
    assert (state.job, state.asked, state.fed, state.armed) == (1, 3, 3, 0)
    table.send(Go())
    table.deal(1, 0, 3)
    assert ends(table) == [(1, 3, "complete")] * 2
    assert len(table.cards) == 3


def test_a_reset_while_cards_are_fed_leaves_doubt_that_a_person_settles(table: Rig) -> None:
    table.send(Deal(job=1, seat=1, n=5))
    table.run(2, lambda: len(table.cards) == 2)
    table.pico.do("board", "break_down", "watchdog")
    table.run(3)
    table.set_up()
    table.deal(1, 1, 5)
    fed = len(table.cards)
    assert fed in (2, 3)  # the motor runs out: a third may have passed unseen
    assert ends(table) == [(1, 2, "in-doubt")]
    table.send(Deal(job=2, seat=1, n=1))
    table.run(1)
    assert [refused.why for refused in table.of_kind("refused")] == ["fault"]
    table.clear()
    table.deal(3, 1, 1)
    assert len(table.cards) == fed + 1


def test_a_reset_while_the_table_turns_leaves_no_doubt(table: Rig) -> None:
    table.send(Deal(job=1, seat=3, n=2))
    table.run(0.2)
    table.pico.do("board", "break_down", "watchdog")
    table.run(3)
    table.set_up()
    table.deal(1, 3, 2)
    assert (ends(table), faults(table)) == ([(1, 0, "stopped")], [])
    table.deal(2, 3, 2, seconds=12)
    assert ends(table)[-1] == (2, 2, "complete")
    assert [round(angle) for _, angle in table.cards] == [180, 180]


def test_unplugged_in_mid_card_the_motor_stops_and_the_job_is_reported_later(table: Rig) -> None:
    table.send(Deal(job=1, seat=1, n=12))
    table.run(2, lambda: len(table.of_kind("card")) == 2)
    table.plug(False)
    unplugged = table.now
    table.run(2, lambda: not table.pico.is_driven)
    assert table.now - unplugged <= 0.5
    table.run(1)
    table.plug(True)
    table.run(1)
    assert [(job, why) for job, _, why in ends(table)] == [(1, "silence")]
    assert ends(table)[0][1] == len(table.cards)
    assert table.of_kind("state")[-1].armed == 0


def test_a_jam_is_freed_by_one_reversal_and_then_waits_for_a_person(table: Rig) -> None:
    table.deal(1, 1, 1)
    table.pico.do("feeding", "stick", -10.0, False)
    table.deal(2, 1, 3)
    assert (ends(table)[-1], faults(table)) == ((2, 0, "jam"), ["jam"])
    assert not table.pico.is_driven
    table.run(5)
    assert len(table.cards) == 1
    table.send(Clear())
    table.run(0.1)
    table.deal(3, 1, 3)
    assert ends(table)[-1] == (3, 3, "complete")
    assert len(table.cards) == 4


@pytest.mark.parametrize("covers_ms", [1, 10, 30])
def test_what_only_looks_out_of_the_exit_before_a_card_is_no_card(table: Rig, covers_ms: int) -> None:
    """A finger, the edge of a card: the motor could not drive a card through so quickly."""
    table.deal(1, 1, 1)
    table.pico.do("feeding", "cover", covers_ms, at_us=table.pico.now_us + 40_000)
    table.deal(2, 1, 3)  # the motor runs, and the first card is on its way
    assert (ends(table), faults(table)) == ([(1, 1, "complete"), (2, 3, "complete")], [])
    assert [(card.job, card.index) for card in table.of_kind("card")] == [(1, 1), (2, 1), (2, 2), (2, 3)]
    assert len(table.cards) == 4


@pytest.mark.parametrize("covers_ms", [1, 5, 10])
def test_dust_behind_a_card_is_no_card(table: Rig, covers_ms: int) -> None:
    table.pico.do("feeding", "flicker", covers_ms)
    table.deal(1, 2, 4)
    table.deal(2, 2, 2)
    assert (ends(table), faults(table)) == ([(1, 4, "complete"), (2, 2, "complete")], [])
    assert len(table.cards) == 6


@pytest.mark.parametrize("glare_us", [600, 2_000, 4_000])
def test_a_card_that_lets_light_through_for_a_moment_is_one_card(table: Rig, glare_us: int) -> None:
    table.deal(1, 1, 1)
    table.send(Deal(job=2, seat=1, n=3))
    table.run(2, lambda: len(table.cards) == 2)
    # Some 20 ms later the next card comes; this one is in the middle of the exit then, for 70 ms.
    table.pico.do("feeding", "glare", glare_us, at_us=table.pico.now_us + 50_000)
    table.run(2, lambda: len(ends(table)) == 2)
    assert ends(table) == [(1, 1, "complete"), (2, 3, "complete")]
    assert len(table.cards) == 4


def test_a_card_stuck_in_the_exit_is_not_counted_and_blocks_until_it_is_taken_out(table: Rig) -> None:
    table.pico.do("feeding", "stick", 20.0, True)
    table.deal(1, 1, 2)
    assert (ends(table), faults(table)) == ([(1, 0, "jam")], ["jam"])
    table.send(Clear())
    table.run(0.1)
    assert faults(table)[-1] == "exit-blocked"
    table.clear()
    table.deal(2, 1, 2)
    assert ends(table)[-1] == (2, 2, "complete")
    assert len(table.cards) == 2


@pytest.mark.parametrize("offset", [15.0, 30.0, 60.0, 80.0, 87.0, 90.0, 93.0])
def test_two_cards_at_once_are_counted_and_reported(table: Rig, offset: float) -> None:
    table.deal(1, 1, 2)
    table.pico.do("feeding", "double", offset)
    table.deal(2, 1, 3)
    assert faults(table) == ["double-feed"]
    job, fed, why = ends(table)[-1]
    assert (job, why) == (2, "double-feed")
    assert fed == len(table.cards) - 2
    assert 2 <= fed <= 3  # the motor stops behind them, or behind the one that came after


def test_a_card_too_many_is_reported_at_once(table: Rig) -> None:
    table.pico.do("feeding", "double", 50.0)
    table.deal(1, 1, 1)
    assert (ends(table), faults(table)) == ([(1, 2, "double-feed")], ["double-feed"])


def test_a_stop_afterwards_takes_no_doubt_away(table: Rig) -> None:
    """Two cards that overlap by little are braked as one that sticks, and their pulse may be either's."""
    table.send(Config(seats=4, lights=24, speed=int(SPEED.words["least"]), turn_speed=80, turn_acceleration=40))
    table.pico.do("feeding", "double", 60.0)
    table.send(Deal(job=1, seat=0, n=5))
    table.run(2, lambda: bool(table.of_kind("card")))
    table.send(Stop())
    table.run(1)
    assert (ends(table), len(table.cards)) == ([(1, 1, "in-doubt")], 2)


def test_an_empty_hopper_asks_for_a_refill_and_goes_on_after_it(table: Rig) -> None:
    table.pico.do("feeding", "set_cards", 2)
    table.deal(1, 1, 3)
    assert ends(table) == [(1, 2, "empty")]
    table.run(0.5)
    assert [hopper.level for hopper in table.of_kind("hopper")] == ["empty"]
    table.pico.do("feeding", "set_cards", 50)
    table.run(0.5)
    assert [hopper.level for hopper in table.of_kind("hopper")] == ["empty", "filled"]
    table.deal(2, 1, 1)
    assert ends(table)[-1] == (2, 1, "complete")
    assert faults(table) == []


@pytest.mark.parametrize("first", [1, 2, 3])
def test_the_last_card_is_fed_though_it_already_lies_before_the_sensor(table: Rig, first: int) -> None:
    table.pico.do("feeding", "set_cards", first + 1)
    table.deal(1, 1, first)
    table.run(0.5)
    table.deal(2, 2, 1)
    assert ends(table) == [(1, first, "complete"), (2, 1, "complete")]
    table.deal(3, 1, 1)
    assert ends(table)[-1] == (3, 0, "empty")


def test_the_feed_motor_never_runs_longer_than_five_seconds(table: Rig) -> None:
    table.deal(1, 1, 80, seconds=10)
    job, fed, why = ends(table)[0]
    assert (job, why, faults(table)) == (1, "longest-run", ["longest-run"])
    assert 40 < fed == len(table.cards) < 60


def test_a_turntable_driven_too_hard_is_reported_and_finds_its_place_again(table: Rig) -> None:
    table.send(Config(seats=4, lights=24, speed=1200, turn_speed=190, turn_acceleration=180))
    table.deal(1, 0, 1)
    table.deal(2, 3, 1)
    assert faults(table)[:1] in (["lost-steps"], ["no-magnet"])
    cards = len(table.cards)
    table.send(Config(seats=4, lights=24, speed=1200, turn_speed=80, turn_acceleration=40), Clear())
    table.run(0.1)
    table.deal(3, 2, 1, seconds=15)
    assert ends(table)[-1] == (3, 1, "complete")
    assert round(table.cards[cards][1]) == 90


@pytest.mark.parametrize("moved", [60.0, -60.0, 1000.0, -1500.0])
def test_a_test_of_the_turntable_tells_how_far_it_was_off(table: Rig, moved: float) -> None:
    table.deal(1, 2, 1)
    table.pico.do("turning", "slip", moved)
    table.send(commands.Test(part="turntable"))
    assert table.run(15, lambda: bool(table.of_kind("tested")))
    assert table.of_kind("tested")[0].detail >= abs(moved) - 10


def is_free(rig: Rig) -> bool:
    """Whether the turntable can be turned by hand."""
    rig.pico.do("board", "look")
    rig.run(0.05)
    return bool(next(event.values[4] for event in reversed(rig.events) if event.kind == "look"))


@pytest.mark.long
def test_the_turntable_is_let_go_after_half_a_minute_and_finds_its_place_again(table: Rig) -> None:
    table.deal(1, 2, 1)
    table.run(25)
    assert not is_free(table)
    table.run(6)
    assert is_free(table)
    table.pico.do("turning", "turn_by_hand", -700.0)
    table.deal(2, 2, 1)
    assert ends(table) == [(1, 1, "complete"), (2, 1, "complete")]
    assert [round(angle) for _, angle in table.cards] == [90, 90]


def test_the_turntable_is_let_go_when_the_host_is_silent_and_after_stop(table: Rig) -> None:
    assert not is_free(table)
    table.send(Stop())
    table.run(0.05)
    assert is_free(table)
    table.send(Go())
    table.deal(1, 2, 1)
    table.faults.is_silent = True
    table.run(0.6)
    table.faults.is_silent = False
    table.run(0.2)
    assert is_free(table)


def test_a_motor_that_was_let_go_gets_current_before_it_turns(table: Rig) -> None:
    table.send(Stop(), Go(), Deal(job=1, seat=2, n=1))
    began = table.now
    table.run(1, lambda: table.pico.is_driven)
    assert 0.13 <= table.now - began <= 0.25
    assert not is_free(table)


@pytest.mark.parametrize(("before", "after"), [(0, 2), (2, 0)])
def test_steps_lost_before_the_magnet_show_when_it_is_passed_either_way(table: Rig, before: int, after: int) -> None:
    table.deal(1, before, 1)
    table.pico.do("turning", "slip", 60.0)
    table.deal(2, after, 1)
    assert faults(table) == ["lost-steps"]
    assert ends(table)[-1] == (2, 0, "turntable")


@pytest.mark.parametrize(("before", "after"), [(0, 2), (2, 0), (3, 0), (0, 3)])
def test_a_turntable_that_keeps_its_steps_passes_the_magnet_without_a_fault(
    table: Rig, before: int, after: int
) -> None:
    for job, seat in enumerate((before, after) * 3, start=1):
        table.deal(job, seat, 1)
    assert faults(table) == []


def test_a_turntable_that_is_held_is_reported(table: Rig) -> None:
    table.pico.do("turning", "turn_by_hand", -300.0)
    table.pico.do("turning", "hold", True)
    table.send(Home())
    table.run(20, lambda: bool(faults(table)))
    assert faults(table) == ["no-magnet"]
    assert not table.pico.is_driven


@pytest.mark.parametrize("angle", [-2400.0, -300.0, 20.0, 300.0, 2400.0])
def test_the_magnet_is_found_from_everywhere(angle: float) -> None:
    with Rig(angle=angle) as rig:
        rig.ready()
        rig.deal(1, 2, 1)
        assert [round(at, 0) for _, at in rig.cards] == [90]


def test_nothing_moves_before_go_and_after_stop(table: Rig) -> None:
    table.send(Stop(), Deal(job=1, seat=0, n=1))
    table.run(1)
    assert [(refused.job, refused.why) for refused in table.of_kind("refused")] == [(1, "disarmed")]
    table.send(Go(), Deal(job=1, seat=0, n=5))
    table.run(2, lambda: len(table.cards) == 1)
    table.send(Stop())
    table.run(0.05)
    assert not table.pico.is_driven
    table.run(1)
    assert [(job, why) for job, _, why in ends(table)] == [(1, "stopped")]
    assert ends(table)[0][1] == len(table.cards)


def test_what_cannot_be_begun_is_refused(table: Rig) -> None:
    table.send(Deal(job=1, seat=7, n=1), Deal(job=2, seat=0, n=3), Deal(job=3, seat=1, n=1))
    table.run(2)
    assert [(refused.job, refused.why) for refused in table.of_kind("refused")] == [(1, "no-seat"), (3, "busy")]
    assert ends(table) == [(2, 3, "complete")]


def test_the_simulation_says_so() -> None:
    with Rig() as rig:
        rig.run(2)
        assert [greeted.world for greeted in rig.told if hasattr(greeted, "world")] == ["SIMULATION"]
