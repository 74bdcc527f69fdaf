"""Writes, checks and draws the board of buttons and ring. ``python -m hardware.button_board --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.button_board import layout, steps_picture
from hardware.circuit import files
from hardware.commands import parser, run

FOLDER: Final = Path(__file__).parent
OUT: Final = Path(__file__).parents[2] / "out/hardware/button-board"


def main() -> None:
    """Draw the steps, route the board, check it as it is written, write the project and what a maker takes."""
    asks = parser("hardware.button_board", "Route, check and write the board of buttons and ring.", "", "--out boards")
    asks.add_argument("--out", type=Path, default=OUT, help="folder for Gerber and drill files (out/hardware/…)")
    steps_picture.write(FOLDER)
    print(files.write(layout.design(), FOLDER, asks.parse_args().out))


if __name__ == "__main__":
    run(main)
