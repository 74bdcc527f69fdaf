"""What `croupier bench` measures: one module for each bench, whose ``measure`` yields its lines."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from croupier.errors import CannotSimulate

BENCHES: Final = ("rules", "vision", "track", "link", "table", "page")


def measure(bench: str) -> Iterator[dict[str, Any]]:
    """The lines of one of the `BENCHES`, as they are measured.

    Raises:
        CannotSimulate: what it needs is not installed.
    """
    try:
        module = import_module(f"{__name__}.{bench}")
    except ModuleNotFoundError as err:
        raise CannotSimulate(f"{err.name} is missing: pip install 'croupier[all]'") from err
    yield from module.measure()
