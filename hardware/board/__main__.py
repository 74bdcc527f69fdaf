"""Writes, checks and draws the printed circuit of the full table. ``python -m hardware.board --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.board import circuit
from hardware.board.layout import placed
from hardware.circuit import files
from hardware.commands import parser, run

FOLDER: Final = Path(__file__).parent
OUT: Final = Path(__file__).parents[2] / "out/hardware/board"


def table() -> list[str]:
    """Return the parts by reference, then the end of each wire by its label on the board."""
    design = circuit.design()
    found = []
    for part in placed():
        device, reference = design.plan.devices[part.name], design.references[part.name]
        if part.body is not None:
            note = f", {device.note}" if device.note else ""
            found.append(f"{reference:<5} {part.name}: {device.part}{note}")
    for part in placed():
        if circuit.are_wires(part):
            label = design.references[part.name]
            found += [f"{circuit.wire_label(label, str(n))} {part.name}: {end}" for n, (_, end) in
                      enumerate(part.legs, start=1)]  # fmt: skip
    return found


def main() -> None:
    """Route the board, check it as it is written, write the project and what a maker takes."""
    asks = parser("hardware.board", "Route, check and write the board of the full table.", "", "--parts")
    asks.add_argument("--out", type=Path, default=OUT, help="folder for Gerber and drill files (out/hardware/…)")
    asks.add_argument("--parts", action="store_true", help="only list parts and wires by their labels")
    asked = asks.parse_args()
    if asked.parts:
        print("\n".join(table()))
        return
    print(files.write(circuit.design(), FOLDER, asked.out))


if __name__ == "__main__":
    run(main)
