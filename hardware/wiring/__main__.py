"""Writes the wiring files of hardware/wiring, and draws them where WireViz is installed (`make hardware`)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from hardware.commands import parser, run
from hardware.wiring import exit_camera, pi, pico
from hardware.wiring.drawing import yaml

FOLDER: Final = Path(__file__).parent


def files() -> dict[Path, str]:
    """Return every file of WireViz with its content."""
    return {
        FOLDER / f"{harness.name}.yml": yaml(plan, harness)
        for plan in (pico.plan(), pi.plan(), exit_camera.plan())
        for harness in plan.harnesses
    }


def draw(file: Path) -> None:
    """Draw a file beside it. Raises SystemExit if Graphviz is missing, or WireViz rejects the file."""
    if shutil.which("dot") is None:
        raise SystemExit("the drawings need Graphviz: apt-get install graphviz")
    wireviz = Path(sys.executable).with_name("wireviz")
    if not wireviz.exists():
        raise SystemExit("the drawings need WireViz: make hardware")
    command = [str(wireviz), "--format", "s", "--output-dir", str(FOLDER), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{file.name} cannot be drawn:\n{done.stdout}{done.stderr}")


def main() -> None:
    """Write all files; draw them on request."""
    asks = parser(
        "hardware.wiring",
        "Write the files of WireViz in hardware/wiring from the pin tables.",
        "",
        "--draw",
    )
    asks.add_argument("--draw", action="store_true", help="draw them as SVG, too (needs WireViz and Graphviz)")
    is_drawn = asks.parse_args().draw
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
        if is_drawn:
            draw(path)


if __name__ == "__main__":
    run(main)
