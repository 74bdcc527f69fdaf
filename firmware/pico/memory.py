"""The memory that survives a reset: the last job and the count of its cards, in the watchdog's scratch registers.

The registers keep their words through a watchdog or soft reset and lose them with the power. The first word is a
checksum of the other two, so random words after power-up never count as a memory. (Registers 4 to 7 belong to
the boot ROM.)
"""

from micropython import const

from tablewire.messages import WHYS

_MAGIC = const(0x2A5C_71E3)

TURNING, FEEDING, ENDED = 1, 2, 3
"""Progress of the last job. While the turntable turns, no card can have passed. Once the feed motor has run, one
card more than counted may have passed, since a motor without power still coasts."""


def _nothing(_=None):
    pass


class Memory:
    """The last job. ``registers[0]`` to ``[2]`` are read and written as words.

    ``hold()`` keeps interrupts away until ``release(held)``: a card that passes amid the words of another record would
    leave a checksum of neither.

    No word is wider than 30 bits, so an interrupt handler can write it without allocating: asked 8, fed 8, state
    4, why 8, from the right.
    """

    def __init__(self, registers, hold=_nothing, release=_nothing):
        self._registers, self._hold, self._release = registers, hold, release
        job, cards = registers[1], registers[2]
        if registers[0] != _MAGIC ^ job ^ cards:
            job = cards = 0
        self.job = job
        self.asked = cards & 255
        self.fed = cards >> 8 & 255
        self.state = cards >> 16 & 15
        self._why = cards >> 20 & 255

    @property
    def why(self):
        """The reason for the end of the job, one of `WHYS`."""
        return WHYS[self._why]

    def begin(self, job, asked):
        """Record that a job begins: the turntable turns."""
        held = self._hold()
        self.job, self.asked, self.fed, self.state = job, asked, 0, TURNING
        self._write()
        self._release(held)

    def feeds(self):
        """Record that the feed motor is about to run."""
        held = self._hold()
        self.state = FEEDING
        self._write()
        self._release(held)

    def end(self, why):
        """Record that the job is over."""
        why = WHYS.index(why)
        held = self._hold()
        self.state, self._why = ENDED, why
        self._write()
        self._release(held)

    def count(self, fed):
        """Record the number of cards that have passed. Called by an interrupt handler: allocates nothing."""
        self.fed = fed
        self._write()

    def _write(self):
        cards = self.asked | self.fed << 8 | self.state << 16 | self._why << 20
        registers = self._registers
        registers[1] = self.job
        registers[2] = cards
        registers[0] = _MAGIC ^ self.job ^ cards
