"""Checks the strip board against the wiring and draws it. ``python -m hardware.board --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.board import check, layout
from hardware.board.drawing import svg
from hardware.commands import parser, run
from hardware.wiring import pico

FILE: Final = Path(__file__).with_name("board.svg")


def main() -> None:
    """Print links, cuts and faults; draw the board on request. Raises SystemExit if it is not as the wiring says."""
    asks = parser("hardware.board", "Check the strip board against the wiring, hole by hole.", "", "--draw")
    asks.add_argument("--draw", action="store_true", help="draw both sides into hardware/board/board.svg, too")
    is_drawn = asks.parse_args().draw
    board = layout.board()
    currents = check.link_currents(board)
    for number, (a, b) in enumerate(board.links, start=1):
        print(f"link {number:3}: {check.name(a):<18} to {check.name(b):<18} {currents[a, b]:.1f} A")
    for strip in sorted({strip for strip, _ in board.cuts}):
        print(f"cuts of strip {strip + 1}: {', '.join(str(n + 1) for s, n in sorted(board.cuts) if s == strip)}")
    for strip in sorted({a[0] for a, _ in board.wired}):
        runs = check.neighbors(sorted(a[1] for a, _ in board.wired if a[0] == strip))
        print(f"wire along strip {strip + 1}: holes {', '.join(f'{a + 1} to {b + 2}' for a, b in runs)}")
    if is_drawn:
        FILE.write_text(svg(board), encoding="utf-8")
    if found := check.faults(board, pico.plan()):
        raise SystemExit("\n".join(found))
    print(f"{len(board.links)} links, {len(board.cuts)} cuts: every net is as in the wiring")


if __name__ == "__main__":
    run(main)
