"""Shoe and ring on the Pi's pins, commanded and reporting in the words of the Pico's line.

`PiLine` stands where the link to a Pico would: `croupier.devices.pico.Pico` on top of it is the same for both, and so
are jobs, reports, faults and what the ring shows, since the Pico's own files do the work (`firmware.py`).
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

from croupier.devices.gpio.pins import Clock, Motor, Pins, library
from croupier.devices.gpio.wiring import ShoePins
from croupier.devices.pico.firmware_files import Ticks, load
from croupier.errors import GpioUnavailable, one_line
from croupier.link import commands
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted
from croupier.link.reports import Report

HZ: Final = 2_400_000
"""Three bits of SPI are one of the ring, 1.25 µs: `100` is a 0 (0.42 µs high), `110` a 1 (0.83 µs), both within the
0.15 µs that the data sheet (WS2812B, Worldsemi) allows."""

_RESET: Final = bytes(90)
"""Low for 300 µs: the frame is over (280 µs for the WS2812B-V5)."""


def _bits(value: int) -> bytes:
    triplets = "".join("110" if value >> bit & 1 else "100" for bit in range(7, -1, -1))
    return int(triplets, 2).to_bytes(3, "big")


_BITS: Final = tuple(_bits(value) for value in range(256))


def pulses(buffer: bytes | bytearray) -> bytes:
    """What goes out by SPI for four bytes a light, the last three of them blue, red, green (`pico.ring`).

    It begins low, since MOSI may have rested high.
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
        """Let go of it, dark if it takes that frame."""
        try:
            self._lgpio.spi_write(self._spi, pulses(bytes(4 * 60)))
        finally:
            self._lgpio.spi_close(self._spi)


SILENCE_S: Final = 2.0
"""The motor stops when the program has not asked for so long. Longer than on the Pico, where it is the cable that may
be pulled: here it is the program itself that would hang, and a picture that is slow to read is no reason to stop."""

BUSY_S: Final = 0.001
IDLE_S: Final = 0.010
"""How often the shoe is looked after: while a motor runs, and otherwise."""

RING_AGAIN_S: Final = 5.0
"""A ring that took no frame is left alone for so long."""

EDGE_S: Final = 0.02
"""From an edge to the thread that handles it, on a busy Pi."""

_REPORTS: Final[dict[str, Any]] = {one.message: one for one in get_args(Report)}
_TICKS_AT: Final = {"card": 2}
"""Where the moment stands among a report's values; elsewhere it comes last, if at all."""


class Sensor:
    """A sensor on a pin. ``handle`` is called with the lock held, and sees the level and the time of the edge."""

    def __init__(self, pins: Pins, gpio: int, *, on_is_high: bool, ticks: Ticks, lock: RLock) -> None:
        self._on_is_high, self._ticks, self._lock = on_is_high, ticks, lock
        self._handle: Callable[[object], None] | None = None
        self._edge: bool | None = None
        self._is_high = pins.watch(gpio, self._at_edge)

    def is_on(self) -> bool:
        """Whether a card covers it or lies on it."""
        is_high = self._is_high() if self._edge is None else self._edge
        return is_high == self._on_is_high

    def watch(self, handle: Callable[[object], None]) -> None:
        """Call it at every change."""
        self._handle = handle

    def _at_edge(self, at: float, is_high: bool) -> None:
        with self._lock:
            self._ticks.edge, self._edge = at, is_high
            try:
                if self._handle is not None:
                    self._handle(None)
            finally:
                self._ticks.edge = self._edge = None


class NoSensor:
    """Where there is none, cards are taken to be there: that they are not shows when none comes."""

    def is_on(self) -> bool:
        """Always."""
        return True


class NoTurntable:
    """One outlet for all seats: it stands right for each."""

    is_turning = False

    def turn_to(self, _place: int) -> None:
        """Nothing turns."""

    def find_home(self) -> None:
        """Nothing turns."""

    def stop(self) -> None:
        """Nothing turns."""

    def step(self) -> None:
        """No trouble."""


