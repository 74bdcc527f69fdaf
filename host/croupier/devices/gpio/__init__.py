"""Keys, UNO buttons, the ring and a small shoe on the pins of the Raspberry Pi itself.

    wiring = Wiring(buttons=(21, 22, 23, 24), keys=(KeyPin(key="red", gpio=5), ...), ring=True)
    asked = Asked(page)
    machine = PiMachine(wiring, Layout(seats=4), clock, asked.seat)
    machine.start()
    events = machine.poll()

What hangs where: `wiring.py`. Keys: `panel.py`, each a `contact.py` on one of the `pins.py`. Shoe and ring are the
Pico's own firmware (`firmware.py`) on the Pi's pins (`line.py`, `lights.py`), spoken to as if it hung on a cable.
"""

from croupier.devices.gpio.machine import GpioPins, PiMachine
from croupier.devices.gpio.panel import Asked, GpioPanel
from croupier.devices.gpio.wiring import KeyPin, ShoePins, Wiring

__all__ = ["Asked", "GpioPanel", "GpioPins", "KeyPin", "PiMachine", "ShoePins", "Wiring"]
