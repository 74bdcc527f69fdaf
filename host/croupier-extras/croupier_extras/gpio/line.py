"""Shoe and ring on the Pi's pins, as a `croupier.devices.pico.Line`.

The Pico's own files drive them (`firmware`), so jobs, reports, faults and the ring are as with a Pico.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, MutableSequence
from contextlib import suppress
from dataclasses import fields
from threading import Event as Flag
from threading import Lock, RLock, Thread
from types import SimpleNamespace
from typing import Any, Final, get_args

from croupier.errors import GpioUnavailable, one_line
from croupier.link import commands
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted
from croupier.link.reports import Report
from croupier.retry import RING, Backoff
from croupier_extras.gpio.firmware import Ticks, load
from croupier_extras.gpio.pins import Clock, Motor, Pins, library
from croupier_extras.gpio.wiring import ShoePins

HZ: Final = 2_400_000
"""Three bits of SPI make one bit of the ring (1.25 µs): `100` is a 0 (0.42 µs high), `110` a 1 (0.83 µs); the data
sheet allows a tolerance of 0.15 µs (WS2812B, Worldsemi)."""

_RESET: Final = bytes(90)
"""Low for 300 µs ends a frame (280 µs for the WS2812B-V5)."""


def _bits(value: int) -> bytes:
    triplets = "".join("110" if value >> bit & 1 else "100" for bit in range(7, -1, -1))
    return int(triplets, 2).to_bytes(3, "big")


_BITS: Final = tuple(_bits(value) for value in range(256))


def pulses(buffer: bytes | bytearray) -> bytes:
    """The bytes for SPI, of a frame with four bytes a light, the last three of them blue, red, green (`pico.ring`).

    They begin low, since MOSI may have rested high.
    """
    lights = (buffer[at + part] for at in range(0, len(buffer), 4) for part in (3, 2, 1))
    return b"".join((b"\0", *(_BITS[value] for value in lights), _RESET))


class SpiLights:
    """The ring at MOSI of SPI 0.

    Raises:
        GpioUnavailable: SPI is not switched on.
    """

    def __init__(self) -> None:
        try:
            self._lgpio: Any = library()
            self._spi = self._lgpio.spi_open(0, 0, HZ, 0)
        except Exception as err:
            raise GpioUnavailable(
                f"the ring: SPI 0 cannot be opened ({one_line(str(err))}): switch it on with "
                "raspi-config nonint do_spi 0"
            ) from err

    def show(self, buffer: bytes | bytearray) -> None:
        """Show a frame of `pico.ring`."""
        self._lgpio.spi_write(self._spi, pulses(buffer))

    def close(self) -> None:
        """Close SPI; the ring goes dark if it takes that frame. Raises nothing."""
        with suppress(Exception):
            self.show(bytes(4 * 60))
        with suppress(Exception):
            self._lgpio.spi_close(self._spi)


SILENCE_S: Final = 2.0
"""The motor stops if the program has asked for nothing for this time. It is longer than on the Pico, whose cable may be
pulled: here only the program can hang, and a picture that is slow to read is no reason to stop."""

BUSY_S: Final = 0.001
IDLE_S: Final = 0.010
"""The period of `PiLine.step`: while a motor runs, and otherwise."""

EDGE_S: Final = 0.02
"""From an edge to the thread that handles it, on a busy Pi."""

_REPORTS: Final[dict[str, Any]] = {one.message: one for one in get_args(Report)}
_TICKS_AT: Final = {"card": 2}
"""The place of the ticks among the values of a report; elsewhere they come last, if at all."""


class Sensor:
    """A sensor on a pin. Its handler is called with the lock held, and sees the level and the time of the edge."""

    def __init__(self, pins: Pins, gpio: int, *, on_is_high: bool, ticks: Ticks, lock: RLock) -> None:
        self._on_is_high, self._ticks, self._lock = on_is_high, ticks, lock
        self._handle: Callable[[object], None] = lambda _pin: None
        self._edge: bool | None = None
        self._is_high = pins.watch(gpio, self._at_edge)

    def is_on(self) -> bool:
        """True while a card covers the sensor."""
        is_high = self._is_high() if self._edge is None else self._edge
        return is_high == self._on_is_high

    def watch(self, handle: Callable[[object], None]) -> None:
        """Call ``handle`` at every change."""
        self._handle = handle

    def _at_edge(self, at: float, is_high: bool) -> None:
        with self._lock:
            self._ticks.edge, self._edge = at, is_high
            try:
                self._handle(None)
            finally:
                self._ticks.edge = self._edge = None


def _nothing(*_: object) -> None:
    """Nothing turns."""


_NO_HOPPER_SENSOR: Final = SimpleNamespace(is_on=lambda: True)
"""Without a sensor the hopper counts as filled: a feed without a card shows that it is empty."""

_NO_TURNTABLE: Final = SimpleNamespace(
    is_turning=False, turn_to=_nothing, find_home=_nothing, doubt=_nothing, stop=_nothing, step=_nothing
)
"""One outlet serves all seats."""


class PiLine:
    """Shoe and ring on the Pi's pins, each ``None`` if it is not wired. Implements `Line`.

    ``registers``: three words that keep the last job (`registers`). ``on_news``: called at each report, from any
    thread. Call `step` often, or `start` a thread that does.
    """

    def __init__(
        self,
        pins: Pins,
        clock: Clock,
        shoe: ShoePins | None,
        lights: Any = None,
        registers: MutableSequence[int] | None = None,
        on_news: Callable[[], None] = lambda: None,
    ) -> None:
        self._clock, self._lock, self._on_news = clock, RLock(), on_news
        self.trouble = ""
        """Why the pins must be opened again, in one line; "" while they work."""
        self.ring_trouble = ""
        """Why the ring takes no frames, in one line; "" while it does. The shoe goes on without the ring."""
        self._ring_lock = Lock()  # of its own: a frame takes milliseconds, and the motor must stop within one
        self._ring_retry = Backoff(RING, clock.stamps)
        self._ticks = Ticks(clock.stamps)
        pico = load(self._ticks)
        self._places: dict[int, int] = {}
        self._ring: Any = None if lights is None else pico.ring.Ring(SimpleNamespace(show=self._shine))
        self._lights = lights
        self._shoe: Any = None
        self._motor: Motor | None = None
        self._is_known = False  # has `events` brought the greeting?
        t, _ = clock.moment(clock.stamps())
        self._events: list[Event] = [
            # Only the registers may know what was dealt on these pins before.
            Greeted(t=t, board="raspberry-pi", world="hardware", cause="power", is_new=True, is_reset=True)
        ]
        if shoe is not None:
            self._motor = pins.motor(shoe.forward, shoe.back)
            way_out = Sensor(pins, shoe.exit, on_is_high=True, ticks=self._ticks, lock=self._lock)
            hopper: Any = _NO_HOPPER_SENSOR
            if shoe.hopper is not None:
                hopper = Sensor(pins, shoe.hopper, on_is_high=False, ticks=self._ticks, lock=self._lock)
            self._feeder = pico.feeder.Feeder(self._motor, way_out, hopper)
            memory = pico.memory.Memory([0, 0, 0] if registers is None else registers)
            self._shoe = pico.shoe.Shoe(
                _NO_TURNTABLE, self._feeder, way_out, hopper, memory, self._report, lambda: True
            )
            self._report_state()
        self._heard = clock.stamps()
        self._is_closed = Flag()
        self._thread = Thread(target=self._run, name="gpio-shoe", daemon=True)

    def send(self, command: Command) -> bool:
        """Carry out a command; false before `events` has brought the greeting."""
        if not self._is_known:
            return False
        if self._ring is not None:
            with self._ring_lock:
                self._command_ring(command)
        if self._shoe is not None:
            with self._lock:
                self._heard = self._clock.stamps()
                self._command_shoe(command)
        return True

    def events(self) -> list[Event]:
        """The events since the last call, in order."""
        with self._lock:
            self._heard = self._clock.stamps()
            events, self._events, self._is_known = self._events, [], True
            return events

    def watermark(self) -> float:
        """All events of the shoe's pins before this time (s, table clock) come with the next `events`."""
        return self._clock.moment(self._clock.stamps())[0] - EDGE_S

    def step(self) -> float:
        """Look after motor and ring; returns the time until the next step (s)."""
        if self._ring is not None:
            with self._ring_lock:
                self._ring.step()
        if self._shoe is None:
            return IDLE_S
        with self._lock:
            if self._shoe.is_armed and self._clock.stamps() - self._heard > SILENCE_S:
                self._shoe.stop("silence")
                self._report_state()
            self._shoe.step()
            return IDLE_S if self._shoe.is_idle else BUSY_S

    def start(self) -> None:
        """Look after motor and ring in a thread of its own, until `close`."""
        self._thread.start()

    def close(self) -> None:
        """Switch motor and ring off."""
        self._is_closed.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._lock:
            if self._motor is not None:
                self._motor.off()
            if self._lights is not None:
                with suppress(Exception):  # it may have been the ring that failed
                    self._lights.close()

    def _run(self) -> None:
        try:
            while not self._is_closed.wait(self.step()):
                pass
        except Exception as err:
            with self._lock:
                self.trouble = f"the shoe's pins cannot be driven any more: {one_line(str(err))}"
                self._report("fault", "silence", 0)
            raise
        finally:
            if self._motor is not None:
                self._motor.off()

    def _shine(self, frame: bytearray) -> None:
        if not self._ring_retry.is_due:
            return
        try:
            self._lights.show(frame)
        except Exception as err:  # each library has its own; the shoe must be looked after whatever the ring does
            self.ring_trouble = f"the ring takes no more frames: {one_line(str(err))}"
            self._ring_retry.fail()
        else:
            self.ring_trouble = ""

    def _command_ring(self, command: Command) -> None:
        match command:
            case commands.Config():
                self._ring.set_size(command.lights)
            case commands.Place():
                self._ring.place(command.seat, command.angle)
            case commands.Ring():
                self._ring.show(command.turn, command.direction, command.color, command.mode, command.n)
            case _:
                pass

    def _command_shoe(self, command: Command) -> None:
        match command:
            case commands.Config():
                self._feeder.set_speed(command.speed)
            case commands.Place():
                self._places[command.seat] = command.angle
            case commands.Deal():
                self._shoe.deal(command.job, self._places.get(command.seat), command.n)
            case commands.Go():
                self._shoe.arm()
            case commands.Stop():
                self._shoe.stop("stopped")
            case commands.Clear():
                self._shoe.clear()
            case _:
                pass  # lamps, buzzer, turntable: there are none
        if isinstance(command, commands.Go | commands.Stop | commands.Clear):
            self._report_state()

    def _report_state(self) -> None:
        self._report("state", *self._shoe.state(), 0)

    def _report(self, name: str, *values: Any) -> None:
        """Take a message of the firmware: its values, and its ticks where they do not mean now."""
        kind = _REPORTS[name]
        names = [field.name for field in fields(kind)][2:]  # without t and u
        given = list(values)
        at = _TICKS_AT.get(name, len(names))
        stamp = self._ticks.seconds(given.pop(at)) if len(given) > len(names) else self._clock.stamps()
        t, u = self._clock.moment(stamp)
        self._events.append(kind(t=t, u=u, **dict(zip(names, given, strict=True))))
        self._on_news()


def registers(path: str) -> MutableSequence[int]:
    """Three words in a file on a file system in memory: like the Pico's they outlive the program, not the power.

    Raises:
        GpioUnavailable: the file cannot be made.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(file, 12)
            return memoryview(mmap.mmap(file, 12)).cast("I")  # type: ignore[return-value]
        finally:
            os.close(file)
    except OSError as err:
        raise GpioUnavailable(
            f"{path}: the shoe cannot keep its last job there ({err.strerror}): give another memory"
        ) from err
