"""A Pico in virtual time: the firmware's own files, all of them, on a board whose motors and sensors are computed.

The firmware runs under CPython, in this process. Only `pico.board` is another (`Board`): its devices follow the figures
of `croupier_sim.board.vm` (notes on the mechanics), computed from event to event instead of in steps of half a
millisecond; `test_pico` compares the two. The main loop goes round when something is there to be done, and in between
less often than a real one: a loop that looks later is the harder case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import exp, sqrt
from types import SimpleNamespace
from typing import Any, Final

from croupier_extras.gpio.firmware import Ticks, load
from tablewire.messages import TICKS, TURN_STEPS
from tests.simulation.world import World

CARD_MM: Final = 88.0
READY_MM: Final = -70.0
GRIP_MM: Final = 43.0
GAP_MM: Final = 25.0
HOPPER_MM: Final = -20.0
"""Where the leading edge of a card is, before and behind the light barrier: as in `croupier_sim.board.vm.feeding`."""
FULL_SPEED: Final = 1430.0
SPIN_UP_S: Final = 0.025
BRAKE_S: Final = 0.006
RUN_OUT_S: Final = 0.060
_CLOTH: Final = 3000.0
"""What a flying card loses in speed (mm/s²)."""
_STANDS: Final = 5.0
"""A motor that is slower stands (mm/s)."""
_FULL: Final = 65_535

BOOT_S: Final = 1.8
"""From power to the first byte (notes: firmware)."""
WATCHDOG_S: Final = 2.0
SILENCE_S: Final = 0.5
"""So long after the last byte of the host no motor runs any more."""
LOOK_S: Final = 0.025
"""The period of the guard's timer."""
IDLE_S: Final = (0.002, 0.015)
BUSY_S: Final = (0.002, 0.028)
MESSAGE_S: Final = (0.005, 0.015)
"""How long the main loop takes for a round: idle, while a motor runs, and with a message more."""
_REST_S: Final = 0.1
"""While nothing is to be done, the simulated loop looks so often."""

_MAGNET_STEPS: Final = 80
_MOST_STEPS: Final = 2550
"""How far from the magnet the stop of the turntable lets it turn, either way (steps)."""


class _Clock(Ticks):
    """The module `pico.clock`, on the board that runs at the moment."""

    def __init__(self) -> None:
        super().__init__(lambda: self.board.now_us / 1e6)
        self.board: Board

    def ticks_us(self) -> int:
        return self.board.now_us % TICKS

    def ticks_ms(self) -> int:
        return self.board.now_us // 1000 % TICKS


_FILES: Final = (
    "pio", "buttons", "buzzer", "feeder", "link", "marks", "memory", "ring", "safety", "selftest", "shoe", "turntable",
    "app",
)  # fmt: skip
_PIO: Final = SimpleNamespace(
    PIO=SimpleNamespace(OUT_LOW=0, SHIFT_LEFT=0, SHIFT_RIGHT=0, JOIN_TX=0),
    asm_pio=lambda **settings: lambda program: program.__name__,
)
_BOARD: Final = SimpleNamespace(collect=lambda: None)
"""What the firmware asks the module `pico.board` for; its devices it is given."""
_clock = _Clock()
_firmware = load(_clock, _FILES, {"rp2": _PIO, "pico.board": _BOARD})


class _Sensor:
    """A sensor, and the interrupt handler that hears of its changes."""

    def __init__(self, *, is_on: bool = False) -> None:
        self._is_on = is_on
        self._handler: Callable[[Any], None] | None = None

    def is_on(self) -> bool:
        return self._is_on

    def watch(self, handler: Callable[[Any], None]) -> None:
        self._handler = handler

    def forget(self) -> None:
        """The firmware starts anew: nobody listens."""
        self._handler = None

    def set(self, is_on: bool) -> None:
        if is_on != self._is_on:
            self._is_on = is_on
            if self._handler is not None:
                self._handler(None)


class _Registers(list[int]):
    """The watchdog's scratch registers. Between two events of the simulation there is no interrupt to hold."""

    def hold(self) -> None:
        """As the firmware's `Registers.hold`."""

    def release(self, held: None) -> None:
        """As the firmware's `Registers.release`."""


