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

_MOST_SEGMENTS = 512


def half_us(speed):
    """Return the delay of each half step at this speed (µs), less what the program itself takes."""
    return max(1, min(65535, round((1_000_000 / speed - STEP_CYCLES) / 2)))


class Ramp:
    """Segments from standstill to top speed: the steps of each, and the duration of half a step."""

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
        self.top = half_us(top_speed)

    def plan(self, steps, words):
        """Write the segments of a move of ``steps`` steps into ``words``; returns their number and the duration
        (µs)."""
        counts, halves = self.counts, self.halves
        up = 0
        left = steps
        while up < len(counts) and left >= 2 * counts[up]:
            left -= 2 * counts[up]
            up += 1
        n = 0
        us = 0
        for at in range(2 * up + 1):
            if at < up:
                count, half = counts[at], halves[at]
            elif at == up:
                count, half = left, self.top if up == len(counts) else halves[max(0, up - 1)]
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
    """The turntable. ``stepper`` makes the pulses, ``home`` is the sensor under the magnet.

    ``steps``: the position, clockwise from the magnet as seen from above; None while it is unknown: after boot,
    and after a stop during a turn. ``is_turning``: True until the target is reached. ``drift``: how far from its
    place the magnet was met last (steps).
    """

    def __init__(self, stepper, home):
        self._stepper, self._home = stepper, home
        self.set_speed(TOP_SPEED, ACCELERATION)
        self._words = array("I", [0] * _MOST_SEGMENTS)
        self._n = self._us = self._began = 0
        self._met = array("i", [0, 0])  # was the magnet met in this move, and at which tick
        self._stops_at_magnet = False
        self._leg = ""
        self._goal = self._move = 0
        self._track = None
        self.steps = None
        self.is_turning = False
        self.drift = 0
        home.watch_coming(self.at_magnet)

    def set_speed(self, top_speed, acceleration):
        """Set the speed from the next turn on: revolutions per minute, rad/s²."""
        acceleration = acceleration * TURN_STEPS / (2 * pi)
        self._ramp = Ramp(acceleration, top_speed * TURN_STEPS / 60)
        self._search = Ramp(acceleration, SEARCH_SPEED)
        self._slow = Ramp(acceleration, HOMING_SPEED)

    def at_magnet(self, _pin):
        """Note that the magnet arrives at the sensor. Interrupt handler: allocates nothing."""
        met = self._met
        if not met[0]:
            met[1] = clock.ticks_us()
            met[0] = 1
            if self._stops_at_magnet:
                self._stepper.stop()

    def turn_to(self, steps):
        """Begin to turn; a table with an unknown position finds the magnet first."""
        if not -REACH <= steps <= REACH:
            raise ValueError("no such place")
        self._goal = steps
        if self.steps is None:
            self.drift = 0
            first = "left" if self._track is not None and self._track > 0 else "right"
            self._walk("away" if self._home.is_on() else first)
        elif steps != self.steps:
            self._begin(steps - self.steps, self._ramp)

    def find_home(self):
        """Begin to look for the magnet, and stop there."""
        self._track, self.steps = self.steps, None
        self.turn_to(0)

    def stop(self):
        """Stop at once. During a turn the position gets lost."""
        if self.is_turning:
            self._stepper.stop()
            self.is_turning = False
            self.steps = self._track = None
            self._leg = ""

    def step(self):
        """Go on with the turn. Returns the fault: "no-magnet", "lost-steps", or ""."""
        if not self.is_turning:
            return ""
        met = self._met[0]
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
            self.steps = 0
            self.turn_to(self._goal)
        else:
            steps, is_slow, _, _ = _LEGS[leg]
            self._begin(steps, self._slow if is_slow else self._search, leg != "away")
        return ""

    def _arrive(self):
        start = self._goal - self._move
        self.steps = self._goal
        passes_magnet = start < -LOST_STEPS and self._goal > LOST_STEPS
        if passes_magnet and (not self._met[0] or abs(start + self._moved()) > LOST_STEPS):
            self.steps = None
            return "lost-steps"
        return ""

    def _begin(self, steps, ramp, stops_at_magnet=False):
        self._move = steps
        self._n, self._us = ramp.plan(abs(steps), self._words)
        self._met[0] = 0
        self._stops_at_magnet = stops_at_magnet
        self.is_turning = True
        self._began = clock.ticks_us()
        self._stepper.run(steps > 0, self._words, self._n)

    def _moved(self):
        """Return the steps made when the magnet was met; clockwise counts up."""
        us = clock.ticks_diff(self._met[1], self._began)
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
