"""The two PIO programs, which run without the processor.

They have a module of their own because `rp2.asm_pio` lends its functions names (`set`, `pull`, `wrap`) that mean
other things elsewhere.
"""

from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *  # the names of the instructions

STEP_HZ = 1_000_000
"""Clock of the stepper's program: one cycle is a microsecond."""

SEGMENT_CYCLES = 3
STEP_CYCLES = 7
"""Cycles that a segment and each of its steps take besides the two half steps."""

RING_HZ = 8_000_000
"""Clock of the ring's program: ten cycles are one bit of a WS2812, 1.25 µs."""


# Reads a word for each segment: the lower half is how long each half of a step waits (µs), the upper the steps less
# one.
@asm_pio(set_init=PIO.OUT_LOW, out_shiftdir=PIO.SHIFT_RIGHT, fifo_join=PIO.JOIN_TX)
def steps():
    """Make the step pulses of each segment at the segment's speed."""
    wrap_target()
    pull(block)
    out(isr, 16)
    out(x, 16)
    label("step")
    set(pins, 1)
    mov(y, isr)
    label("high")
    jmp(y_dec, "high")
    set(pins, 0)
    mov(y, isr)
    label("low")
    jmp(y_dec, "low")
    jmp(x_dec, "step")
    wrap()


# Reads a word for each light, green red blue from the top: 3 cycles high, 4 as the bit is, 3 low (data sheet WS2812B).
@asm_pio(
    sideset_init=PIO.OUT_LOW,
    out_shiftdir=PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=24,
    fifo_join=PIO.JOIN_TX,
)
def lights():
    """Send the colors of the ring; after a pause of 50 µs or more the lights show them."""
    wrap_target()
    label("bit")
    out(x, 1).side(0)[2]
    jmp(not_x, "zero").side(1)[2]
    jmp("bit").side(1)[3]
    label("zero")
    nop().side(0)[3]
    wrap()
