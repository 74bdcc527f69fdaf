"""The ring of marks: magnets all around under the plate, by whose edges every turn shows where it really went.

Their edges are counted, and the last is stamped. A rotor that lost steps, a belt that slipped, and a table that a hand
pushed on miss edges or meet them elsewhere, also where no turn crosses the one magnet of the home place.
"""

from array import array

from micropython import const
from pico import clock

from tablewire.messages import TURN_STEPS

MARKS = const(24)
PITCH = TURN_STEPS // MARKS
"""Distance from mark to mark (steps)."""
FIRST = const(94)
WIDTH = const(92)
"""Where the range of the first mark begins, clockwise from the home place, and how wide it is (steps): the ring is
glued so that a gap is over its switch where the home magnet is over its own."""

TOLERANCE = const(45)
"""Distance from an edge within which it may be met or not: width and place of a magnet, play of the belt (steps). With
the widest gap between two edges that is 11.5°, less than half the way between two of ten seats."""

_COUNT, _AT, _IS_ON = range(3)


def _edges_to(steps):
    """Return the number of edges up to and with this place, from any fixed beginning."""
    return (steps - FIRST) // PITCH + (steps - FIRST - WIDTH) // PITCH


def _passed(start, goal, way):
    """Return the number of edges from ``start``, without it, to ``goal``; none if that is the other way."""
    if way > 0:
        return max(0, _edges_to(goal) - _edges_to(start))
    return max(0, _edges_to(start - 1) - _edges_to(goal - 1))


class Marks:
    """The marks. ``sensor``: the hall switch under them."""

    def __init__(self, sensor):
        self._sensor = sensor
        self._kept = array("i", [0, 0, 0])
        sensor.watch(self.at_edge)

    def at_edge(self, _pin):
        """Stamp and count an edge. Interrupt handler: allocates nothing."""
        kept = self._kept
        kept[_AT] = clock.ticks_us()
        kept[_IS_ON] = self._sensor.is_on()
        kept[_COUNT] += 1

    def begin(self):
        """Count from here."""
        self._kept[_COUNT] = 0

    def is_pushed(self, steps):
        """True if a table that rests at this place was pushed away since `begin`."""
        count = self._kept[_COUNT]
        return count > 1 or (count > 0 and not _passed(steps - TOLERANCE, steps + TOLERANCE, 1))

    def agree(self, start, goal, steps_at):
        """True if the edges since `begin` are those of a turn from ``start`` to ``goal``. ``steps_at(ticks)``: the
        steps of it made until then."""
        way = 1 if goal > start else -1
        slack = way * TOLERANCE
        count = self._kept[_COUNT]
        if not count:
            return not _passed(start + slack, goal - slack, way)
        met = start + steps_at(self._kept[_AT])
        first = FIRST if (self._kept[_IS_ON] == 1) == (way > 0) else FIRST + WIDTH
        edge = first + (met - first + PITCH // 2) // PITCH * PITCH
        return (
            abs(met - edge) <= TOLERANCE
            and _passed(start + slack, edge, way) <= count <= _passed(start - slack, edge, way)
            and not _passed(edge, goal - slack, way)
        )
