"""Stand-in for MicroPython's `rp2`: state machines and DMA as far as the firmware uses them.

PIO programs are not executed instruction by instruction here. The mechanics get the words that DMA brings and act as
the program would. `tests/firmware` runs the same programs in an emulator of the PIO and compares.
"""

from simulation import mechanics


class PIO:
    """Constants of the real class."""

    OUT_LOW, OUT_HIGH = 2, 3
    SHIFT_LEFT, SHIFT_RIGHT = 0, 1
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2


def asm_pio(**_settings):
    """Make a program; only its name matters here."""
    return lambda program: program.__name__


class StateMachine:
    """A state machine; it works while it is active and has words."""

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
