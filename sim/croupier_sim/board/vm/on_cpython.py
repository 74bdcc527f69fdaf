"""Runs `start.py` under CPython, for machines without MicroPython, and to watch its integers.

    python on_cpython.py FD_IN FD_OUT SETTINGS

With the setting ``narrow`` every number that the firmware reads from the clock and the pins is a `Small`, and so is
what it computes from them: where one would need more than the Pico's 31 bits, it fails. On the Pico such a number is a
new object, which an interrupt handler cannot make.
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
    """An integer of 31 bits that says so when it would not fit."""

    def __new__(cls, value):
        """Raises OverflowError for what needs more bits."""
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
    """What the firmware reads, as wide as on the Pico."""
    return Small(value) if _NARROW else value


def _nothing(*_):
    return 0


sys.modules["micropython"] = types.SimpleNamespace(
    const=lambda value: value, heap_lock=_nothing, heap_unlock=_nothing, kbd_intr=_nothing, small=small
)
for _name in ("ticks_us", "ticks_ms", "ticks_add", "ticks_diff"):
    setattr(time, _name, _nothing)  # `start` puts the simulated clock in their place
for _name, _fd, _mode in (("stdin", 0, "rb"), ("stdout", 1, "wb")):  # MicroPython's have no buffers of their own
    _raw = open(_fd, _mode, buffering=0)  # noqa: SIM115  # until the process ends
    setattr(sys, _name, types.SimpleNamespace(buffer=_raw, fileno=_raw.fileno, flush=_nothing))
sys.path[:0] = sys.argv[4:]
runpy.run_path(str(_HERE / "start.py"), run_name="__main__")
