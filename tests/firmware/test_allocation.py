"""What a round of the firmware's main loop allocates, in MicroPython's VM: nothing while nothing happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier_sim.board.pico import interpreter
from tests.firmware.in_vm import in_vm

pytestmark = pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")

BLOCK = 32
"""Bytes of a block of the heap in this VM; a block of the Pico's has half as many."""

ROUNDS = r"""
import gc, json, sys

class Stub:
    def __getattr__(self, name):
        return self
    def __call__(self, *_, **__):
        return self
    def __or__(self, _):
        return self

sys.modules["rp2"] = sys.modules["machine"] = Stub()

from pico import clock
now = [5]
clock.ticks_ms = lambda: now[0]
clock.ticks_us = lambda: 1000 * now[0]

from pico import board
from pico.app import App
from pico.link import Link, Port
from tablewire.channel import Channel
from tablewire.messages import HEARD_BY_HOST, HEARD_BY_PICO, SCHEMA, VERSION

board.collect = lambda: None

class Device:
    "A device at rest."
    levels = (1 << 30) - 1
    is_there = False
    def __init__(self, is_there=False):
        self.is_there = is_there
    def is_on(self):
        return self.is_there
    def watch(self, handler):
        self.edge = handler
    def read(self):
        return self.levels
    def show(self, _):
        pass
    off = on = stop = start = brake = hold = release = lambda self, *_: 0
    def __getitem__(self, _):
        return 0
    def __setitem__(self, _, word):
        pass

class Devices:
    def __init__(self):
        for name in ("stepper", "home", "marks", "motor", "exit", "registers", "buttons", "lights", "tone", "lamps"):
            setattr(self, name, Device())
        self.power, self.hopper = Device(True), Device(True)
        self.stepper.is_on = False
    def every(self, *_):
        pass
    motors_off = every

class Usb(Port):
    "The port with bytes from here."
    def __init__(self):
        self._one, self._data = bytearray(1), bytearray(256)
        self.began, self.is_behind, self.waiting, self.at = 0, False, b"", 0
        self._ipoll, self._take = self.arrived, self.take
        self.written = []
    def arrived(self, _):
        return (1,) if self.at < len(self.waiting) else ()
    def take(self, one):
        one[0] = self.waiting[self.at]
        self.at += 1
        return 1
    def write(self, data):
        piece = data[:32]
        self.written.append(piece)
        return len(piece)

usb = Usb()
app = App(Devices(), Link(usb, "x", "SIMULATION", "power", 1))
host = Channel(HEARD_BY_HOST, HEARD_BY_PICO)
host.open(77, 0)
host.say("hello", VERSION, SCHEMA)

def step():
    now[0] += 5
    app.step()

def exchange():
    "A ping, and all else that either side has to say."
    host.say("ping", 1)
    for _ in range(8):
        usb.waiting, usb.at = host.due(now[0]), 0
        step()
        heard, usb.written = b"".join(usb.written), []
        for frame in host.receive(heard, now[0]):
            got.append(frame.message.name)

got = []
exchange()
exchange()
host.send("config", 4, 24, 1200, 80, 40)
exchange()
gc.collect()
gc.disable()

def allocated(rounds, before=lambda: None):
    "Bytes that so many rounds allocate, without what comes in between."
    total = 0
    for _ in range(rounds):
        before()
        begun = gc.mem_alloc()
        step()
        total += gc.mem_alloc() - begun
    return total

def press():
    exchange()
    app.devices.buttons.levels ^= 1
    app.devices.buttons.edge(None)

exchange()
told = {"opened": app.link._channel.session.number, "idle": 0}
for _ in range(20):
    exchange()
    told["idle"] += allocated(50)
got.clear()
told["press"] = allocated(200, press)
exchange()
told["presses"] = got.count("press")
host.send("ring", 1, "left", "red", "play", 0)
exchange()
told["frames"] = allocated(50)
print(json.dumps(told))
"""


def test_a_round_in_which_nothing_happens_allocates_nothing(tmp_path: Path) -> None:
    told = in_vm(ROUNDS, tmp_path)
    assert told["opened"] == 77
    assert told["idle"] == 0, "bytes in 1,000 rounds"
    assert told["presses"] == 100
    assert 0 < told["press"] / told["presses"] <= 6 * BLOCK, "bytes in the round that sees a press"
    assert 0 < told["frames"] / 50 <= 8 * BLOCK, "bytes in a round while a light runs round the ring"
