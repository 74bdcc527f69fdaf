"""``python -m hardware.cad``: write STL and STEP into out/hardware; with --pictures also draw the assembly steps."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.cad.assembly import PRINTED
from hardware.cad.export import export
from hardware.cad.pictures import draw
from hardware.commands import parser, run

OUT: Final = Path(__file__).parents[2] / "out/hardware"


def main() -> None:
    """Export the shapes; draw the pictures on request."""
    asks = parser(
        "hardware.cad",
        "The shapes to print. Nothing of it has been printed yet.",
        "",
        "--pictures --out parts",
    )
    asks.add_argument("--out", type=Path, default=OUT, help="folder for the STL and STEP files (out/hardware)")
    asks.add_argument("--pictures", action="store_true", help="draw hardware/pictures anew, too")
    asked = asks.parse_args()
    written = export(asked.out)
    print(f"{len(written)} files in {asked.out}; print:")
    for part in PRINTED:
        supports = f" supports: {part.supports}" if part.supports else ""
        print(f"{part.count:3} x {part.name}.stl{supports}")
    if asked.pictures:
        draw()


if __name__ == "__main__":
    run(main)
