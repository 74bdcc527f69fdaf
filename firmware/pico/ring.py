"""The ring of lights: draws its frames from the last state that it was given.

Each state can be recognized without color: the turn is a place, the direction a light that runs, each color has its own
number of winks, and the modes move differently.

* ``play``: a bright block at the seat on turn, a light that runs in the direction of play, the rest dim in the active
color, which winks once for red, twice for yellow, three times for green, four times for blue, and then pauses.
* ``challenge``: two halves, white and the active color, change places four times a second.
* ``penalty``: the ring fills from both sides towards the seat that draws, where as many lights are white as it draws
cards: every second one, or side by side if there are too many.
* ``choose``: the block at the seat on turn stays, and those of the seats that it may choose blink, twice a second.
* ``fault``: every third light, all blinking together.
"""

from micropython import const
from pico import clock

FRAME_MS = const(20)
LIMIT_MA = const(350)
"""Maximum current of the whole ring: with the Pico's own it stays below the 500 mA that a laptop's port owes."""

CHANNEL_MA = const(20)
"""Current of one color of a light at full brightness; the light itself draws IDLE_MA (data sheet WS2812B)."""
IDLE_MA = const(1)

ROUND_MS = const(2_000)
"""Duration of one round of the running light, and of the winks with their pause."""

_WINK_MS = const(160)

WINKS = {"none": 0, "red": 1, "yellow": 2, "green": 3, "blue": 4}
_WHITE = (90, 90, 90)
_COLORS = {"none": (24, 24, 24), "red": (110, 0, 0), "yellow": (80, 60, 0), "green": (0, 100, 0), "blue": (0, 20, 130)}


def _light(color, divided_by=1):
    """Return the four bytes of a light, in the order in which the ring takes them."""
    red, green, blue = color
    return bytes((0, blue // divided_by, red // divided_by, green // divided_by))


OFF = bytes(4)
WHITE, WHITE_DIM = _light(_WHITE), _light(_WHITE, 3)
BRIGHT = {name: _light(color) for name, color in _COLORS.items()}
DIM = {name: _light(color, 4) for name, color in _COLORS.items()}


class Ring:
    """The ring. ``lights.show(buffer)`` sends four bytes for each light; the last three are blue, red, green.

    ``places``: the place of each seat on the ring, in 1/3600 of the circle clockwise from the first light.
    """

    def __init__(self, lights, n=24):
        self._lights = lights
        self._places = {}
        self._turn, self._direction, self._color, self._mode = -1, "left", "none", "off"
        self._amount = 0
        self._drawn_ms = clock.ticks_ms()
        self._phase = 0
        self.set_size(n)

    def set_size(self, n):
        """Set the number of lights, 1 to 60."""
        self._n = n
        self._buffer = bytearray(4 * n)
        self._is_dark = False

    def place(self, seat, angle):
        """Set the place of a seat: 0.1° clockwise from the first light."""
        self._places[seat] = angle % 3600

    def show(self, turn, direction, color, mode, amount):
        """Show this from now on; ``turn`` -1: nobody is on turn. ``amount``: as ``n`` of the message."""
        self._turn, self._direction, self._color, self._mode = turn, direction, color, mode
        self._amount = amount

    def test(self, ms):
        """Light everything for this long."""
        self._fill(0, self._n, WHITE)
        self._limit()
        self._lights.show(self._buffer)
        self._drawn_ms = clock.ticks_add(clock.ticks_ms(), ms)
        self._is_dark = False

    def step(self):
        """Draw the next frame when it is due."""
        now = clock.ticks_ms()
        passed = clock.ticks_diff(now, self._drawn_ms)
        if passed < FRAME_MS:
            return
        self._drawn_ms = now
        self._phase = (self._phase + passed) % ROUND_MS
        if self._mode == "off" and self._is_dark:
            return
        self._is_dark = self._mode == "off"
        self.draw(self._phase)
        self._lights.show(self._buffer)

    def draw(self, phase):
        """Draw the frame ``phase`` ms after the round began."""
        self._fill(0, self._n, OFF)
        if self._mode != "off":
            getattr(self, "_draw_" + self._mode)(phase)
            self._limit()

    def _draw_play(self, phase):
        n = self._n
        wink, part = phase // (2 * _WINK_MS), phase % (2 * _WINK_MS)
        if wink >= WINKS[self._color] or part < _WINK_MS:
            self._fill(0, n, DIM[self._color])
        runner = phase * n // ROUND_MS
        self._fill(runner if self._direction == "left" else n - 1 - runner, 1, WHITE)
        if self._turn >= 0:
            self._mark(self._turn)

    def _draw_challenge(self, phase):
        half = self._n // 2
        first = half if phase // 250 % 2 else 0
        self._fill(first, half, WHITE_DIM)
        self._fill(first + half, self._n - half, DIM[self._color])

    def _draw_penalty(self, phase):
        seat, half = self._at(max(0, self._turn)), self._n // 2
        filled = phase % 1000 * half // 1000
        self._fill(seat - half, filled, BRIGHT["red"])
        self._fill(seat + half - filled, filled, BRIGHT["red"])
        n, white, buffer = self._n, max(1, self._amount), self._buffer
        if 2 * white > n:
            self._fill(seat - white // 2, min(white, n), WHITE)
            return
        first = seat - white // 2 * 2
        for at in range(first, first + 2 * white, 2):  # quicker than `_fill`, of up to thirty lights
            at = at % n * 4
            buffer[at : at + 4] = WHITE

    def _draw_choose(self, phase):
        self._mark(max(0, self._turn))
        if phase // 250 % 2:
            for seat in self._places:
                if self._amount >> seat & 1:
                    self._mark(seat)

    def _draw_fault(self, phase):
        if phase // 250 % 2:
            for at in range(0, self._n, 3):
                self._fill(at, 1, BRIGHT["red"])

    def _mark(self, seat):
        width = max(1, self._n // 12)
        self._fill(self._at(seat) - width // 2, width, WHITE)

    def _at(self, seat):
        return self._places.get(seat, 0) * self._n // 3600

    def _fill(self, first, count, light):
        """Set ``count`` lights from ``first`` on, around the ring."""
        n = self._n
        first %= n
        whole = min(count, n - first)
        self._buffer[4 * first : 4 * (first + whole)] = light * whole
        if whole < count:
            self._buffer[: 4 * (count - whole)] = light * (count - whole)

    def current_ma(self):
        """Return the current (mA) of the frame."""
        return self._n * IDLE_MA + sum(self._buffer) * CHANNEL_MA // 255

    def _limit(self):
        """Dim the frame to the maximum current."""
        buffer = self._buffer
        allowed = (LIMIT_MA - self._n * IDLE_MA) * 255 // CHANNEL_MA
        total = sum(buffer)
        if total > allowed:
            for at in range(len(buffer)):
                buffer[at] = buffer[at] * allowed // total
