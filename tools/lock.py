"""Writes the version locks in requirements/ from the pyproject.toml files; run as `make lock`.

There is one file for each dependency group of the workspace (pyproject.toml says what it is for) and for each extra of
`croupier`. All have the same version of a package, so that they can be installed into one environment.
``pi-bookworm`` is ``all`` for Raspberry Pi OS 12 (deploy/bookworm.txt says why). Every file is valid for all Pythons
and platforms and has the hashes of all files of a release; none names a package registry or a distribution of ours.
"""

from __future__ import annotations

import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
UV = ROOT / ".venv/bin/uv"
OLDEST_PYTHON = "3.11"

WITHOUT_THEIR_NEEDS = ("picamera2",)
"""Locks without what their packages need: only the source is read."""

NOT_LOCKED = ("torch",)
"""Pinned by hand in requirements/torch.txt: its right build (CPU, or several GB of CUDA) depends on the machine, so no
list of hashes is valid for all."""


def pins(name: str) -> list[Requirement]:
    """Return the pins of requirements/NAME.txt, with conditions and without hashes."""
    lines = (LOCKS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line.removesuffix("\\")) for line in lines if line[:1].isalnum()]


def _toml(folder: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))


WORKSPACE = _toml(".")
DISTRIBUTIONS = {
    project["name"]: project for folder in WORKSPACE["tool"]["workspace"]["distributions"]
    for project in (_toml(folder)["project"],)
}  # fmt: skip
"""The table ``[project]`` of each distribution of the workspace, by name."""


def resolved(requirement: str) -> Iterator[str]:
    """A requirement; for a distribution of the workspace, all that it and its extras require."""
    wanted = Requirement(requirement)
    if (project := DISTRIBUTIONS.get(wanted.name)) is None:
        yield requirement
        return
    extras = project.get("optional-dependencies", {})
    for inner in [*project.get("dependencies", ()), *(one for extra in sorted(wanted.extras) for one in extras[extra])]:
        yield from resolved(inner)


def group(name: str) -> Iterator[str]:
    """The requirements of a dependency group of the workspace."""
    for one in WORKSPACE["dependency-groups"][name]:
        yield from resolved(one) if isinstance(one, str) else group(one["include-group"])


def locks() -> dict[str, list[str]]:
    """By name: what each lock has to hold."""
    extras = {
        extra: [*resolved("croupier"), *resolved(f"croupier[{extra}]")]
        for extra in DISTRIBUTIONS["croupier"]["optional-dependencies"]
    }
    groups = {name: [*group(name)] for name in WORKSPACE["dependency-groups"]}
    found = {**extras, **groups, "pi-bookworm": groups["all"]}
    return {name: sorted(dict.fromkeys(requirements)) for name, requirements in found.items()}


OWN_VERSIONS = ("pip", "typings", "picamera2", "pi-bookworm")
"""Locks of environments of their own. All others have the same version of a package."""


def compile_lock(file: Path, requirements: Iterable[str], *options: str) -> None:
    """Resolve ``requirements`` to the newest versions and write the lock ``file``."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as overrides:
        overrides.writelines(f"{package} ; python_version < '3'\n" for package in NOT_LOCKED)
        overrides.flush()
        command = [
            *(str(UV), "pip", "compile", "--quiet", "--no-config", "--upgrade", "--universal", "--generate-hashes"),
            # One version for all Pythons, so that types and tests say the same on each.
            *("--python-version", OLDEST_PYTHON, "--fork-strategy", "fewest"),
            *("--overrides", overrides.name, "--no-annotate"),
            *("--custom-compile-command", "make lock", "--output-file", str(file)),
            *options,
            "-",
        ]
        subprocess.run(command, cwd=ROOT, input="\n".join(requirements), text=True, check=True)


def main() -> None:
    """Resolve everything together, then write each lock with these versions."""
    wanted = locks()
    with tempfile.TemporaryDirectory() as folder:
        everything = Path(folder) / "everything.txt"
        compile_lock(everything, {one for name in wanted if name not in OWN_VERSIONS for one in wanted[name]})
        for name, requirements in wanted.items():
            options = [] if name in OWN_VERSIONS else ["--constraints", str(everything)]
            if name == "pi-bookworm":
                options = ["--constraints", "deploy/bookworm.txt"]
            elif name in WITHOUT_THEIR_NEEDS:
                options = ["--no-deps"]
            compile_lock(LOCKS / f"{name}.txt", requirements, *options)


if __name__ == "__main__":
    main()
