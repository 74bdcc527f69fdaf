"""The firmware's files: where they are, and how this program runs those of shoe and ring on the Pi's own pins.

The files know the board only by what they are given, and the time only by `pico.clock`, in whose place `Ticks` is put.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from croupier.errors import CannotSimulate
from tablewire.messages import TICKS


def firmware_folder() -> Path:
    """The firmware's files: those of this checkout, or those that were installed beside the program."""
    for parent in Path(__file__).parents:
        if (parent / "firmware/main.py").is_file():
            return parent / "firmware"
    raise CannotSimulate("the firmware's files are not here: run from a checkout of Croupier")


_FILES: Final = ("memory", "feeder", "shoe", "ring")
_LOADING: Final = Lock()


class Ticks(ModuleType):
    """The module `pico.clock` on a clock of this computer; ``now`` gives its seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__("pico.clock")
        self._now = now
        self.edge: float | None = None
        """While an edge is handled: its stamp, which then is the time."""

    def ticks_us(self) -> int:
        """Microseconds."""
        return int((self._now() if self.edge is None else self.edge) * 1_000_000) % TICKS

    def ticks_ms(self) -> int:
        """Milliseconds."""
        return int((self._now() if self.edge is None else self.edge) * 1000) % TICKS

    def ticks_add(self, ticks: int, change: int) -> int:
        """So much later."""
        return (ticks + change) % TICKS

    def ticks_diff(self, end: int, begin: int) -> int:
        """From ``begin`` to ``end``, when they are less than half a wrap apart."""
        return (end - begin + TICKS // 2) % TICKS - TICKS // 2

    def seconds(self, ticks: int) -> float:
        """When those microseconds were, which are not long ago, on the clock that was given."""
        now = self._now()
        return now - self.ticks_diff(int(now * 1_000_000) % TICKS, ticks) / 1_000_000


def load(ticks: Ticks) -> Any:
    """The files, as attributes ``memory``, ``feeder``, ``shoe`` and ``ring``, with that clock; each time anew.

    Raises:
        CannotSimulate: the firmware's files are not installed.
    """
    folder = firmware_folder() / "pico"
    pico: Any = ModuleType("pico")
    pico.__path__ = []
    pico.clock = ticks
    micropython: Any = SimpleNamespace(const=lambda value: value)
    lent = {"micropython": micropython, "pico": pico, "pico.clock": ticks}
    with _LOADING:
        kept = {name: sys.modules.pop(name, None) for name in (*lent, *(f"pico.{file}" for file in _FILES))}
        sys.modules.update(lent)
        try:
            for file in _FILES:
                spec = importlib.util.spec_from_file_location(f"pico.{file}", folder / f"{file}.py")
                assert spec is not None
                assert spec.loader is not None
                module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                setattr(pico, file, module)
        finally:
            for name, module_before in kept.items():
                sys.modules.pop(name, None)
                if module_before is not None:
                    sys.modules[name] = module_before
    return pico
