"""Puts the firmware onto a Pico: `croupier firmware install`.

A running firmware is asked to leave, which ends at MicroPython's prompt; `mpremote` speaks with that. The Pico has two
folders for versions. The new version is written into the folder that is not in use and checked; then one rename of
``main.py`` switches to it, so that a cable that is pulled at any moment leaves the old version or the new one.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Final, Protocol

from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport

from croupier.devices.pico.firmware_files import firmware_folder
from croupier.errors import CannotInstall, PortNotFound, one_line
from croupier.link.commands import Leave
from croupier.link.conversation import Greeted, Mismatch
from croupier.link.link import Link, PortFinder

ANSWER_S: Final = 3.0
"""A firmware that runs has greeted by then."""

PROMPT_S: Final = 5.0
"""MicroPython's prompt has answered by then."""

START_S: Final = 15.0
"""From the reset until the new firmware has greeted: the port goes and comes back meanwhile."""

OLDEST: Final = (1, 24)
"""The oldest MicroPython with everything that the firmware uses (hard timer interrupts, `rp2.DMA`)."""

SERVICE: Final = "hold the service button, press reset, let go of both, and try again"

_SLOTS: Final = ("croupier-a", "croupier-b")
"""Folders of two versions. ``main.py`` names the one that starts; an update is written into the other."""

_OURS: Final = (*_SLOTS, "main.py", "main.py.new", "pico", "lib/tablewire")
"""What belongs to the firmware on the Pico, in older layouts too; whatever else lies there is left alone."""

_PATH: Final = """import sys

for _folder in ("{slot}/lib", "{slot}"):
    if _folder not in sys.path:
        sys.path.insert(0, _folder)

"""
"""The head of ``main.py`` on the Pico."""

_LIST: Final = """
import hashlib, os
from binascii import hexlify
def _walk(path):
    try:
        names = os.listdir(path)
    except OSError:
        try:
            with open(path, "rb") as f:
                print(path, hexlify(hashlib.sha256(f.read()).digest()).decode())
        except OSError:
            pass
        return
    for name in names:
        _walk(path + "/" + name)
for _kept in %r:
    _walk(_kept)
"""

_SWITCH: Final = """
import os
os.rename("main.py.new", "main.py")
"""
"""LittleFS replaces a file by rename in one step, also when the power fails."""

_TIDY: Final = """
import os
for _gone in %r:
    os.remove(_gone)
for _folder in %r:
    try:
        os.rmdir(_folder)
    except OSError:
        pass
"""


class Board(Protocol):
    """MicroPython's prompt, as `mpremote` gives it."""

    def exec(self, command: str) -> bytes:
        """Run these lines; returns what they print."""

    def fs_exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""

    def fs_mkdir(self, path: str) -> None:
        """Make a folder."""

    def fs_writefile(self, path: str, data: bytes) -> None:
        """Write a whole file."""


def greeting(port: str, seconds: float) -> Greeted | Mismatch | None:
    """What the firmware says of itself; None where none answers in time. Raises PortNotFound where there is no port."""
    if PortFinder(port).find() is None:
        raise PortNotFound(PortFinder(port).missing())
    return _greeting(port, seconds)


def _greeting(port: str, seconds: float) -> Greeted | Mismatch | None:
    until = time.monotonic() + seconds
    with Link(port) as link:
        while time.monotonic() < until:
            for event in link.wait(0.1):
                if isinstance(event, Greeted | Mismatch):
                    return event
    return None


def install(port: str, say: Callable[[str], None]) -> Greeted:
    """Put the firmware onto the Pico at ``port`` and wait until it greets. ``say`` is told what is being done.

    Raises PortNotFound, and CannotInstall with what to do next.
    """
    if PortFinder(port).find() is None:
        raise PortNotFound(PortFinder(port).missing())
    _leave(port, say)
    with _prompt(port) as board:
        copy(board, files(), say)
        say("starting it")
        _reset(board)
    greeted = _restarted(port)
    if not isinstance(greeted, Greeted):
        raise CannotInstall(f"{port}: the firmware was installed but does not greet: look at it with mpremote repl")
    return greeted


def differing_files(port: str) -> list[str]:
    """Return the names of files on the Pico that differ from this program's firmware, are missing, or are foreign.

    The firmware leaves for it, so that motors stop and lights go out; then the Pico restarts.

    Raises:
        PortNotFound: the port does not exist. CannotInstall: the files cannot be read.
    """
    _leave(port, lambda _line: None)
    with _prompt(port) as board:
        there, slot = _on_board(board), _started(board)
        _reset(board)
    _restarted(port)
    placed = in_slot(files(), slot or _SLOTS[0])
    used = {name: digest for name, digest in there.items() if name == "main.py" or name.startswith(f"{slot}/")}
    return sorted(
        name for name in placed.keys() | used if name not in placed or used.get(name) != _digest(placed[name])
    )


def _reset(board: SerialTransport) -> None:
    with suppress(TransportError, OSError):  # the port may go away before it answers
        board.exec_raw_no_follow("import machine\nmachine.reset()")


def _restarted(port: str) -> Greeted | Mismatch | None:
    time.sleep(0.5)  # the old port is still there for a moment
    return _greeting(port, START_S)


