"""The bill of the kit of buttons and ring. ``python -m hardware.button_board.bill --help``."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware import bom
from hardware.commands import parser, run
from tablewire.pins import SEATS

FILE: Final = Path(__file__).parents[1] / "bom-buttons.csv"
SHIPPING: Final = {"Reichelt": 6.0, "BerryBase": 5.0, "Aisler": 0.0}
"""What each shop takes to send a small parcel within Germany (EUR), from memory: look before you order."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the bill: ``fixed`` pieces for the kit and ``each_seat`` more for each seat."""

    part: str
    fixed: int
    each_seat: int
    what: str
    order: str
    supplier: str
    eur: float
    checked: str

    def pieces(self, seats: int) -> int:
        """Return how many a kit of so many seats needs."""
        return self.fixed + self.each_seat * seats


def lines() -> list[Line]:
    """Return the bill; what the other kits have too stands in their bill."""
    known = bom.parts()
    found = []
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            other = known.get(row["part"])
            what, order, checked = row["what"], f"{row['maker']} {row['number']}", row["checked"]
            supplier, eur = row["supplier"], row["eur"]
            if other is not None:
                what, order, checked = other.what, f"{other.maker} {other.number}", other.checked
                supplier, eur = supplier or other.supplier, f"{other.eur}"
            counts = int(row["fixed"] or 0), int(row["each_seat"] or 0)
            found.append(Line(row["part"], *counts, what, order, supplier, float(eur), checked))
    return found


def shops(seats: int) -> dict[str, float]:
    """Return what the parts of each shop cost, without shipping (EUR)."""
    found: dict[str, float] = {}
    for line in lines():
        if line.supplier != "at home":
            found[line.supplier] = found.get(line.supplier, 0.0) + line.eur * line.pieces(seats)
    return found


def total(seats: int) -> float:
    """Return the cost with shipping (EUR)."""
    return sum(eur + SHIPPING[shop] for shop, eur in shops(seats).items())


def table(seats: int) -> list[str]:
    """Return the bill, a line for each part, then the sum of each shop."""
    found = [f"{line.pieces(seats):3} x {line.eur:5.2f}  {line.part:<16} {line.order}: {line.what} "
             f"({line.supplier}) [{bom.origin(line.checked)}]" for line in lines()]  # fmt: skip
    found += [f"{shop:<10} {eur:6.2f} EUR and {SHIPPING[shop]:.2f} for shipping" for shop, eur in shops(seats).items()]
    at_home = sum(line.eur * line.pieces(seats) for line in lines() if line.supplier == "at home")
    count, whole = len(shops(seats)), total(seats)
    found.append(f"{seats} seats: {whole:.2f} EUR from {count} shops, shipping included; filament: {at_home:.2f} EUR")
    return found


def main() -> None:
    """Print the bill for a number of seats."""
    asks = parser(
        "hardware.button_board.bill",
        "What to buy for buttons and ring. Prices and shipping are from memory, with tax; nothing was ordered yet.",
        "",
        "--seats 4",
    )
    asks.add_argument("--seats", type=int, choices=range(2, SEATS + 1), default=4, help="players at the table (4)")
    print("\n".join(table(asks.parse_args().seats)))


if __name__ == "__main__":
    run(main)