class _Motor:
    """The feed motor, the cards under its roller, the light barrier and the hopper.

    ``hopper``: cards that lie in it; ``x``: the leading edge of the card under the roller (mm from the barrier), None
    where there is none; ``cards``: how many lie upon each other there, the last ``overlap`` mm behind the first. The
    roller moves a card up to `GRIP_MM`; then the card flies, and the cloth slows it down."""

    def __init__(self, board: Board, cards: int) -> None:
        self._board = board
        self.exit, self.hopper_sensor = _Sensor(), _Sensor(is_on=True)
        self.hopper = cards
        self.is_lifted = False
        self.x: float | None = None
        self.cards, self.overlap = 1, 0.0
        self.sticks_at: float | None = None
        self.is_hard = False
        self.next_sticks: tuple[float, bool] | None = None
        self.next_double: float | None = None
        self.is_driven = False
        self._speed = 0.0  # mm/s at `_since`; negative: back
        self._goal = 0.0  # the speed that it comes to …
        self._tau = BRAKE_S  # … with this time constant
        self._since = 0.0
        self._is_flying = False
        self._run = 0  # counts changes: what was foreseen before one does not happen

    # What the firmware does.

    def forward(self, duty: int) -> None:
        self._drive(FULL_SPEED * duty / _FULL)

    def back(self, duty: int) -> None:
        self._drive(-FULL_SPEED * duty / _FULL)

    def brake(self) -> None:
        self._halt(BRAKE_S)

    def off(self) -> None:
        self._halt(RUN_OUT_S)

    def _drive(self, speed: float) -> None:
        self._settle()
        if speed > 0:
            self._board.number = self._board.registers[1]
        self.is_driven, self._goal, self._tau = True, speed, SPIN_UP_S
        self._foresee()

    def _halt(self, tau: float) -> None:
        self._settle()
        was_driven, self.is_driven = self.is_driven, False
        if self._speed:
            self._goal, self._tau = 0.0, tau if was_driven else min(tau, self._tau)
            self._foresee()

    # What happens by itself.

    def _moved(self, seconds: float) -> tuple[float, float]:
        """How far the roller moves a card from now on in so many seconds (mm), and how fast it is then (mm/s)."""
        left = (self._speed - self._goal) * exp(-seconds / self._tau)
        return self._goal * seconds + (self._speed - self._goal - left) * self._tau, self._goal + left

    def _settle(self) -> None:
        """How far the card has come by now, and how fast the motor is."""
        now = self._board.world.now
        way, speed = self._moved(now - self._since)
        self._since, self._speed = now, speed if self.is_driven or abs(speed) > _STANDS else 0.0
        if self.x is not None and not self._is_flying:
            self.x = max(READY_MM, self._held(self.x + way))

    def _held(self, x: float) -> float:
        """Where a card comes to that may stick on its way."""
        if self.sticks_at is None or self.x is None:
            return x
        if x < self.x:  # pulled back: only what sticks hard stays
            if self.is_hard:
                return self.x
            self.sticks_at = None
            return x
        return max(self.x, min(x, self.sticks_at))

    def _after(self, way: float) -> float | None:
        """The time (s) after which the roller has moved a card so far from here; None where it never does."""
        if way * self._goal < 0 or (not self._goal and abs(way) >= abs(self._speed) * self._tau):
            return None
        seconds = 0.0 if not self._goal else way / self._goal + self._tau
        for _ in range(30):  # Newton's method
            came, speed = self._moved(seconds)
            if abs(came - way) < 1e-6 or not speed:
                break
            seconds = max(0.0, seconds + (way - came) / speed)
        return seconds

    def _foresee(self) -> None:
        """Let happen what comes next as the motor runs now."""
        world = self._board.world
        if self._is_flying:
            return
        self._run += 1
        run = self._run
        if self._goal > 0 and self.x is None:
            self._take()
        if self.x is None or not (self._goal or self._speed):
            return
        if self._goal < 0 or (not self._goal and self._speed < 0):
            if self.x > 0 and not self.is_hard and (after := self._after(-self.x)) is not None:
                world.after(after, self._show_exit, run, False)
            return
        end = GRIP_MM if self.sticks_at is None else self.sticks_at
        if self.x <= 0 < end and (after := self._after(-self.x)) is not None:
            world.after(after, self._show_exit, run, True)
        if self.sticks_at is None and self.x <= GRIP_MM and (after := self._after(GRIP_MM - self.x)) is not None:
            world.after(after, self._fly, run)

    def _fly(self, run: int) -> None:
        """The card leaves the roller. The motor takes the next one when this one is out of its way."""
        if run != self._run:
            return
        self._settle()
        self.x, speed = GRIP_MM, self._speed
        way = CARD_MM + self.overlap - GRIP_MM
        if self.is_driven and self.overlap:
            self._board.world.after(way / speed, self._leave)  # the roller has the second card still
        elif speed * speed > 2 * _CLOTH * way:
            self._board.world.after((speed - sqrt(speed * speed - 2 * _CLOTH * way)) / _CLOTH, self._leave)
        else:
            return  # it lies in the exit
        self._is_flying = True

    def _show_exit(self, run: int, is_covered: bool) -> None:
        if run == self._run:
            self.exit.set(is_covered)

    def _leave(self) -> None:
        """The card has passed the exit. The next one follows behind it."""
        if not self._is_flying:
            return
        self._is_flying = False
        self._settle()
        self.x = None
        self._board.passed(self.cards)
        if self._goal > 0:
            self._take()
            if self.x is not None:
                self.x = -GAP_MM
        self._foresee()
        self.exit.set(False)  # the handler may brake
        self._show()

    def _take(self) -> None:
        """The roller takes the next card."""
        if self.is_lifted or not self.hopper:
            return
        self.hopper -= 1
        self.x, self.cards, self.overlap = READY_MM, 1, 0.0
        self.sticks_at, self.is_hard = None, False
        if self.next_sticks is not None:
            self.sticks_at, self.is_hard = self.next_sticks
            self.next_sticks = None
        elif self.next_double is not None and self.hopper:
            self.hopper -= 1
            self.cards, self.overlap = 2, self.next_double
            self.next_double = None
        self._show()

    def _show(self) -> None:
        lies = (self.hopper and not self.is_lifted) or (self.x is not None and self.x < HOPPER_MM)
        self.hopper_sensor.set(bool(lies))

    # What people do.

    def clear(self) -> None:
        """Take out what sticks, or looks out of the exit, and lay it back; lay back what was lifted."""
        self.is_lifted = False
        self._settle()
        if not self.is_driven and self.x is not None and (self.x > 0 or self.sticks_at is not None):
            self.hopper += self.cards
            self.x, self.sticks_at, self._is_flying = None, None, False
            self._run += 1
            self.exit.set(False)
        self._show()

    def load(self, cards: int) -> None:
        """Put so many cards into the hopper."""
        self.hopper += cards
        self._show()

    @property
    def inside(self) -> int:
        """How many cards are in the shoe."""
        return self.hopper + (self.cards if self.x is not None else 0)


