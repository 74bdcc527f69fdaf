"""The table's machine on an emulated RP2040, which runs a MicroPython image, the firmware and its PIO programs.

The processor, its timers, PIO, PWM, USB and watchdog are those of `rp2040py`; the cards are those of the simulated
board. All go in step: time is the cycles of the processor. It knows no stalls of the flash, so silicon is a little
slower.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.device.load_flash import load_uf2
from rp2040py.execute_batch import execute_batch
from rp2040py.simulator import Simulator
from rp2040py.usb.cdc import USBCDC
from rp2040py.utils.logging import ConsoleLogger, LogLevel

from croupier.errors import CannotSimulate
from croupier_extras.firmware.image import BLOCK, BLOCKS, DISK_AT, file_system, firmware_files
from croupier_sim.board import Event, Settings
from tablewire import pins

_FLASH: Final = 0x1000_0000

LOOK_NS: Final = 20_000
"""Period in which the duty of the motor and the rest of the processor are looked at."""
_CYCLE_NS: Final = 8
_PWM: Final = 4
"""The function of a pin that shows a counter of the PWM."""
_FULL: Final = 65_535
_FIRST_ANALOG: Final = 26  # GPIO of channel 0 of the converter, which has 12 bits
_LOAD: Final = 0x04
"""The watchdog's register that feeds it: the firmware writes it at the begin of each round."""
_MAILBOX, _ASKED = 3, 0x2D3A_0001
"""The scratch register that the firmware reads at its start only: by it `_PROBE` is asked for the free memory."""
_WAITS: Final = 0x28
"""The watchdog's scratch register 7, which nothing uses: `_PROBE` writes it where the firmware calls its wait."""
_STANDS_US: Final = 10_000
"""A turntable without pulses for so long stands."""

_DEFAULT: Final = Settings()

_PROBE: Final = f"""import gc
import sys
from machine import Timer, mem32

def _mark(kind):
    wait = kind.wait
    def marked(board, ms):
        mem32[0x40058000 + {_WAITS}] = 1
        wait(board, ms)
    kind.wait = marked
    kind.is_marked = True

def _look(_timer):
    if "pico.board" in sys.modules and hasattr(sys.modules["pico.board"], "Board"):
        kind = sys.modules["pico.board"].Board
        if not hasattr(kind, "is_marked"):
            _mark(kind)
    if mem32[0x40058018] == {_ASKED}:
        gc.collect()
        mem32[0x40058018] = gc.mem_free()

Timer(-1).init(period=100, callback=_look)
""".encode()
"""``boot.py``, which MicroPython runs before ``main.py``: tells the free memory when it is asked, and when the firmware
calls its wait. MicroPython still does much there before the processor sleeps, which is no work of the firmware."""


def _vm(name: str) -> Any:
    """A module of the simulated board, which runs in MicroPython there."""
    folder = str(Path(sys.modules["croupier_sim.board"].__path__[0]) / "vm")
    sys.path.insert(0, folder)
    try:
        return import_module(name)
    finally:
        sys.path.remove(folder)


