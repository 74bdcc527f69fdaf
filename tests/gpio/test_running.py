"""A running table whose keys hang on the Pi's pins."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from croupier.alarms import AlarmRegistry
from croupier.config import Config, read
from croupier.devices.pico import PicoShoe
from croupier.journal import Journal
from croupier.runtime.devices import Factories, Now
from croupier.runtime.table import SystemClock, Table, open_table
from tests.gpio.at_once import AtOnce
from tests.gpio.fake_lgpio import FakePins
from tests.runtime.live import TWO, People

PINS = '[panel]\nred = 5\ngo = "GPIO13"\n[buttons]\nkind = "pi"\npins = [21, 22]\n[shoe]\nkind = "pi"\n'
SHOE = "forward = 17\nback = 18\nexit = 19\nhopper = 20\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_extras.gpio.machine.Supervisor", AtOnce)


def table_of(config: Config, journal: Journal, told: list[tuple[str, ...]], now: Now = time.monotonic) -> Table:
    """The table of this configuration, which nobody reads cards at; its alarms go to ``told``."""
    alarms = AlarmRegistry(lambda alarm: told.append((alarm.device, alarm.kind, alarm.detail)))
    factories = Factories(reader=lambda config: None)  # type: ignore[arg-type,return-value]
    return open_table(
        config, journal, alarms, People(), factories=factories, clock=lambda start: SystemClock(start, now)
    )


def test_keys_buttons_and_shoe_of_the_configuration_are_those_of_the_table(
    fake: FakePins, factory: str, tmp_path: Path
) -> None:
    fake.drive(19, 0)
    fake.drive(20, 0)
    told: list[tuple[str, ...]] = []
    config = read(f'{TWO}{PINS}{SHOE}[gpio]\nfactory = "{factory}"\n')
    with Journal(tmp_path / "croupier.journal") as journal:
        table = table_of(config, journal, told)
        table.manager.start()
        try:
            table.turn()
            assert told == []
            shoe = table.devices.shoe
            assert isinstance(shoe, PicoShoe)
            assert shoe.state is not None
            assert not shoe.is_armed
            table.inbox.wait(0)
            fake.drive(13, 0)
            assert table.inbox.wait(5), "the key woke nobody"
            table.turn()
            assert shoe.is_armed
        finally:
            table.manager.close()
    assert told == []


class Looks(Event):
    """Is set when it has been waited for three times."""

    n = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.n += 1
        return self.n == 3


class Kept(AtOnce):
    """Also keeps how its part is stayed with."""

    def __init__(self, *said: Any, stay: Any = None, **more: Any) -> None:
        super().__init__(*said, **more)
        self.stay: Callable[[], str] = lambda: stay(self._part, Looks())


def test_a_ring_that_fails_is_reported_and_the_shoe_keeps_its_pins(
    fake: FakePins, factory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError("no such device")

    monkeypatch.setattr(sys.modules["lgpio"], "spi_write", fail)
    fake.drive(19, 0)
    fake.drive(20, 0)
    told: list[tuple[str, ...]] = []
    supervisors: list[Kept] = []

    def supervisor(*said: Any, **more: Any) -> Kept:
        supervisors.append(Kept(*said, **more))
        return supervisors[-1]

    monkeypatch.setattr("croupier_extras.gpio.machine.Supervisor", supervisor)

    config = read(f'{TWO}{PINS}{SHOE}[ring]\nkind = "pi"\n[gpio]\nfactory = "{factory}"\n')
    with Journal(tmp_path / "croupier.journal") as journal:
        table = table_of(config, journal, told)
        table.manager.start()
        try:
            end = time.monotonic() + 10
            while not told and time.monotonic() < end:
                table.inbox.wait(0.01)
                table.turn()
            assert told == [("ring", "gone", "the ring takes no more frames: no such device")]
            (pins,) = supervisors
            assert pins.stay() == "", "the pins are closed, and with them the shoe"
        finally:
            table.manager.close()


def test_a_table_off_a_raspberry_pi_says_so_and_plays_on(tmp_path: Path) -> None:
    told: list[tuple[str, ...]] = []
    now = 1000.0
    with Journal(tmp_path / "croupier.journal") as journal:
        table = table_of(read(TWO + PINS + SHOE), journal, told, lambda: now)
        table.manager.start()
        for _ in range(50):
            now += 0.1
            table.turn()
        table.manager.close()
        assert [alarm[:2] for alarm in told] == [("pi", "gone")]
        assert table.run.position.phase == "paused"
