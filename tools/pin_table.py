"""Writes the table of docs/hardware/pins.md from `tablewire.pins`; run as `make docs`."""

from __future__ import annotations

from typing import Final

from tablewire.pins import PINS
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/hardware/pins.md"

_DIRECTIONS: Final = {
    "in": "input",
    "out": "output",
    "pio": "output (PIO)",
    "pwm": "output (PWM)",
    "adc": "analog input",
}


def page(text: str) -> str:
    """Return the page ``text`` with its present table after the mark."""
    rows = ["| GPIO | name | direction, pull, active | wire | connected to |", "|---|---|---|---|---|"]
    for pin in sorted(PINS, key=lambda pin: pin.gpio):
        level = f"{f'pull-{pin.pull}, ' if pin.pull else ''}active {'high' if pin.active else 'low'}"
        rows.append(f"| {pin.gpio} | `{pin.name}` | {_DIRECTIONS[pin.way]}, {level} | {pin.wire} | {pin.to} |")
    return renewed(text, "\n".join(["", *rows, ""]))


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
