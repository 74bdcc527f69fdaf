"""What stands on the line is understood alike by CPython and by MicroPython's real VM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from croupier.devices.pico.firmware_files import firmware_folder
from croupier_sim.board.pico import environment, interpreter
from tablewire.messages import SCHEMA
from tests.wire.vectors import again, outcomes, vectors

HERE = Path(__file__).parent
VECTORS = list(vectors(str(HERE / "vectors.txt")))


@pytest.mark.parametrize(("who", "line", "expected"), [pytest.param(*one, id=one[1].decode()) for one in VECTORS])
def test_a_line_is_read_whole_in_pieces_and_after_noise(who: str, line: bytes, expected: str) -> None:
    assert dict(outcomes(who, line)) == dict.fromkeys(dict(outcomes(who, line)), expected)
    assert again(who, line) in (b"", line + b"\n")


def test_there_are_lines_of_both_sides_that_are_taken_and_dropped() -> None:
    assert {(who, expected == "-") for who, _, expected in VECTORS} == {
        ("pico", True), ("pico", False), ("host", True), ("host", False)
    }  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux" or interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")
def test_micropython_reads_the_same_lines_alike() -> None:
    program = interpreter()
    assert program is not None
    ran = subprocess.run(
        [program, "-X", "heapsize=200K", str(HERE / "vectors.py"), str(HERE / "vectors.txt")],
        env=environment([firmware_folder()]), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (ran.stdout.splitlines(), ran.stderr) == ([f"schema {SCHEMA}", "done"], "")
