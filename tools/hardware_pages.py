"""Writes the tables of docs/hardware/power.md and parameters.md from `hardware`; run as `make docs`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware import drive, power
from hardware import parameters as p
from tools.lock import ROOT
from tools.pages import renewed

FOLDER: Final = ROOT / "docs/hardware"


def _derived() -> str:
    across, upright = drive.view_mm()
    frictions = ((p.RUBBER_WORST, p.CARDS_WORST), (0.8, 0.25), (p.RUBBER_BEST, p.CARDS_BEST))
    figures = (
        ("gap between two cards at the exit", f"{drive.card_gap_mm():.1f} mm"),
        ("speed of a card at the exit, motor at 12 V", f"{drive.exit_speed_mm_s():.0f} mm/s"),
        ("traction margin of the pick roller: worst, middle, best friction",
         ", ".join(f"{drive.pull_reserve(*both):.1f}" for both in frictions)),
        ("height of the exit above the table", f"{drive.exit_height_mm():.0f} mm"),
        ("flight of a card at 1.2 m/s; with its slide on cloth, at most",
         f"{drive.flight_mm(1200):.0f} mm, {drive.reach_mm(1200):.0f} mm"),
        (f"torque to accelerate the turntable at {p.TABLE_ACCELERATION:g} rad/s²", f"{drive.turn_torque_nm():.2f} N·m"),
        ("torque of the stepper at the turntable, at low speed", f"{drive.stepper_torque_nm():.2f} N·m"),
        (f"VREF of the stepper driver for {p.MOTOR_PHASE_A:g} A", f"{drive.vref_v():.2f} V"),
        ("delay of a press by the filter of its cable, the same for all seats", f"{drive.press_delay_us():.0f} µs"),
        ("field of view of the camera on the table", f"{across:.0f} x {upright:.0f} mm"),
    )  # fmt: skip
    return "\n".join(["| what | figure |", "|---|---|", *(f"| {what} | {figure} |" for what, figure in figures), ""])


def _power() -> str:
    rows = ["| supply | rating | typical | worst case | margin |", "|---|---|---|---|---|"]
    for rail in power.rails():
        figures = (rail.rating, rail.typical, rail.worst)
        rows.append(f"| {rail.name} | {' | '.join(f'{one:.2f} A' for one in figures)} | {rail.margin:.0%} |")
    return "\n".join([*rows, ""])


def pages() -> dict[Path, str]:
    """Return each page with its present tables after its mark."""
    tables = {"power.md": _power(), "parameters.md": _derived()}
    files = {FOLDER / name: text for name, text in tables.items()}
    return {file: renewed(file.read_text(encoding="utf-8"), f"\n{text}") for file, text in files.items()}


def main() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
