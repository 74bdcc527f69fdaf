"""Disks of their own, for tests that fill them or make them read-only."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mounted(*arguments: str) -> bool:
    """Call mount, which only root may do."""
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


@contextmanager
def mounted_disk(folder: Path, size_kb: int) -> Iterator[None]:
    """A disk of this size in ``folder``."""
    if not mounted("-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", str(folder)):
        pytest.skip("only root may mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
