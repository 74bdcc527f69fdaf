"""The firmware's files."""

from __future__ import annotations

from pathlib import Path

from croupier.errors import CannotSimulate


def firmware_folder() -> Path:
    """The folder of the firmware's files: in this checkout, or installed beside the program."""
    for parent in Path(__file__).parents:
        if (parent / "firmware/main.py").is_file():
            return parent / "firmware"
    raise CannotSimulate("the firmware's files are not here: run from a checkout of Croupier")
