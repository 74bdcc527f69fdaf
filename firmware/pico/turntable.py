"""The turntable: turns the shoe to a seat by step pulses, and finds its position at the magnet.

A move is planned as segments of equal speed, which a PIO program runs by itself (`pico.pio`), without the
processor. The acceleration is constant, so a segment that begins s steps after standstill runs at √(2·a·s). The
cable lets the table turn half a revolution to either side of the magnet, never all the way round.
"""

from array import array
from math import pi, sqrt

from pico import clock
from pico.pio import SEGMENT_CYCLES, STEP_CYCLES

from tablewire.messages import TURN_STEPS

REACH = TURN_STEPS // 2 + TURN_STEPS // 36
"""Farthest turn from the magnet that the cable allows, with 10° to spare for homing (steps)."""

ACCELERATION = 40
"""Acceleration (rad/s²): a third of what the motor can do."""

TOP_SPEED = 80
"""Top speed (revolutions of the table per minute); above it the motor's torque falls."""

SEARCH_SPEED = 2_400
HOMING_SPEED = 500
"""Speed at which the magnet is searched, before it is approached slowly (steps/s)."""

OFF_MAGNET = TURN_STEPS // 18
"""Distance before the magnet from which the table approaches slowly: 20° (steps)."""

LOST_STEPS = TURN_STEPS // 180
"""A magnet that is met this far from its place shows that steps were lost: 2° (steps)."""

# The way home: steps to go, whether slowly, and the leg that follows where the magnet was met, and where it was not:
# then the cable's stop ended the leg. It is always measured clockwise.
_LEGS = {
    "right": (2 * REACH, False, "away", "then left"),
    "left": (-2 * REACH, False, "away", "then right"),
    "then right": (2 * REACH, False, "away", "no-magnet"),
    "then left": (-2 * REACH, False, "away", "no-magnet"),
    "away": (-OFF_MAGNET, False, "slowly", "slowly"),
    "slowly": (2 * OFF_MAGNET, True, "home", "no-magnet"),
}

SETTLE_US = 150_000
"""Time after the current is switched on until the motor turns: the driver first measures the motor at rest (130 ms,
data sheet of the TMC2209, automatic tuning)."""

LET_GO_MS = 30_000
"""Time at rest after which the motor is let go."""

_MOST_SEGMENTS = 512
_MET, _AT, _IS_SEEN = range(3)


def half_us(speed):
    """Return the delay of each half step at this speed (µs), less what the program itself takes."""
    return max(1, min(65535, round((1_000_000 / speed - STEP_CYCLES) / 2)))


class Ramp:
    """Segments from standstill to ``top_speed`` (steps/s): the steps of each, and the duration of half a step."""

    def __init__(self, acceleration, top_speed):
        self.counts = array("H")
        self.halves = array("H")
        done = 0
        count = 1
        while True:
            speed = sqrt(2 * acceleration * (done + count / 2))
            if speed >= top_speed:
                break
            self.counts.append(count)
            self.halves.append(half_us(speed))
            done += count
            count = 1 + len(self.counts) // 4

    def plan(self, steps, speed, words):
        """Write the segments of a move of ``steps`` steps at most at ``speed`` (steps/s) into ``words``; returns their
        number and the duration (µs)."""
        counts, halves, top = self.counts, self.halves, half_us(speed)
        up = 0
        left = steps
        while up < len(counts) and halves[up] > top and left >= 2 * counts[up]:
            left -= 2 * counts[up]
            up += 1
        n = 0
        us = 0
        for at in range(2 * up + 1):
            if at < up:
                count, half = counts[at], halves[at]
            elif at == up:
                is_at_speed = up == len(counts) or halves[up] <= top
                count, half = left, top if is_at_speed else halves[max(0, up - 1)]
            else:
                count, half = counts[2 * up - at], halves[2 * up - at]
            if count:
                words[n] = half | count - 1 << 16
                n += 1
                us += segment_us(count, half)
        return n, us


def segment_us(count, half):
    """Return the duration of a segment."""
    return SEGMENT_CYCLES + count * (2 * half + STEP_CYCLES)


