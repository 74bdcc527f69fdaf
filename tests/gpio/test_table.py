"""A whole table on the Pi's pins, as the program opens it, with its own thread and clock."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from croupier.devices.pico import Layout
from croupier.devices.protocols import Ask, Asked, Feed, Light, Say
from croupier.errors import GpioUnavailable
from croupier.events import Press
from croupier_extras.gpio.machine import OpenPins, PiMachine
from croupier_extras.gpio.wiring import KeyPin, ShoePins, Wiring
from tests.gpio.at_once import AtOnce
from tests.gpio.fake_lgpio import FakePins

WIRING = Wiring(
    keys=(KeyPin(key="green", gpio=5),),
    buttons=(21, 22, 23),
    shoe=ShoePins(forward=17, back=18, exit=19, hopper=20),
    ring=True,
)


def wired(factory: Any) -> Wiring:
    return replace(WIRING, factory=factory)


class Paper:
    """A page that keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    def ask(self, ask: Ask) -> None:
        self.asked.append(ask)

    def say(self, say: Say) -> None: ...


def test_everything_that_is_wired_works_at_once(fake: FakePins, factory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_extras.gpio.machine.Supervisor", AtOnce)
    page = Paper()
    asked = Asked(page)
    machine = PiMachine(wired(factory), Layout(seats=3), time.monotonic, asked.seat)
    machine.start()
    assert machine.alarm() is None
    try:
        asked.ask(Ask("name-color", seat=2))
        assert page.asked == [Ask("name-color", seat=2)]
        fake.drive(22, 0)
        fake.drive(5, 0)
        presses = [(press.seat, press.key) for press in machine.poll() if isinstance(press, Press)]
        assert presses == [(1, "uno"), (2, "green")]
        assert machine.ring is not None
        assert machine.shoe is not None
        machine.ring.show(Light(turn=1, direction="left", color="green"))
        machine.shoe.feed(Feed(1, 0, 1))
        assert machine.poll() == ()
        fake.drive(19, 0)
        fake.drive(20, 0)
        machine.shoe.arm()
        assert machine.shoe.is_armed
        assert machine.stuck == ()
    finally:
        machine.close()
    assert fake.lines[17].output == fake.lines[18].output == 0
    assert not fake.callbacks


@pytest.mark.parametrize(("factory", "extra"), [("lgpio", "gpio"), ("rpigpio", "rpi-lgpio")])
def test_off_a_raspberry_pi_it_is_said_in_one_line_what_to_install_and_nothing_is_left_behind(
    factory: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GpioUnavailable, match=rf"expected a Raspberry Pi with croupier\[{extra}\]") as caught:
        OpenPins(wired(factory), time.monotonic, lambda key: None)
    assert "\n" not in str(caught.value)
    assert os.getcwd() == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_ring_without_spi_is_said_in_one_line_and_all_pins_are_free(
    fake: FakePins, factory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError("can not open SPI device")

    monkeypatch.setattr(sys.modules["lgpio"], "spi_open", fail)
    with pytest.raises(GpioUnavailable, match="raspi-config"):
        OpenPins(wired(factory), time.monotonic, lambda key: None)
    assert not fake.callbacks


def test_pins_that_cannot_be_used_leave_no_spi_open_however_often_they_are_tried(
    fake: FakePins, factory: str, tmp_path: Path
) -> None:
    memory = str(tmp_path / "missing" / "shoe")
    for _ in range(3):
        with pytest.raises(GpioUnavailable, match="cannot keep its last job there"):
            OpenPins(replace(wired(factory), memory=memory), time.monotonic, lambda key: None)
        assert fake.spi_handles == 0


def test_a_ring_that_takes_no_frame_any_more_is_let_go_all_the_same(
    fake: FakePins, factory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError("no such device")

    with closing(OpenPins(wired(factory), time.monotonic, lambda key: None)):
        assert fake.spi_handles == 1
        monkeypatch.setattr(sys.modules["lgpio"], "spi_write", fail)
    assert fake.spi_handles == 0
