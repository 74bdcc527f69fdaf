"""`croupier run` as people start it: in a terminal, killed, started again, ended by systemd."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select
from time import monotonic

import pytest

from croupier.cli import main
from tests.patience import PATIENCE_S


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, folder: Path, *arguments: str, **more: str) -> None:
        self._mine, theirs = pty.openpty()
        environment = {**os.environ, "LANG": "C", "TERM": "dumb", "COLUMNS": "200", **more}
        self.program = subprocess.Popen(
            [sys.executable, "-m", "croupier", *arguments], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
            env=environment,
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def type(self, line: str) -> None:
        self.shown = ""
        os.write(self._mine, f"{line}\n".encode())

    def wait_for(self, text: str) -> None:
        end = monotonic() + PATIENCE_S
        while text not in self.shown:
            assert monotonic() < end, f"no {text!r} in {self.shown!r}"
            if select([self._mine], [], [], 1.0)[0]:
                self.shown += os.read(self._mine, 4096).decode()

    def end(self, how: signal.Signals) -> int:
        self.program.send_signal(how)
        status = self.program.wait(PATIENCE_S)
        os.close(self._mine)
        return status


Begin = Callable[..., Terminal]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Starts `croupier run`; nothing that was started outlives the test."""
    begun: list[Terminal] = []

    def begin(**more: str) -> Terminal:
        begun.append(Terminal(tmp_path, "run", **more))
        return begun[-1]

    yield begin
    for one in begun:
        one.program.kill()
        one.program.wait()


@pytest.mark.slow
def test_a_game_is_killed_and_goes_on_and_a_service_ends_in_order(tmp_path: Path, begin: Begin) -> None:
    (tmp_path / "croupier.toml").write_text(
        '[camera]\nsource = "none"\n[page]\non = false\n[seats]\nnames = ["Ann", "Ben"]\ndealer = 0\n'
    )
    first = begin()
    first.wait_for("Game 1: Ann, Ben.")
    first.wait_for("Deal 7 cards to each seat")
    first.type("go")
    first.wait_for("Ann: turn up the first card")
    first.type("laid red-7")
    first.wait_for("[red-7]")
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE_S)
        goes_on(begin(NOTIFY_SOCKET=str(tmp_path / "notify")), systemd)


def goes_on(second: Terminal, systemd: socket.socket) -> None:
    """The program was started again as a service."""
    second.wait_for("Going on with game 1: Ann, Ben.")
    second.wait_for("The program was started anew")
    assert systemd.recv(4096) == b"READY=1"
    assert systemd.recv(4096) == b"STATUS=game 1, paused, Ben is on turn"
    second.type("go")
    second.wait_for("It is Ben's turn")
    assert systemd.recv(4096) == b"STATUS=game 1, turn, Ben is on turn"
    assert second.end(signal.SIGTERM) == 0
    assert systemd.recv(4096) == b"STOPPING=1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "[camera]: nobody said where the discard pile lies in the picture: expected a calibration"),
        ('[camera]\ncalibration = "t.toml"\n', "t.toml: no such file; croupier calibrate makes it"),
        (
            '[camera]\nsorce = "none"\n',
            "croupier.toml:2: [camera] sorce: there is no such option: did you mean source?",
        ),
        (None, "croupier.toml: No such file or directory: expected the file that describes the table"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str | None, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("croupier.toml").write_text(text)
    assert main.run(["run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"croupier: {told}")
