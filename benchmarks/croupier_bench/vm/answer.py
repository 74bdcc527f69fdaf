"""Runs in MicroPython's VM: the Pico's end of the line without a machine; with ``echo``, a plain echo.

Every command is answered by a `state`, except two. After `lamps` the seats of the five low bits press at once,
and those of the five high bits a millisecond later. `test` reports the Pico's ticks.
"""

import sys
import time
from select import POLLIN, poll

from tablewire.messages import TICKS


class Clock:
    """The Pico's clock; here the ticks never wrap by themselves."""

    ticks_us = staticmethod(lambda: time.ticks_us() % TICKS)
    ticks_ms = staticmethod(lambda: time.ticks_ms() % TICKS)


sys.modules["pico.clock"] = Clock
__import__("pico").clock = Clock

from pico.link import Link, Port  # noqa: E402

port = Port()
arrived = poll()
arrived.register(sys.stdin, POLLIN)


def echo():
    """Send every byte back."""
    while True:
        arrived.poll()
        data = port.read()
        while data:
            data = data[port.write(data) :]


def answer():
    """Answer every command."""
    link = Link(port, "micropython-unix", "SIMULATION", "power", Clock.ticks_us())
    while True:
        for name, values in link.poll():
            if name == "lamps":
                press(link, Clock.ticks_us(), *values)
            elif name == "test":
                ticks = Clock.ticks_us()
                link.report("tested", values[0], 1, ticks, ticks)
            else:
                link.report("state", "idle", 0, "filled", 0, 0, 0, link.lost)
        if link.is_new_session:
            link.report("state", "idle", 0, "filled", 0, 0, 0, link.lost)
        link.flush()
        arrived.poll(0 if link.is_busy else 5)


def press(link, ticks, mask):
    """Press seats 0 to 4 now, and seats 5 to 9 a millisecond later."""
    if mask & 31:
        link.report("press", ticks, mask & 31)
    if mask >> 5:
        link.report("press", (ticks + 1000) % TICKS, mask & ~31)


if sys.argv[1:] == ["echo"]:
    echo()
else:
    answer()
