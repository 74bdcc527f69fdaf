from __future__ import annotations

from pathlib import Path

import pytest

from hardware import power
from tools import hardware_pages

RAILS = [pytest.param(rail, id=rail.name) for rail in power.rails()]


@pytest.mark.parametrize("rail", RAILS)
def test_no_rail_is_asked_for_more_than_it_gives_with_a_tenth_to_spare(rail: power.Rail) -> None:
    assert rail.margin >= 0.10


@pytest.mark.parametrize("rail", RAILS)
def test_the_worst_is_never_less_than_the_typical(rail: power.Rail) -> None:
    assert all(0 <= load.typical <= load.worst for load in rail.loads)


def test_a_reversal_is_twice_the_stall_and_the_supply_gives_it_even_without_the_limit_of_the_driver() -> None:
    supply = power.twelve_volts()
    (motor,) = (load for load in supply.loads if load.name == "feed motor")
    assert power.reversal_a() == pytest.approx(3.6)
    assert motor.worst == power.DRIVER_LIMIT
    assert motor.worst < power.reversal_a()
    assert supply.worst - motor.worst + power.reversal_a() <= supply.rating


def test_what_a_braking_turntable_gives_back_does_not_break_the_driver() -> None:
    assert 12 < power.store_volts() < power.TURN_DRIVER_BEARS < power.STORE_BEARS


def test_the_fuse_bears_the_worst_and_plugging_in_and_blows_before_a_wire_is_hot() -> None:
    assert power.twelve_volts().worst < power.FUSE * power.FUSE_HOLDS
    assert power.FUSE * power.FUSE_BLOWS < power.WIRE_BEARS
    assert power.inrush_a2s() < power.FUSE**2 * power.FUSE_SURGE / 5


def test_a_port_of_usb_feeds_buttons_and_ring_and_fuse_and_pico_know_the_same_figures() -> None:
    port = power.kit()
    assert port.rating == 0.5, "USB 2.0, 7.2.1"
    assert [load.worst for load in port.loads if load.name == "ring"] == [power.RING_LIMIT]


def test_the_diode_bears_the_moment_of_plugging_in() -> None:
    assert power.inrush_a() < power.DIODE_SURGE


def test_the_regulator_outlives_a_ring_that_nobody_holds_back() -> None:
    assert power.five_volts().rating > power.RING_FULL


def test_the_pages_are_as_the_figures_are_now() -> None:
    for path, text in hardware_pages.pages().items():
        assert Path(path).read_text(encoding="utf-8") == text, "run `make docs`"
