"""What a release holds for builders: every part lies on some plate, on the bed and beside the others."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
import trimesh

from hardware import parameters as p
from hardware.cad import assembly
from hardware.cad.part import on_printer
from hardware.cad.solids import bounds
from hardware.release import plates, sheets

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"


@pytest.fixture(scope="module")
def every() -> list[plates.Plate]:
    return plates.plates()


def test_each_part_lies_as_often_on_a_plate_as_it_is_needed_and_in_its_color(every: list[plates.Plate]) -> None:
    laid: dict[str, int] = {}
    for plate in every:
        for copy in plate.copies:
            laid[copy.part.number] = laid.get(copy.part.number, 0) + 1
            assert plates.color(copy.part) == plate.color
    assert laid == {part.number: part.count for part in assembly.PRINTED}


def test_all_lie_on_the_bed_and_none_on_another(every: list[plates.Plate]) -> None:
    for plate in every:
        boxes = [
            (x - w / 2, y - h / 2, x + w / 2, y + h / 2) for (x, y), (w, h) in ((c.at, c.size) for c in plate.copies)
        ]
        for left, low, right, high in boxes:
            assert min(left, low) >= 0, plate.name
            assert right <= p.PRINTER_X, plate.name
            assert high <= p.PRINTER_Y, plate.name
        for a, b in combinations(boxes, 2):
            apart = max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3])
            assert apart >= plates.APART - 0.01, plate.name


def test_a_plate_says_how_long_it_takes_and_how_much_plastic(every: list[plates.Plate]) -> None:
    kilograms = sum(plate.grams for plate in every) / 1000
    assert 1.0 < kilograms < 2.0
    assert all(0 < plate.hours < 24 for plate in every)
    assert len(plates.table(every)) == len(every)


def test_the_file_of_a_plate_holds_closed_bodies_at_their_places(tmp_path: Path) -> None:
    (plate,) = (one for one in plates.plates() if one.name == "kit-box-1")
    with ZipFile(plates.write(plate, tmp_path)) as file:
        assert file.namelist() == ["[Content_Types].xml", "_rels/.rels", "3D/3dmodel.model"]
        root = ElementTree.fromstring(file.read("3D/3dmodel.model"))
    bodies = root.findall(f".//{CORE}object")
    assert [one.get("name") for one in bodies] == [copy.part.name for copy in plate.copies]
    for body, copy in zip(bodies, plate.copies, strict=True):
        points = [[float(one.get(axis, "")) for axis in "xyz"] for one in body.iter(f"{CORE}vertex")]
        faces = [[int(one.get(f"v{n}", "")) for n in (1, 2, 3)] for one in body.iter(f"{CORE}triangle")]
        surface = trimesh.Trimesh(points, faces)
        assert surface.is_watertight
        assert surface.volume == pytest.approx(plates.volume(copy.part), rel=0.01)
    assert len(root.findall(f".//{CORE}item")) == len(plate.copies)


@pytest.mark.parametrize("number", ["PRT-503", "PRT-108"])
def test_the_views_of_a_part_are_to_scale(number: str) -> None:
    """Measured on paper and divided by the scale, the widest view is as wide as the part."""
    (part,) = (one for one in assembly.PRINTED if one.number == number)
    room = bounds(on_printer(part, assembly.printed(number)))
    _, to_scale, views = sheets.part_views(part)
    lengths = []
    for _, svg in views:
        dots = float(re.findall(r"scale\(([\d.]+),", svg)[0])
        side = float(re.findall(r'viewBox="0 0 ([\d.]+)', svg)[0])
        points = [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.e-]+),(-?[\d.e-]+) ", svg)]
        for group in re.findall(r"<g [^>]*stroke=[^>]*>", svg):
            assert f'stroke-width="{0.15 / to_scale:g}"' in group, "a line of 0.15 mm on paper"
        for axis in zip(*points, strict=True):
            dots_long = (max(axis) - min(axis)) * dots
            assert dots_long < side
            lengths.append(dots_long / side * sheets.VIEW_MM / to_scale)
    assert sorted({round(one, 1) for one in lengths}) == sorted(
        {round(one, 1) for one in (room.xlen, room.ylen, room.zlen)}
    )


def test_a_part_is_drawn_as_large_as_a_usual_scale_lets_it() -> None:
    assert [sheets.scale_words(sheets.scale(mm)) for mm in (20, 50, 100, 219)] == ["2 : 1", "1 : 1", "1 : 2", "1 : 5"]
    with pytest.raises(ValueError, match="too long"):
        sheets.scale(300)
