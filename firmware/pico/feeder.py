"""The feed motor and the light barrier at the card exit: feeds cards and says which really passed.

The barrier's interrupt handler stamps each pulse, counts it, and stops the motor behind the last card: the gap to the
next one (some 20 ms) is too short for a loop. What the pulses mean is worked out afterwards, from the stamps: one card,
two at once, a card that stuck.
"""

from array import array
from math import exp

from micropython import const
from pico import clock

SPEED = const(1_200)
FULL_SPEED = const(1_430)
"""How fast a card leaves, as long as nothing else is configured, and how fast at most (mm/s)."""

CARD_MM = const(88)
SPIN_UP_US = 25_000
"""The time constant with which the motor reaches its speed: a first card passes more slowly."""


DOUBLE = 1.15
"""A pulse of more card lengths than that is more than one card."""

DOUBLE_GAP_US = const(5_000)
"""Cards that follow closer were fed together."""

CHATTER_US = const(400)
"""The barrier flickers no longer than this at the edge of a card."""

NO_CARD_MS = const(400)
"""The motor runs and no card comes for so long: a jam, or the hopper is empty."""

STUCK_MS = const(200)
"""A card covers the barrier for so long while the motor runs: it sticks."""

LONGEST_RUN_MS = const(5_000)
"""The feed motor never runs longer at a stretch; 40 cards take four seconds."""

REVERSE_MS = const(150)
"""How long the one reversal lasts that frees a jam."""

REST_MS = const(60)
"""So long after braking the motor stands still, and no card moves by itself. It also stands before it is reversed,
since a reversal of a running motor draws twice the stall current."""

MOST = 255
"""Most cards of one feeding."""

# What the interrupt handler keeps, in one array.
_COVERED, _LEAD, _TRAIL, _GAP, _PULSES, _TARGET, _COUNTS = range(7)


def _nothing(_):
    pass


class Pulse:
    """One pulse of the barrier: ``ticks`` of its leading edge, its length and the gap before it (µs), its ``cards``."""

    def __init__(self, ticks, pulse_us, gap_us, cards):
        self.ticks, self.pulse_us, self.gap_us, self.cards = ticks, pulse_us, gap_us, cards


class Feeder:
    """Feeds cards. ``motor``, ``way_out`` (the card exit) and ``hopper`` come from the board.

    ``state`` is "idle", or what it is about; ``fed`` counts the cards that have passed since `feed`.
    """

    def __init__(self, motor, way_out, hopper):
        self._motor, self._exit, self._hopper = motor, way_out, hopper
        self._on_pulse = self._on_count = _nothing
        self._kept = array("i", [0] * 7)
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
        """``on_pulse(pulse)`` is called for each pulse; ``on_count(n)`` by the interrupt handler, with the pulses of
        this feeding so far: it must not allocate."""
        self._on_pulse, self._on_count = on_pulse, on_count

    def set_speed(self, speed):
        """How fast cards leave from the next feeding on (mm/s); no faster than the motor can."""
        speed = min(speed, FULL_SPEED)
        self._duty = 65_535 * speed // FULL_SPEED
        self._card_us = CARD_MM * 1_000_000 // speed
        self._usual_us = self._card_us

    def at_exit(self, _pin):
        """A card comes or has gone. An interrupt handler: allocates nothing."""
        ticks = clock.ticks_us()
        kept = self._kept
        n = kept[_PULSES]
        if self._exit.is_on():
            if not kept[_COVERED]:
                kept[_COVERED] = 1
                gap = clock.ticks_diff(ticks, kept[_TRAIL])
                if n and gap < CHATTER_US:
                    kept[_PULSES] = n - 1  # the end of a card flickered: its pulse goes on
                else:
                    kept[_GAP] = gap if n else 0
                    kept[_LEAD] = ticks
        elif kept[_COVERED]:
            kept[_COVERED] = 0
            length = clock.ticks_diff(ticks, kept[_LEAD])
            if kept[_COUNTS] and length >= CHATTER_US and n < MOST:
                self._leads[n] = kept[_LEAD]
                self._lengths[n] = length
                self._gaps[n] = kept[_GAP]
                kept[_TRAIL] = ticks
                n += 1
                kept[_PULSES] = n
                self._on_count(n)
                if n >= kept[_TARGET]:
                    self._motor.brake()

    def feed(self, n):
        """Begin to feed ``n`` cards, 1 to 255."""
        kept = self._kept
        kept[_PULSES] = kept[_COUNTS] = 0
        kept[_COVERED] = self._exit.is_on()
        kept[_TARGET] = n
        kept[_COUNTS] = 1
        self._taken = self.fed = 0
        self._to_feed = n
        self._why = ""
        self._has_reversed = False
        self._began, self._began_us = clock.ticks_ms(), clock.ticks_us()
        self._enter("running")
        self._motor.forward(self._duty)

    def stop(self, why):
        """Stop at once, for that reason; nothing is reversed any more."""
        if self.state != "idle":
            self._motor.brake()
            self._why = why
            self._has_reversed = True
            self._enter("resting")

    def step(self):
        """Look after the motor. Returns None, or once why feeding has ended: "complete", "jam", "double-feed",
        "empty", "longest-run", or the reason given to `stop`."""
        self._take_pulses()
        if self.state == "idle":
            return None
        now = clock.ticks_ms()
        passed_ms = clock.ticks_diff(now, self._since)
        if self.state == "running":
            self._run(now, passed_ms)
        elif self.state == "resting" and passed_ms >= REST_MS:
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
            if clock.ticks_diff(clock.ticks_us(), kept[_LEAD]) > STUCK_MS * 1000:
                self._halt("jam")
        elif passed_ms > NO_CARD_MS:
            self._halt("jam" if self._hopper.is_on() else "empty")

    def _rest(self):
        """The motor stands. What sticks, or looks out of the exit, is pulled back once."""
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
        """What has passed since the last look, once it is sure that it does not flicker."""
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
            if at_speed_us > DOUBLE * self._usual_us:
                cards = max(2, round(at_speed_us / self._usual_us))
            elif gap_us >= DOUBLE_GAP_US or not at:
                # Rollers wear and supplies sag: what is usual follows slowly, and never far.
                usual_us = self._usual_us + (at_speed_us - self._usual_us) // 8
                self._usual_us = max(self._card_us * 3 // 4, min(self._card_us * 3 // 2, usual_us))
            if cards > 1 or (at and gap_us < DOUBLE_GAP_US):
                self._why = "double-feed"
            self.fed += cards
            self._on_pulse(Pulse(self._leads[at], pulse_us, gap_us, cards))

    def _spin_up_us(self, lead, pulse_us):
        """How much of a pulse is owed to the motor's not having had its full speed yet."""
        since = clock.ticks_diff(lead, self._began_us)
        return int(SPIN_UP_US * (exp(-since / SPIN_UP_US) - exp(-(since + pulse_us) / SPIN_UP_US)))
