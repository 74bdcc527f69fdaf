"""The turntable: a rotor that follows the step pulses as long as the motor's torque suffices.

Angles are steps of the firmware (4800 a revolution), clockwise from the edge of the magnet's range. A rotor that would
need more torque stands still until the pulses are slow enough to follow again; those steps are lost.
"""

import math
import random

STEPS = 4800
INERTIA = 4e-3
"""Of the turntable with a full hopper (kg m²)."""
GEAR = 3
TORQUE, TORQUE_LOSS = 0.20, 0.00042
"""Torque of the motor at rest (N m), and its loss with each revolution per minute."""
PULL_IN = 700
"""Greatest speed to which the rotor can start from rest (steps/s)."""
STOPS_DEAD = 1000
"""Speed above which the rotor overshoots when the pulses end (steps/s)."""
MAGNET = 80
"""Width of the magnet's range; angles count from its edge (steps)."""
MARK_PITCH, MARK_FIRST, MARK_WIDTH = 200, 94, 92
"""The ring of marks: from one to the next, where the first begins, and how wide its range is (steps)."""
GLUED = (0, 5, -7, 3, 8, -4, -8, 6)
"""How far from their places magnets are glued, one after the other (steps)."""
CABLE = 2550
"""Range to either side, limited by the stop of the cable (steps)."""


PERIOD = 32
"""Period of the motor's field, four whole steps: by less it springs back (steps)."""
FRICTION = 11_000
"""Deceleration of a table that runs out: 0.06 N m of the motor's detents and the bearings (steps/s²)."""
RUN_OUT_PIECES = 6
"""Pieces of equal speed into which the way of a table that runs out is cut."""


def strength(speed, torque):
    """Return the greatest acceleration of the motor at a speed (steps/s, steps/s²)."""
    motor_rpm = speed * 60 / STEPS * GEAR
    newton_meters = max(0.0, (TORQUE - TORQUE_LOSS * motor_rpm) * torque) * GEAR
    return newton_meters / INERTIA * STEPS / (2 * math.pi)


def marks():
    """Return begin and end of each mark's range, as far as the cable lets the table turn and beyond."""
    around = CABLE // MARK_PITCH + 2
    places = [MARK_FIRST + MARK_PITCH * n + GLUED[n % len(GLUED)] for n in range(-around, around)]
    return tuple((begins, begins + MARK_WIDTH) for begins in places)


