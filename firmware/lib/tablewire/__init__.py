"""The protocol between host and Pico, for CPython and MicroPython alike."""
