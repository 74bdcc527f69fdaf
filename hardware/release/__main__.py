"""Writes what a release holds for builders into one archive. ``python -m hardware.release --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

from hardware.commands import parser, run
from hardware.release import plates, sheets

OUT: Final = Path(__file__).parents[2] / "out/hardware"
ARCHIVE: Final = "croupier-hardware.zip"


def main() -> None:
    """Write plates and drawings, then all files of the folder into the archive."""
    asks = parser(
        "hardware.release", "Write plates (3MF), drawings (PDF) and one archive for builders.", "", "--out out"
    )
    asks.add_argument("--out", type=Path, default=OUT, help="folder of `make hardware` (out/hardware)")
    out = asks.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    every = plates.plates()
    for plate in every:
        plates.write(plate, out)
    print("\n".join(plates.table(every)))
    sheets.write(out / "croupier-drawings.pdf", every)
    archive = out / ARCHIVE
    files = sorted(file for file in out.rglob("*") if file.is_file() and file != archive)
    with ZipFile(archive, "w", ZIP_DEFLATED) as bundle:
        for file in files:
            bundle.write(file, file.relative_to(out))
    print(f"{archive}: {len(files)} files")


if __name__ == "__main__":
    run(main)
