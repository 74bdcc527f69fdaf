"""Runs a few lines in MicroPython, with the firmware's files on its path, and hands back what they print as JSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from croupier.devices.pico.firmware_files import firmware_folder
from croupier_sim.board.pico import environment, interpreter


def in_vm(script: str, folder: Path) -> Any:
    program = interpreter()
    assert program, "MicroPython is missing: it belongs to the extra `dev` on Linux on x86-64"
    file = folder / "script.py"
    file.write_text(script, encoding="utf-8")
    told = subprocess.run(
        [program, "-X", "heapsize=8M", str(file)],
        env=environment([firmware_folder()]), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    return json.loads(told.stdout)
