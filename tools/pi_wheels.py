"""Is every dependency of the program ready for 64-bit Raspberry Pi OS? Run as `make wheels`.

A Raspberry Pi compiles for hours what has no wheel. So each version in the lock that is installed there must have one
that its Python and C library take.
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
    """A release of Raspberry Pi OS: its Python, the minor version of its C library (glibc 2.x), and the lock that is
    installed there."""

    name: str
    python: str
    glibc: int
    lock: str

    @property
    def marker_environment(self) -> dict[str, str]:
        """What the conditions in a lock (``; sys_platform == 'win32'``) are decided by."""
        return {
            "implementation_name": "cpython",
            "os_name": "posix",
            "platform_machine": "aarch64",
            "platform_python_implementation": "CPython",
            "platform_system": "Linux",
            "python_full_version": f"{self.python}.0",
            "python_version": self.python,
            "sys_platform": "linux",
        }

    @property
    def pip_options(self) -> list[str]:
        """What makes pip choose as it would on this target; 2.17 is the oldest C library on aarch64."""
        platforms = ["manylinux2014_aarch64", *(f"manylinux_2_{n}_aarch64" for n in range(17, self.glibc + 1))]
        chosen = ["--python-version", self.python, "--implementation", "cp", "--only-binary", ":all:"]
        return [*chosen, *(option for platform in platforms for option in ("--platform", platform))]


TARGETS: Final = (
    Target("Raspberry Pi OS 12 (bookworm)", "3.11", 36, "pi-bookworm"),
    Target("Raspberry Pi OS 13 (trixie)", "3.13", 41, "all"),
)


class NoRegistry(Exception):
    """pip reached no package registry, so nothing is known."""


def missing(target: Target, requirements: Sequence[Requirement], pip_options: Sequence[str] = ()) -> list[str]:
    """Which of ``requirements`` have no wheel for ``target``, as pip names them; none is the good answer.

    Raises `NoRegistry` where pip cannot ask.
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
        # The Python that runs pip is not the target's: the tags of the wheels decide, not what they say to require.
        where = ["--ignore-requires-python", "--ignore-installed", "--no-deps", "--target", nowhere]
        command = [*pip, *where, *target.pip_options, *pip_options, *names]
        answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if answer.returncode:
        # pip calls a registry that it cannot reach an empty one, but it warns first.
        unreached = [line for line in answer.stderr.splitlines() if "connection broken" in line]
        if unreached or "No matching distribution found" not in answer.stderr:
            raise NoRegistry((unreached or answer.stderr.strip().splitlines())[-1])
    return answer.returncode == 0


def main() -> int:
    """Print the answer for each target; 0 all ready, 1 something is missing, 2 no registry could be asked."""
    status = 0
    for target in TARGETS:
        try:
            without = missing(target, pins(target.lock))
        except NoRegistry as fault:
            print(f"make wheels: no package registry can be asked: {fault}", file=sys.stderr)
            return 2
        told = f"no wheel for {', '.join(without)}" if without else "all wheels are there"
        print(f"{target.name}, aarch64, Python {target.python}: {told}")
        status = 1 if without else status
    return status


if __name__ == "__main__":
    sys.exit(main())
