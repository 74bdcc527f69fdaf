"""The firmware's files of shoe and ring, run by this program on the Pi's own pins.

The files know the board only by what they are given, and the time only by `pico.clock`, which `Ticks` replaces.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, Final

from croupier.devices.pico.firmware_files import firmware_folder
from tablewire.messages import TICKS

ON_PINS: Final = ("memory", "feeder", "shoe", "ring")
"""The files that drive the Pi's own pins."""
_LOADING: Final = Lock()


class Ticks(ModuleType):
    """The module `pico.clock`, on a clock of this computer (``now``, in s)."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__("pico.clock")
        self._now = now
        self.edge: float | None = None
        """The stamp of the edge that is being handled; it stands for the time."""

    def ticks_us(self) -> int:
        """The time in µs."""
        return int((self._now() if self.edge is None else self.edge) * 1_000_000) % TICKS

    def ticks_ms(self) -> int:
        """The time in ms."""
        return int((self._now() if self.edge is None else self.edge) * 1000) % TICKS

    def ticks_add(self, ticks: int, change: int) -> int:
        """The ticks ``change`` later."""
        return (ticks + change) % TICKS

    def ticks_diff(self, end: int, begin: int) -> int:
        """The ticks from ``begin`` to ``end``, less than half a wrap apart."""
        return (end - begin + TICKS // 2) % TICKS - TICKS // 2

    def seconds(self, ticks: int) -> float:
        """The time of these recent microseconds on the computer's clock (s)."""
        now = self._now()
        return now - self.ticks_diff(int(now * 1_000_000) % TICKS, ticks) / 1_000_000


def load(ticks: Ticks, files: Sequence[str] = ON_PINS, stand_ins: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """The firmware's ``files`` as attributes of one object, loaded again each time, in this order. ``ticks`` is their
    `pico.clock`; ``stand_ins``: by name, other modules that only the board has.

    Raises:
        CannotSimulate: the firmware's files are not installed.
    """
    folder = firmware_folder() / "pico"
    pico: Any = ModuleType("pico")
    pico.__path__ = []
    micropython: Any = SimpleNamespace(const=lambda value: value, native=lambda function: function)
    replaced = {"micropython": micropython, "pico": pico, "pico.clock": ticks, **stand_ins}
    for name, module in replaced.items():
        if name.startswith("pico."):
            setattr(pico, name.removeprefix("pico."), module)
    with _LOADING:
        kept = {name: sys.modules.pop(name, None) for name in (*replaced, *(f"pico.{file}" for file in files))}
        sys.modules.update(replaced)
        try:
            for file in files:
                spec = importlib.util.spec_from_file_location(f"pico.{file}", folder / f"{file}.py")
                assert spec is not None
                assert spec.loader is not None
                module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                setattr(pico, file, module)
        finally:
            for name in kept:
                sys.modules.pop(name, None)
            sys.modules.update({name: module for name, module in kept.items() if module is not None})
    return pico
