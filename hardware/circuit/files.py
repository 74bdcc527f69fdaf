"""Routes, pours, checks and writes a printed circuit: its KiCad project, its picture, and what a maker takes."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from hardware.circuit import check, gerber, kicad, picture, pour, router, schematic
from hardware.circuit.copper import Board
from hardware.circuit.design import Design


def made(design: Design) -> Board:
    """Return the board, routed and poured."""
    return pour.stitched(pour.poured(router.route(design)))


def project(design: Design, board: Board) -> dict[str, str]:
    """Return the files of the KiCad project and the picture, by name."""
    return {
        f"{design.name}.kicad_pro": kicad.project_text(design),
        f"{design.name}.kicad_sch": schematic.text(design),
        f"{design.name}.kicad_pcb": kicad.board_text(design, board),
        f"{design.name}.svg": picture.svg(design, board),
    }


def write_for_maker(design: Design, board: Board, folder: Path) -> Path:
    """Write Gerber and drill files, and all of them in one archive, which is what a maker's page takes."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{design.name}-gerber.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as bundle:
        for name, text in gerber.files(design, board).items():
            (folder / name).write_text(text, encoding="utf-8")
            if not name.endswith(".csv"):
                bundle.writestr(ZipInfo(name), text)
    return archive


def write(design: Design, folder: Path, out: Path) -> str:
    """Route the board, check it as it is written, write the project into ``folder`` and what a maker takes into
    ``out``; returns what was made. Raises SystemExit with the faults if there are any; then nothing is written."""
    board = made(design)
    files = project(design, board)
    found = check.body_faults(board)
    found += check.faults(design, kicad.read(files[f"{design.name}.kicad_pcb"]))
    if found:
        raise SystemExit("\n".join(found))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    archive = write_for_maker(design, board, out)
    w, h = board.size
    count = f"{len(board.parts)} parts, {len(board.tracks)} tracks, {len(board.vias)} vias"
    return f"{w:g} x {h:g} mm, {count}: every net is as in the wiring; for the maker: {archive}"
