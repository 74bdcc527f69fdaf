"""Every part can be printed: closed, in one piece, small enough, thick enough, and with nothing hanging in the air."""

from __future__ import annotations

from pathlib import Path

import cadquery as cq
import pytest
import trimesh

from hardware import parameters as p
from hardware.cad import assembly, checks, shoe
from hardware.cad.export import export
from hardware.cad.part import Part, on_printer
from hardware.cad.solids import bounds

PARTS = [pytest.param(part, id=part.name) for part in assembly.PRINTED]
HANGS_MM2 = 5.0
"""Error of the raster at slanted and round edges."""
THIN_SAMPLES = 0.01
"""Near sharp edges, points of the surface always have little material below them."""


def as_printed(part: Part) -> cq.Workplane:
    return on_printer(part, assembly.printed(part.number))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_one_valid_closed_solid(part: Part) -> None:
    shape = assembly.printed(part.number)
    assert shape.val().isValid()
    assert shape.solids().size() == 1
    surface = checks.mesh(shape)
    assert surface.is_watertight
    assert surface.is_winding_consistent
    assert surface.volume == pytest.approx(shape.val().Volume(), rel=0.01)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_fits_the_printer_and_stands_on_its_bed(part: Part) -> None:
    room = bounds(as_printed(part))
    assert room.xlen <= p.PRINTER_X
    assert room.ylen <= p.PRINTER_Y
    assert room.zlen <= p.PRINTER_Z
    assert room.zmin == pytest.approx(0, abs=1e-6)
    body = checks.layers(checks.mesh(as_printed(part)))
    assert body[0].sum() * checks.GRID**2 > 25, "it stands on less than 25 mm²"


@pytest.mark.parametrize("part", PARTS)
def test_no_wall_is_thinner_than_three_widths_of_a_nozzle(part: Part) -> None:
    thickness = checks.thinnest(checks.mesh(assembly.printed(part.number)))
    thin = (thickness < p.LEAST_WALL - 0.01).mean()
    assert thin <= THIN_SAMPLES or part.thin, f"{thin:.1%} of its surface"


@pytest.mark.parametrize("part", PARTS)
def test_nothing_hangs_in_the_air_while_it_is_printed(part: Part) -> None:
    hangs = checks.hanging_mm2(checks.layers(checks.mesh(as_printed(part))))
    assert hangs <= HANGS_MM2 or part.supports, f"{hangs:.0f} mm²"


def hangs(shape: cq.Workplane) -> float:
    return checks.hanging_mm2(checks.layers(checks.mesh(shape)))


def test_the_check_of_overhangs_finds_a_table_and_a_bridge_that_is_too_long() -> None:
    leg = cq.Workplane().box(10, 10, 20, centered=(True, True, False))
    assert hangs(leg.union(cq.Workplane().box(40, 40, 3).translate((0, 0, 21)))) > 1_000
    gate = cq.Workplane().box(50, 10, 20).cut(cq.Workplane().box(40, 10, 14).translate((0, 0, -3)))
    assert hangs(gate) > 300


def test_the_check_of_overhangs_lets_a_short_bridge_and_a_slope_pass() -> None:
    gate = cq.Workplane().box(30, 10, 20).cut(cq.Workplane().box(18, 10, 14).translate((0, 0, -3)))
    assert hangs(gate) < HANGS_MM2
    slope = cq.Workplane("XZ").polyline([(0, 0), (20, 0), (40, 20), (0, 20)]).close().extrude(10)
    assert hangs(slope) < HANGS_MM2


def test_the_check_of_walls_finds_a_thin_one() -> None:
    tray = cq.Workplane().box(40, 40, 20).faces(">Z").shell(-0.8)
    assert (checks.thinnest(checks.mesh(tray)) < p.LEAST_WALL).mean() > 0.5


def test_the_weight_holds_the_steel_that_it_needs_with_its_middle_near_the_gate() -> None:
    balls = shoe.cave_mm3() * p.STEEL * p.PACKED
    body = assembly.printed("PRT-107").val()
    plastic = body.Volume() * p.PLASTIC * p.FILLED
    needed = p.WEIGHT_GRAMS - plastic
    assert 0 < needed < balls
    steel_center = 1.5 + shoe.STEEL / 2
    center = (needed * steel_center + plastic * (p.GATE_X - body.Center().x)) / p.WEIGHT_GRAMS
    assert center <= p.WEIGHT_CENTER


def test_what_is_exported_is_what_was_checked(tmp_path: Path) -> None:
    written = export(tmp_path)
    assert {path.suffix for path in written} == {".stl", ".step"}
    for part in assembly.PRINTED:
        surface = trimesh.load(tmp_path / f"{part.name}.stl")
        assert surface.is_watertight, part.name
        assert surface.bounds[0][2] == pytest.approx(0, abs=0.01), part.name
    back = cq.importers.importStep(str(tmp_path / "PRT-103_floor.step"))
    assert back.val().Volume() == pytest.approx(assembly.printed("PRT-103").val().Volume(), rel=1e-6)
    assert (tmp_path / "machine.step").stat().st_size > 100_000
