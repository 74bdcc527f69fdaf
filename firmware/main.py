"""Starts the firmware, unless the service button is held or the host asked for the prompt of MicroPython."""

from pico import board

if board.is_prompt_wanted():
    print("Croupier: the firmware was not started; it starts with the next reset")
else:
    from pico.app import run

    run()