class World:
    """Time and pins of the emulated board, as `croupier_sim.board.vm.world.World` gives them to the mechanics."""

    def __init__(self, mcu: Any) -> None:
        self._mcu = mcu
        self.levels = (1 << 30) - 1
        self.reports: list[Event] = []
        self.reset_due = ""
        self.on_rest: Callable[[], None] | None = None

    @property
    def now(self) -> int:
        """Microseconds since the board had power."""
        return int(self._mcu.clock.nanos // 1000)

    def at(self, when: int, act: Callable[..., None], *arguments: Any) -> None:
        """As `vm.world.World.at`."""
        self._mcu.clock.create_alarm(partial(act, *arguments)).schedule(max(0, 1000 * when - self._mcu.clock.nanos))

    def report(self, kind: str, *values: Any) -> None:
        """As `vm.world.World.report`."""
        self.reports.append(Event(self.now, kind, values))

    def level(self, gpio: int) -> int:
        """As `vm.world.World.level`."""
        return self.levels >> gpio & 1

    def set_level(self, gpio: int, level: int) -> None:
        """As `vm.world.World.set_level`."""
        self.levels = self.levels & ~(1 << gpio) | level << gpio
        self._mcu.gpio[gpio].set_input_value(bool(level))

    def set_levels(self, changes: list[tuple[int, int]]) -> None:
        """As `vm.world.World.set_levels`."""
        for gpio, level in changes:
            self.set_level(gpio, level)


class Rotor:
    """The turntable: a step for each pulse. It never loses one; `vm.turning.Turning` tells what a real one does."""

    def __init__(self, world: World, settings: dict[str, Any], home_gpio: int, marks_gpio: int) -> None:
        self._world, self._home, self._marks, self._at = world, home_gpio, marks_gpio, settings["angle"]
        self._limits = _vm("turning")
        self._ranges = self._limits.marks()
        self._pulse_us = -_STANDS_US
        self.is_free = True
        self._show_magnet()

    def angle(self) -> float:
        """The position (steps)."""
        return float(self._at)

    @property
    def is_running(self) -> bool:
        """True while pulses come, and the motor has current."""
        return not self.is_free and self._world.now - self._pulse_us < _STANDS_US

    def stop(self) -> None:
        """Do nothing: the pulses end by themselves."""

    def wake(self) -> None:
        """Do nothing: what is let go stands at once."""

    def let_go(self, is_free: bool) -> None:
        """Take the motor's current away, or give it."""
        self.is_free = is_free

    def pulse(self, steps: int) -> None:
        """Turn by a step, clockwise or back, as far as the cable reaches."""
        self._pulse_us = self._world.now
        if not self.is_free and abs(self._at + steps) <= self._limits.CABLE:
            self._at += steps
            self._show_magnet()

    def _show_magnet(self) -> None:
        self._world.set_level(self._home, 0 if 0 <= self._at < self._limits.MAGNET else 1)
        self._world.set_level(self._marks, 0 if any(a <= self._at < b for a, b in self._ranges) else 1)


class EmulatedPico:
    """The board with the same calls as `croupier_sim.board.SimPico`. Time is in µs since it had power.

    ``image``: MicroPython for the Pico (UF2). `first_byte_us`: when the first byte came over USB.
    Raises CannotSimulate for a file that is not an image.
    """

    def __init__(self, image: Path, settings: Settings = _DEFAULT) -> None:
        simulator = Simulator()
        self._simulator, self._mcu = simulator, simulator.rp2040
        self._mcu.logger = ConsoleLogger(LogLevel.ERROR)
        self._mcu.load_bootrom(BOOTROM_B1)
        try:
            load_uf2(image, self._mcu)
        except (OSError, ValueError) as err:
            reason = getattr(err, "strerror", None) or err
            raise CannotSimulate(f"{image}: expected MicroPython for the Pico as a UF2 file: {reason}") from err
        self._mcu.flash[DISK_AT : DISK_AT + BLOCK * BLOCKS] = disk()
        self._mcu.core.pc = _FLASH
        self._world = World(self._mcu)
        self.runs_on = f"an emulated RP2040 with {image.name}"
        self.first_byte_us = 0
        self._in, self._out = bytearray(), bytearray()
        self._is_asked = self._is_marked = False
        self._line = USBCDC(self._mcu.usb_ctrl)
        self._line.on_device_connected = lambda: self._world.report("boot")
        self._line.on_serial_data = self._take
        self._mechanics = _vm("mechanics").Mechanics(self._world, asdict(settings), Rotor)
        for row in pins.PINS:
            if row.way == "in":
                self._world.set_level(row.gpio, self._world.level(row.gpio))
        self._mcu.adc.channel_values[pins.pin("motor_power").gpio - _FIRST_ANALOG] = (
            self._mechanics.supply.reading() >> 4
        )
        self._devices = {"feeding": self._mechanics.feeding, "board": self._mechanics}
        self._wire()

    def close(self) -> None:
        """Do nothing: the board is memory of this process."""

    @property
    def now_us(self) -> int:
        """The time."""
        return self._world.now

    @property
    def epoch_us(self) -> int:
        """When the Pico's own clock was 0."""
        return self._world.now - int(self._mcu.timer.read_uint32(0x28))

    @property
    def is_driven(self) -> bool:
        """True while a motor has current to move."""
        return bool(self._mechanics.is_driven)

    def do(self, device: str, act: str, *values: Any, at_us: int | None = None) -> None:
        """As `SimPico.do`."""
        if act == "measure_memory":
            self._is_asked, self._mcu.watchdog.scratch_data[_MAILBOX] = True, _ASKED
        else:
            self._world.at(self.now_us if at_us is None else at_us, getattr(self._devices[device], act), *values)

    def press(self, mask: int, *, at_us: int | None = None, up_after_us: int | None = 80_000, bounces: int = 0) -> None:
        """As `SimPico.press`."""
        self.do("board", "press", mask, up_after_us, bounces, at_us=at_us)

    def write(self, data: bytes) -> None:
        """Write bytes to the Pico's USB port."""
        self._out += data

    def read(self) -> bytes:
        """Return the bytes that the Pico has sent since the last call."""
        data, self._in = bytes(self._in), bytearray()
        return data

    def run_to(self, t_us: int) -> list[Event]:
        """Advance time to ``t_us``. Returns the events of that time."""
        simulator = self._simulator
        simulator.stopped = False
        self._world.at(t_us, simulator.stop)
        while not simulator.stopped:
            execute_batch(simulator, 1)
        events, self._world.reports = self._world.reports, []
        return events

    # --------------------------------------------------------------------------------------------------------------

    def _wire(self) -> None:
        """Connect the outputs of the Pico with what they drive."""
        gpio = {name: pins.pin(name).gpio for name in ("turn_step", "turn_direction", "turn_off")}
        pin = self._mcu.gpio
        self._motor = [pins.pin(name).gpio for name in ("feed_forward", "feed_back")]
        self._duty = [0, 0]

        def step(*_: Any) -> None:
            if pin[gpio["turn_step"]].output_value:
                self._mechanics.turning.pulse(1 if pin[gpio["turn_direction"]].output_value else -1)

        def switch(*_: Any) -> None:
            off = pin[gpio["turn_off"]]
            self._mechanics.turning.let_go(bool(off.output_value) or not off.output_enable)

        pin[gpio["turn_step"]].add_listener(step)
        pin[gpio["turn_off"]].add_listener(switch)
        watchdog: Any = self._mcu.watchdog
        write, trigger = watchdog.write_uint32, watchdog.on_watchdog_trigger

        def feed(offset: int, value: int) -> None:
            if offset == _LOAD:
                self._rest()  # a round that does not wait ends with the next
                self._mechanics.goes_round()
            elif offset == _WAITS:
                self._is_marked = True
                self._rest()
            write(offset, value)

        def bark() -> None:
            trigger()
            self._mechanics.reset("watchdog")
            self._world.report("reset", "watchdog")

        watchdog.write_uint32, watchdog.on_watchdog_trigger = feed, bark
        self._watch = self._mcu.clock.create_alarm(self._look)
        self._watch.schedule(LOOK_NS)
        self._pacer, self._paced_ns = self._mcu.clock.create_alarm(self._pace), 0.0
        self._pacer.schedule(LOOK_NS)

    def _pace(self) -> None:
        """Let PIO go on while the processor sleeps: the emulator gives it one instruction each time something is due,
        so that the next instruction has to be that."""
        now = self._mcu.clock.nanos
        # What this sleep has lasted is not counted there yet.
        slept = (now - self._paced_ns) / _CYCLE_NS if self._mcu.core.waiting else 0
        running = (pio for pio in self._mcu.pio if not pio.stopped)
        cycles = min(((pio.next_due_fp - pio.cycle_fp) / 256 for pio in running), default=LOOK_NS)
        self._paced_ns = now
        self._pacer.schedule(min(LOOK_NS, _CYCLE_NS * max(1.0, cycles - slept)))

    def _look(self) -> None:
        self._watch.schedule(LOOK_NS)
        if self._mcu.core.waiting and not self._is_marked:
            self._rest()  # of a program that does not tell when it waits
        duty = [self._duty_of(gpio) for gpio in self._motor]
        if duty != self._duty:
            self._duty = duty
            for gpio, value in zip(self._motor, duty, strict=True):
                self._mechanics.drive(gpio, value)
            self._mechanics.feeding.wake()
        fifo = self._line.tx_fifo
        while self._out and not fifo.full:
            fifo.push(self._out.pop(0))
        if self._is_asked and (free := self._mcu.watchdog.scratch_data[_MAILBOX]) != _ASKED:
            self._is_asked = False
            self._world.report("memory", free)

    def _duty_of(self, gpio: int) -> int:
        """Duty cycle of a pin, of 65,535."""
        pin = self._mcu.gpio[gpio]
        if pin.function_select != _PWM:
            return _FULL if pin.output_enable and pin.output_value else 0
        channel = self._mcu.pwm.channels[gpio >> 1 & 7]
        level = channel.cc >> 16 if gpio & 1 else channel.cc & 0xFFFF
        return min(_FULL, level * _FULL // (channel.top + 1)) if channel.csr & 1 else 0

    def _rest(self) -> None:
        if self._world.on_rest:
            self._world.on_rest()

    def _take(self, data: bytes | bytearray) -> None:
        self.first_byte_us = self.first_byte_us or self.now_us
        self._in += data


def disk() -> bytes:
    """The Pico's file system with the firmware, as `croupier firmware install` writes it, and `_PROBE`."""
    return file_system({"boot.py": _PROBE, **firmware_files(lambda _line: None)})