class PiLine:
    """Shoe and ring on the Pi's pins. ``shoe``, ``lights``: None where there is none. Implements `Line`.

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
        """Why the pins must be opened anew, in one line; "" while all is well."""
        self.ring_trouble = ""
        """Why the ring takes no frames, in one line; it is tried again, and the shoe goes on."""
        self._ring_lock = Lock()  # of its own: a frame takes milliseconds, and the motor must stop within one
        self._ring_due = clock.stamps()
        self._ticks = Ticks(clock.stamps)
        pico = load(self._ticks)
        self._places: dict[int, int] = {}
        self._ring: Any = None if lights is None else pico.ring.Ring(SimpleNamespace(show=self._shine))
        self._lights = lights
        self._shoe: Any = None
        self._motor: Motor | None = None
        t, _ = clock.moment(clock.stamps())
        self._events: list[Event] = [
            # What was dealt on these pins before, only the registers may know.
            Greeted(t=t, board="raspberry-pi", world="hardware", cause="power", is_new=True, is_reset=True)
        ]
        if shoe is not None:
            self._motor = pins.motor(shoe.forward, shoe.back)
            way_out = Sensor(pins, shoe.exit, on_is_high=True, ticks=self._ticks, lock=self._lock)
            hopper: Any = NoSensor()
            if shoe.hopper is not None:
                hopper = Sensor(pins, shoe.hopper, on_is_high=False, ticks=self._ticks, lock=self._lock)
            self._feeder = pico.feeder.Feeder(self._motor, way_out, hopper)
            memory = pico.memory.Memory([0, 0, 0] if registers is None else registers)
            self._shoe = pico.shoe.Shoe(NoTurntable(), self._feeder, way_out, hopper, memory, self._tell)
            self._tell_state()
        self._heard = clock.stamps()
        self._is_closed = Flag()
        self._thread = Thread(target=self._run, name="gpio-shoe", daemon=True)

    def send(self, command: Command) -> bool:
        """Do it; always possible."""
        if self._ring is not None:
            with self._ring_lock:
                self._show(command)
        if self._shoe is not None:
            with self._lock:
                self._heard = self._clock.stamps()
                self._do(command)
        return True

    def events(self) -> list[Event]:
        """What happened since the last call, in order."""
        with self._lock:
            self._heard = self._clock.stamps()
            events, self._events = self._events, []
            return events

    def watermark(self) -> float:
        """What the shoe's pins showed before this comes with the next `events`."""
        return self._clock.moment(self._clock.stamps())[0] - EDGE_S

    def step(self) -> float:
        """Look after motor and ring; returns how long nothing else is due (s)."""
        if self._ring is not None:
            with self._ring_lock:
                self._ring.step()
        if self._shoe is None:
            return IDLE_S
        with self._lock:
            if self._shoe.is_armed and self._clock.stamps() - self._heard > SILENCE_S:
                self._shoe.stop("silence")
                self._tell_state()
            self._shoe.step()
            return IDLE_S if self._shoe.is_idle else BUSY_S

    def start(self) -> None:
        """Look after motor and ring from a thread of its own, until `close`."""
        self._thread.start()

    def close(self) -> None:
        """Motor and ring off."""
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
                self._tell("fault", "silence", 0)
            raise
        finally:
            if self._motor is not None:
                self._motor.off()

    def _shine(self, frame: bytearray) -> None:
        now = self._clock.stamps()
        if now < self._ring_due:
            return
        try:
            self._lights.show(frame)
        except Exception as err:  # each library has its own; the shoe must be looked after whatever the ring does
            self.ring_trouble = f"the ring takes no more frames: {one_line(str(err))}"
            self._ring_due = now + RING_AGAIN_S
        else:
            self.ring_trouble = ""

    def _show(self, command: Command) -> None:
        match command:
            case commands.Config():
                self._ring.set_size(command.lights)
            case commands.Place():
                self._ring.place(command.seat, command.angle)
            case commands.Ring():
                self._ring.show(command.turn, command.direction, command.color, command.mode)
            case _:
                pass

    def _do(self, command: Command) -> None:
        shoe = self._shoe
        match command:
            case commands.Config():
                self._feeder.set_speed(command.speed)
            case commands.Place():
                self._places[command.seat] = command.angle
            case commands.Deal():
                shoe.deal(command.job, self._places.get(command.seat), command.n)
            case commands.Go():
                shoe.arm()
                self._tell_state()
            case commands.Stop():
                shoe.stop("stopped")
                self._tell_state()
            case commands.Clear():
                shoe.clear()
                self._tell_state()
            case _:
                pass  # lamps, buzzer, turntable: there are none

    def _tell_state(self) -> None:
        self._tell("state", *self._shoe.state(), 0)

    def _tell(self, name: str, *values: Any) -> None:
        kind = _REPORTS[name]
        names = [field.name for field in fields(kind)][2:]  # without t and u
        told = list(values)
        at = _TICKS_AT.get(name, len(names))
        stamp = self._ticks.seconds(told.pop(at)) if len(told) > len(names) else self._clock.stamps()
        t, u = self._clock.moment(stamp)
        self._events.append(kind(t=t, u=u, **dict(zip(names, told, strict=True))))
        self._on_news()


def registers(path: str) -> MutableSequence[int]:
    """Three words in a file, on a file system in memory: like the Pico's they outlive the program, not the power.

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
