"""`make drc`: both boards under the design rules of KiCad itself, by the Python of the system, which has its library.

It imports nothing of the project. The rules are those of the `.kicad_pro` files; the ground is filled by KiCad.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

try:
    pcbnew: Any = import_module("pcbnew")
except ImportError:
    sys.exit("KiCad is missing: apt-get install kicad (tried with KiCad 6.0.11)")

BOARDS = ("button_board/buttons-and-ring", "board/full-table")


def faults(file: Path) -> list[str]:
    """Return the report of one board, without its head, if anything is wrong with it."""
    board = pcbnew.LoadBoard(str(file))
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        if not pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True):
            return [f"{file}: KiCad wrote no report"]
        lines = report.read_text(encoding="utf-8").splitlines()
    counts = [line for line in lines if line.startswith("** Found ")]
    if len(counts) == 3 and all(line.startswith("** Found 0 ") for line in counts):
        return []
    return [line for line in lines if line]


def main() -> None:
    """Check both boards. The exit status is 1 if anything is wrong."""
    wrong = 0
    for name in BOARDS:
        found = faults(Path(__file__).parent.parent / f"{name}.kicad_pcb")
        wrong += bool(found)
        print(*found or [f"{name}: KiCad {pcbnew.GetBuildVersion()} finds nothing"], sep="\n")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
