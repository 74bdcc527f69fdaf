"""What `croupier bench` measures: one module for each bench, whose ``measure`` yields its lines."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

BENCHES: Final = ("rules", "vision", "track", "link")


def measure(bench: str) -> Iterator[dict[str, Any]]:
    """The lines of one of the `BENCHES`, as they are measured."""
    lines: Iterator[dict[str, Any]] = import_module(f"{__name__}.{bench}").measure()
    yield from lines
