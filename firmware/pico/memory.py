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


class Memory:
    """The last job. ``registers[0]`` to ``[2]`` are read and written as words.

    No word is wider than 30 bits, so an interrupt handler can write it without allocating: asked 8, fed 8, state
    4, why 8, from the right.
    """

    def __init__(self, registers):
        self._registers = registers
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
        self.job, self.asked, self.fed, self.state = job, asked, 0, TURNING
        self.count(0)

    def feeds(self):
        """Record that the feed motor is about to run."""
        self.state = FEEDING
        self.count(self.fed)

    def end(self, why):
        """Record that the job is over."""
        self.state, self._why = ENDED, WHYS.index(why)
        self.count(self.fed)

    def count(self, fed):
        """Record the number of cards that have passed. Called by an interrupt handler: allocates nothing."""
        self.fed = fed
        cards = self.asked | fed << 8 | self.state << 16 | self._why << 20
        registers = self._registers
        registers[1] = self.job
        registers[2] = cards
        registers[0] = _MAGIC ^ self.job ^ cards
