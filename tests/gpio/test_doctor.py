"""`croupier doctor` at keys and a small shoe on the Pi's own pins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from croupier.devices.pico import Layout
from croupier.doctor.check import CheckContext, ask
from croupier.doctor.runner import CHECKS
from croupier.link.conversation import Event
from croupier_extras.gpio.check import library
from croupier_extras.gpio.line import PiLine
from croupier_extras.gpio.pins import Clock, Pins
from croupier_extras.gpio.wiring import ShoePins
from croupier_extras.shoe_trial.judge import Shown, judge
from croupier_extras.shoe_trial.piles import place
from croupier_extras.shoe_trial.trial import ShoeTrial, sorted_runs
from tests.gpio.cards import Cards
from tests.gpio.fake_lgpio import FakePins
from tests.gpio.test_ring import read

SHOE = ShoePins(forward=17, back=18, exit=19, hopper=20)
RUNS = tuple(run[:13] for run in sorted_runs("g7942")[::2][:2])


@pytest.fixture
def table(tmp_path: Path, factory: str) -> CheckContext:
    (tmp_path / "croupier.toml").write_text(
        f'[gpio]\nfactory = "{factory}"\n[panel]\nred = 5\ngo = 13\n[buttons]\nkind = "pi"\npins = [21, 22, 23, 24]\n'
        '[camera]\nsource = "none"\n'
    )
    return CheckContext(tmp_path / "croupier.toml")


def test_keys_that_are_up_are_well(table: CheckContext) -> None:
    assert ask(CHECKS["panel.keys"], table, CHECKS).state == "ok"
    assert table.found["pins.free"].measured == {"pins": 6}


def test_a_key_that_hangs_is_named(table: CheckContext, fake: FakePins) -> None:
    fake.drive(22, 0)
    found = ask(CHECKS["panel.keys"], table, CHECKS)
    assert (found.state, found.message) == ("wrong", "Held down, or stuck: the UNO button of seat 2.")


PACKAGES = {"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}


@pytest.mark.parametrize(
    ("has", "kernel", "state", "said"),
    [
        pytest.param(("RPi.GPIO",), "6.6.31+rpt-rpi-v8", "wrong", "RPi.GPIO 0.7.1 sees no press", id="no-edges"),
        pytest.param(("RPi.GPIO",), "6.12.1", "wrong", "6.12.1", id="newer"),
        pytest.param(("RPi.GPIO",), "6.1.21-v8+", "ok", "sees presses", id="old-kernel"),
        pytest.param(("rpi-lgpio",), "6.12.1", "ok", "sees presses", id="replaced"),
        pytest.param(("RPi.GPIO", "rpi-lgpio"), "6.1.21", "warning", "both installed", id="both"),
    ],
)
def test_a_library_that_sees_no_press_is_named_before_a_pin_fails(
    tmp_path: Path, has: tuple[str, ...], kernel: str, state: str, said: str
) -> None:
    (tmp_path / "croupier.toml").write_text('[gpio]\nfactory = "rpigpio"\n[panel]\nred = 5\n')
    known = CheckContext(tmp_path / "croupier.toml")
    found = library(known, kernel, lambda package: PACKAGES[package] if package in has else None)
    assert (found.state, said in found.message) == (state, True), found
    assert (state == "ok") == (not found.remedy)


def test_a_table_with_lgpio_has_no_need_of_it(tmp_path: Path) -> None:
    (tmp_path / "croupier.toml").write_text("[panel]\nred = 5\n")
    assert ask(CHECKS["pins.library"], CheckContext(tmp_path / "croupier.toml"), CHECKS).state == "ok"


RING = '[ring]\nkind = "pi"\nlights = 24\n[camera]\nsource = "none"\n'


def test_a_ring_at_the_spi_of_the_pi_shines_with_all_its_lights_and_is_dark_again(
    tmp_path: Path, fake: FakePins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("croupier.doctor.checks.pico.SHINE_S", 0.0)
    (tmp_path / "croupier.toml").write_text(RING)
    found = ask(CHECKS["ring.lights"], CheckContext(tmp_path / "croupier.toml", moves=True), CHECKS)
    assert (found.state, "lights should have been on" in found.message) == ("ok", True)
    shone, after = (read(sent) for sent in fake.sent)
    assert len(shone) == 24
    assert all(green == red == blue > 0 for green, red, blue in shone)
    assert set(after) == {(0, 0, 0)}


def test_a_ring_at_the_spi_of_the_pi_does_not_shine_unasked(tmp_path: Path, fake: FakePins) -> None:
    (tmp_path / "croupier.toml").write_text(RING)
    assert ask(CHECKS["ring.lights"], CheckContext(tmp_path / "croupier.toml"), CHECKS).state == "absent"
    assert fake.sent == []


def test_a_ring_whose_spi_is_switched_off_is_reported_with_what_to_run(
    tmp_path: Path, fake: FakePins, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_spi(*_: int) -> int:
        raise OSError("can not open SPI device")

    monkeypatch.setattr(sys.modules["lgpio"], "spi_open", no_spi)
    (tmp_path / "croupier.toml").write_text(RING)
    found = ask(CHECKS["ring.lights"], CheckContext(tmp_path / "croupier.toml", moves=True), CHECKS)
    assert (found.state, found.message, found.remedy) == (
        "wrong",
        "the ring: SPI 0 cannot be opened (can not open SPI device).",
        "Switch it on with raspi-config nonint do_spi 0.",
    )


class Bench:
    """A small shoe with cards in it, as `croupier doctor --shoe` talks to it."""

    def __init__(self, fake: FakePins, factory: str, n: int, *, double: int = -1) -> None:
        self.cards = Cards(fake, 17, 18, 19, 20, n, double=double)
        if factory == "rpigpio":  # where there is no stamp of the kernel's, gpiozero stamps what arrives
            sys.modules["gpiozero.pins.rpigpio"].RPiGPIOFactory.ticks = staticmethod(self.now)
        self.pins = Pins(factory)
        self._line = PiLine(self.pins, Clock(self.now, self.now, self.pins.has_stamps), SHOE)
        self.send = self._line.send

    def now(self) -> float:
        return self.cards.now

    def wait(self, seconds: float) -> list[Event]:
        until = self.now() + seconds
        while not (events := self._line.events()) and self.now() < until:
            self.cards.run(0.01, self._line.step)
        return events

    def clear(self, _kind: str, _seat: int) -> bool:
        return True


@pytest.mark.parametrize(("double", "state"), [(-1, "ok"), (7, "warning")])
def test_a_small_shoe_deals_its_sorted_deck_into_one_pile(
    fake: FakePins, factory: str, double: int, state: str
) -> None:
    layout = Layout(seats=4)
    bench = Bench(fake, factory, sum(map(len, RUNS)), double=double)
    trial = ShoeTrial(bench, layout, bench, bench.now, has_turntable=False).run(RUNS)
    bench.pins.close()
    assert (trial.given_up, trial.passed, trial.left_over) == ("", 26, False)
    table = place(trial.batches, [tuple(face for run in RUNS for face in run)])
    found = {one.id: one for one in judge(Shown(trial, layout, table))}
    assert found["shoe.doubles"].state == state
    assert {found[name].state for name in ("shoe.finished", "shoe.counts", "shoe.order", "shoe.jams")} == {"ok"}
    assert "shoe.turns" not in found
