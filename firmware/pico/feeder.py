"""The feed motor and the light barrier at the card exit: feeds cards and counts those that really passed.

The barrier's interrupt handler stamps and counts each pulse, and stops the motor after the last card: the gap to
the next card (about 20 ms) is too short for the main loop. The stamps are interpreted afterwards: one card, two
at once (a double feed), or a card that stuck (a jam).
"""

from array import array
from math import exp

from micropython import const
from pico import clock

SPEED = const(1_200)
FULL_SPEED = const(1_430)
"""Speed of a leaving card (mm/s): the default, and the maximum."""

CARD_MM = const(88)
SPIN_UP_US = 25_000
"""Time constant of the motor's start (µs): a first card passes more slowly."""


DOUBLE = 1.15
"""A pulse longer than this many card lengths is more than one card."""

SHORT = 0.5
"""A pulse shorter than this many card lengths is no card: one that only looked out, a finger, dust. The motor cannot
drive a card through so quickly."""

DOUBLE_GAP_US = const(5_000)
"""Cards with a smaller gap were fed together."""

CHATTER_US = const(400)
"""Longest flicker of the barrier at the edge of a card."""

NO_CARD_MS = const(400)
"""Time that the motor runs without a card before it is a jam or an empty hopper."""

STUCK_MS = const(200)
"""Time that a card covers the barrier while the motor runs before the card counts as stuck."""

_STUCK_US = const(1000 * STUCK_MS)

LONGEST_RUN_MS = const(5_000)
"""Longest run of the feed motor; 40 cards take four seconds."""

REVERSE_MS = const(150)
"""Duration of the one reversal that frees a jam."""

REST_MS = const(60)
"""Time after braking until the motor stands and no card moves by itself. The motor also rests before it is
reversed, since reversing a running motor draws twice the stall current."""

MOST = 255
"""Maximum number of cards of one feed."""

# What the interrupt handler keeps, in one array.
_COVERED, _LEAD, _TRAIL, _GAP, _PULSES, _TARGET, _COUNTS, _LEAST, _IS_PIECE, _AGAIN = range(10)


def _nothing(_):
    pass


class Pulse:
    """One pulse of the barrier: ``ticks`` of its leading edge, its length and the gap before it (µs), and its
    ``cards``."""

    def __init__(self, ticks, pulse_us, gap_us, cards):
        self.ticks, self.pulse_us, self.gap_us, self.cards = ticks, pulse_us, gap_us, cards


