"""Starts the firmware, unless the service button is held: then MicroPython's prompt is there."""

from pico import board

if board.is_service_pressed():
    print("Croupier: the service button is held, so the firmware was not started")
else:
    from pico.app import run

    run()
