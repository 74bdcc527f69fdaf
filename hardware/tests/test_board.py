"""The copper of the full table's board: as the wiring, wide enough for the motors; each fault is found by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hardware.board import circuit, layout
from hardware.circuit import check, kicad
from hardware.circuit.copper import Board, Track
from hardware.circuit.files import made, project

DESIGN = circuit.design()
FOLDER = Path(layout.__file__).parent
WRITTEN = kicad.read((FOLDER / f"{DESIGN.name}.kicad_pcb").read_text(encoding="utf-8"))


def faults(board: Board) -> list[str]:
    return check.faults(DESIGN, board)


def test_the_copper_is_as_the_wiring_says_and_as_makers_make_it() -> None:
    assert faults(WRITTEN) == []


def test_the_parts_have_room_beside_each_other() -> None:
    assert check.body_faults(DESIGN.bare) == []
    body = next(one.body for one in DESIGN.bare.parts if one.name == "R exit")
    moved = tuple(replace(one, body=body) if one.name == "R home" else one for one in DESIGN.bare.parts)
    assert "R exit and R home overlap" in check.body_faults(replace(DESIGN.bare, parts=moved))


@pytest.mark.parametrize("net", ["GP0", "GP18", "MOTORS", "5V"])
def test_a_net_without_its_tracks_is_found_open(net: str) -> None:
    found = faults(replace(WRITTEN, tracks=tuple(one for one in WRITTEN.tracks if one.net != net)))
    assert any(one.startswith("open: ") and one.endswith(f"({net})") for one in found)


def test_a_neck_in_the_motors_supply_and_in_their_ground_is_found() -> None:
    thin = tuple(replace(one, width=0.5) if one.net == "MOTORS" else one for one in WRITTEN.tracks)
    assert any(one.startswith("the copper of MOTORS between") for one in faults(replace(WRITTEN, tracks=thin)))
    tracks = tuple(one for one in WRITTEN.tracks if one.net != "GND" or one.width < circuit.WIDE)
    found = faults(replace(WRITTEN, tracks=tracks, pours={}))
    assert any(one.startswith("the copper of GND between") for one in found)


def test_a_track_across_two_seats_is_a_short() -> None:
    a, b = (next(p for p in WRITTEN.pads if p.net == net).at for net in ("GP0", "GP1"))
    found = faults(replace(WRITTEN, tracks=(*WRITTEN.tracks, Track("GP0", "B.Cu", a, b, 0.3))))
    assert any(one.startswith("short: ") for one in found)


def test_the_files_are_those_of_the_program_and_the_same_at_each_run() -> None:
    for name, text in project(DESIGN, made(DESIGN)).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: make hardware"
