"""Runs `start.py` under CPython, for machines without MicroPython and to check the width of integers.

    python on_cpython.py FD_IN FD_OUT SETTINGS

With the setting ``narrow``, every number that the firmware reads from the clock and the pins is a `Small`, and so is
each result computed from them. A result of more than the Pico's 31 bits is an error: on the Pico it would be a new
object, and an interrupt handler cannot allocate one.
"""

import json
import runpy
import sys
import time
import types
from pathlib import Path

_HERE = Path(__file__).parent
_NARROW = json.loads(sys.argv[3]).get("narrow", False)


class Small(int):
    """An integer of at most 31 bits."""

    def __new__(cls, value):
        """Raises OverflowError if the value has more bits."""
        if not -(1 << 30) <= value < 1 << 30:
            raise OverflowError(f"{value} is no small integer on the Pico")
        return super().__new__(cls, value)


def _checked(name):
    whole = getattr(int, name)

    def operate(self, other):
        result = whole(self, other)
        return Small(result) if isinstance(result, int) else result

    return operate


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift",
              "rlshift", "ror", "rand", "rxor"):  # fmt: skip
    setattr(Small, f"__{_name}__", _checked(f"__{_name}__"))


def small(value):
    """Return a value that the firmware reads, at the Pico's width."""
    return Small(value) if _NARROW else value


def _nothing(*_):
    return 0


sys.modules["micropython"] = types.SimpleNamespace(
    const=lambda value: value, native=lambda function: function, heap_lock=_nothing, heap_unlock=_nothing,
    kbd_intr=_nothing, small=small,
)  # fmt: skip
for _name in ("ticks_us", "ticks_ms", "ticks_add", "ticks_diff"):
    setattr(time, _name, _nothing)  # `start` replaces these by the simulated clock
for _name, _fd, _mode in (("stdin", 0, "rb"), ("stdout", 1, "wb")):  # MicroPython's streams are unbuffered
    _raw = open(_fd, _mode, buffering=0)  # noqa: SIM115  # until the process ends
    setattr(sys, _name, types.SimpleNamespace(buffer=_raw, fileno=_raw.fileno, flush=_nothing))
sys.path[:0] = sys.argv[4:]
runpy.run_path(str(_HERE / "start.py"), run_name="__main__")
