"""`croupier run` as people start it: in a terminal, killed, started again, ended by systemd."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from select import select
from time import monotonic
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from croupier.cli import main
from croupier.web.accounts import Accounts, Person
from tests.journal.disks import mounted_disk
from tests.longer import some
from tests.patience import PATIENCE_S
from tests.ports import own_port


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
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own; the program is started in it."""
    with mounted_disk(tmp_path, size_kb=256):
        yield tmp_path


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
    first.wait_for("[red 7]")
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE_S)
        goes_on(begin(NOTIFY_SOCKET=str(tmp_path / "notify")), systemd)


def goes_on(second: Terminal, systemd: socket.socket) -> None:
    """The program was started again as a service."""
    second.wait_for("Resuming game 1: Ann, Ben.")
    second.wait_for("The program was restarted")
    assert systemd.recv(4096) == b"READY=1"
    assert systemd.recv(4096) == b"STATUS=game 1, paused, Ben is on turn"
    second.type("go")
    second.wait_for("It is Ben's turn")
    assert systemd.recv(4096) == b"STATUS=game 1, turn, Ben is on turn"
    assert second.end(signal.SIGTERM) == 0
    assert systemd.recv(4096) == b"STOPPING=1"


def answer(url: str) -> tuple[int, str]:
    """What the page says: its status and its text."""
    try:
        with urlopen(url, timeout=PATIENCE_S) as page:
            return page.status, page.read().decode()
    except HTTPError as err:
        return err.code, err.read().decode()


def fill(disk: Path) -> Path:
    """A file that leaves no room on this disk."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1024))
    return ballast


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "is_begun", some([pytest.param(False, id="no game yet"), pytest.param(True, id="killed game")], 2)
)
def test_on_a_full_disk_the_page_says_so_and_play_begins_when_there_is_room(
    small_disk: Path, is_begun: bool, begin: Begin
) -> None:
    port = own_port()
    (small_disk / "croupier.toml").write_text(
        f'[camera]\nsource = "none"\n[page]\nport = {port}\n[seats]\nnames = ["Ann", "Ben"]\ndealer = 0\n'
    )
    if is_begun:
        first = begin()
        first.wait_for("The page is at http")
        first.type("go")
        first.wait_for("Ann: turn up the first card")
        first.end(signal.SIGKILL)
        (small_disk / "croupier.journal-shm").unlink()
    else:
        Accounts(small_disk / "croupier.journal-codes").new_code(Person("admin"))
    ballast = fill(small_disk)
    table = begin()
    table.wait_for("The game cannot be saved and is waiting: free some disk space.")
    table.wait_for("The page is at http")
    url = f"http://127.0.0.1:{port}/"
    status, text = answer(url)
    assert status == 503
    assert "The game cannot be saved and is waiting: free some disk space." in text
    ballast.unlink()
    table.wait_for("Resuming game 1: Ann, Ben." if is_begun else "Game 1: Ann, Ben.")
    table.wait_for("The game is being saved again; nothing is missing.")
    while (status := answer(url)[0]) == 503:
        assert table.program.poll() is None
    assert status == 200
    assert table.end(signal.SIGTERM) == 0


@pytest.mark.long
@pytest.mark.slow
def test_a_service_that_waits_for_room_can_be_ended(small_disk: Path, begin: Begin) -> None:
    (small_disk / "croupier.toml").write_text('[camera]\nsource = "none"\n[page]\non = false\n')
    fill(small_disk)
    table = begin()
    table.wait_for("The game cannot be saved and is waiting: free some disk space.")
    assert table.end(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "[camera]: the place of the discard pile in the picture is missing: expected a calibration"),
        ('[camera]\ncalibration = "t.toml"\n', "t.toml: no such file; make it with croupier calibrate"),
        (
            '[camera]\nsorce = "none"\n',
            "croupier.toml:2: [camera] sorce: unknown option: did you mean source?",
        ),
        (None, "croupier.toml: No such file or directory: expected the file that describes the table"),
    ],
)
def test_what_is_wrong_is_reported_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str | None, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("croupier.toml").write_text(text)
    assert main.run(["run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"croupier: {told}")
