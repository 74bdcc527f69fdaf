from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware import drive
from hardware import parameters as p

NAMED = p.named()


@pytest.mark.parametrize("name", NAMED)
def test_every_parameter_has_a_unit_or_is_a_ratio_and_says_where_it_is_from(name: str) -> None:
    one = NAMED[name]
    assert one.source
    assert one.unit or one <= 8, "a bare number is a ratio or a count"


def test_every_parameter_is_used() -> None:
    folder = Path(__file__).parents[2] / "hardware"
    text = "".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py") if file.name != "parameters.py")
    text += (folder / "parameters.py").read_text(encoding="utf-8").partition("def belt_pulley")[2]
    text += (folder.parent / "tools/hardware_pages.py").read_text(encoding="utf-8")
    unused = [name for name in NAMED if not re.search(rf"\b(p\.)?{name}\b(?!: Final)", text)]
    assert unused == []


def test_the_gate_lets_one_card_through_at_every_setting_but_never_two_of_the_usual() -> None:
    assert p.GATE_LOW >= p.CARD_THICKEST
    assert p.GATE_HIGH <= 2 * p.CARD_THICKNESS


def test_the_light_beam_is_inside_the_card_even_where_it_lies_at_the_other_side() -> None:
    tip = p.CARD_WIDTH / 2 + p.PLAY + p.SIDE - 1 - p.BARRIER_HEIGHT
    assert tip + p.BARRIER_AXIS < p.CARD_WIDTH / 2 - p.PLAY


def test_the_belts_fit_around_their_pulleys() -> None:
    assert p.belt_distance(p.FEED_BELT, 36, 16) == pytest.approx(p.NIP_X - p.PICK_X)
    assert p.NIP_X - p.PICK_X > p.ROLLER
    assert p.belt_distance(p.TABLE_BELT, 60, 20) > (p.NEMA17 + p.BEARING_6806) / 2


def test_the_camera_sees_a_round_table_of_a_meter_or_says_how_much() -> None:
    assert drive.view_mm()[0] > 900


def test_a_card_reaches_a_seat_at_the_speeds_that_the_firmware_takes() -> None:
    assert drive.reach_mm(1_000) == pytest.approx(170, abs=2)
    assert drive.reach_mm(1_500) == pytest.approx(382, abs=2)
