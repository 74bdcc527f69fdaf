"""The cost of the firmware's work on the board: simulated time passes for it, and interrupts cut through it.

Measured on an emulated RP2040 at 125 MHz with MicroPython 1.28, without the stalls of the flash; except for what packs
and unpacks frames, and looks at edges. That was measured in the VM of this simulation, beside code whose cost on that
RP2040 is known: a microsecond there is 141 to 208 on the RP2040 for the text of a frame (the worse counts), and 440 for
an edge.
"""

import sys

from tablewire.messages import ALWAYS, FORM_OF
from tablewire.pins import pin

_FIFO = 256
"""Bytes that USB keeps for a host that does not read; a write beyond waits for `_BLOCKED_US`."""
_BLOCKED_US = 500_000

_EDGE_US = 530
"""For each button that changed in a reading of the pins."""
_GUARD_US = 170
"""For a look of the guard, which converts the motors' voltage: 1.46 times an edge, without the interrupt."""
_EXIT_US = 266
"""The interrupt of the light barrier with its handler: 2.2 times that of a button's edge, where a card ends."""


def _decode_us(frame, _line, _incoming):
    if frame is None:
        return 500
    if frame.message.name in ALWAYS:
        return 960 + 300 * len(frame.values)
    return 570 + 60 * len(frame.values) + 125 * len(FORM_OF[frame.message.name].choices)


def _encode_us(_line, _encoder, _session, _number, _ack, form, values):
    return 390 + 30 * len(values) + 220 * len(form.choices)


# Module, class (or ""), function, and µs: a number, or a function of the result and the arguments.
_COSTS = (
    ("pico.link", "Port", "read", lambda data, *_: 60 * len(data)),
    ("tablewire.frame", "", "decode", _decode_us),
    ("tablewire.frame", "Encoder", "encode", _encode_us),
    ("tablewire.channel", "", "encode_text", 990),
    ("tablewire.channel", "", "write", lambda text, *_: 260 + 285 * text.count(" ")),
    ("pico.link", "Port", "write", lambda taken, *_: 550 if taken else 0),
    ("pico.turntable", "Ramp", "__init__", 12_500),
    ("pico.turntable", "Ramp", "plan", lambda planned, *_: 3_000 + 120 * planned[0]),
    ("pico.ring", "Ring", "draw", 800),
    ("pico.app", "App", "_do_config", 32_000),
    ("pico.board", "", "collect", 6_500),
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
        world.work(us if isinstance(us, int) else us(result, *arguments))
        return result

    return costed


def _looking(world, look):
    def looked(buttons, ticks, levels):
        was = buttons.down
        look(buttons, ticks, levels)
        changed = was ^ buttons.down
        while changed:
            changed &= changed - 1
            world.work(_EDGE_US)

    return looked


def _guarding(world, look):
    def looked(guard):  # takes no `*arguments`: an interrupt handler calls it, which cannot allocate a tuple
        look(guard)
        world.work(_GUARD_US)

    return looked


def install(world, clog):
    """Let all functions of the table cost their time; to be called when the firmware has loaded its files."""
    for name, kind, function, us in _COSTS:
        module = sys.modules[name]
        place = getattr(module, kind) if kind else module
        mark = "costs " + kind + function
        if not hasattr(module, mark):  # the files of `tablewire` outlive a reset
            setattr(module, mark, True)
            setattr(place, function, _costing(world, getattr(place, function), us))
    buttons = sys.modules["pico.buttons"].Buttons
    buttons._look = _looking(world, buttons._look)
    guard = sys.modules["pico.safety"].Guard
    guard._look = _guarding(world, guard._look)
    world.busy_us[pin("exit").gpio] = _EXIT_US
    port = sys.modules["pico.link"].Port
    port.write = clog.on(port.write)
