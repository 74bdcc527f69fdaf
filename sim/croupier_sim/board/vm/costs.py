"""The cost of the firmware's work on the board: simulated time passes for it, and interrupts cut through it.

Measured on an emulated RP2040 at 125 MHz with MicroPython 1.28, without the stalls of the flash.
"""

import sys

_FIFO = 256
"""Bytes that USB keeps for a host that does not read; a write beyond waits for `_BLOCKED_US`."""
_BLOCKED_US = 500_000


def _decode_us(frame):
    return 960 + 300 * len(frame.values) if frame else 500


# Module, class (or ""), function, and µs: a number, or a function of what the firmware's function returned.
_COSTS = (
    ("pico.link", "Port", "read", lambda data: 60 * len(data)),
    ("tablewire.frame", "", "decode", _decode_us),
    ("tablewire.channel", "", "encode", 990),
    ("pico.link", "Port", "write", lambda taken: 550 if taken else 0),
    ("pico.turntable", "Ramp", "__init__", 12_500),
    ("pico.turntable", "Ramp", "plan", lambda planned: 3_000 + 120 * planned[0]),
    ("pico.ring", "Ring", "draw", 800),
)


class Clog:
    """The USB port of a host that stopped reading: ``room`` is left in its buffer; None while the host reads."""

    def __init__(self, world):
        self._world = world
        self.room = None

    def close(self):
        """The host stops reading."""
        self.room = _FIFO

    def open(self):
        """The host reads again."""
        self.room = None

    def on(self, write):
        """Wrap the firmware's `Port.write`."""

        def clogged(port, data):
            if self.room is None:
                return write(port, data)
            taken = min(self.room, len(data), 32)
            if taken < min(len(data), 32) and taken:
                self._world.work(_BLOCKED_US)
            self.room -= taken
            return taken

        return clogged


def _costing(world, function, us):
    def costed(*arguments):
        result = function(*arguments)
        world.work(us if isinstance(us, int) else us(result))
        return result

    return costed


def install(world, clog):
    """Let all functions of the table cost their time; to be called when the firmware has loaded its files."""
    for name, kind, function, us in _COSTS:
        module = sys.modules[name]
        place = getattr(module, kind) if kind else module
        mark = "costs " + kind + function
        if not hasattr(module, mark):  # the files of `tablewire` outlive a reset
            setattr(module, mark, True)
            setattr(place, function, _costing(world, getattr(place, function), us))
    port = sys.modules["pico.link"].Port
    port.write = clog.on(port.write)
