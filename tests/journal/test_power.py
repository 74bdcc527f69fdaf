"""The power fails at any write: the journal opens, all that was acknowledged is there, nothing is there by halves."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, get_args

import apsw
import pytest

from croupier.journal import Journal, database
from tests.journal.games import game_lines
from tests.journal.power import Disk, Left, recording

LINES = game_lines()[:60]
NAME = "croupier.journal"


class Played:
    """A game of `LINES`, played on a disk that remembers: ``acknowledged[i]`` is how many lines were on it, at the
    least, after ``i`` operations; ``batches``: with which numbers of lines an append ended."""

    def __init__(self, folder: Path) -> None:
        self.disk = Disk()
        self.acknowledged: list[int] = []
        self.batches = {0}
        with recording(self.disk) as vfs, pytest.MonkeyPatch.context() as patch:
            patch.setattr(database, "_connect", lambda path, how="": Connection(str(path), vfs))
            # Carried over into the file several times on the way.
            patch.setattr(database, "_CHECKPOINT", 16)
            with Journal(folder / NAME) as journal:
                self._note(0)
                game = journal.add(LINES[:1], began=0.0)
                self._note(1)
                done = 1
                while done < len(LINES):
                    batch = LINES[done : done + (3 if done % 4 == 0 else 1)]
                    done = journal.append(game, *map(json.loads, batch))
                    self._note(done)
            self._note(done)

    def _note(self, lines: int) -> None:
        before = self.acknowledged[-1] if self.acknowledged else 0
        self.batches.add(lines)
        self.acknowledged += [before] * (len(self.disk.ops) - len(self.acknowledged)) + [lines]


class Connection:
    """A connection of apsw as the journal uses one of sqlite3."""

    def __init__(self, path: str, vfs: str) -> None:
        self._connection = apsw.Connection(path, vfs=vfs)

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> Any:
        return self._connection.execute(statement, values)

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(tmp_path_factory.mktemp("played"))


@pytest.mark.parametrize("left", get_args(Left))
def test_whatever_a_power_cut_leaves_is_a_journal(played: Played, left: Left, tmp_path: Path) -> None:
    random = Random(3)
    for n in range(len(played.disk.ops) + 1):
        folder = tmp_path / str(n)
        folder.mkdir()
        for name, data in played.disk.after(n, left, random).items():
            (folder / name).write_bytes(data)
        with Journal(folder / NAME) as journal:
            assert list(journal.damages()) == [], f"after {n} operations"
            lines = journal.lines(1) if journal.last() else []
            assert lines == list(LINES[: len(lines)])
            assert len(lines) >= played.acknowledged[min(n, len(played.acknowledged) - 1)]
            assert len(lines) in played.batches, "what belongs together was torn apart"
            if lines:
                journal.append(1, {"obs": "tick", "t": 1e6})
                assert list(journal.damages()) == []


def test_the_disk_has_seen_what_it_is_to_prove(played: Played) -> None:
    into_file = [op for op in played.disk.ops if op.name == NAME and op.what == "write"]
    into_log = [op for op in played.disk.ops if op.name == f"{NAME}-wal" and op.what == "write"]
    assert len(into_log) > len(LINES)
    assert len({op.place for op in into_file}) > 5
    assert played.acknowledged[-1] == len(LINES)
