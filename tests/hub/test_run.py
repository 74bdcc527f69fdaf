"""`croupier run` in a tournament, as a shell starts it, and a hub: the table plays on, whatever becomes of the hub."""

from __future__ import annotations

import os
import pty
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from queue import Empty, SimpleQueue
from stat import S_IMODE
from threading import Thread
from time import monotonic
from typing import IO, Self

import pytest

from croupier.journal.archive import Archive
from croupier_hub.signed_log import chain_line
from tests.hub.running import (
    JOURNAL,
    HubProcess,
    direct,
    key_of_the_table,
    points,
    results_when,
    stored,
)
from tests.patience import PATIENCE_S

SEATS = ("Ann", "Ben")
TABLE = """
[seats]
names = ["Ann", "Ben"]
dealer = 0
[rules]
base = "g7942-en"
house = "quick"
[camera]
source = "none"
[page]
on = false
[tournament]
hub = "{hub}"
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Table:
    """`croupier run` in this folder, with somebody at its keyboard."""

    def __enter__(self) -> Self:
        self._typed, keyboard = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "croupier", "--language", "en", "run"], stdin=keyboard, stdout=subprocess.PIPE,
            text=True, env=os.environ | {"TERM": "dumb"},
        )  # fmt: skip
        os.close(keyboard)
        self._said: SimpleQueue[str] = SimpleQueue()
        Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()
        return self

    def _listen(self, stdout: IO[str]) -> None:
        for line in stdout:
            self._said.put(line)
        self._said.put("")  # it has ended

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGKILL)
        os.close(self._typed)

    def type(self, line: str) -> None:
        os.write(self._typed, f"{line}\n".encode())

    def read_until(self, *texts: str) -> None:
        """Read what the table says, until each of ``texts`` has stood in a line, in whatever order."""
        said = list[str]()
        while missing := [text for text in texts if not any(text in line for line in said)]:
            try:
                said.append(self._said.get(timeout=PATIENCE_S))
            except Empty:
                pytest.fail(f"the table does not say {missing}; it said: {said}")
            assert said[-1], f"the table ended before it said {missing}; it said: {said}"

    def end(self, how: signal.Signals) -> int:
        self._process.send_signal(how)
        return self._process.wait(PATIENCE_S)


@pytest.mark.long
def test_a_table_plays_on_without_the_hub_and_all_arrives_when_it_is_there() -> None:
    hub = HubProcess()
    try:
        key = key_of_the_table()
        direct(hub.url, key, SEATS)
        hub.kill()
        Path("croupier.toml").write_text(TABLE.format(hub=hub.url))
        with Table() as table:
            table.read_until("Connection refused: expected a hub there", "Deal 5 cards")
            for line, answer in (("go", "turn up the first card"), ("laid red-7", "Ben's turn"),
                                 ("laid red-skip", "Ben's turn"), ("laid blue-skip", "Ben's turn")):  # fmt: skip
                table.type(line)
                table.read_until(answer)
            assert table.end(signal.SIGKILL) == -signal.SIGKILL
        hub.start()
        with Table() as table:
            table.read_until("Resuming game 1")
            table.read_until("type go")
            table.type("go")
            table.read_until("may play a card")
            last = monotonic() + PATIENCE_S
            with closing(sqlite3.connect("file:hub.db?mode=ro", uri=True)) as database:
                while not database.execute(
                    "SELECT 1 FROM log WHERE name = ? AND lines", (bytes.fromhex(key),)
                ).fetchone():
                    assert monotonic() < last, "the table has not reached the hub"
            hub.kill()
            for line, answer in (("laid green-skip", "Ben's turn"), ("laid yellow-skip", "Ben's turn"),
                                 ("laid yellow-1", "Ben: 1 point, 1 in all")):  # fmt: skip
                table.type(line)
                table.read_until(answer)
            hub.start()
            results_when(hub.url, lambda one: points(one) == [0, 1])
            table.type("go")
            table.read_until("Deal 5 cards")
            assert table.end(signal.SIGTERM) == 0
    finally:
        hub.kill()
    for file in Path().glob("hub.db*"):
        assert S_IMODE(file.stat().st_mode) == 0o600, file
    with Archive(JOURNAL) as journal:
        assert [line for line in stored(key) if '"result"' not in line] == [chain_line(), *journal.lines(1)]
