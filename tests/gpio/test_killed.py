"""A program that is killed while the feed motor runs: what systemd runs then stops the motor."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from croupier_extras.gpio import motors_off
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
FORWARD, BACK = 17, 18
CONFIG = f'[shoe]\nkind = "pi"\nforward = "GPIO{FORWARD}"\nback = {BACK}\nexit = 19\nhopper = 20\n'

FEEDS = """
import time
from gpiozero.pins.lgpio import LGPIOFactory
from croupier_extras.gpio.line import PiLine
from croupier_extras.gpio.pins import Clock, Pins
from croupier_extras.gpio.wiring import ShoePins
from croupier.link.commands import Deal, Go, Place
LGPIOFactory._get_revision = lambda _self: 0xC03111
shoe = ShoePins(forward=17, back=18, exit=19, hopper=20)
line = PiLine(Pins("lgpio"), Clock(time.monotonic, time.monotonic, True), shoe)
line.events()
for command in (Place(seat=0, angle=0), Go(), Deal(job=1, seat=0, n=5)):
    line.send(command)
while True:
    line.step()
"""


def ran(folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A process on pins that are kept in a file of this folder."""
    paths = f"{ROOT}{os.pathsep}{ROOT / 'tests/gpio/kept'}"
    environment = {**os.environ, "PYTHONPATH": paths, "FAKE_PINS": str(folder / "pins"), **more}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def outputs(folder: Path) -> list[float]:
    levels = json.loads((folder / "pins").read_text())
    return [levels[str(gpio)] for gpio in (FORWARD, BACK)]


def after_the_service(folder: Path) -> subprocess.CompletedProcess[str]:
    """What the service's unit has systemd run when the service has ended, however it did."""
    unit = (ROOT / "deploy/croupier.service").read_text()
    (line,) = [one.partition("=")[2] for one in unit.splitlines() if one.startswith("ExecStopPost=")]
    python, *arguments = line.split()
    assert python == "@PREFIX@/venv/bin/python"
    return ran(folder, sys.executable, *arguments)


def test_a_motor_that_a_killed_program_left_running_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "croupier.toml").write_text(CONFIG)
    killed = ran(tmp_path, sys.executable, "-c", FEEDS, FAKE_PINS_KILL=str(FORWARD))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    ahead, behind = outputs(tmp_path)
    assert ahead > behind, "the motor does not run: there is nothing to be stopped"
    done = after_the_service(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert outputs(tmp_path) == [0, 0]


@pytest.mark.parametrize(
    "config",
    [None, "", '[shoe]\nkind = "pico"\n', '[shoe]\nkind = "manual"\n'],
    ids=["nothing", "empty", "pico", "manual"],
)
def test_without_a_motor_on_the_pins_no_pin_is_touched(config: str | None, tmp_path: Path) -> None:
    if config is not None:
        (tmp_path / "croupier.toml").write_text(config)
    done = after_the_service(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "pins").exists()


def test_pins_that_cannot_be_driven_are_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "croupier.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "lgpio", chips({}, []))
    assert motors_off.main() == 1
    err = capsys.readouterr().err
    assert err == "croupier: the feed motor may still be running: no chip with the pins of the header is here\n"


@pytest.mark.parametrize("header", [0, 4])
def test_the_pins_of_the_header_are_found_whatever_their_chips_number(header: int) -> None:
    driven: list[tuple[int, int, int]] = []
    labels = {0: "brcmvirt-gpio", 1: "raspberrypi-exp-gpio"} | {header: "pinctrl-rp1"}
    motors_off.stop(chips(labels, driven), [FORWARD, BACK])
    assert driven == [(header, FORWARD, 0), (header, BACK, 0)]


def chips(labels: dict[int, str], driven: list[tuple[int, int, int]]) -> Any:
    """A module `lgpio` with these chips."""

    class Error(Exception):
        pass

    def opened(number: int) -> int:
        if number not in labels:
            raise Error("can not open gpiochip")
        return number

    return SimpleNamespace(
        error=Error,
        gpiochip_open=opened,
        gpiochip_close=lambda chip: None,
        gpio_get_chip_info=lambda chip: [0, 54, f"gpiochip{chip}", labels[chip]],
        gpio_claim_output=lambda chip, gpio, level: driven.append((chip, gpio, level)),
    )
