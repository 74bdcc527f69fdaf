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
CABLE = 2550
"""Range to either side, limited by the stop of the cable (steps)."""


def strength(speed, torque):
    """Return the greatest acceleration of the motor at a speed (steps/s, steps/s²)."""
    motor_rpm = speed * 60 / STEPS * GEAR
    newton_meters = max(0.0, (TORQUE - TORQUE_LOSS * motor_rpm) * torque) * GEAR
    return newton_meters / INERTIA * STEPS / (2 * math.pi)


class Turning:
    """The rotor. ``settings``: angle (at the start), torque (fraction of the nominal torque)."""

    def __init__(self, world, settings, home_gpio):
        self._world, self._home = world, home_gpio
        self._rest = settings["angle"]
        self.torque = settings["torque"]
        self.is_held = False
        self.is_free = True
        """True while the motor has no current: pulses move nothing, a hand does."""
        self._way = []
        self.is_running = False
        self._stopped_us = 0
        self._show_magnet()

    def angle(self):
        """The position (steps)."""
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
            goes = 0 if is_lost or self.is_held or self.is_free else sign * steps
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
        """End the pulses. Interrupt handlers call it."""
        if self.is_running and not self._stopped_us:
            self._stopped_us = self._world.now
        self.is_running = False

    def hold(self, is_held):
        """Hold the rotor fast, or release it."""
        self.is_held = is_held

    def turn_by_hand(self, angle):
        """Turn the rotor by hand to an angle."""
        self._settle()
        self._rest = angle
        self._show_magnet()

    def slip(self, steps):
        """Let the belt slip by a number of steps while the rotor stands."""
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