class Turning:
    """The rotor. ``settings``: angle (at the start), torque (fraction of the nominal torque)."""

    def __init__(self, world, settings, home_gpio, marks_gpio):
        self._world = world
        self._marks_gpio = marks_gpio
        self._sensors = ((home_gpio, ((0, MAGNET),)), (marks_gpio, marks()))
        self._rest = settings["angle"]
        self.torque = settings["torque"]
        self.is_held = False
        self.is_free = True
        """True while the motor has no current: pulses move nothing, a hand does."""
        self._pulses = []
        self._way = []
        self.is_running = False
        self._stopped_us = self._freed_us = 0
        self._show_magnets()

    def angle(self):
        """The position (steps)."""
        if not self._way:
            return self._rest
        return self._angle_at(min(self._world.now, self._stopped_us) if self._stopped_us else self._world.now)

    def run(self, clockwise, words, count):
        """Follow the first ``count`` segments of ``words``."""
        self.wake()
        self._settle()
        now = self._world.now
        sign = 1 if clockwise else -1
        pulses = []
        for n in range(count):
            steps, half = (words[n] >> 16) + 1, words[n] & 0xFFFF
            lasts = steps * (2 * half + 7)
            pulses.append((now, lasts, sign * steps))
            now += lasts + 3
        self._pulses = pulses
        self._follow([], pulses, self._rest, False)
        self.is_running = True

    def stop(self):
        """End the pulses. Interrupt handlers call it."""
        if self.is_running and not self._stopped_us:
            self._stopped_us = self._world.now
        self.is_running = False

    def let_go(self, is_free):
        """Take the motor's current away, or give it. Interrupt handlers call it."""
        if is_free and not self.is_free:
            self._freed_us = self._world.now
        elif self.is_free and not is_free and self._way and not self._stopped_us:
            self._stopped_us = self._world.now  # the motor catches a table that still ran out
        self.is_free = is_free

    def wake(self):
        """Let a table that was let go in motion run out, against friction and the motor's detents."""
        freed_us, self._freed_us = self._freed_us, 0
        if not freed_us or not self._way or (self._stopped_us and self._stopped_us != freed_us):
            return
        speed, at = self._speed_at(freed_us), self._angle_at(freed_us)
        if not speed:
            return
        self._pulses = []
        self._stopped_us = 0
        self._way = way = []
        lasts = abs(speed) / FRICTION * 1e6 / RUN_OUT_PIECES
        for n in range(RUN_OUT_PIECES):
            share = 1 - (n + 0.5) / RUN_OUT_PIECES
            at = self._piece(int(freed_us + n * lasts), int(lasts), at, at + speed * share * lasts / 1e6)
        self._begin(way)

    def hold(self, is_held):
        """Hold the rotor fast, or release it."""
        self.is_held = is_held

    def blind_marks(self):
        """Unplug the hall switch of the marks: it shows none from now on."""
        self._sensors = (self._sensors[0],)
        self._world.set_level(self._marks_gpio, 1)

    def weaken(self, torque):
        """Let the motor have this fraction of its torque from the next turn on."""
        self.torque = torque

    def turn_by_hand(self, angle):
        """Turn the rotor to an angle, whatever the motor does."""
        self.wake()
        self._settle()
        self._pass(angle)

    def shove(self, steps):
        """Push the table by so many steps. A motor with current gives way by whole periods of its field only; one that
        turns falls out of step, and follows again when the pulses are slow enough."""
        self.wake()
        now, at = self._world.now, self.angle()
        if not self.is_free:
            steps = round(steps / PERIOD) * PERIOD
        goal = max(-CABLE, min(CABLE, at + steps))
        if self.is_free or not self.is_running:
            self._settle()
            self._pass(goal)
        elif goal != at:
            left = [one for one in self._pulses if one[0] + one[1] > now]
            self._pass(goal)
            ends = left[0][0] + left[0][1] if left else now
            self._follow([(now, ends, goal, goal)], left[1:], goal, True)

    def slip(self, steps):
        """Let the belt slip by a number of steps while the rotor stands."""
        self.turn_by_hand(self.angle() + steps)

    def _follow(self, way, pulses, at, is_lost):
        """Follow these pulses from ``at``; ``is_lost``: the rotor is out of step."""
        self._way = way
        self._stopped_us = 0
        speed_before, lasted_before = 0.0, 0.0
        for begins, lasts, steps in pulses:
            speed = abs(steps) * 1e6 / lasts
            if speed <= PULL_IN:
                is_lost = False
            else:
                asked = abs(speed - speed_before) * 2e6 / (lasts + lasted_before)
                is_lost = is_lost or asked > strength(speed, self.torque)
            moves = not (is_lost or self.is_held or self.is_free)
            at = self._piece(begins, lasts, at, at + steps if moves else at)
            speed_before, lasted_before = speed, lasts
        self._begin(way)

    def _piece(self, begins, lasts, at, goal):
        """Add a motion to the way, as far as the cable lets the table turn; returns where it ends."""
        end = max(-CABLE, min(CABLE, goal))
        moves = lasts if end == goal else int(lasts * abs(end - at) / abs(goal - at))
        self._way.append((begins, begins + moves, at, end))
        self._way.append((begins + moves, begins + lasts + 3, end, end))
        for gpio, edge, is_on in self._edges(at, end):
            after = int(moves * (edge - at) / (end - at))
            self._world.at(begins + after, self._feel, self._way, gpio, is_on)
        return end

    def _begin(self, way):
        self._world.at(way[-1][1] if way else self._world.now, self._end, way)

    def _end(self, way):
        if way is self._way:
            self.is_running = False
            if way and not self._stopped_us and not self._freed_us:  # the whole way was gone: nobody asks for it again
                self._rest, self._way, self._pulses = way[-1][3], [], []

    def _settle(self):
        goal = self.angle()
        if self._stopped_us and self._way:
            speed = self._speed_at(self._stopped_us)
            if abs(speed) > STOPS_DEAD:
                goal += speed * random.uniform(0.001, 0.004)
        self._pass(goal)
        self._stopped_us = 0

    def _angle_at(self, us):
        for begins, ends, first, last in self._way:
            if us < ends:
                return first + (last - first) * (us - begins) / (ends - begins)
        return self._way[-1][3]

    def _speed_at(self, us):
        for begins, ends, first, last in self._way:
            if begins <= us < ends:
                return (last - first) * 1e6 / (ends - begins)
        return 0.0

    def _edges(self, first, last):
        """Return the edges of magnets on the way from ``first`` to ``last``, in their order: pin, position, and
        whether the magnet begins there."""
        met = []
        for gpio, magnets in self._sensors:
            for ends in magnets:
                for is_end, edge in enumerate(ends):
                    if first < edge <= last or last <= edge < first:
                        met.append((abs(edge - first), gpio, edge, (last > first) != bool(is_end)))
        return [one[1:] for one in sorted(met)]

    def _feel(self, way, gpio, is_on):
        if way is self._way and not self._stopped_us:
            self._world.set_level(gpio, 0 if is_on else 1)

    def _pass(self, goal):
        """Go to ``goal`` in an instant, past the magnets on the way."""
        first = self.angle()
        self._way, self._rest = [], goal
        for gpio, _, is_on in self._edges(first, goal):
            self._world.set_level(gpio, 0 if is_on else 1)
        self._show_magnets()

    def _show_magnets(self):
        at = self.angle()
        for gpio, magnets in self._sensors:
            self._world.set_level(gpio, 0 if any(begins <= at < ends for begins, ends in magnets) else 1)
