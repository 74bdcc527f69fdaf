"""Writes, checks and draws the board of buttons and ring. ``python -m hardware.button_board --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from hardware.button_board import check, gerber, kicad, layout, picture, pour, router, schematic, wiring
from hardware.button_board.copper import Board
from hardware.commands import parser, run

FOLDER: Final = Path(__file__).parent
OUT: Final = Path(__file__).parents[2] / "out/hardware/button-board"


def made() -> Board:
    """Return the board, routed and poured."""
    routed = pour.poured(router.route(layout.bare()))
    return pour.stitched(routed)


def project(board: Board) -> dict[str, str]:
    """Return the files of the KiCad project and the picture, by name."""
    return {
        f"{kicad.NAME}.kicad_pro": kicad.project_text(),
        f"{kicad.NAME}.kicad_sch": schematic.text(wiring.plan()),
        f"{kicad.NAME}.kicad_pcb": kicad.board_text(board),
        f"{kicad.NAME}.svg": picture.svg(board),
    }


def write_for_maker(board: Board, folder: Path) -> Path:
    """Write Gerber and drill files, and all of them in one archive, which is what a maker's page takes."""
    folder.mkdir(parents=True, exist_ok=True)
    files = gerber.files(board)
    archive = folder / f"{kicad.NAME}-gerber.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as bundle:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
            if not name.endswith(".csv"):
                bundle.writestr(ZipInfo(name), text)
    return archive


def main() -> None:
    """Route the board, check it as it is written, write the project and what a maker takes."""
    asks = parser("hardware.button_board", "Route, check and write the board of buttons and ring.", "", "--out boards")
    asks.add_argument("--out", type=Path, default=OUT, help="folder for Gerber and drill files (out/hardware/…)")
    out = asks.parse_args().out
    board = made()
    files = project(board)
    found = check.body_faults(board)
    found += check.faults(kicad.read(files[f"{kicad.NAME}.kicad_pcb"]), wiring.plan())
    if found:
        raise SystemExit("\n".join(found))
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    archive = write_for_maker(board, out)
    w, h = board.size
    print(f"{w:g} x {h:g} mm, {len(board.parts)} parts, {len(board.tracks)} tracks, {len(board.vias)} vias: every net "
          f"is as in the wiring; for the maker: {archive}")  # fmt: skip


if __name__ == "__main__":
    run(main)
