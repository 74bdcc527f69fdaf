"""Plates for the printer: the parts of each kit beside each other as 3MF, with the time that printing them takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from hardware import parameters as p
from hardware.cad import assembly, checks
from hardware.cad.part import Part, on_printer
from hardware.cad.solids import bounds

APART: Final = 6.0
"""Between two parts, and from the edge of the bed (mm)."""
BLACK: Final = ("PRT-107", "PRT-115")
WHITE: Final = ("PRT-502",)
KITS: Final = {
    "shoe": ["PRT-10", "PRT-110", "PRT-111", "PRT-112", "PRT-113"], "exit-camera": ["PRT-114", "PRT-115", "PRT-116"],
    "turntable": ["PRT-2"], "arm": ["PRT-3"], "panel": ["PRT-401", "PRT-402"], "seats": ["PRT-403"],
    "ring": ["PRT-501", "PRT-502"], "kit-box": ["PRT-503", "PRT-504"],
}  # fmt: skip
"""The parts of each kit, by the beginning of their numbers."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A part on a plate, with its middle (mm) and what it takes on the bed."""

    part: Part
    at: tuple[float, float]
    size: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plate:
    """A plate in one color. ``name``: of its file."""

    name: str
    color: str
    copies: tuple[Copy, ...]

    @property
    def hours(self) -> float:
        """The time that printing takes, computed (h)."""
        return sum(seconds(copy.part) for copy in self.copies) / 3600

    @property
    def grams(self) -> float:
        """The plastic that it takes."""
        return sum(volume(copy.part) * p.FILLED * p.PLASTIC for copy in self.copies)


def volume(part: Part) -> float:
    """Return the volume of a part (mm³)."""
    return float(assembly.printed(part.number).val().Volume())


def seconds(part: Part) -> float:
    """Return the time that printing a part takes (s), computed from its plastic and its layers."""
    layers = bounds(on_printer(part, assembly.printed(part.number))).zlen / p.PRINT_LAYER
    return float(volume(part) * p.FILLED / p.PRINT_FLOW + layers * p.PRINT_CHANGE)


def color(part: Part) -> str:
    """Return the color in which a part is printed."""
    return "black" if part.number in BLACK else "white" if part.number in WHITE else "any"


def plates() -> list[Plate]:
    """Return all plates: each kit apart, each color apart, the largest parts first."""
    found = []
    for kit, numbers in KITS.items():
        parts = [part for part in assembly.PRINTED if any(part.number.startswith(one) for one in numbers)]
        for one in sorted({color(part) for part in parts}):
            copies = [part for part in parts if color(part) == one for _ in range(part.count)]
            for n, laid in enumerate(_laid(copies), 1):
                found.append(Plate(f"{kit}-{n}" if one == "any" else f"{kit}-{one}-{n}", one, laid))
    return found


def _laid(parts: Iterable[Part]) -> list[tuple[Copy, ...]]:
    """Lay parts on as few beds as a simple rule finds: in rows, the deepest first."""
    sized = []
    for part in parts:
        room = bounds(on_printer(part, assembly.printed(part.number)))
        sized.append((room.ylen, room.xlen, part))
    beds: list[list[Copy]] = []
    rows: list[tuple[int, float, float, float]] = []  # bed, y, depth, x that is free
    for deep, wide, part in sorted(sized, key=lambda one: (-one[0], -one[1], one[2].number)):
        fits = (n for n, (_, _, depth, x) in enumerate(rows) if depth >= deep and x + wide + APART <= p.PRINTER_X)
        n = next(fits, None)
        if n is None:
            bed = len(beds) - 1
            y = max((y + depth + APART for at, y, depth, _ in rows if at == bed), default=APART)
            if bed < 0 or (y + deep > p.PRINTER_Y - APART + 1e-6 and beds[bed]):
                beds.append([])
                bed, y = len(beds) - 1, APART
            if y + deep > p.PRINTER_Y - APART or wide > p.PRINTER_X - 2 * APART:
                y = (p.PRINTER_Y - deep) / 2  # alone, in the middle
            rows.append(
                (bed, y, deep, max(APART, 0.0) if wide <= p.PRINTER_X - 2 * APART else (p.PRINTER_X - wide) / 2)
            )
            n = len(rows) - 1
        bed, y, depth, x = rows[n]
        beds[bed].append(Copy(part, (x + wide / 2, y + deep / 2), (wide, deep)))
        rows[n] = bed, y, depth, x + wide + APART
    return [tuple(bed) for bed in beds]


_CORE: Final = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_TYPES: Final = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" \
ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" \
ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>
"""
_RELATIONS: Final = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship \
Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>
"""


def model(plate: Plate) -> str:
    """Return a plate in the language of 3MF."""
    kinds = {copy.part.number: copy.part for copy in plate.copies}
    ids = {number: n for n, number in enumerate(kinds, 1)}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<model unit="millimeter" xmlns="{_CORE}"><resources>']
    for number, part in kinds.items():
        surface: Any = checks.mesh(on_printer(part, assembly.printed(number)))
        lines.append(f'<object id="{ids[number]}" type="model" name="{part.name}"><mesh><vertices>')
        lines += [f'<vertex x="{x:.4f}" y="{y:.4f}" z="{z:.4f}"/>' for x, y, z in surface.vertices]
        lines.append("</vertices><triangles>")
        lines += [f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in surface.faces]
        lines.append("</triangles></mesh></object>")
    lines.append("</resources><build>")
    for one in plate.copies:
        place = f"1 0 0 0 1 0 0 0 1 {one.at[0]:.3f} {one.at[1]:.3f} 0"
        lines.append(f'<item objectid="{ids[one.part.number]}" transform="{place}"/>')
    return "\n".join([*lines, "</build></model>", ""])


def write(plate: Plate, folder: Path) -> Path:
    """Write a plate."""
    path = folder / f"plate-{plate.name}.3mf"
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, text in (
            ("[Content_Types].xml", _TYPES),
            ("_rels/.rels", _RELATIONS),
            ("3D/3dmodel.model", model(plate)),
        ):
            file.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return path


def table(every: list[Plate]) -> list[str]:
    """Return a line for each plate: its time, its plastic and its parts."""
    found = []
    for plate in every:
        counts: dict[str, int] = {}
        for copy in plate.copies:
            counts[copy.part.number] = counts.get(copy.part.number, 0) + 1
        parts = ", ".join(number if n == 1 else f"{n} x {number}" for number, n in counts.items())
        found.append(f"plate-{plate.name}.3mf  {plate.hours:5.1f} h {plate.grams:5.0f} g  {plate.color:<5}  {parts}")
    return found
