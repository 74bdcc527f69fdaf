"""The strip board connects what the wiring connects; each fault that a builder could make is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hardware.board import check, layout
from hardware.board.drawing import svg
from hardware.board.model import Board, Body, Placed
from hardware.wiring import pico

BOARD = layout.board()
PLAN = pico.plan()
FOLDER = Path(__file__).parents[2] / "hardware/board"


def faults(board: Board) -> list[str]:
    return check.faults(board, PLAN)


def changed(name: str, part: Placed) -> Board:
    return replace(BOARD, parts=tuple(part if one.name == name else one for one in BOARD.parts))


def part(name: str) -> Placed:
    (found,) = (one for one in BOARD.parts if one.name == name)
    return found


def test_the_board_is_as_the_wiring_says() -> None:
    assert faults(BOARD) == []


def test_every_device_of_the_wiring_is_on_the_board_or_at_the_end_of_a_cable() -> None:
    placed = {one.name for one in BOARD.parts}
    assert set(PLAN.devices) - placed == {*check.RAILS, *check.PLUGGED, "Pi", "feed motor"}


def test_a_short_through_any_missing_cut_or_a_strip_cut_in_vain_is_found() -> None:
    for cut in sorted(BOARD.cuts)[::2]:
        found = check.net_faults(replace(BOARD, cuts=BOARD.cuts - {cut}), PLAN)
        assert any(one.startswith("short: ") for one in found), check.name(cut)
    assert "open: C seat 0.+ is not connected with R seat 0.a" in faults(replace(BOARD, cuts=BOARD.cuts | {(3, 36)}))


def test_any_missing_link_is_found() -> None:
    for link in BOARD.links:
        left = tuple(one for one in BOARD.links if one != link)
        found = check.net_faults(replace(BOARD, links=left), PLAN)
        assert any(one.startswith("open: ") for one in found), link


def test_a_link_that_shorts_two_seats_is_found_by_name() -> None:
    found = faults(replace(BOARD, links=(*BOARD.links, ((3, 35), (4, 35)))))
    assert "short: C seat 0.+ is connected with C seat 1.+" in found


def test_two_swapped_pins_are_found() -> None:
    old = part("lamps 1")
    swap = {"SRCLK": "RCLK", "RCLK": "SRCLK"}
    legs = tuple((hole, swap.get(end, end)) for hole, end in old.legs)
    found = faults(changed("lamps 1", replace(old, legs=legs)))
    assert any("short" in one and "lamps 1.RCLK" in one for one in found)
    assert any("short" in one and "lamps 1.SRCLK" in one for one in found)


def test_a_diode_the_wrong_way_round_is_found() -> None:
    old = part("diode")
    (a, anode), (b, cathode) = old.legs
    assert any("diode" in one for one in faults(changed("diode", replace(old, legs=((a, cathode), (b, anode))))))


def test_a_part_that_was_forgotten_is_found() -> None:
    left = replace(BOARD, parts=tuple(one for one in BOARD.parts if one.name != "TVS 4"))
    assert {"TVS 4.cathode is not on the board", "TVS 4.anode is not on the board"} <= set(faults(left))


def test_two_parts_in_one_hole_and_in_one_place_are_found() -> None:
    other = part("C seat 1")
    found = faults(changed("C seat 1", replace(other, legs=((BOARD.places[0][0], "+"), other.legs[1]))))
    assert any("taken twice" in one and "C seat 1.+" in one for one in found)
    moved = replace(part("R home"), body=part("R exit").body)
    assert "R exit and R home overlap" in faults(changed("R home", moved))


@pytest.mark.parametrize("hole", [(33, 10), (0, 62), (-1, 5), (1, 1)], ids=["strip", "number", "before", "screw"])
def test_a_wire_off_the_board_or_under_a_screw_is_found(hole: tuple[int, int]) -> None:
    found = faults(replace(BOARD, links=(*BOARD.links, ((5, 20), hole))))
    assert any(one.startswith(f"{check.name(hole)} is not on the board") for one in found)


def test_a_part_over_the_edge_and_a_wire_under_a_part_are_found() -> None:
    over = replace(part("regulator"), body=Body((28, 35), (31, 38), 10))
    assert "regulator stands over the edge" in faults(changed("regulator", over))
    assert any("lies under store" in one for one in faults(replace(BOARD, links=(*BOARD.links, ((27, 25), (27, 28))))))


def test_a_link_into_a_cut_is_found() -> None:
    cut = min(BOARD.cuts)
    assert any("is cut and taken" in one for one in faults(replace(BOARD, links=(*BOARD.links, (cut, (0, 20))))))


def test_a_strip_that_carries_the_motors_without_a_wire_along_it_is_found() -> None:
    assert BOARD.wired
    found = faults(replace(BOARD, wired=frozenset()))
    assert sum("solder a wire along it" in one for one in found) == len(BOARD.wired)


def test_the_motors_current_does_not_pass_the_strips_of_the_pico() -> None:
    for (a, _), amps in check.strip_currents(BOARD).items():
        if a[0] < 23:
            assert amps <= 0.6, check.name(a)


def test_the_drawing_is_as_the_layout_is_and_shows_every_cut_link_and_leg() -> None:
    text = (FOLDER / "board.svg").read_text(encoding="utf-8")
    assert text == svg(BOARD), "run `make docs`"
    for cut in BOARD.cuts:
        assert f"cut: {check.name(cut)}<" in text
    for one in BOARD.parts:
        for hole, terminal in one.legs:
            assert f"{one.name}: {terminal}, {check.name(hole)}<" in text
