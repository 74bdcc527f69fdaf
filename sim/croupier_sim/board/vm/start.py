"""Runs the unmodified firmware on the simulated board; `croupier_sim.board` starts it.

    micropython start.py FD_IN FD_OUT SETTINGS

Standard input and output are the USB line. On FD_IN the host sends one line of JSON for each step, with the end of the
step and the acts until then: ``[to_us, [[device, act, ...], ...]]``. On FD_OUT a line reports the end of the step:
``[now_us, is_driven, events]``.
"""

import json
import sys

import micropython
import simselect
import simulation
from costs import Clog, install
from world import TICKS, Reset

sys.modules["select"] = simselect
world, mechanics = simulation.world, simulation.mechanics
_commands = open(int(sys.argv[1]), "rb", buffering=0)  # noqa: SIM115  # until the process ends
_answers = open(int(sys.argv[2]), "wb", buffering=0)  # noqa: SIM115

BOOT_US = 1_800_000
"""Time from the reset until the firmware greets and the USB port exists again (µs): the board compiles its sources."""

small = getattr(micropython, "small", lambda value: value)
"""Under CPython: integers as narrow as the Pico's (`on_cpython`)."""

_clog = Clog(world)
_DEVICES = {
    "feeding": mechanics.feeding,
    "turning": mechanics.turning,
    "supply": mechanics.supply,
    "board": mechanics,
    "usb": _clog,
}


class Closed(BaseException):
    """The host has closed the pipe."""


def _use_simulated_clock():
    from pico import clock

    half = (TICKS + 1) // 2
    clock.ticks_us = lambda: small(world.now & TICKS)
    clock.ticks_ms = lambda: small(world.now // 1000 & TICKS)
    clock.ticks_add = lambda ticks, change: small(int(ticks) + int(change) & TICKS)
    clock.ticks_diff = lambda end, begin: small((int(end) - int(begin) + half & TICKS) - half)


def _sync():
    """Report the end of the step to the host and wait for the next step."""
    reports, world.reports = world.reports, []
    _answers.write((json.dumps([world.now, mechanics.is_driven, reports]) + "\n").encode())
    line = _commands.readline()
    if not line:
        raise Closed
    to_us, acts = json.loads(line)
    for act in acts:
        at, device, name = act[:3]
        world.at(max(at, world.now), getattr(_DEVICES[device], name), *act[3:])
    world.limit = to_us


def _boot():
    for name in list(sys.modules):
        if name == "main" or name.split(".")[0] == "pico":
            del sys.modules[name]
    world.reset()
    world.is_hanging = False
    _use_simulated_clock()
    world.wait(BOOT_US, lambda: False)
    while simselect.is_input_there():
        sys.stdin.buffer.read(1)  # bytes for the port of before the reset
    world.report("boot")
    world.on_loop = lambda: install(world, _clog)
    __import__("main")
    world.on_loop = None  # the firmware has left


def _run():
    while True:
        try:
            _boot()
            return
        except Reset as reset:
            mechanics.reset(reset.cause)
            world.report("reset", reset.cause)


world.on_limit = _sync
world.on_driven = mechanics.wake
world.report("runs", sys.implementation.name, ".".join(str(part) for part in sys.implementation.version[:3]))
try:
    _run()
    world.report("left")
    while True:
        world.wait(1_000_000, lambda: False)
except Closed:
    pass
