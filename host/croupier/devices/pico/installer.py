"""Puts the firmware onto a Pico: `croupier firmware install`.

A running firmware is asked to leave, which ends at MicroPython's prompt; `mpremote` speaks with that. Every file is
written beside the old one first and all are renamed at the end, so that a cable that is pulled leaves the old firmware.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Final

from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport

from croupier.devices.pico.firmware_files import firmware_folder
from croupier.errors import CannotInstall, PortNotFound, one_line
from croupier.link.commands import Leave
from croupier.link.conversation import Greeted, Mismatch
from croupier.link.link import Link
from croupier.link.ports import PortFinder

ANSWER_S: Final = 3.0
"""A firmware that runs has greeted by then."""

PROMPT_S: Final = 5.0
"""MicroPython's prompt has answered by then."""

START_S: Final = 15.0
"""From the reset until the new firmware has greeted: the port goes and comes back meanwhile."""

OLDEST: Final = (1, 24)
"""The oldest MicroPython with everything that the firmware uses (hard timer interrupts, `rp2.DMA`)."""

SERVICE: Final = "hold the service button, press reset, let go of both, and try again"

_KEPT: Final = ("main.py", "pico", "lib/tablewire")
"""What belongs to the firmware on the Pico; whatever else lies there is left alone."""

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

_PUT: Final = """
import os
for _new in %r:
    _old = _new[:-4]
    try:
        os.remove(_old)
    except OSError:
        pass
    os.rename(_new, _old)
for _gone in %r:
    os.remove(_gone)
"""


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
        _copy(board, files(), say)
        say("starting it")
        with suppress(TransportError, OSError):  # the port may go away before it answers
            board.exec_raw_no_follow("import machine\nmachine.reset()")
    time.sleep(0.5)  # the old port is still there for a moment
    greeted = _greeting(port, START_S)
    if not isinstance(greeted, Greeted):
        raise CannotInstall(f"{port}: the firmware was installed but does not greet: look at it with mpremote repl")
    return greeted


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


def _copy(board: SerialTransport, wanted: dict[str, bytes], say: Callable[[str], None]) -> None:
    there = _on_board(board)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in wanted.items()}
    changed = [name for name in wanted if there.get(name) != hashes[name]]
    gone = [name for name in there if name not in wanted and name.removesuffix(".new") not in changed]
    for folder in ("pico", "lib", "lib/tablewire"):
        if not board.fs_exists(folder):
            board.fs_mkdir(folder)
    for number, name in enumerate(changed, start=1):
        say(f"[{number}/{len(changed)}] {name}")
        board.fs_writefile(f"{name}.new", wanted[name])
    written = _on_board(board)
    damaged = [name for name in changed if written.get(f"{name}.new") != hashes[name]]
    if damaged:
        raise CannotInstall(f"{damaged[0]}: what lies on the Pico now is not what was sent: try again")
    board.exec(_PUT % ([f"{name}.new" for name in changed], gone))
    say(f"{len(changed)} of {len(wanted)} files were new" if changed else "all files were there already")


def _on_board(board: SerialTransport) -> dict[str, str]:
    lines = board.exec(_LIST % (_KEPT,)).decode().split("\n")
    told = dict(line.split() for line in lines if line.strip())
    # main.py.new lies beside main.py, so that listing the kept paths alone would not show it.
    extra = board.exec(_LIST % (("main.py.new",),)).decode().split()
    return told | ({extra[0]: extra[1]} if extra else {})
