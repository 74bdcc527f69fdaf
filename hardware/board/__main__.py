"""Writes, checks and draws the printed circuit of the full table. ``python -m hardware.board --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.board import circuit
from hardware.commands import parser, run

FOLDER: Final = Path(__file__).parent
OUT: Final = Path(__file__).parents[2] / "out/hardware/board"


def main() -> None:
    """Route the board, check it as it is written, write the project and what a maker takes."""
    asks = parser("hardware.board", "Route, check and write the board of the full table.", "", "--parts")
    asks.add_argument("--out", type=Path, default=OUT, help="folder for Gerber and drill files (out/hardware/…)")
    asks.add_argument("--parts", action="store_true", help="only list parts and wires by their labels")
    asked = asks.parse_args()
    if asked.parts:
        print("\n".join(circuit.parts_list()))
        return
    from hardware.circuit import files  # checks copper by a library of the CAD environment

    print(files.write(circuit.design(), FOLDER, asked.out))


if __name__ == "__main__":
    run(main)
