"""Runs in MicroPython's VM: prints what a frame of sixty lights costs in each mode, in µs of an RP2040 at 125 MHz.

Scaled: this machine's time, over its time for two operations whose cost on that processor is known. The worse counts.
"""

import json
import time

from pico.ring import Ring

JSON_US = 163
"""`json.dumps` of three keys on an RP2040."""
FORMAT_US = 121
"""`"%d"` of six digits on it."""
MODES = (("play", 0), ("challenge", 0), ("penalty", 60), ("choose", 1023), ("fault", 0))
ROUNDS = 20


class Lights:
    """Lights that cost nothing."""

    def show(self, buffer):
        """Take a frame."""


def cost(act, n):
    """Return the processor time (s) of one of ``n`` calls."""
    began = time.clock()
    for _ in range(n):
        act()
    return (time.clock() - began) / n


document = {"a": 1, "b": 2, "c": 3}
ring = Ring(Lights(), 60)
for seat in range(10):
    ring.place(seat, 360 * seat)
yard = [1e9, 1e9]
frames = {mode: 1e9 for mode, _ in MODES}
# Known operations and frames in turn: another program that comes and goes disturbs both.
for _ in range(ROUNDS):
    yard[0] = min(yard[0], cost(lambda: json.dumps(document), 5000) / JSON_US)
    yard[1] = min(yard[1], cost(lambda: "%d" % 123456, 5000) / FORMAT_US)  # noqa: UP031 (this one was measured)
    for mode, amount in MODES:
        ring.show(0, "left", "blue", mode, amount)
        frames[mode] = min(frames[mode], cost(lambda: ring.draw(700), 250))
print(json.dumps({mode: seconds / min(yard) for mode, seconds in frames.items()}))
