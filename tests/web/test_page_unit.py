"""The page as a user of its own: a real process under another uid, started as systemd starts its unit."""

from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import cv2
import httpx
import pytest

from croupier.commands import PressKey
from croupier.journal import Journal
from croupier.table_api.live_table import LiveTable
from croupier.web.accounts import Accounts, Person
from croupier.web.worker_process import WorkerProcess
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.vision.laid import Lying, picture
from tests.web.tables import QUICK, RecordingTable

LINES = game_lines()
TABLE, PAGE, STRANGER = 41_001, 41_002, 41_003
"""Users. The page is in the group of the table, as its unit says."""

CODE = """
import os, runpy, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
runpy.run_module("croupier.web", run_name="__main__")
"""


def as_user(uid: int, *command: str, **how: Any) -> subprocess.Popen[bytes]:
    """Start a command as a user in the group of the table; a stranger is in none."""
    gid = uid if uid == STRANGER else TABLE
    steps_down = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs", "--"]
    return subprocess.Popen([*steps_down, *command], **how)


def may_be_other_users() -> bool:
    """True where this test may start Python as another user."""
    try:
        return as_user(PAGE, sys.executable, "-c", "import croupier.web.worker_process").wait() == 0
    except OSError:
        return False


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.getuid() != 0, reason="only root can start processes of other users"),
]


class Unit:
    """What systemd does with `croupier-page.socket` and `croupier-page.service`: whoever calls starts the page."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.process: subprocess.Popen[bytes] | None = None
        self._is_over, self._over = socket.socketpair()
        self._calls = socket.socket(socket.AF_UNIX)
        self._calls.bind(str(path))
        path.chmod(0o600)
        os.chown(path, TABLE, TABLE)
        self._calls.listen()
        self._thread = Thread(target=self._start_when_called, daemon=True)
        self._thread.start()

    def _start_when_called(self) -> None:
        while True:
            ready, _, _ = select.select([self._calls, self._is_over], [], [])
            if self._is_over in ready:
                return
            fd = os.dup(self._calls.fileno())
            self.process = as_user(
                PAGE, sys.executable, "-P", "-c", CODE, str(fd), pass_fds=[fd], stdin=subprocess.DEVNULL, cwd="/"
            )  # fmt: skip
            os.close(fd)
            self.process.wait()

    def close(self) -> None:
        self._over.close()
        self._thread.join()
        self._calls.close()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """What is in the table's folder: the journal, its codes, the settings with a secret."""
    if not may_be_other_users():
        pytest.skip("another user cannot start this Python")
    with TemporaryDirectory() as outside:
        os.chmod(outside, 0o755)
        made = Path(outside) / "croupier"
        made.mkdir(mode=0o750)
        (made / "croupier.toml").write_text("secret")
        (made / "croupier.toml").chmod(0o600)
        os.chown(made, TABLE, TABLE)
        before = os.umask(0o027)
        try:
            yield made
        finally:
            os.umask(before)


@contextmanager
def opened(folder: Path, table: LiveTable, accounts: Accounts) -> Iterator[tuple[WorkerProcess, Unit, list[str]]]:
    told, is_up = list[str](), Event()
    unit = Unit(folder.parent / "page.socket")
    up = WorkerProcess(
        folder / "croupier.journal", lambda: accounts, table, port=0, unit_socket=str(unit.path), report=told.append,
        on_up=is_up.set,
    )  # fmt: skip
    try:
        up.start()
        assert is_up.wait(PATIENCE_S)
        yield up, unit, told
    finally:
        up.stop()
        unit.close()
        unit.path.unlink()


def owned(folder: Path) -> None:
    for file in folder.iterdir():
        os.chown(file, TABLE, TABLE)


