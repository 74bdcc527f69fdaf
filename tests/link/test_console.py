"""`croupier link console`: the protocol in the words of people, on a pipe and on a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.errors import BadCommand
from croupier.link.commands import Deal, Go, Place
from croupier.link.conversation import Greeted, Silent
from croupier.link.reports import Press
from croupier_bench.link import Vm
from croupier_extras.link_console import console
from croupier_sim.board.pico import interpreter
from tablewire.messages import HEARD_BY_PICO
from tests.patience import PATIENCE_S
from tests.wire.vectors import encode

needs_vm = pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        pytest.param("deal 41 3 7", Deal(job=41, seat=3, n=7), id="deal"),
        pytest.param("  place 2   -900 ", Place(seat=2, angle=-900), id="blanks"),
        pytest.param("go", Go(), id="without-values"),
    ],
)
def test_a_line_is_a_command(line: str, command: object) -> None:
    assert console.parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("dael 1 2 3", "dael: no such command: did you mean deal? (help tells more)", id="misspelled"),
        pytest.param("xyz", "xyz: no such command: expected one of config, place, go,", id="unknown"),
        pytest.param("press 5 1", "press: no such command", id="what-only-the-pico-says"),
        pytest.param("deal 1 2", "deal: 2 values: expected deal JOB SEAT N", id="too-few"),
        pytest.param("deal 1 10 3", "deal: seat: 10: expected 0 to 9: seat that gets the cards", id="too-high"),
        pytest.param("deal 1 x 3", "deal: seat: x: expected 0 to 9", id="no-number"),
        pytest.param("ring 1 up red play 0", "ring: direction: up: expected left or right", id="no-such-word"),
    ],
)
def test_a_wrong_line_is_explained(line: str, said: str) -> None:
    with pytest.raises(BadCommand) as told:
        console.parse_command(line)
    assert str(told.value).startswith(said)


@pytest.mark.parametrize("name", console.COMMANDS)
def test_help_explains_every_command_and_each_of_its_values(name: str) -> None:
    assert any(line.split()[0] == name for line in console.manual())
    assert len(list(console.manual(name))) == 1 + len(HEARD_BY_PICO[name].fields)


def test_reports_are_reported_on_the_tables_clock() -> None:
    press = Press(t=12.3456789, u=0.00025, mask=5)
    assert console.format_event(press) == "   12.345679 s ± 0.25 ms  press mask 5"
    assert console.event_to_json(press) == {"report": "press", "t": 12.345679, "u": 0.00025, "mask": 5}
    assert console.event_to_json(Silent(t=1.0)) == {"report": "silent", "t": 1.0}
    hello = Greeted(t=1, board="rp2-pico", world="SIMULATION", cause="watchdog", is_new=True, is_reset=True)
    assert "rp2-pico (SIMULATION): a new session, started anew (watchdog)" in console.format_event(hello)


def piped(text: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return run(["link", "console", *arguments])


@needs_vm
def test_lines_of_a_pipe_are_carried_out_and_wrong_ones_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Vm() as vm:
        status = piped("# a remark\n\nstatus\nfoo\ntest ring\nlamps 3\n", vm.path, "--json", monkeypatch=monkeypatch)
    out, err = capsys.readouterr()
    reports = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    assert status == 2
    assert err == (
        "croupier link console: foo: no such command: expected one of config, place, go, deal, stop, clear, home, "
        "ring, lamps, buzz, test, leave (help tells more)\n"
    )
    assert [one["report"] for one in reports] == ["greeted", "state", "tested", "press"]
    assert reports[0]["world"] == "SIMULATION"
    assert reports[3]["mask"] == 3
    assert all(0 <= one["t"] < 60 and one.get("u", 0) < 1 for one in reports)
    assert "0 damaged lines dropped" in out


def test_a_port_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["link", "console", "/dev/nope"]) == 2
    assert capsys.readouterr().err == (
        "croupier: /dev/nope: no such port: plug the Pico in, or name its port, such as /dev/ttyACM0\n"
    )


def test_firmware_of_another_version_ends_the_console_with_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    old = threading.Thread(target=lambda: os.read(master, 1) and os.write(master, encode(0, 0, 0, "hello 0 5 of old")))
    old.start()
    assert run(["link", "console", os.ttyname(slave)]) == 2
    old.join()
    assert capsys.readouterr().err.startswith("croupier: Pico: its firmware speaks version 0, this program version")
    os.close(slave)
    os.close(master)


@needs_vm
def test_a_person_types_at_a_terminal_with_history_and_leaves_with_ctrl_d(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    with Vm() as vm:
        process = subprocess.Popen(
            [sys.executable, "-m", "croupier", "link", "console", vm.path],
            stdin=slave, stdout=slave, stderr=slave, env=os.environ | {"TERM": "dumb"}, cwd=tmp_path,
        )  # fmt: skip
        os.close(slave)
        seen = expect(master, b"", b"pico> ")
        os.write(master, b"test ring\n")
        seen = expect(master, seen, b"tested part ring ok 1")
        os.write(master, b"deal 1 77 2\n")
        seen = expect(master, seen, b"deal: seat: 77: expected 0 to 9")
        os.write(master, b"\x10\x10\n")  # the line before the last, once more
        seen = expect(master, seen, b"tested part ring ok 1")
        expect(master, seen, b"pico> ")  # between two prompts the terminal takes Ctrl-D for itself
        os.write(master, b"\x04")
        assert process.wait(PATIENCE_S) == 0
    os.close(master)


def expect(terminal: int, seen: bytes, text: bytes) -> bytes:
    """Read until ``text`` has appeared; what stands behind it is returned."""
    end = time.monotonic() + PATIENCE_S
    while text not in seen:
        assert time.monotonic() < end, seen
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096)
    return seen.partition(text)[2]