class Turntable:
    """The turntable. ``stepper`` makes the pulses, ``home`` is the sensor under the magnet, ``marks`` watch every turn.

    ``steps``: the position, clockwise from the magnet as seen from above; None while it is unknown: after boot,
    and after a stop during a turn. ``is_turning``: True until the target is reached. ``drift``: how far from its
    place the magnet was met last (steps).
    """

    def __init__(self, stepper, home, marks):
        self._stepper, self._home, self._marks = stepper, home, marks
        self._asked = (0, 0)
        self.set_speed(TOP_SPEED, ACCELERATION)
        self._words = array("I", [0] * _MOST_SEGMENTS)
        self._n = self._us = self._began = 0
        self._met = array("i", [0, 0, 0])  # was the magnet's edge met in this move, at which tick, was the magnet seen
        self._stops_at_magnet = self._leaves = self._settles = False
        self._rests_ms = clock.ticks_ms()
        self._leg = ""
        self._goal = self._move = 0
        self._track = None
        self.steps = None
        self.is_turning = False
        self.drift = 0
        home.watch(self.at_magnet)

    def set_speed(self, top_speed, acceleration):
        """Set the speed from the next turn on: revolutions per minute, rad/s²."""
        if self._asked != (top_speed, acceleration):
            self._asked = (top_speed, acceleration)
            self._top_speed = top_speed * TURN_STEPS / 60
            self._ramp = Ramp(acceleration * TURN_STEPS / (2 * pi), max(self._top_speed, SEARCH_SPEED))

    def at_magnet(self, _pin):
        """Note when the sensor meets the edge of the magnet that is at position 0: clockwise the magnet begins there,
        the other way it ends. Interrupt handler: allocates nothing."""
        ticks, met = clock.ticks_us(), self._met
        is_on, was_seen = self._home.is_on(), met[_IS_SEEN]
        if is_on:
            met[_IS_SEEN] = 1
        if not met[_MET] and (was_seen and not is_on if self._leaves else is_on):
            met[_AT] = ticks
            met[_MET] = 1
            if self._stops_at_magnet:
                self._stepper.stop()

    def turn_to(self, steps):
        """Begin to turn; a table with an unknown position finds the magnet first."""
        if not -REACH <= steps <= REACH:
            raise ValueError("no such place")
        self._goal = steps
        self._rests_ms = clock.ticks_ms()
        self._is_pushed()
        if self.steps is None:
            self.drift = 0
            first = "left" if self._track is not None and self._track > 0 else "right"
            self._walk("away" if self._home.is_on() else first)
        elif steps != self.steps:
            self._begin(steps - self.steps, self._top_speed)

    def find_home(self):
        """Begin to look for the magnet, and stop there."""
        self.doubt()
        self.turn_to(0)

    def stop(self):
        """Stop at once and let the motor go. During a turn the position gets lost."""
        self._stepper.off()
        if self.is_turning:
            self.is_turning = False
            self.steps = self._track = None
            self._leg = ""
        self.doubt()

    def doubt(self):
        """Find the magnet before the next turn: the table may have been turned by hand."""
        if self.steps is not None and not self.is_turning:
            self._track, self.steps = self.steps, None

    def step(self):
        """Go on with the turn. Returns the fault: "no-magnet", "lost-steps", "pushed" (at rest, by a hand), or ""."""
        if not self.is_turning:
            if self._is_pushed():
                return "pushed"
            if self._stepper.is_on and clock.ticks_diff(clock.ticks_ms(), self._rests_ms) > LET_GO_MS:
                self.stop()
            return ""
        self._rests_ms = clock.ticks_ms()
        if self._settles:
            if clock.ticks_diff(clock.ticks_us(), self._began) >= SETTLE_US:
                self._run()
            return ""
        met = self._met[_MET]
        is_through = clock.ticks_diff(clock.ticks_us(), self._began) >= self._us
        if not is_through and not (met and self._stops_at_magnet):
            return ""
        self.is_turning = False
        if not self._leg:
            return self._arrive()
        if self._stops_at_magnet and not met:
            if self._track is not None:
                self.drift = REACH  # it is not even on the side where it should be
            self._track = None
        elif self._track is not None:
            self._track += self._moved() if self._stops_at_magnet else self._move
        return self._walk(_LEGS[self._leg][2 if met else 3])

    def _is_pushed(self):
        """Find out whether a hand turned the resting table; then its position is in doubt."""
        if self.steps is None or not self._marks.is_pushed(self.steps):
            return False
        self.doubt()
        return True

    def _walk(self, leg):
        self._leg = leg
        if leg == "no-magnet":
            self._leg = ""
            return leg
        if leg == "home":
            self._leg = ""
            if self._track is not None:
                self.drift = self._track
            self._track = None
            if not self._marks.agree(-self._moved(), 0, self._steps_at):
                return "lost-steps"  # a hand pushed it past the magnet
            self.steps = 0
            self._marks.begin()
            self.turn_to(self._goal)
        else:
            steps, is_slow, _, _ = _LEGS[leg]
            self._begin(steps, HOMING_SPEED if is_slow else SEARCH_SPEED, leg != "away")
        return ""

    def _arrive(self):
        start = self._goal - self._move
        self.steps = self._goal
        passes_magnet = min(start, self._goal) < -LOST_STEPS and max(start, self._goal) > LOST_STEPS
        is_lost = passes_magnet and (not self._met[_MET] or abs(start + self._moved()) > LOST_STEPS)
        is_lost = is_lost or not self._marks.agree(start, self._goal, self._steps_at)
        self._marks.begin()
        if is_lost:
            self.steps = None
            return "lost-steps"
        return ""

    def _begin(self, steps, speed, stops_at_magnet=False):
        self._move = steps
        self._n, self._us = self._ramp.plan(abs(steps), speed, self._words)
        self._met[_MET], self._met[_IS_SEEN] = 0, self._home.is_on()
        self._stops_at_magnet, self._leaves = stops_at_magnet, steps < 0 and not stops_at_magnet
        self.is_turning = True
        self._marks.begin()
        self._settles = not self._stepper.is_on
        if self._settles:
            self._began = clock.ticks_us()
            self._stepper.on()
        else:
            self._run()

    def _run(self):
        self._settles = False
        self._began = clock.ticks_us()
        self._stepper.run(self._move > 0, self._words, self._n)

    def _moved(self):
        """Return the steps made when the magnet's edge was met; clockwise counts up."""
        return self._steps_at(self._met[_AT])

    def _steps_at(self, ticks):
        """Return the steps of this turn made until then; clockwise counts up."""
        us = clock.ticks_diff(ticks, self._began)
        steps = 0
        for at in range(self._n):
            word = self._words[at]
            count, half = (word >> 16) + 1, word & 0xFFFF
            whole = segment_us(count, half)
            if us < whole:
                steps += us * count // whole
                break
            us -= whole
            steps += count
        return steps if self._move > 0 else -steps
