"""The firmware: creates the parts, passes the host's commands to them, and runs each of them in a loop."""

from micropython import const
from pico import board, clock
from pico.buttons import Buttons
from pico.buzzer import Buzzer
from pico.feeder import Feeder
from pico.link import Link, Port
from pico.marks import Marks
from pico.memory import Memory
from pico.ring import Ring
from pico.safety import WATCHDOG_MS, Guard
from pico.selftest import SelfTest
from pico.shoe import Shoe
from pico.turntable import Turntable

from tablewire.messages import SEATS, TURN_STEPS

_COLLECT = const(200)
"""Rounds after which garbage is collected: sooner than memory is full, and while no press is unsure. At the full memory
it would cost its time at any moment."""

IDLE_MS = const(5)
BUSY_MS = const(1)
"""Maximum time (ms) that the loop waits for the host; shorter while a motor runs or a press is to be confirmed."""


NO_USB_MS = const(60_000)
"""Time after the start without USB after which the Pico resets itself: enumeration may have failed, and nothing else
tries again."""


class App:
    """All parts of one table. ``devices``: a `pico.board.Board`."""

    def __init__(self, devices, link):
        self.devices, self.link = devices, link
        self.turntable = Turntable(devices.stepper, devices.home, Marks(devices.marks))
        self.feeder = Feeder(devices.motor, devices.exit, devices.hopper)
        self.shoe = Shoe(
            self.turntable,
            self.feeder,
            devices.exit,
            devices.hopper,
            Memory(devices.registers, devices.registers.hold, devices.registers.release),
            link.report,
            devices.power.is_on,
        )
        self.buttons = Buttons(devices.buttons, SEATS, self._pressed, self._stuck)
        self.ring = Ring(devices.lights)
        self.buzzer = Buzzer(devices.tone)
        self.guard = Guard(devices.every, devices.motors_off, devices.power.is_on, self.feeder.find_jam)
        self.selftest = SelfTest(self)
        self.lamps = 0
        self._places = {}
        self._rounds = 0
        self._lost = 0  # reports of whose loss the host knows

    def step(self):
        """Run each part once; returns how long (ms) no part needs to run again."""
        link = self.link
        if self.buttons.is_behind:
            self.buttons.step()  # before the next ping is read, whose answer tells that all earlier presses were sent
            return 0
        commands = link.poll()
        self.guard.heard(link.heard_at)
        self.guard.look()
        if link.is_new_session:
            self._lost = link.lost  # while nobody listened
            self._tell_state()
        elif link.lost != self._lost and link.has_room:
            link.report("fault", "overflow", link.lost - self._lost)
            self._lost = link.lost
        if self.guard.has_cut() and self.shoe.is_armed:
            self.shoe.stop("silence")
            self._tell_state()
        if self.guard.has_lost_power() and self.shoe.lose_power():
            self._tell_state()
        for name, values in commands:
            getattr(self, "_do_" + name)(*values)
        self.buttons.step()
        self.shoe.step()
        self.selftest.step()
        self.buzzer.step()
        if link.is_busy:
            return 0
        self.ring.step()
        link.flush()
        if link.is_busy or self.buttons.is_behind:
            return 0
        self._rounds += 1
        if self.buttons.is_unsure:
            return BUSY_MS
        if self._rounds > _COLLECT:
            self._rounds = 0
            board.collect()
        return IDLE_MS if self.shoe.is_idle else BUSY_MS

    # What the host may ask for: a method for each message of `tablewire.messages`.

    def _do_config(self, seats, lights, speed, turn_speed, turn_acceleration):
        self.ring.set_size(lights)
        self.feeder.set_speed(speed)
        self.turntable.set_speed(turn_speed, turn_acceleration)

    def _do_place(self, seat, angle):
        self._places[seat] = angle * TURN_STEPS // 3600
        self.ring.place(seat, angle)

    def _do_go(self):
        self.shoe.arm()
        self._tell_state()

    def _do_deal(self, job, seat, n):
        self.shoe.deal(job, self._places.get(seat), n)

    def _do_stop(self):
        self.shoe.stop("stopped")
        self._tell_state()

    def _do_clear(self):
        self.shoe.clear()
        self._tell_state()

    def _do_home(self):
        self.shoe.find_home()

    def _do_ring(self, turn, direction, color, mode, amount):
        self.ring.show(turn, direction, color, mode, amount)

    def _do_lamps(self, mask):
        self.lamps = mask
        self.devices.lamps.show(mask)

    def _do_buzz(self, pitch, duration):
        self.buzzer.sound(pitch, duration)

    def _do_test(self, part):
        self.selftest.begin(part)

    def _do_leave(self, to):
        self.devices.motors_off()
        self.buzzer.stop()
        self.devices.lamps.show(0)
        board.leave(to)

    def _do_ack(self):
        pass

    def _pressed(self, ticks, mask):
        self.link.report("press", ticks, mask)

    def _stuck(self, mask):
        self.link.report("fault", "stuck-button", mask, clock.ticks_us())

    def _tell_state(self):
        self.link.report("state", *self.shoe.state(), self.link.lost)


def run():
    """Run until the power is switched off."""
    app = App(board.Board(), Link(Port(), board.NAME, board.WORLD, board.cause(), board.chance()))
    feed_watchdog = board.watchdog(WATCHDOG_MS)
    began, was_on_usb = clock.ticks_ms(), False
    while True:
        feed_watchdog()
        if not was_on_usb:
            was_on_usb = board.is_on_usb()
            if clock.ticks_diff(clock.ticks_ms(), began) > NO_USB_MS and not was_on_usb:
                app._do_leave("reset")
        app.devices.wait(app.step())
