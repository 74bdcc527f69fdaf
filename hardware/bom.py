"""The bill of materials: the parts of each kit and their cost. ``python -m hardware.bom --help``."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.commands import parser, run

FILE: Final = Path(__file__).with_name("bom.csv")
KITS: Final = ("tally", "referee", "full", "exit-camera", "pi-5")
"""The exit camera comes on top of the full kit; what a Pi 5 needs stands instead of `pi`, `pi-supply` and
`camera-cable`."""
CURRENCY: Final = "EUR"
FROM_MEMORY: Final = "; to be checked on the part"


@dataclass(frozen=True, slots=True)
class Part:
    """One line of the bill: description, maker, seller, typical price, and number in each kit.

    ``checked``: a data sheet or a standard, and its figure that the part was chosen by. "from its number" is a figure
    that the maker's order code says; `FROM_MEMORY` at its end: the document was not found.
    """

    name: str
    what: str
    maker: str
    number: str
    supplier: str
    eur: float
    needed: dict[str, int]
    checked: str


def parts() -> dict[str, Part]:
    """Return all lines by the name that wiring and shapes use too."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        row["part"]: Part(
            row["part"],
            row["what"],
            row["maker"],
            row["number"],
            row["supplier"],
            float(row["eur"]),
            {kit: int(row[kit] or 0) for kit in KITS},
            row["checked"],
        )
        for row in rows
    }


def cost(kit: str) -> float:
    """Return the cost of all parts of a kit."""
    return sum(part.eur * part.needed[kit] for part in parts().values())


def origin(checked: str) -> str:
    """Return in words where the figure of a line is from: "checked against …", or "from memory"."""
    if checked.endswith(FROM_MEMORY):
        return f"from memory, to be checked on the part: {checked.removesuffix(FROM_MEMORY)}"
    return f"checked against {checked}"


def main() -> None:
    """Print the parts of a kit, or the cost of all kits."""
    asks = parser(
        "hardware.bom",
        "What to buy. Prices are typical, with tax and without shipping; nothing has been ordered yet.",
        "",
        "--kit full",
    )
    asks.add_argument("--kit", choices=KITS, help="list this kit part by part")
    kit = asks.parse_args().kit
    from_memory = sum(part.checked.endswith(FROM_MEMORY) for part in parts().values())
    print(
        f"{len(parts())} lines name the data sheet or standard that they were chosen by, and its figure: look there "
        f"before you order. Of {from_memory} the figure was not looked up: check it on the part."
    )
    for one in KITS:
        print(f"{one:<8} {cost(one):7.2f} {CURRENCY}  {sum(bool(part.needed[one]) for part in parts().values())} lines")
    if kit:
        print()
        for part in parts().values():
            if n := part.needed[kit]:
                print(f"{n:3} x {part.eur:6.2f}  {part.name:<16} {part.maker} {part.number}: {part.what} "
                      f"[{origin(part.checked)}]")  # fmt: skip


if __name__ == "__main__":
    run(main)
