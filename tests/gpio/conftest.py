"""The pins of a Raspberry Pi to test on: `fake_lgpio` under the real gpiozero, by either of its factories."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.gpio.fake_lgpio import FakePins
from tests.gpio.kernel_pins import CHIP, KernelPins

_PI_4 = 0xC03111

_AFRESH = ("lgpio", "RPi", "RPi.GPIO", "gpiozero.pins.lgpio", "gpiozero.pins.rpigpio")
"""Modules that know the `lgpio` they were imported with."""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakePins:
    pins = FakePins()
    for name in _AFRESH:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "lgpio", pins.module())
    monkeypatch.setenv("RPI_LGPIO_REVISION", f"{_PI_4:x}")
    return pins


@pytest.fixture
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> FakePins | KernelPins:
    """The pins of a real kernel where there are some, otherwise fake ones."""
    if not CHIP:
        fake: FakePins = request.getfixturevalue("fake")
        return fake
    for name in _AFRESH[1:]:
        sys.modules.pop(name, None)
    monkeypatch.setenv("RPI_LGPIO_REVISION", f"{_PI_4:x}")
    return KernelPins()


@pytest.fixture(params=["lgpio", "rpigpio"])
def factory(request: pytest.FixtureRequest) -> Iterator[str]:
    """Which of gpiozero's factories drives the pins; both are the real ones."""
    request.getfixturevalue("world" if "world" in request.fixturenames else "fake")
    module: Any = importlib.import_module(f"gpiozero.pins.{request.param}")
    base = module.LGPIOFactory if request.param == "lgpio" else module.RPiGPIOFactory
    base._get_revision = lambda _self: _PI_4
    yield request.param
    base.pins.clear()
    base._reservations.clear()
    for name in _AFRESH[1:]:
        sys.modules.pop(name, None)
