"""Keys, UNO buttons, the ring and a small shoe on the pins of the Raspberry Pi itself.

wiring = Wiring(buttons=(21, 22, 23, 24), keys=(KeyPin(key="red", gpio=5), ...), ring=True)
machine = PiMachine(wiring, Layout(seats=4), clock, Asked(page).seat)
machine.start()
events = machine.poll()
"""

from croupier.devices.gpio.machine import OpenPins, PiMachine
from croupier.devices.gpio.panel import Asked, GpioPanel
from croupier.devices.gpio.wiring import KeyPin, ShoePins, Wiring

__all__ = ["Asked", "GpioPanel", "KeyPin", "OpenPins", "PiMachine", "ShoePins", "Wiring"]
