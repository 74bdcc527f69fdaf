"""The Pico as the table's shoe, ring and buttons, over the link.

with Link("auto", clock) as link:
    pico = Pico(link, Layout(seats=4))
    devices = Devices(camera, pico.shoe, pico.ring, pico.buttons, page)
    pico.shoe.arm()                       # a person said go

Whatever the Pico should know (layout, ring, lamps, whether the motors may run, the job under way) is kept here and told
again whenever it was reset or silent. A job is told again until its end is reported, which feeds nothing twice, since
the Pico remembers what it did. Only where it lost its power in the middle of a job nobody knows how many cards passed:
then the job is in doubt, the shoe reports that as a fault, and a person settles it (`PicoShoe.settle`).
"""

from croupier.devices.pico.pico import OVERFLOW, Layout, Line, Pico
from croupier.devices.pico.shoe import DOUBT, PicoShoe

__all__ = ["DOUBT", "OVERFLOW", "Layout", "Line", "Pico", "PicoShoe"]