@pytest.mark.long
def test_the_page_of_another_user_does_all_that_a_page_does_and_comes_back_when_it_dies(folder: Path) -> None:
    table, accounts = RecordingTable(), Accounts(folder / "croupier.journal-codes", QUICK)
    admin = accounts.new_code(Person("admin"))
    with Journal(folder / "croupier.journal") as journal:
        owned(folder)
        journal.add(LINES[:20], began=0.0)
        with (
            opened(folder, table, accounts) as (up, unit, told),
            httpx.Client(base_url=up.url, timeout=PATIENCE_S) as client,
        ):
            assert unit.process is not None
            assert Path(f"/proc/{unit.process.pid}").stat().st_uid == PAGE
            assert client.post("login", data={"code": admin}).status_code == 303
            assert client.get("camera.jpg").content == table.picture
            assert client.post("actions/press", data={"seat": "1", "key": "uno"}).status_code == 204
            shown = client.post("people", data={"role": "player", "seat": "1"}).text
            (new,) = re.findall(r'<p class="code" translate="no">(\w+)</p>', shown)
            begun = client.post("score", data={"name-0": "Ann", "name-1": "Ben"})
            assert "went out" in client.get(begun.headers["location"]).text, "the table has kept the sheet"
            hand = cv2.imencode(".jpg", picture([Lying("red-7", 300, 300, 0, 190)], size=(640, 600)))[1].tobytes()
            read = client.post("score/read", content=hand)
            if as_user(PAGE, "sh", "-c", f'exec "{sys.executable}" -c ""').wait() == 0:  # its own processes, too
                assert [card["face"] for card in read.json()["cards"]] == ["red-7"]
            else:
                assert read.status_code == 422
            unit.process.kill()
            late = httpx.get(f"{up.url}games/1", timeout=PATIENCE_S)
            assert late.status_code == 200, "who comes before it is up again waits"
            assert client.get("people").status_code == 200, "the admin is in as before"
            assert client.post("login", data={"code": new}).status_code == 303
            assert told == ["", "it has ended", ""]
        assert table.commands == [PressKey(1, "uno")]
        assert unit.process.poll() is not None, "it ends with the table"
    again = Accounts(folder / "croupier.journal-codes")
    assert again.person(again.log_in(new)) == Person("player", 1), "the table has kept the code"


@pytest.mark.long
def test_of_the_journal_the_page_reads_every_line_while_it_is_written(folder: Path) -> None:
    """A reader that may write nothing beside the journal has no part in the recovery of SQLite's log."""
    reader = (
        "import sys, time\nfrom pathlib import Path\nfrom croupier.journal import Archive\n"
        "archive = Archive(Path(sys.argv[1]))\nseen = 0\n"
        "print('open', flush=True)\n"
        "while seen < 601:\n    n = len(archive.lines(1))\n    assert n >= seen, (n, seen)\n    seen = n\n"
        "print(seen)\n"
    )
    path = folder / "busy.journal"
    with Journal(path) as journal:
        owned(folder)
        game = journal.add(LINES[:1], began=0.0)
        process = as_user(PAGE, sys.executable, "-c", reader, str(path), stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        for n in range(600):
            journal.append(game, {"obs": "fault", "t": float(n), "device": "shoe", "kind": "jam"})
        assert process.stdout.read() == b"601\n"
        assert process.wait() == 0


def attempt(user: int, code: str, *arguments: str) -> str:
    process = as_user(user, sys.executable, "-c", code, *arguments, stderr=subprocess.PIPE, cwd="/")
    assert process.stderr is not None
    lines = process.stderr.read().decode().splitlines()
    process.wait()
    return lines[-1].partition(":")[0] if lines else ""


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("open(folder + '/croupier.toml')", id="read-the-settings"),
        pytest.param("open(folder + '/croupier.journal-codes')", id="read-the-codes"),
        pytest.param("open(folder + '/croupier.journal-sessions')", id="read-the-sessions"),
        pytest.param("open(folder + '/croupier.journal', 'r+b')", id="write-the-journal"),
        pytest.param("open(folder + '/croupier.journal-head', 'r+b')", id="write-the-head"),
        pytest.param("open(folder + '/new', 'x')", id="make-a-file"),
        pytest.param("import os; os.unlink(folder + '/croupier.journal')", id="delete-the-journal"),
        pytest.param(
            "import sqlite3; sqlite3.connect(folder + '/croupier.journal').execute('DELETE FROM game')",
            id="delete-a-game",
        ),
    ],
)
def test_what_the_page_may_not_do(folder: Path, code: str) -> None:
    accounts = Accounts(folder / "croupier.journal-codes", QUICK, sessions=folder / "croupier.journal-sessions")
    accounts.new_code(Person("admin"))
    accounts.keep_sessions()
    with Journal(folder / "croupier.journal") as journal:
        journal.add(LINES[:20], began=0.0)
        owned(folder)
        code = f"import sys; folder = sys.argv[1]; {code}"
        assert attempt(PAGE, code, str(folder)) in ("PermissionError", "sqlite3.OperationalError")
        assert attempt(TABLE, code, str(folder)) == "" or "journal" in code, "the table may"


def test_nobody_but_the_table_calls_the_page(folder: Path) -> None:
    unit = Unit(folder.parent / "page.socket")
    code = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    try:
        assert [attempt(user, code, str(unit.path)) for user in (STRANGER, PAGE)] == ["PermissionError"] * 2
        assert unit.process is None
    finally:
        unit.close()
        unit.path.unlink()
