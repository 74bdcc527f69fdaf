"""The drawings as one PDF on A4: plates, each printed part with its size, the steps, the wires one by one, the bill."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import cadquery as cq
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from hardware import bom
from hardware.cad import assembly
from hardware.cad.part import Part, on_printer
from hardware.cad.pictures import FOLDER as PICTURES
from hardware.cad.solids import bounds
from hardware.cad.steps import STEPS
from hardware.release.plates import Plate, color, table
from hardware.wiring import exit_camera, pi, pico
from hardware.wiring.drawing import CODES
from hardware.wiring.model import Harness

FONTS: Final = Path(__file__).parents[2] / "host/croupier-extras/croupier_extras/documents/fonts"
SHADES: Final = {
    "black": (20, 20, 20), "brown": (120, 70, 30), "red": (200, 30, 30), "orange": (240, 130, 20),
    "yellow": (240, 210, 30), "green": (30, 140, 60), "blue": (40, 90, 190), "violet": (130, 60, 160),
    "gray": (140, 140, 140), "white": (255, 255, 255),
}  # fmt: skip
SCALES: Final = (2.0, 1.0, 0.5, 0.2)
"""Of drawings of parts (ISO 5455): paper by part."""
VIEW_MM: Final = 56.0
"""Width and height of a view on paper (mm)."""
_INSET: Final = 4.0
_LINE_MM: Final = 0.15
VIEWS: Final = (("from above", (0, 0, 1)), ("from the front", (0, -1, 0)), ("from the right", (1, 0, 0)))
_LINE: Final = 5.2
_WIDE: Final = 160.0


class _Sheets(FPDF):
    def __init__(self) -> None:
        super().__init__(format="A4")
        self.set_margins(15, 14, 15)
        self.set_auto_page_break(True, 14)
        self.add_font("DejaVu", "", FONTS / "DejaVuSans.ttf")
        self.set_font("DejaVu", size=9)

    def footer(self) -> None:
        self.set_y(-11)
        self.set_font("DejaVu", size=7)
        self.cell(0, 4, f"Croupier, hardware: computed, nothing of it has been built · {self.page_no()}", align="C")
        self.set_font("DejaVu", size=9)

    def title_line(self, text: str, size: float = 13) -> None:
        """Write a heading."""
        self.set_font("DejaVu", size=size)
        self.cell(0, size * 0.55, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_font("DejaVu", size=9)
        self.ln(2)

    def lines(self, every: Iterable[str], size: float = 8) -> None:
        """Write lines of text."""
        self.set_font("DejaVu", size=size)
        for line in every:
            self.multi_cell(0, size * 0.5, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L")
        self.set_font("DejaVu", size=9)


def scale(largest: float) -> float:
    """Return the scale at which a part of this greatest length (mm) is drawn. Raises ValueError if it fits at none."""
    for one in SCALES:
        if largest * one <= VIEW_MM - 2:
            return one
    raise ValueError(f"a part of {largest:g} mm is too long for a view of {VIEW_MM:g} mm at 1 : {1 / SCALES[-1]:g}")


def scale_words(one: float) -> str:
    """Return a scale as drawings name it."""
    return f"{one:g} : 1" if one >= 1 else f"1 : {1 / one:g}"


def part_views(part: Part) -> tuple[str, float, list[tuple[str, str]]]:
    """Return the size of a part as it lies on the printer, the scale of its views, and these as SVG that is `VIEW_MM`
    wide and high on paper."""
    shape = on_printer(part, assembly.printed(part.number))
    room = bounds(shape)
    to_scale = scale(max(room.xlen, room.ylen, room.zlen))
    views = []
    for name, way in VIEWS:
        frame = {"width": 320, "height": 320, "marginLeft": _INSET, "marginTop": _INSET}
        options = {**frame, "projectionDir": way, "showAxes": False, "showHidden": False}
        options["strokeWidth"] = _LINE_MM / to_scale
        svg = cq.exporters.getSVG(shape.val(), options)
        svg = svg.replace("<g  stroke=", f'<g stroke-width="{options["strokeWidth"]:g}" stroke=')  # fpdf inherits none
        (dots,) = re.findall(r"scale\(([\d.]+),", svg)
        side = VIEW_MM / to_scale * float(dots)
        views.append((name, svg.replace("<svg", f'<svg viewBox="0 0 {side:.3f} {side:.3f}"', 1)))
    return f"{room.xlen:.1f} x {room.ylen:.1f} x {room.zlen:.1f} mm", to_scale, views


def _wires(pdf: _Sheets, harness: Harness) -> None:
    """A line for each wire: a box to tick, its color, both ends."""
    pdf.add_page()
    pdf.title_line(harness.title)
    for n, wire in enumerate(harness.wires, 1):
        if pdf.get_y() + _LINE > pdf.h - 16:
            pdf.add_page()
            pdf.title_line(f"{harness.title}, continued")
        y = pdf.get_y()
        pdf.rect(15, y + 0.8, 3, 3)
        pdf.set_fill_color(*SHADES[wire.color])
        pdf.rect(31, y + 1.4, 14, 2, style="DF")
        pdf.set_xy(20, y)
        pdf.cell(11, _LINE, str(n))
        pdf.set_xy(46, y)
        pdf.cell(22, _LINE, f"{wire.color} {CODES[wire.color]}")
        pdf.cell(56, _LINE, wire.a.replace(".", "  ·  ", 1))
        pdf.cell(0, _LINE, wire.b.replace(".", "  ·  ", 1), new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def write(path: Path, plates: list[Plate]) -> Path:
    """Write the PDF."""
    pdf = _Sheets()
    pdf.add_page()
    pdf.title_line("Croupier: drawings for building", 18)
    pdf.lines(["Nothing of this has been built on a bench yet. All is computed. The steps: hardware/assembly.md.",
               "Prints: PETG, nozzle 0.4, layers 0.2, four walls, 25 % inside, no supports.",
               "Times are computed from plastic and layers; your slicer knows better.", ""], 9)  # fmt: skip
    pdf.title_line("Plates")
    pdf.lines(table(plates), 7.5)
    for n, part in enumerate(assembly.PRINTED):
        if n % 3 == 0:
            pdf.add_page()
            pdf.title_line("Printed parts, as they lie on the printer; sizes in mm")
        size, to_scale, views = part_views(part)
        top = 28 + n % 3 * 86.0
        pdf.set_xy(15, top)
        count = f", {part.count} of it" if part.count > 1 else ""
        pdf.cell(0, 5, f"{part.number} {part.title}{count}: {size}, {color(part)} color, drawn {scale_words(to_scale)}")
        for k, (name, svg) in enumerate(views):
            left = 15 + k * 60.0
            pdf.set_xy(left, top + 6)
            pdf.set_font("DejaVu", size=7)
            pdf.cell(60, 4, name)
            pdf.set_font("DejaVu", size=9)
            pdf.image(svg.encode(), x=left, y=top + 11, w=VIEW_MM)
    for n, step in enumerate(STEPS):
        if n % 2 == 0:
            pdf.add_page()
        pdf.set_xy(15, 14 + n % 2 * 134.0)
        pdf.title_line(step.name.replace("-", " "))
        pdf.image(PICTURES / f"{step.name}.png", x=15, w=_WIDE)
    for plan in (pico.plan(), pi.plan(), exit_camera.plan()):
        for harness in plan.harnesses:
            _wires(pdf, harness)
    pdf.add_page()
    pdf.title_line("Bill of the full table")
    pdf.lines(
        f"{one.needed['full']:3} x {one.eur:6.2f} EUR  {one.name}: {one.maker} {one.number}: {one.what} "
        f"[{bom.origin(one.checked)}]"
        for one in bom.parts().values()
        if one.needed["full"]
    )
    pdf.output(str(path))
    return path
