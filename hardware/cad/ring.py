"""The holder of the ring: it lies on the table, its lights shine up through a thin white cover. z is up."""

from __future__ import annotations

from typing import Final

import cadquery as cq

from hardware import parameters as p
from hardware.cad.part import Part
from hardware.cad.solids import TINY, box, cut, join, rod, tube

HEIGHT: Final = 13.0
OUTSIDE: Final = p.RING_OUTSIDE + 18
_COVER: Final = 1.2
_LEDGE: Final = 1.5


def holder() -> cq.Workplane:
    """Return the holder: the ring lies in its groove; wires go down and out to the side. A notch marks the first
    light."""
    body = rod("z", (0, 0), OUTSIDE, (0, HEIGHT)).faces(">Z").edges().fillet(2)
    groove = tube((0, 0), p.RING_OUTSIDE + 1, p.RING_INSIDE - 1, (HEIGHT - 8, HEIGHT + TINY))
    ledge = tube(
        (0, 0), p.RING_OUTSIDE + 1 + 2 * _LEDGE, p.RING_INSIDE - 1 - 2 * _LEDGE, (HEIGHT - _COVER - 0.2, HEIGHT + TINY)
    )
    middle = (p.RING_OUTSIDE + p.RING_INSIDE) / 4
    wires = join(
        rod("z", (middle, 0), 7, (-TINY, HEIGHT - 8 + TINY)),
        box((middle, OUTSIDE / 2 + TINY), (-3.5, 3.5), (-TINY, 4)),
    )
    notch = rod("z", (OUTSIDE / 2 - 5, 0), 3, (HEIGHT - 1, HEIGHT + TINY))
    return cut(body, groove, ledge, wires, notch)


def cover() -> cq.Workplane:
    """Return the cover, printed in white to diffuse the light."""
    z = (HEIGHT - _COVER, HEIGHT)
    return tube((0, 0), p.RING_OUTSIDE + 0.6 + 2 * _LEDGE, p.RING_INSIDE - 0.6 - 2 * _LEDGE, z)


PARTS: Final = (
    Part(number="PRT-501", title="ring holder", shape=holder),
    Part(number="PRT-502", title="ring cover", shape=cover, color="white"),
)  # fmt: skip
