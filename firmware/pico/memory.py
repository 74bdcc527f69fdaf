"""What outlives a reset: the last job and how many of its cards have passed, in the watchdog's scratch registers.

They keep their words through a watchdog or soft reset and lose them with the power. The first word proves the other
two, so that what the power left there is never taken for a memory. (Registers 4 to 7 belong to the boot ROM.)
"""

from micropython import const

from tablewire.messages import WHYS

_MAGIC = const(0x2A5C_71E3)

TURNING, FEEDING, ENDED = 1, 2, 3
"""How far the last job is. While it turns, nothing can have passed; once the feed motor has run, a card may have passed
that nobody counted, since a motor without power still turns for a moment."""


class Memory:
    """The last job. ``registers[0]`` to ``[2]`` are read and written as words.

    No word is wider than 30 bits, so that an interrupt handler can write it without allocating: asked 8, fed 8, state
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
        """How the job ended, one of `WHYS`."""
        return WHYS[self._why]

    def begin(self, job, asked):
        """A job begins: the turntable is on its way."""
        self.job, self.asked, self.fed, self.state = job, asked, 0, TURNING
        self.count(0)

    def feeds(self):
        """The feed motor is about to run."""
        self.state = FEEDING
        self.count(self.fed)

    def end(self, why):
        """The job is over."""
        self.state, self._why = ENDED, WHYS.index(why)
        self.count(self.fed)

    def count(self, fed):
        """So many cards have passed. Called by an interrupt handler: allocates nothing."""
        self.fed = fed
        cards = self.asked | fed << 8 | self.state << 16 | self._why << 20
        registers = self._registers
        registers[1] = self.job
        registers[2] = cards
        registers[0] = _MAGIC ^ self.job ^ cards
