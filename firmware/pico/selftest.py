"""Self-test of one part at a time, for `croupier doctor` and for people who build a table. The result is the
message `tested`."""

from micropython import const
from pico import clock

from tablewire.messages import TURN_STEPS

LOOK_MS = const(1_000)
"""Duration (ms) for which lights, lamps and the buzzer can be seen or heard."""

_TONE_HZ = const(880)
_ALL_LAMPS = const(0x3FF)
_HALF_ROUND = TURN_STEPS // 2


class SelfTest:
    """Tests a part of ``app``. What only a person can judge is reported as good."""

    def __init__(self, app):
        self._app = app
        self._part = ""
        self._began = 0
        self._goals = []

    def begin(self, part):
        """Begin a test; a test that still runs is dropped."""
        self._part, self._began = part, clock.ticks_ms()
        getattr(self, "_begin_" + part)()

    def step(self):
        """Report the result once it is known."""
        if self._part:
            found = getattr(self, "_look_at_" + self._part)(clock.ticks_diff(clock.ticks_ms(), self._began))
            if found is not None:
                self._app.link.report("tested", self._part, int(found[0]), found[1])
                self._part = ""

    # The shoe: cards in the hopper, nothing in the exit (bit 0: the exit is covered, bit 1: the hopper is empty).
    def _begin_shoe(self):
        pass

    def _look_at_shoe(self, _):
        devices = self._app.devices
        wrong = int(devices.exit.is_on()) | (0 if devices.hopper.is_on() else 2)
        return wrong == 0, wrong

    # The turntable: does it find the magnet, and how far from where it should be (steps)?
    def _begin_turntable(self):
        self._app.shoe.find_home()

    def _look_at_turntable(self, _):
        app = self._app
        if not app.shoe.is_idle:
            return None
        return app.turntable.steps == 0, abs(app.turntable.drift)

    # The ring of marks: does it show the turns all round to either side (the turns that it showed)?
    def _begin_marks(self):
        self._goals = [0, -_HALF_ROUND, _HALF_ROUND]
        self._app.shoe.find_home()

    def _look_at_marks(self, _):
        app, goals = self._app, self._goals
        if not app.shoe.is_idle:
            return None
        if app.turntable.steps is None or app.shoe.fault:
            return False, 2 - len(goals) if len(goals) < 3 else 0
        if not goals:
            return True, 3
        app.shoe.turn(goals.pop())
        return None

    # The contacts of the buttons: how often each closed again while it bounced, since the last such test (three bits a
    # seat, at most 7).
    def _begin_contacts(self):
        pass

    def _look_at_contacts(self, _):
        return True, self._app.buttons.take_bounces()

    # The buttons: all up (the mask of those that are down).
    def _begin_buttons(self):
        pass

    def _look_at_buttons(self, _):
        down = self._app.buttons.down
        return down == 0, down

    def _begin_ring(self):
        self._app.ring.test(LOOK_MS)

    def _look_at_ring(self, passed_ms):
        return (True, 0) if passed_ms >= LOOK_MS else None

    def _begin_lamps(self):
        self._app.devices.lamps.show(_ALL_LAMPS)

    def _look_at_lamps(self, passed_ms):
        if passed_ms < LOOK_MS:
            return None
        self._app.devices.lamps.show(self._app.lamps)
        return True, 0

    def _begin_buzzer(self):
        self._app.buzzer.sound(_TONE_HZ, LOOK_MS)

    def _look_at_buzzer(self, passed_ms):
        return (True, 0) if passed_ms >= LOOK_MS else None
