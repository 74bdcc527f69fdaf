"""Stands in for MicroPython's `rp2`: state machines and DMA as far as the firmware uses them.

The programs are not run instruction by instruction here; what they do with the words that DMA brings is told to the
mechanics. `tests/firmware` runs the same programs in an emulator of the PIO and compares.
"""

from simulation import mechanics


class PIO:
    """Constants of the real one."""

    OUT_LOW, OUT_HIGH = 2, 3
    SHIFT_LEFT, SHIFT_RIGHT = 0, 1
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2


def asm_pio(**_settings):
    """A program is known by its name."""
    return lambda program: program.__name__


class StateMachine:
    """A state machine; it works while it is active and words arrive."""

    def __init__(self, number, program=None, **settings):
        self.number, self.program = number, program

    def init(self, program, **settings):
        self.program = program

    def active(self, on):
        mechanics.set_active(self.program, on)


class DMA:
    """A DMA channel from an array to a state machine."""

    def pack_ctrl(self, size, inc_write, treq_sel, bswap):
        return (size, inc_write, treq_sel, bswap)

    def config(self, read, write, count, ctrl, trigger):
        if ctrl != (2, False, write.number, False):
            raise ValueError("this is no transfer of words to that state machine")
        mechanics.transfer(write.program, read, count)

    def active(self, on):
        mechanics.stop_transfer()
