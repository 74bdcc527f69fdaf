"""Stand-in for `select`: waiting advances simulated time."""

import select as real
import sys

from simulation import world

POLLIN, POLLOUT = real.POLLIN, real.POLLOUT

_input = real.poll()
_input.register(sys.stdin, POLLIN)


def is_input_there():
    """True if bytes of the host can be read."""
    return bool(_input.poll(0))


class poll:  # the name in MicroPython
    """Waits for the host's bytes, or checks whether the host accepts any."""

    def register(self, stream, flags):
        self._poll = real.poll()
        self._poll.register(stream, flags)
        self._waits = flags == POLLIN

    def poll(self, ms):
        if self._waits:
            world.wait(ms * 1000, is_input_there)
        return self._poll.poll(0)

    def ipoll(self, _ms):
        return self._poll.poll(0)
