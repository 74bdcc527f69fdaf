"""Firmware, deal plan, simulation, shapes and power budget are of one and the same machine."""

from __future__ import annotations

from math import degrees, radians, sqrt

import pytest

from croupier.config.sections import Shoe
from croupier.devices.deal_plan import MotorLimits
from croupier_rules.referee.header import MOST_SEATS
from hardware import drive, power
from hardware import parameters as p
from tablewire import pins
from tablewire.messages import TURN_STEPS
from tests.hardware.constants import constants

TURNTABLE = constants("firmware/pico/turntable.py")
FEEDER = constants("firmware/pico/feeder.py")
BOARD = constants("firmware/pico/board.py")
MARKS = constants("firmware/pico/marks.py")
RING = constants("firmware/pico/ring.py")
SUPPLY = constants("sim/croupier_sim/board/vm/supply.py")
TURNING = constants("sim/croupier_sim/board/vm/turning.py")
FEEDING = constants("sim/croupier_sim/board/vm/feeding.py")


def test_a_turn_of_the_table_has_the_same_steps_everywhere() -> None:
    assert TURN_STEPS == TURNING["STEPS"] == drive.steps_of_a_turn()
    assert TURNING["GEAR"] == drive.gear()


def test_the_plan_of_a_deal_respects_the_limits_of_the_firmware() -> None:
    machine = MotorLimits()
    assert machine.acceleration == TURNTABLE["ACCELERATION"] == p.TABLE_ACCELERATION
    assert machine.top_speed == TURNTABLE["TOP_SPEED"] == p.TABLE_RPM


def test_the_time_from_card_to_card_follows_from_length_gap_and_speed() -> None:
    pitch = p.CARD_LENGTH + drive.card_gap_mm()
    assert MotorLimits().feed_s == pytest.approx(pitch / FEEDER["SPEED"], rel=0.02)


def test_cards_are_of_one_size() -> None:
    assert FEEDER["CARD_MM"] == FEEDING["CARD"] == p.CARD_LENGTH


def test_rollers_gate_and_sensors_stand_where_the_simulation_has_them() -> None:
    assert FEEDING["READY"] == p.GATE_X
    assert FEEDING["GRIP_END"] - p.CARD_LENGTH == p.NIP_X
    assert FEEDING["HOPPER_END"] - p.CARD_LENGTH == p.HOPPER_SENSOR_X
    assert drive.card_gap_mm() == pytest.approx(FEEDING["GAP"], abs=1)


def test_the_motor_and_the_roller_give_the_full_speed_of_the_firmware() -> None:
    assert FEEDER["FULL_SPEED"] == FEEDING["FULL_SPEED"]
    assert drive.exit_speed_mm_s() == pytest.approx(FEEDER["FULL_SPEED"], rel=0.03)


def test_no_table_asks_for_cards_that_are_faster_than_the_motor() -> None:
    """A card that takes longer than it should is taken for two."""
    assert Shoe.model_validate({"speed": FEEDER["FULL_SPEED"]}).speed == FEEDER["FULL_SPEED"]
    with pytest.raises(ValueError, match="less than or equal to"):
        Shoe.model_validate({"speed": FEEDER["FULL_SPEED"] + 1})


def test_the_stop_is_behind_the_reach_of_the_firmware_and_where_the_simulation_has_it() -> None:
    assert TURNING["CABLE"] / TURN_STEPS * 360 == pytest.approx(drive.stop_degrees(), abs=0.5)
    assert drive.stop_degrees() > TURNTABLE["REACH"] / TURN_STEPS * 360


def test_the_magnet_is_as_wide_as_in_the_simulation() -> None:
    wide = degrees(p.MAGNET / p.HALL_RADIUS)
    assert TURNING["MAGNET"] / TURN_STEPS * 360 == pytest.approx(wide, abs=1.5)


def test_the_firmware_takes_the_motors_for_dead_below_the_voltage_that_the_divider_was_chosen_for() -> None:
    assert BOARD["_LEAST_POWER"] == pytest.approx(drive.power_reading(), rel=0.01)
    share = p.SENSE_LOWER_OHM / (p.SENSE_LOWER_OHM + p.SENSE_UPPER_OHM)
    assert SUPPLY["TAP"] / SUPPLY["WHOLE"] == pytest.approx(share)


def test_the_marks_are_where_firmware_and_simulation_have_them() -> None:
    assert MARKS["MARKS"] == p.MARKS
    assert TURNING["MARK_PITCH"] == MARKS["PITCH"] == TURN_STEPS / p.MARKS
    assert (TURNING["MARK_FIRST"], TURNING["MARK_WIDTH"]) == (MARKS["FIRST"], MARKS["WIDTH"])
    assert MARKS["WIDTH"] / TURN_STEPS * 360 == pytest.approx(degrees(p.MAGNET / p.MARKS_RADIUS), abs=0.5)
    middle = (
        TURNING["MAGNET"] / 2 + MARKS["PITCH"] / 2
    )  # a gap is over the switch while the home magnet is over its own
    assert MARKS["FIRST"] + MARKS["WIDTH"] / 2 == middle


def test_what_no_mark_shows_is_less_than_half_the_way_to_the_next_of_ten_seats() -> None:
    widest = max(MARKS["WIDTH"], MARKS["PITCH"] - MARKS["WIDTH"])
    assert widest + MARKS["TOLERANCE"] < TURN_STEPS / MOST_SEATS / 2


def test_inertia_is_that_of_the_simulation() -> None:
    assert TURNING["INERTIA"] == p.INERTIA


def test_the_simulated_motor_is_no_stronger_than_the_one_in_the_bill() -> None:
    assert TURNING["TORQUE"] * TURNING["GEAR"] <= drive.stepper_torque_nm()


def test_the_stepper_has_a_reserve_of_three_quarters_over_what_the_firmware_asks_for_up_to_its_top_speed() -> None:
    for rpm in (0, TURNTABLE["TOP_SPEED"] / 2, TURNTABLE["TOP_SPEED"]):
        motor = (TURNING["TORQUE"] - TURNING["TORQUE_LOSS"] * rpm * drive.gear()) * drive.gear()
        assert motor >= 1.75 * drive.turn_torque_nm()


def test_the_longest_turn_stays_under_the_top_speed_or_is_planned_with_it() -> None:
    way = radians(180)
    peak_rpm = sqrt(way * TURNTABLE["ACCELERATION"]) * 60 / (2 * 3.14159)
    assert peak_rpm > TURNTABLE["TOP_SPEED"], "then the top speed would never matter, and need not be named"


def test_the_ring_is_held_to_the_current_that_the_budget_has() -> None:
    assert RING["LIMIT_MA"] / 1000 == power.RING_LIMIT


def test_the_roller_pulls_more_than_the_deck_holds_back_even_with_the_worst_friction_of_the_notes() -> None:
    assert drive.pull_reserve(p.RUBBER_WORST, p.CARDS_WORST) > 1
    assert drive.pull_reserve(p.RUBBER_BEST, p.CARDS_BEST) > 2


def test_with_the_weight_in_the_middle_the_roller_would_carry_too_little() -> None:
    assert drive.share(p.WEIGHT_CENTER) > 0.7 > drive.share(p.CARD_LENGTH / 2)


def test_the_pico_has_a_button_for_every_seat_that_the_referee_takes() -> None:
    assert pins.SEATS == MOST_SEATS
