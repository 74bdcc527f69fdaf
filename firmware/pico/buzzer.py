"""The buzzer: plays one tone at a time, without blocking."""

from pico import clock


class Buzzer:
    """The buzzer. ``tone.start(hertz)`` and ``tone.stop()`` come from the board."""

    def __init__(self, tone):
        self._tone = tone
        self._until = None

    def sound(self, pitch, duration):
        """Play a tone of ``pitch`` Hz for ``duration`` ms; it replaces a tone that still sounds."""
        self._tone.start(pitch)
        self._until = clock.ticks_add(clock.ticks_ms(), duration)

    def stop(self):
        """Stop the tone."""
        if self._until is not None:
            self._tone.stop()
            self._until = None

    def step(self):
        """End the tone when it is due."""
        if self._until is not None and clock.ticks_diff(clock.ticks_ms(), self._until) >= 0:
            self.stop()
