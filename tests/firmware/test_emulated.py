"""The board that `croupier bench board --uf2` runs on: an emulated RP2040, the mechanics on its pins, all in step.

No image of MicroPython is at hand here: a program of the test's own stands for it (`tests.firmware.pico_program`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from littlefs import LittleFS, UserContext

from croupier.cli.main import run
from croupier_bench import board
from croupier_bench.emulated import _PROBE, LOOK_NS, EmulatedPico, disk
from croupier_extras.firmware.installer import files
from tests.firmware.in_vm import in_vm
from tests.firmware.pico_program import PERIOD_US, PULSES_HZ, ROUND_US, WATCHDOG_US, flash, uf2


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "program.uf2"
    path.write_bytes(uf2(flash()))
    return path


def test_the_line_carries_bytes_both_ways_once_the_port_is_there(image: Path) -> None:
    pico = EmulatedPico(image)
    pico.write(b"early ")
    assert [event.kind for event in pico.run_to(25_000)] == ["boot"]
    assert (pico.now_us, pico.epoch_us) == (25_000, 0)
    pico.write(bytes(range(200)))  # more than a packet
    pico.run_to(35_000)
    assert pico.read() == b"early " + bytes(range(200))
    assert 10_000 < pico.first_byte_us < 25_000


def test_each_round_is_timed_from_the_watchdog_to_the_sleep(image: Path) -> None:
    pico = EmulatedPico(image)
    pico.run_to(5_000)
    pico.do("board", "time_rounds")
    pico.run_to(25_000)
    pico.do("board", "time_rounds")
    (event,) = pico.run_to(25_001)
    assert len(event.values) == pytest.approx(20_000 / PERIOD_US, abs=1)
    assert all(ROUND_US <= us <= ROUND_US + 5 + LOOK_NS / 1000 for us in event.values)


def test_what_is_done_after_the_wait_was_called_is_no_work_of_the_round(tmp_path: Path) -> None:
    path = tmp_path / "waits.uf2"
    path.write_bytes(uf2(flash(tells_wait=True)))
    pico = EmulatedPico(path)
    pico.run_to(5_000)
    pico.do("board", "time_rounds")
    pico.run_to(25_000)
    pico.do("board", "time_rounds")
    (event,) = pico.run_to(25_001)
    assert len(event.values) == pytest.approx(20_000 / PERIOD_US, abs=1)
    assert all(ROUND_US <= us < 2 * ROUND_US for us in event.values)


def test_the_probe_tells_each_call_of_the_wait_and_lets_the_firmware_wait(tmp_path: Path) -> None:
    script = f"""
import json
import sys
class Machine:
    mem32 = dict()
    class Timer:
        def __init__(self, number): pass
        def init(self, period, callback): Machine.callback = callback
Machine.mem32[0x40058018] = 0
sys.modules["machine"] = Machine
exec({_PROBE.decode()!r})
Machine.callback(None)  # before the firmware is loaded
class Firmware:
    class Board:
        def wait(self, ms): waited.append((ms, Machine.mem32.pop(0x40058028)))
waited = []
sys.modules["pico.board"] = Firmware
Machine.callback(None)
Machine.callback(None)  # marked once
board = Firmware.Board()
board.wait(5)
board.wait(1)
print(json.dumps(waited))
"""
    assert in_vm(script, tmp_path) == [[5, 1], [1, 1]]


@pytest.mark.long
def test_what_the_pins_do_moves_cards_and_turntable(image: Path) -> None:
    pico = EmulatedPico(image)
    pico.press(0b01, at_us=5_000, up_after_us=115_000)  # runs the feed motor
    pico.run_to(100_000)
    assert pico.is_driven
    (card,) = [event for event in pico.run_to(220_000) if event.kind == "card"]
    assert not pico.is_driven
    pico.press(0b10, up_after_us=100_000)  # and the turntable
    pico.run_to(400_000)
    pico.press(0b01, up_after_us=115_000)
    other, *_ = [event for event in pico.run_to(700_000) if event.kind == "card"]
    assert other.values[0] - card.values[0] == pytest.approx(PULSES_HZ / 10, abs=2)


@pytest.mark.long
def test_a_program_that_hangs_is_started_anew_by_the_watchdog(image: Path) -> None:
    pico = EmulatedPico(image)
    pico.press(0b100, at_us=20_000, up_after_us=1_000)
    events = [event for event in pico.run_to(50_000) if event.kind != "card"]
    assert [event.kind for event in events] == ["boot", "reset", "boot"]
    assert events[1].t_us == pytest.approx(20_000 + WATCHDOG_US, abs=2 * PERIOD_US)


def test_the_disk_has_the_firmware_as_it_is_installed() -> None:
    there = LittleFS(UserContext(buffsize=0), mount=False, block_size=4096, block_count=352)
    there.context.buffer = bytearray(disk())
    there.mount()
    names = {f"{folder}/{name}".lstrip("/") for folder, _, names in there.walk("/") for name in names}
    modules = {f"croupier-a/{name.removesuffix('.py')}.mpy" for name in files() if name != "main.py"}
    assert names == modules | {"boot.py", "main.py"}
    with there.open("main.py") as file:
        assert files()["main.py"].decode() in file.read()


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["bench", *arguments]) == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.long
def test_an_image_that_does_not_run_the_firmware_is_refused(
    image: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(board, "GREETS_S", 0.02)
    expected = "the firmware does not greet on an emulated RP2040 with program.uf2: take MicroPython for the Pico"
    assert expected in refusal(capsys, "board", "--uf2", str(image))


def test_what_is_no_image_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("no image" * 100, encoding="utf-8")
    expected = "expected MicroPython for the Pico as a UF2 file"
    assert f"notes.txt: {expected}: Invalid UF2 block" in refusal(capsys, "board", "--uf2", str(notes))
    assert f"none.uf2: {expected}: No such file" in refusal(capsys, "board", "--uf2", str(tmp_path / "none.uf2"))
    assert "--uf2 belongs to the bench board" in refusal(capsys, "rules", "--uf2", str(notes))
