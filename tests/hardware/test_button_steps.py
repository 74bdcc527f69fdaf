"""The steps of building the kit: their pictures and their page are those of the tables."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from hardware.button_board import layout, steps, steps_picture, wiring
from hardware.button_board.steps import STEPS, Step
from hardware.wiring.model import voltages

FOLDER = Path(layout.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs/hardware/assembly-buttons.md").read_text(encoding="utf-8")
PICTURES = steps_picture.names()
VOLTS = voltages(wiring.plan())


def test_each_part_of_the_board_comes_on_in_one_step() -> None:
    design = layout.design()
    for part in design.bare.parts:
        assert sum(design.kind(part.name) in step.kinds for step in STEPS) == 1, part.name


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_of_each_step_is_the_programs_and_on_the_page(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PICTURES[name], "make hardware"
    assert f"hardware/button_board/{name})" in PAGE
    ElementTree.fromstring(PICTURES[name])


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_the_page_has_the_measurements_of_each_step_under_its_heading(step: Step) -> None:
    section = PAGE.split(f"## {step.title}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert rows == ["| from, to | what | expected | if not |", *step.rows()]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_its_picture_says_what_is_expected_and_shows_a_point_for_each_letter(step: Step) -> None:
    words = [one.text for one in ElementTree.fromstring(PICTURES[f"{step.name}.svg"]).iter() if one.text]
    assert {one.expected for one in step.measures} <= set(words)
    letters = step.letters()
    for one in step.measures:
        assert words.count(letters[one.red]) >= 2, "a point on the board and a line at the right"
        assert words.count(letters.get(one.black, "-")) >= 1, "a point on the board"


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_volts_are_expected_with_supply_ohms_without(step: Step) -> None:
    for one in step.measures:
        assert (one.unit == "V") == step.is_powered
        assert one.low is not None or one.high is not None


def test_what_the_wiring_feeds_lies_within_the_expected_volts() -> None:
    fed = 0
    for step in STEPS:
        for one in step.measures:
            if step.is_powered and VOLTS[one.red] == {5.0} and one.high != 0.1:  # what gives a pulse is at 0 V
                assert one.low is not None
                assert one.high is not None
                assert one.low <= 5.0 <= one.high
                fed += 1
    assert fed == 4


def test_a_pressed_button_is_low_for_the_pico_and_not_zero() -> None:
    low, high = steps.pressed_volts()
    assert 0 < low < high < 0.8


def test_the_lit_ring_gets_what_its_lamps_need_from_the_worst_port() -> None:
    assert steps.ring_volts(0.35) >= 3.7, "WS2812B: 3.7 V"
    assert steps.ring_volts(steps.RING_DARK_A) > steps.ring_volts(0.35)