def files() -> dict[str, bytes]:
    """What is to lie on the Pico: path and contents."""
    folder = firmware_folder()
    paths = [folder / "main.py", *sorted(folder.rglob("pico/*.py")), *sorted(folder.rglob("lib/tablewire/*.py"))]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _leave(port: str, say: Callable[[str], None]) -> None:
    """Have a running firmware end; one that speaks another protocol cannot be asked."""
    until = time.monotonic() + ANSWER_S
    with Link(port) as link:
        while time.monotonic() < until:
            for event in link.wait(0.1):
                if isinstance(event, Mismatch):
                    raise CannotInstall(f"{port}: {event.error}; it cannot be told to leave: {SERVICE}")
                if isinstance(event, Greeted):
                    say(f"{event.board} runs Croupier; asking it to leave")
                    link.send(Leave(to="repl"))
                    link.wait(0.5)
                    time.sleep(1.0)  # it resets; the port goes and comes back
                    return


@contextmanager
def _prompt(port: str) -> Iterator[SerialTransport]:
    """MicroPython's prompt on the Pico."""
    board = None
    try:
        board = SerialTransport(os.path.realpath(_path(port)), timeout=0.5)
        with redirect_stdout(io.StringIO()):  # where it fails it prints what it has read
            board.enter_raw_repl(soft_reset=False, timeout_overall=PROMPT_S)
        told = board.eval("(__import__('sys').implementation[0], __import__('sys').implementation[1][:2])")
        if told[0] != "micropython" or tuple(told[1]) < OLDEST:
            wanted = ".".join(map(str, OLDEST))
            raise CannotInstall(f"{port}: expected MicroPython {wanted} or newer, found {told}; flash it first")
        yield board
    except (TransportError, OSError) as err:
        if isinstance(err, CannotInstall):
            raise
        reason = one_line(str(err).strip().splitlines()[-1] if str(err).strip() else type(err).__name__)
        raise CannotInstall(f"{port}: no MicroPython prompt, or it broke off ({reason}): {SERVICE}") from err
    finally:
        if board is not None:
            with suppress(OSError):  # the port went away with the reset
                board.close()


def _path(port: str) -> str:
    until = time.monotonic() + START_S
    while (path := PortFinder(port).find()) is None:
        if time.monotonic() > until:
            raise CannotInstall(f"{port}: the Pico did not come back after its reset: {SERVICE}")
        time.sleep(0.1)
    return path


def in_slot(wanted: dict[str, bytes], slot: str) -> dict[str, bytes]:
    """The files as they lie on the Pico: all in the folder ``slot``, and ``main.py``, which names it."""
    placed = {f"{slot}/{name}": data for name, data in wanted.items() if name != "main.py"}
    return placed | {"main.py": _PATH.format(slot=slot).encode() + wanted["main.py"]}


def copy(board: Board, wanted: dict[str, bytes], say: Callable[[str], None]) -> None:
    """Put these files onto the Pico: it starts the old version or the new one, wherever this is broken off.

    The new version is written into a folder that is not in use, and checked; the rename of ``main.py`` switches to it.

    Raises:
        CannotInstall: what was written is damaged.
    """
    there = _on_board(board)
    in_use = next((slot for slot in _SLOTS if there.get("main.py") == _digest(in_slot(wanted, slot)["main.py"])), None)
    if in_use is not None and _is_complete(there, in_slot(wanted, in_use)):
        slot, changed = in_use, 0
    else:
        slot = next(slot for slot in _SLOTS if slot not in (in_use, _started(board)))
        changed = _update(board, in_slot(wanted, slot), there, say)
    gone = [name for name in _on_board(board) if name not in in_slot(wanted, slot)]
    if gone:
        folders = {name[:end] for name in gone for end in _ends_of_folders(name)}
        board.exec(_TIDY % (gone, sorted(folders, key=len, reverse=True)))
    say(f"{changed} of {len(wanted)} files were new" if changed else "all files were there already")


def _update(board: Board, placed: dict[str, bytes], there: dict[str, str], say: Callable[[str], None]) -> int:
    """Write a version and switch to it; returns how many of its files are other than those in use."""
    for name in placed:
        for end in _ends_of_folders(name):
            if not board.fs_exists(name[:end]):
                board.fs_mkdir(name[:end])
    written = {"main.py.new" if name == "main.py" else name: data for name, data in placed.items()}
    for number, (name, data) in enumerate(written.items(), start=1):
        if there.get(name) != _digest(data):
            say(f"[{number}/{len(written)}] {name}")
            board.fs_writefile(name, data)
    now = _on_board(board)
    damaged = [name for name, data in written.items() if now.get(name) != _digest(data)]
    if damaged:
        raise CannotInstall(f"{damaged[0]}: what lies on the Pico now is not what was sent: try again")
    board.exec(_SWITCH)
    known = set(there.values())
    return sum(_digest(data) not in known for name, data in placed.items() if name != "main.py") or 1


def _started(board: Board) -> str | None:
    """The folder that ``main.py`` on the Pico names; None where it names none."""
    if not board.fs_exists("main.py"):
        return None
    head = board.exec("print(open('main.py').read(200))").decode()
    return next((slot for slot in _SLOTS if f'"{slot}"' in head), None)


def _is_complete(there: dict[str, str], placed: dict[str, bytes]) -> bool:
    return all(there.get(name) == _digest(data) for name, data in placed.items())


def _ends_of_folders(name: str) -> list[int]:
    """Where the names of the folders of a path end, the outermost first."""
    return [at for at, letter in enumerate(name) if letter == "/"]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _on_board(board: Board) -> dict[str, str]:
    """Our files on the Pico, and their digests."""
    lines = board.exec(_LIST % (_OURS,)).decode().split("\n")
    return dict(line.split() for line in lines if line.strip())
