"""The turntable: a rotor that follows the step pulses as long as the motor's torque is enough for them.

Angles are steps of the firmware (4800 a revolution), clockwise from where the sensor begins to feel the
magnet. A rotor that is asked for more than its
torque gives stands still until the pulses are slow enough to be followed again: those steps are lost.
"""

import math
import random

STEPS = 4800
INERTIA = 4e-3
"""Of the turntable with a full hopper (kg m²)."""
GEAR = 3
TORQUE, TORQUE_LOSS = 0.20, 0.00042
"""Of the motor at rest (N m), and what it loses with each revolution a minute."""
PULL_IN = 700
"""Speed that the rotor follows from rest (steps/s)."""
STOPS_DEAD = 1000
"""From above this speed the rotor runs on when the pulses end (steps/s)."""
MAGNET = 80
"""So far the sensor feels the magnet, whose edge is where angles are counted from (steps)."""
CABLE = 2550
"""So far it turns to either side before the cable's stop holds it (steps)."""


def strength(speed, torque):
    """The acceleration that the motor can give at a speed (steps/s, steps/s²)."""
    motor_rpm = speed * 60 / STEPS * GEAR
    newton_meters = max(0.0, (TORQUE - TORQUE_LOSS * motor_rpm) * torque) * GEAR
    return newton_meters / INERTIA * STEPS / (2 * math.pi)


class Turning:
    """The rotor. ``settings``: angle (where it stands at the start), torque (1: all of it)."""

    def __init__(self, world, settings, home_gpio):
        self._world, self._home = world, home_gpio
        self._rest = settings["angle"]
        self.torque = settings["torque"]
        self.is_held = False
        self._way = []
        self.is_running = False
        self._stopped_us = 0
        self._show_magnet()

    def angle(self):
        """Where it stands (steps)."""
        if not self._way:
            return self._rest
        return self._angle_at(min(self._world.now, self._stopped_us) if self._stopped_us else self._world.now)

    def run(self, clockwise, words, count):
        """Follow the first ``count`` segments of ``words``."""
        self._settle()
        at, now = self._rest, self._world.now
        sign = 1 if clockwise else -1
        speed_before, lasted_before = 0.0, 0.0
        is_lost = False
        for n in range(count):
            steps, half = (words[n] >> 16) + 1, words[n] & 0xFFFF
            lasts = steps * (2 * half + 7)
            speed = steps * 1e6 / lasts
            if speed <= PULL_IN:
                is_lost = False
            else:
                asked = abs(speed - speed_before) * 2e6 / (lasts + lasted_before)
                is_lost = is_lost or asked > strength(speed, self.torque)
            goes = 0 if is_lost or self.is_held else sign * steps
            goal = max(-CABLE, min(CABLE, at + goes))
            moves = lasts if goal == at + goes else lasts * abs(goal - at) // steps
            self._way.append((now, now + moves, at, goal))
            self._way.append((now + moves, now + lasts + 3, goal, goal))
            self._meet_magnet(now, moves, at, goal)
            at, now = goal, now + lasts + 3
            speed_before, lasted_before = speed, lasts
        self._stopped_us = 0
        self.is_running = True
        self._world.at(now, self._end, self._way)

    def stop(self):
        """The pulses end. Called by interrupt handlers too."""
        if self.is_running and not self._stopped_us:
            self._stopped_us = self._world.now
        self.is_running = False

    def hold(self, is_held):
        """Somebody holds it fast, or lets go."""
        self.is_held = is_held

    def turn_by_hand(self, angle):
        """Somebody turns it."""
        self._settle()
        self._rest = angle
        self._show_magnet()

    def slip(self, steps):
        """The belt slips by so many steps while it stands."""
        self.turn_by_hand(self.angle() + steps)

    def _end(self, way):
        if way is self._way:
            self.is_running = False

    def _settle(self):
        self._rest = self.angle()
        if self._stopped_us and self._way:
            speed = self._speed_at(self._stopped_us)
            if abs(speed) > STOPS_DEAD:
                self._rest += speed * random.uniform(0.001, 0.004)
        self._way = []
        self._stopped_us = 0
        self._show_magnet()

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

    def _meet_magnet(self, begins, lasts, first, last):
        for edge in (0, MAGNET):
            if first < edge <= last or last <= edge < first:
                after = int(lasts * (edge - first) / (last - first))
                is_on = (last > first) == (edge == 0)
                self._world.at(begins + after, self._feel, self._way, is_on)

    def _feel(self, way, is_on):
        if way is self._way and not self._stopped_us:
            self._world.set_level(self._home, 0 if is_on else 1)

    def _show_magnet(self):
        self._world.set_level(self._home, 0 if 0 <= self.angle() < MAGNET else 1)
