"""Writes the files for the slicer and for CAD programs: STL in printing position, STEP in place."""

from __future__ import annotations

from pathlib import Path

import cadquery as cq

from hardware.cad import assembly
from hardware.cad.part import on_printer
from hardware.cad.render import COLORS


def export(folder: Path) -> list[Path]:
    """Write each printed part as STL (turned as for printing) and STEP, and the whole machine as one STEP."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for part in assembly.PRINTED:
        shape = assembly.printed(part.number)
        for kind, body in (("stl", on_printer(part, shape)), ("step", shape)):
            path = folder / f"{part.name}.{kind}"
            cq.exporters.export(body, str(path))
            written.append(path)
    whole = cq.Assembly(name="machine")
    for item in assembly.machine_items():
        whole.add(item.shape, name=item.key, color=cq.Color(*COLORS[item.color]))
    path = folder / "machine.step"
    whole.export(str(path))
    return [*written, path]
