"""The Pico as the table's shoe, ring and buttons.

    pico = Pico(Link("auto", clock), Layout(seats=4))      # a `Machine`
    pico.start()
    events = pico.poll()

Whatever the Pico should know (layout, ring, lamps, whether the motors may run, the job under way) is kept here and sent
again whenever it was reset or silent. A job is sent until its end is reported; that feeds nothing twice, since the Pico
remembers what it did. Only if it loses its power during a job does nobody know how many cards passed: the job is then
in doubt, the shoe reports that as a fault, and a person settles it (`PicoShoe.settle`).
"""

from croupier.devices.pico.pico import OVERFLOW, Layout, Line, Pico
from croupier.devices.pico.shoe import DOUBT, PicoShoe

__all__ = ["DOUBT", "OVERFLOW", "Layout", "Line", "Pico", "PicoShoe"]