class Feeder:
    """Feeds cards. ``motor``, ``way_out`` (the card exit) and ``hopper`` come from the board.

    ``state``: "idle", or the present action. ``fed``: cards that have passed since `feed`.
    """

    def __init__(self, motor, way_out, hopper):
        self._motor, self._exit, self._hopper = motor, way_out, hopper
        self._on_pulse = self._on_count = _nothing
        self._kept = array("i", [0] * 10)
        self._leads = array("i", [0] * MOST)
        self._lengths = array("i", [0] * MOST)
        self._gaps = array("i", [0] * MOST)
        self._taken = 0
        self._why = ""
        self._has_reversed = False
        self._began = self._began_us = self._since = 0
        self._to_feed = 0
        self.fed = 0
        self.state = "idle"
        self.set_speed(SPEED)
        way_out.watch(self.at_exit)

    def listen(self, on_pulse, on_count):
        """Set the callbacks. ``on_pulse(pulse)`` is called for each pulse, ``on_count(n)`` by the interrupt handler
        with the pulses of this feed so far; it must not allocate."""
        self._on_pulse, self._on_count = on_pulse, on_count

    def set_speed(self, speed):
        """Set the speed of leaving cards (mm/s) from the next feed on, at most what the motor can do."""
        speed = min(speed, FULL_SPEED)
        self._duty = 65_535 * speed // FULL_SPEED
        self._card_us = CARD_MM * 1_000_000 // speed
        self._usual_us = self._card_us

    def at_exit(self, _pin):
        """Stamp an edge of the barrier. Interrupt handler: allocates nothing."""
        ticks = clock.ticks_us()
        kept = self._kept
        n = kept[_PULSES]
        if self._exit.is_on():
            if not kept[_COVERED]:
                kept[_COVERED] = 1
                gap = clock.ticks_diff(ticks, kept[_TRAIL])
                if kept[_IS_PIECE] and gap < DOUBLE_GAP_US:
                    kept[_AGAIN] = ticks  # perhaps both are pieces of a card that let light through
                elif n and gap < CHATTER_US and not kept[_IS_PIECE]:
                    kept[_PULSES] = n - 1  # the end of a card flickered: its pulse goes on
                else:
                    kept[_GAP] = gap if n else 0
                    kept[_LEAD] = kept[_AGAIN] = ticks
        elif kept[_COVERED]:
            kept[_COVERED] = 0
            if clock.ticks_diff(ticks, kept[_AGAIN]) < CHATTER_US:
                return
            if kept[_AGAIN] != kept[_LEAD] and clock.ticks_diff(ticks, kept[_AGAIN]) >= kept[_LEAST]:
                kept[_LEAD] = kept[_AGAIN]  # a whole card: what came just before it was something else
                kept[_GAP] = DOUBLE_GAP_US if n else 0
            length = clock.ticks_diff(ticks, kept[_LEAD])
            kept[_TRAIL] = ticks
            kept[_IS_PIECE] = length < kept[_LEAST]
            if kept[_COUNTS] and not kept[_IS_PIECE] and n < MOST:
                self._leads[n] = kept[_LEAD]
                self._lengths[n] = length
                self._gaps[n] = kept[_GAP]
                n += 1
                kept[_PULSES] = n
                self._on_count(n)
                if n >= kept[_TARGET]:
                    self._motor.brake()

    def find_jam(self):
        """Stop the motor if a card covers the exit for too long. A timer's interrupt handler calls this, since the main
        loop may wait for a host that does not read: allocates nothing."""
        kept = self._kept
        if kept[_COUNTS] and kept[_COVERED] and clock.ticks_diff(clock.ticks_us(), kept[_LEAD]) > _STUCK_US:
            self._motor.brake()

    def feed(self, n):
        """Begin to feed ``n`` cards, 1 to 255."""
        kept = self._kept
        kept[_PULSES] = kept[_COUNTS] = kept[_IS_PIECE] = 0
        kept[_COVERED] = self._exit.is_on()
        kept[_TARGET] = n
        kept[_LEAST] = int(SHORT * self._card_us)
        kept[_COUNTS] = 1
        self._taken = self.fed = 0
        self._to_feed = n
        self._why = ""
        self._has_reversed = False
        self._began, self._began_us = clock.ticks_ms(), clock.ticks_us()
        self._enter("running")
        self._motor.forward(self._duty)

    def stop(self, why):
        """Stop at once for this reason, without a reversal."""
        if self.state != "idle":
            self._motor.brake()
            if self._why != "in-doubt":  # which stays so, whatever stops the motor
                self._why = why
            self._has_reversed = True
            self._enter("resting")

    def step(self):
        """Run the motor. Returns None, or once the reason for the end of the feed: "complete", "jam",
        "double-feed", "empty", "longest-run", "in-doubt" (a person must count), or the reason given to `stop`."""
        self._take_pulses()
        if self.state == "idle":
            return None
        now = clock.ticks_ms()
        passed_ms = clock.ticks_diff(now, self._since)
        if self.state == "running":
            self._run(now, passed_ms)
        elif self.state == "resting" and passed_ms >= (STUCK_MS if self._exit.is_on() else REST_MS):
            return self._rest()
        elif self.state == "reversing" and passed_ms >= REVERSE_MS:
            self._motor.brake()
            self._enter("resting")
        return None

    def _run(self, now, passed_ms):
        kept = self._kept
        if kept[_PULSES] >= self._to_feed or self._why:
            self._halt(self._why)
        elif clock.ticks_diff(now, self._began) > LONGEST_RUN_MS:
            self._halt("longest-run")
        elif kept[_COVERED]:
            if clock.ticks_diff(clock.ticks_us(), kept[_LEAD]) > _STUCK_US:
                self._halt("jam")
        elif passed_ms > NO_CARD_MS:
            self._halt("jam" if self._hopper.is_on() else "empty")

    def _rest(self):
        """End the rest: a card that flew has passed. One that sticks or looks out of the exit is pulled back once."""
        is_out = self._exit.is_on()
        if (self._why == "jam" or is_out) and not self._has_reversed:
            self._has_reversed = True
            self._kept[_COUNTS] = 0
            self._enter("reversing")
            self._motor.back(self._duty)
            return None
        self._kept[_COUNTS] = 0
        self._motor.off()
        self.state = "idle"
        return self._why or ("jam" if is_out else "complete")

    def _halt(self, why):
        self._motor.brake()
        self._why = why
        self._enter("resting")

    def _enter(self, state):
        self.state = state
        self._since = clock.ticks_ms()

    def _take_pulses(self):
        """Interpret the pulses since the last step that can no longer be flicker."""
        while self._taken < self._kept[_PULSES]:
            at = self._taken
            if clock.ticks_diff(clock.ticks_us(), self._kept[_TRAIL]) < CHATTER_US and at + 1 == self._kept[_PULSES]:
                return
            self._taken += 1
            if self.state == "running":
                self._since = clock.ticks_ms()
            pulse_us, gap_us = self._lengths[at], self._gaps[at]
            at_speed_us = pulse_us - self._spin_up_us(self._leads[at], pulse_us)
            cards = 1
            if at_speed_us > DOUBLE * self._usual_us and self._why:
                self._why = "in-doubt"  # two cards, or one that a stopping motor let pass slowly
            elif at_speed_us > DOUBLE * self._usual_us:
                cards = max(2, round(at_speed_us / self._usual_us))
            elif SHORT * self._usual_us < at_speed_us and (gap_us >= DOUBLE_GAP_US or not at):
                # Rollers wear and supplies sag: what is usual follows slowly, and never far.
                usual_us = self._usual_us + (at_speed_us - self._usual_us) // 8
                self._usual_us = max(self._card_us * 3 // 4, min(self._card_us * 3 // 2, usual_us))
            if self._why != "in-doubt" and (cards > 1 or (at and gap_us < DOUBLE_GAP_US)):
                self._why = "double-feed"
            self.fed += cards
            self._on_pulse(Pulse(self._leads[at], pulse_us, gap_us, cards))

    def _spin_up_us(self, lead, pulse_us):
        """Return how much of a pulse (µs) is due to the motor's start."""
        since = clock.ticks_diff(lead, self._began_us)
        return int(SPIN_UP_US * (exp(-since / SPIN_UP_US) - exp(-(since + pulse_us) / SPIN_UP_US)))
