"""What the machine needs of its parts, by its tables, against the figure that the line of the bill names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cardsight.exit_corner import VIEW_MM
from hardware import bom, drive, power
from hardware import parameters as p
from hardware.board import circuit

PARTS = bom.parts()
ASSEMBLY = (Path(__file__).parents[2] / "hardware/assembly.md").read_text(encoding="utf-8")
SUPPLY_A = power.twelve_volts().worst
MOTORS_A = sum(load.worst for load in power.twelve_volts().loads[:2])
LAMP_A = next(load.worst for load in power.five_volts().loads if "seats" in load.name) / 10


def figure(part: str, unit: str) -> float:
    """The first figure with this unit that the line names."""
    found = re.search(rf"([\d.]+) {unit}\b", PARTS[part].checked)
    assert found, f"{part}: no figure in {unit}"
    return float(found[1])


@pytest.mark.parametrize(
    ("part", "amps"),
    [
        ("supply-12v", SUPPLY_A),
        ("mains-cable", SUPPLY_A * 12 / 100),
        ("supply-socket", power.FUSE * power.FUSE_HOLDS),
        ("motor-wire", power.FUSE * power.FUSE_BLOWS),
        ("stop-button", MOTORS_A),
        ("motor-switch", MOTORS_A),
        ("regulator-5v", power.RING_FULL),
        ("terminal", SUPPLY_A),
        ("seat-socket", LAMP_A),
    ],
)
def test_each_part_bears_the_current_that_passes_it(part: str, amps: float) -> None:
    assert amps <= figure(part, "A")


def test_only_the_feed_motor_needs_thick_wires_up_to_the_shoe() -> None:
    feed = power.twelve_volts().loads[1].worst
    sensors = power.logic_rail().worst
    assert sensors < circuit.THIN_A < feed <= figure("motor-wire", "A")
    assert "those of the feed motor of 0.75 mm²" in ASSEMBLY


def test_the_magnet_gives_the_hall_switch_several_times_the_field_at_which_it_switches() -> None:
    assert figure("magnet", "T") == p.MAGNET_T
    assert figure("home-sensor", "mT") == p.HALL_MT
    assert drive.hall_reserve() > 4


def test_the_spring_of_the_idler_is_as_hard_as_its_line_says_and_does_not_close() -> None:
    assert drive.spring_rate() == pytest.approx(figure("idler-spring", "N/mm"), abs=0.01)
    assert (p.SPRING_TURNS + 2) * p.SPRING_WIRE < p.SPRING_LENGTH < p.SPRING_FREE


def test_the_exit_roller_pulls_a_card_from_under_the_deck_no_worse_than_the_pick_roller_starts_it() -> None:
    worst = p.RUBBER_WORST, p.CARDS_WORST
    assert drive.nip_reserve(*worst) >= drive.pull_reserve(*worst) > 1


def test_the_stepper_driver_is_set_within_its_range_to_what_the_page_says() -> None:
    assert drive.vref_v() < p.DRIVER_VREF
    text = (Path(__file__).parents[2] / "hardware/assembly.md").read_text(encoding="utf-8")
    assert f"| {drive.vref_v():.2f} V for {p.MOTOR_PHASE_A:.1f} A" in text


def test_the_clutch_and_the_coupling_bear_the_motor_when_it_stalls() -> None:
    assert drive.stall_torque_nm() / drive.pick_per_exit() < figure("clutch", "N·m") / 2
    assert drive.stall_torque_nm() < figure("coupling", "N·m") / 2


@pytest.mark.parametrize("teeth", [p.EXIT_TEETH, p.MOTOR_TEETH, p.PICK_TEETH])
def test_the_pulleys_are_those_that_were_drawn(teeth: float) -> None:
    assert figure(f"pulley-{teeth:g}", "mm are") == p.BELT_PITCH
    assert figure(f"pulley-{teeth:g}", "mm at") == pytest.approx(p.belt_pulley(teeth), abs=0.01)


@pytest.mark.parametrize(("part", "length"), [("feed-belt", p.FEED_BELT), ("table-belt", p.TABLE_BELT)])
def test_the_belts_are_those_that_were_drawn(part: str, length: float) -> None:
    assert PARTS[part].number == f"{length:g}-2GT-{p.BELT_WIDTH:g}"


def test_the_camera_at_the_exit_shows_what_its_reader_assumes_and_both_corners() -> None:
    seen = drive.exit_view_mm()
    assert seen == pytest.approx(VIEW_MM, rel=0.01)
    assert seen[0] >= 2 * p.EXIT_SEEN_Y
    assert seen[1] >= 2 * p.EXIT_SEEN_X


def test_the_resistor_of_the_flash_outlives_a_flash_that_stays_on() -> None:
    amps = (5 - 3.0) / 3.3
    assert amps**2 * 3.3 < figure("flash-resistor", "W")
    assert power.five_volts().worst + amps < power.five_volts().rating


def test_every_screw_of_the_assembly_is_in_the_bill() -> None:
    longest = re.search(r"6 to (\d+) long", PARTS["screws"].checked)
    assert longest
    for size, length in re.findall(r"M(\d) x (\d+)", ASSEMBLY):
        is_in_set = size == "3" and 6 <= int(length) <= int(longest[1])
        assert is_in_set or any(f"M{size} x {length}" in part.what for part in PARTS.values()), f"M{size} x {length}"
