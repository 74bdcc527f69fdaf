"""What crosses the wire between host and Pico; runs on CPython and MicroPython alike."""
