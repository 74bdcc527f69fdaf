"""Checks that every dependency has a wheel for 64-bit Raspberry Pi OS, and for the newest Python; run as `make wheels`.

A Raspberry Pi takes hours to compile a package without a wheel. Each locked version that is installed there must have a
wheel for its Python and C library.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from packaging.requirements import Requirement

from tools.lock import pins


@dataclass(frozen=True)
class Target:
    """A release of Raspberry Pi OS: its Python, the minor version of its C library (glibc 2.x), and its lock."""

    name: str
    python: str
    glibc: int
    lock: str
    machine: str = "aarch64"

    @property
    def marker_environment(self) -> dict[str, str]:
        """The environment for the conditions in a lock (``; sys_platform == 'win32'``)."""
        return {
            "implementation_name": "cpython",
            "os_name": "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_system": "Linux",
            "python_full_version": f"{self.python}.0",
            "python_version": self.python,
            "sys_platform": "linux",
        }

    @property
    def pip_options(self) -> list[str]:
        """Options with which pip chooses for this target. The oldest C library of a wheel is 2.17, on x86-64 2.5."""
        oldest = {"aarch64": 17, "x86_64": 5}[self.machine]
        names = ["2014", *(f"_2_{n}" for n in range(oldest, self.glibc + 1))]
        platforms = [f"manylinux{name}_{self.machine}" for name in names]
        chosen = ["--python-version", self.python, "--implementation", "cp", "--only-binary", ":all:"]
        return [*chosen, *(option for platform in platforms for option in ("--platform", platform))]


TARGETS: Final = (
    Target("Raspberry Pi OS 12 (bookworm)", "3.11", 36, "pi-bookworm"),
    Target("Raspberry Pi OS 13 (trixie)", "3.13", 41, "all"),
    Target("Ubuntu 26.04", "3.14", 42, "dev", "x86_64"),
)

NEXT: Final = Target("The next Python", "3.15", 42, "dev", "x86_64")
"""Not supported before all wheels are there: `make wheels` prints which are missing, and does not fail."""


class NoRegistry(Exception):
    """pip reached no package registry, so the answer is unknown."""


def missing(target: Target, requirements: Sequence[Requirement], pip_options: Sequence[str] = ()) -> list[str]:
    """Return the ``requirements`` without a wheel for ``target``, as pip names them.

    Raises:
        NoRegistry: pip reached no package registry.
    """
    wanted = [r for r in requirements if r.marker is None or r.marker.evaluate(target.marker_environment)]
    names = [f"{requirement.name}{requirement.specifier}" for requirement in wanted]
    if _resolves(target, names, pip_options):
        return []
    if len(names) == 1:
        return names
    return [name for name in names if not _resolves(target, [name], pip_options)]


def _resolves(target: Target, names: Sequence[str], pip_options: Sequence[str]) -> bool:
    with tempfile.TemporaryDirectory() as nowhere:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--dry-run", "--retries", "1"]
        # The Python that runs pip is not the target's: the wheels' tags decide, not their metadata.
        where = ["--ignore-requires-python", "--ignore-installed", "--no-deps", "--target", nowhere]
        command = [*pip, *where, *target.pip_options, *pip_options, *names]
        answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if answer.returncode:
        # pip treats a registry that it cannot reach as an empty one, but it warns first.
        unreached = [line for line in answer.stderr.splitlines() if "connection broken" in line]
        if unreached or "No matching distribution found" not in answer.stderr:
            raise NoRegistry((unreached or answer.stderr.strip().splitlines())[-1])
    return answer.returncode == 0


def main() -> int:
    """Print the answer for each target, and for the next Python. Returns 0; 1 if a wheel is missing for a target; 2 if
    no registry was reached."""
    status = 0
    for target in (*TARGETS, NEXT):
        try:
            without = missing(target, pins(target.lock))
        except NoRegistry as fault:
            print(f"make wheels: no package registry can be asked: {fault}", file=sys.stderr)
            return 2
        answer = f"no wheel for {', '.join(without)}" if without else "all wheels are there"
        print(f"{target.name}, {target.machine}, Python {target.python}: {answer}")
        status = 1 if without and target is not NEXT else status
    return status


if __name__ == "__main__":
    sys.exit(main())
