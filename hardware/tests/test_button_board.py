"""The copper of the board of buttons and ring: as the wiring, as makers make it; each fault is found by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from hardware.button_board import layout
from hardware.circuit import check, gerber, kicad
from hardware.circuit.copper import Board, Track, Via
from hardware.circuit.files import made, project, write_for_maker

DESIGN = layout.design()
FOLDER = Path(layout.__file__).parent
WRITTEN = kicad.read((FOLDER / f"{DESIGN.name}.kicad_pcb").read_text(encoding="utf-8"))


def faults(board: Board) -> list[str]:
    return check.faults(DESIGN, board)


def test_the_copper_is_as_the_wiring_says_and_as_makers_make_it() -> None:
    assert faults(WRITTEN) == []


def test_the_parts_have_room_the_low_ones_under_the_pico() -> None:
    bare = layout.bare()
    assert check.body_faults(bare) == []
    moved = tuple(replace(one, body=bare.parts[1].body) if one.name == "socket 3" else one for one in bare.parts)
    assert "fuse and socket 3 overlap" in check.body_faults(replace(bare, parts=moved))


@pytest.mark.parametrize("net", ["SEAT_0", "GP9", "RING_5V", "RING_DIN"])
def test_a_net_without_its_tracks_is_found_open(net: str) -> None:
    found = faults(replace(WRITTEN, tracks=tuple(one for one in WRITTEN.tracks if one.net != net)))
    assert any(one.startswith("open: ") and one.endswith(f"({net})") for one in found)


def test_ground_is_whole_by_its_tracks_alone_and_open_without_tracks_and_pours() -> None:
    tracks = tuple(one for one in WRITTEN.tracks if one.net != "GND")
    assert faults(replace(WRITTEN, pours={})) == []
    assert any(one.endswith("(GND)") for one in faults(replace(WRITTEN, pours={}, tracks=tracks)))


def test_a_track_across_two_sockets_is_a_short_and_too_near() -> None:
    a, b = (next(p for p in WRITTEN.pads if p.net == net and p.drill).at for net in ("SEAT_0", "SEAT_1"))
    found = faults(replace(WRITTEN, tracks=(*WRITTEN.tracks, Track("SEAT_0", "B.Cu", a, b, 0.3))))
    assert any(one.startswith("short: ") for one in found)
    assert any("mm from" in one for one in found)


def test_what_is_too_thin_too_small_or_too_near_to_the_edge_is_found() -> None:
    thin = replace(WRITTEN, tracks=tuple(replace(one, width=0.15) for one in WRITTEN.tracks))
    assert any("is 0.15 mm wide" in one for one in faults(thin))
    bad = replace(WRITTEN, vias=(*WRITTEN.vias, Via("GND", (0.4, 20.0), 0.4, 0.3), Via("GND", (0.8, 20.0))))
    found = faults(bad)
    assert "via at 0.40, 20.00: hole 0.3 in copper of 0.4" in found
    assert any(one.startswith("via at 0.40, 20.00 (GND) is nearer to the edge") for one in found)
    assert "holes at 0.40, 20.00 and 0.80, 20.00 are 0.10 mm apart" in found


def test_the_files_are_those_of_the_program_and_the_same_at_each_run() -> None:
    for name, text in project(DESIGN, made(DESIGN)).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: make hardware"


def test_the_maker_gets_each_layer_and_each_hole_once(tmp_path: Path) -> None:
    board = replace(layout.bare(), tracks=WRITTEN.tracks, vias=WRITTEN.vias, pours=WRITTEN.pours)
    with ZipFile(write_for_maker(DESIGN, board, tmp_path)) as archive:
        names = archive.namelist()
    assert len(names) == 9
    drilled = gerber.files(DESIGN, board)[f"{DESIGN.name}-PTH.drl"]
    assert drilled.count("\nX") == sum(bool(pad.drill) for pad in board.pads) + len(board.vias)
    copper = gerber.files(DESIGN, board)[f"{DESIGN.name}-F_Cu.gtl"]
    assert copper.count("D03*") == len(board.pads) + len(board.vias)
    assert copper.count("G36*") == len(board.pours["F.Cu"])
