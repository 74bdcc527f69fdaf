"""Where the files of the firmware are: in this checkout, or installed beside the program."""

from __future__ import annotations

from pathlib import Path

from croupier.errors import CannotSimulate


def firmware_folder() -> Path:
    """The firmware's files: those of this checkout, or those that were installed beside the program."""
    for parent in Path(__file__).parents:
        if (parent / "firmware/main.py").is_file():
            return parent / "firmware"
    raise CannotSimulate("the firmware's files are not here: run from a checkout of Croupier")
