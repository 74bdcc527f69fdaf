"""Keys, UNO buttons, the ring and a small shoe on the pins of the Raspberry Pi itself.

wiring = Wiring(buttons=(21, 22, 23, 24), keys=(KeyPin(key="red", gpio=5), ...), ring=True)
machine = PiMachine(wiring, Layout(seats=4), clock, Asked(page).seat)
machine.start()
events = machine.poll()
"""