class _Stepper:
    """The turntable: where it stands (steps from the magnet), and its way while it turns."""

    def __init__(self, board: Board, angle: float) -> None:
        self._board, self.is_on = board, False
        self.home = _Sensor(is_on=0 <= angle < _MAGNET_STEPS)
        self.marks = _Sensor(is_on=(angle - _firmware.marks.FIRST) % _firmware.marks.PITCH < _firmware.marks.WIDTH)
        self._way: list[tuple[float, float, float, float]] = []
        self._rest = angle
        self._run = 0
        self._ends = 0.0
        marks = _firmware.marks
        around = range(-_MOST_STEPS // marks.PITCH - 1, _MOST_STEPS // marks.PITCH + 1)
        self._edges = [
            (0.0, self.home, True),
            (float(_MAGNET_STEPS), self.home, False),
            *((float(marks.FIRST + n * marks.PITCH), self.marks, True) for n in around),
            *((float(marks.FIRST + marks.WIDTH + n * marks.PITCH), self.marks, False) for n in around),
        ]
        """Each edge of a magnet (steps): whose it is, and whether a turn clockwise comes onto the magnet there."""

    @property
    def is_running(self) -> bool:
        return self._board.world.now < self._ends

    @property
    def angle(self) -> float:
        now = self._board.world.now
        for begins, ends, first, last in self._way:
            if now < ends:
                return first + (last - first) * max(0.0, now - begins) / (ends - begins)
        return self._way[-1][3] if self._way else self._rest

    def run(self, clockwise: bool, words: Sequence[int], n: int) -> None:
        at, now, sign = self.angle, self._board.world.now, 1 if clockwise else -1
        self._run += 1
        self._way = []
        for word in words[:n]:
            count, half = (word >> 16) + 1, word & 0xFFFF
            lasts = (3 + count * (2 * half + 7)) / 1e6
            goal = max(-_MOST_STEPS, min(_MOST_STEPS, at + sign * count))
            self._way.append((now, now + lasts, at, goal))
            for edge, sensor, begins in self._edges:
                if at < edge <= goal or goal < edge <= at:
                    part = (edge - at) / (goal - at)
                    self._board.world.at(now + lasts * part, self._feel, self._run, edge, sensor, (goal > at) == begins)
            at, now = goal, now + lasts
        self._ends = now

    def on(self) -> None:
        self.is_on = True

    def off(self) -> None:
        self.stop()
        self.is_on = False

    def stop(self) -> None:
        self._rest = self.angle
        self._way, self._ends = [], 0.0
        self._run += 1

    def _feel(self, run: int, edge: float, sensor: _Sensor, is_on: bool) -> None:
        if run == self._run:
            sensor.set(is_on)
            if run != self._run:  # the handler stopped it right at the edge
                self._rest = edge


class _Buttons:
    """The buttons' pins: a bit for each GPIO, 0 while it is down."""

    def __init__(self) -> None:
        self.down = 0
        self._handler: Callable[[Any], None] | None = None

    def read(self) -> int:
        return ~self.down & (TICKS - 1)

    def watch(self, handler: Callable[[Any], None]) -> None:
        self._handler = handler

    def forget(self) -> None:
        self._handler = None

    def set(self, seat: int, is_down: bool) -> None:
        down = self.down | 1 << seat if is_down else self.down & ~(1 << seat)
        if down != self.down:
            self.down = down
            if self._handler is not None:
                self._handler(None)


class Board:
    """The Pico and the machine round it. ``got``: the cards that each seat was fed and still has.

    Bytes that the host wrote go into `write`; what the Pico writes is handed to ``on_bytes``; ``on_port(is_there)``
    hears when the USB port goes and comes."""

    def __init__(self, world: World, *, seats: int, cards: int, start_us: int, drift: float) -> None:
        self.world, self.seats = world, seats
        self._chance = world.chance("pico")
        self._start_us, self._rate = start_us, 1e6 * (1 + drift)
        self.motor = _Motor(self, cards)
        self.stepper = _Stepper(self, 300.0)
        self.buttons = _Buttons()
        self.exit, self.hopper = self.motor.exit, self.motor.hopper_sensor
        self.home, self.marks = self.stepper.home, self.stepper.marks
        self.power = SimpleNamespace(is_on=lambda: True)
        self.registers = _Registers([0, 0, 0, 0])
        self.lamps = SimpleNamespace(show=lambda mask: None)
        self.lights = SimpleNamespace(show=lambda buffer: None)
        self.tone = SimpleNamespace(start=lambda pitch: None, stop=lambda: None)
        self.on_bytes: Callable[[bytes], None] = lambda data: None
        self.on_port: Callable[[bool], None] = lambda is_there: None
        self.got: Counter[int] = Counter()
        self.on_card: Callable[[int, int, int], None] = lambda seat, cards, number: None
        """Called for each card that left the shoe, or each two at once: the seat that the shoe faced, how many, and the
        number of the last job for which the motor ran."""
        self.number = 0
        self.misdealt = 0
        """Cards that left while the shoe did not face a seat."""
        self.heard_at = 0.0
        """When bytes of the host came last."""
        self.app: Any = None
        self.is_hanging = False
        self._inbox = bytearray()
        self.is_behind = False
        """As the firmware's `Port.is_behind`."""
        self._life = 0  # counts starts: what belongs to an earlier one does not happen
        self._look: Callable[[Any], None] | None = None
        self._round_at = 0.0
        self._runs = 0
        self._boots = 0
        self.boot("power")

    # -- the board, as the firmware has it -------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Microseconds of the Pico's clock."""
        return self._start_us + round(self.world.now * self._rate)

    def every(self, period_ms: int, handler: Callable[[Any], None]) -> None:
        """As the firmware's `Board.every`."""
        self._look = handler
        self.world.after(LOOK_S, self._tick, self._life)

    def motors_off(self) -> None:
        """As the firmware's `Board.motors_off`."""
        self.motor.brake()
        self.stepper.off()

    @property
    def began(self) -> int:
        """As the firmware's `Port.began`."""
        return self.now_us % TICKS

    def read(self) -> bytes:
        """As the firmware's `Port.read`."""
        end = 256 if self.is_behind else 1 + (self._inbox + b"\n").find(b"\n")
        data = bytes(self._inbox[:end])
        del self._inbox[:end]
        self.is_behind = bool(self._inbox)
        return data

    def write(self, data: bytes) -> int:
        """As the firmware's `Port.write`."""
        self.on_bytes(bytes(data))
        return len(data)

    # -- what happens to it ----------------------------------------------------------------------------------------

    @property
    def is_driven(self) -> bool:
        """True while a motor gets current to move."""
        return self.motor.is_driven or self.stepper.is_running

    def boot(self, cause: str) -> None:
        """The Pico starts (anew), because of "power" or of its "watchdog"."""
        self._life += 1
        self.app, self.is_hanging, self._look = None, False, None
        self.motor.off()
        self.stepper.off()
        for device in (self.exit, self.hopper, self.home, self.marks, self.buttons):
            device.forget()
        self._inbox.clear()
        self.is_behind = False
        if cause == "power":
            self.registers[:] = [0, 0, 0, 0]
        self.world.note("pico starts:", cause)
        self.on_port(False)
        self.world.after(BOOT_S, self._begin, self._life, cause)

    def hang(self) -> None:
        """The main loop goes on no more, until the watchdog bites; interrupts still come."""
        self.is_hanging = True
        self.world.after(WATCHDOG_S, self._bite, self._life)

    def receive(self, data: bytes) -> None:
        """Bytes of the host arrive at the USB port."""
        if self.app is not None:
            self.heard_at = self.world.now
            self._inbox += data
            self._hurry(IDLE_S)

    def press(self, seat: int, seconds: float = 0.08) -> None:
        """A seat presses its button for so long."""
        self._set_button(seat, True)
        self.world.after(seconds, self._set_button, seat, False)

    def clear(self) -> None:
        """A person takes out what sticks in the shoe."""
        self.motor.clear()
        self._hurry(IDLE_S)

    def load(self, cards: int) -> None:
        """A person puts cards into the shoe."""
        self.motor.load(cards)
        self._hurry(IDLE_S)

    def fill(self, cards: int) -> None:
        """A person puts cards into the shoe, or takes some out, so that it holds so many."""
        self.clear()
        self.load(max(cards - self.motor.inside, -self.motor.hopper))

    def give_back(self, seat: int, cards: int) -> None:
        """A seat puts cards back into the shoe."""
        self.got[seat] -= cards
        self.load(cards)

    def passed(self, cards: int) -> None:
        """Cards have left the shoe towards the seat that it faces."""
        steps = self.stepper.angle
        places = [(360 * seat / self.seats + 180) % 360 - 180 for seat in range(self.seats)]
        off = [abs((steps * 360 / TURN_STEPS - place + 180) % 360 - 180) for place in places]
        seat = off.index(min(off))
        self.got[seat] += cards
        self.misdealt += off[seat] > 90 / self.seats
        self.world.note("card" if cards == 1 else f"{cards} cards", "to seat", seat, "for number", self.number)
        self.on_card(seat, cards, self.number)

    # --------------------------------------------------------------------------------------------------------------

    def _begin(self, life: int, cause: str) -> None:
        if life != self._life:
            return
        self._boots += 1
        _clock.board = self
        chance = self._chance.randrange(1, TICKS)
        self.app = _firmware.app.App(self, _firmware.link.Link(self, "rp2-pico", "SIMULATION", cause, chance))
        self.on_port(True)
        self._round_at = self.world.now
        self._runs += 1
        self._round(self._runs)

    def _bite(self, life: int) -> None:
        if life == self._life and self.is_hanging:
            self.boot("watchdog")

    def _tick(self, life: int) -> None:
        if life == self._life and self._look is not None:
            _clock.board = self
            self._look(None)
            silent = self.world.now - self.heard_at
            assert not self.is_driven or silent <= SILENCE_S, f"a motor runs {silent:.3f} s after the host fell silent"
            is_quiet = self.app is not None and self.app.shoe.is_idle and not self.is_driven
            self.world.after(4 * LOOK_S if is_quiet else LOOK_S, self._tick, life)

    def _set_button(self, seat: int, is_down: bool) -> None:
        _clock.board = self
        self.buttons.set(seat, is_down)
        self._hurry(IDLE_S)

    def _hurry(self, within: tuple[float, float]) -> None:
        """The main loop goes round soon."""
        at = self.world.now + self._chance.uniform(*within)
        if self.app is not None and at < self._round_at:
            self._round_at = at
            self._runs += 1
            self.world.at(at, self._round, self._runs)

    def _round(self, run: int) -> None:
        if run != self._runs or self.app is None or self.is_hanging:
            return
        _clock.board = self
        waiting = len(self.app.link._channel.session.waiting)
        wait_ms = self.app.step()
        was_busy = bool(self._inbox) or waiting or not self.app.shoe.is_idle or wait_ms <= 1
        wait = self._chance.uniform(*BUSY_S) if was_busy else _REST_S
        self._round_at = self.world.now + wait
        self._runs += 1
        self.world.at(self._round_at, self._round, self._runs)
