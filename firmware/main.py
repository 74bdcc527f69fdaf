"""Starts the firmware, unless the service button is held or the host asked for the prompt of MicroPython."""

import micropython

micropython.kbd_intr(-1)  # first of all: from here on 0x03 is data, never Ctrl-C

from pico import board  # noqa: E402

if board.is_prompt_wanted():
    micropython.kbd_intr(3)
    print("Croupier: the firmware was not started; it starts with the next reset")
else:
    from pico.app import run

    run()
