"""Writes the version locks in requirements/ from pyproject.toml; run as `make lock`.

There is one file for the installer (``pip``), one for the build (``build``), one for the program (``run``), one for the
types of the firmware (``typings``), one for the source of picamera2 that a test reads (``picamera2``), and one for each
extra. The file of an extra repeats the program's pins, so that all extras can be installed into one environment.
``pi-bookworm`` is ``all`` for Raspberry Pi OS 12 (deploy/bookworm.txt says why). Every file is valid for all Pythons
and platforms and has the hashes of all files of a release; none names a package registry.
"""

from __future__ import annotations

import subprocess
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
UV = ROOT / ".venv/bin/uv"
OLDEST_PYTHON = "3.11"

PI_BOOKWORM = ("pi-bookworm", ["pyproject.toml", "--extra", "all", "--constraints", "deploy/bookworm.txt"])

NOT_LOCKED = ("torch",)
"""Pinned by hand in requirements/torch.txt: its right build (CPU, or several GB of CUDA) depends on the machine, so no
list of hashes is valid for all."""


def pins(name: str) -> list[Requirement]:
    """Return the pins of requirements/NAME.txt, with conditions and without hashes."""
    lines = (LOCKS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line.removesuffix("\\")) for line in lines if line[:1].isalnum()]


def compile_lock(name: str, sources: list[str], requirements: str = "", *, deps: bool = True) -> None:
    """Resolve ``sources`` (``-``: the text ``requirements``) to the newest versions and write requirements/NAME.txt."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as overrides:
        overrides.writelines(f"{package} ; python_version < '3'\n" for package in NOT_LOCKED)
        overrides.flush()
        command = [
            *(str(UV), "pip", "compile", "--quiet", "--no-config", "--upgrade", "--universal", "--generate-hashes"),
            # One version for all Pythons, so that types and tests say the same on each.
            *("--python-version", OLDEST_PYTHON, "--fork-strategy", "fewest"),
            *("--overrides", overrides.name, "--no-annotate", *(() if deps else ("--no-deps",))),
            *("--custom-compile-command", "make lock", "--output-file", f"{LOCKS.name}/{name}.txt"),
        ]
        subprocess.run([*command, *sources], cwd=ROOT, input=requirements, text=True, check=True)


def main() -> None:
    """Lock the build, the program, and each extra on top of the program."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    compile_lock("pip", ["-"], "\n".join(pyproject["dependency-groups"]["pip"]))
    compile_lock("build", ["-"], "\n".join(pyproject["build-system"]["requires"]))
    compile_lock("run", ["pyproject.toml"])
    compile_lock("typings", ["-"], "\n".join(pyproject["dependency-groups"]["typings"]))
    compile_lock("picamera2", ["-"], "\n".join(pyproject["dependency-groups"]["picamera2"]), deps=False)
    for extra in pyproject["project"]["optional-dependencies"]:
        compile_lock(extra, ["pyproject.toml", "--extra", extra, "--constraints", "requirements/run.txt"])
    compile_lock(*PI_BOOKWORM)


if __name__ == "__main__":
    main()
