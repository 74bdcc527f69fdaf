"""The power fails at any write: the journal opens, all that was acknowledged is there, nothing is there by halves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest

from croupier.journal import FeedJob, Journal, database
from croupier.journal.head import Head, read_head
from tests.journal.damage import lay_down
from tests.journal.games import game_lines
from tests.journal.power import Disk, recording
from tests.longer import many

NAME = "croupier.journal"


class Played:
    """A game of ``lines``, with jobs of the shoe, played on a disk that remembers, in two sessions.

    ``heads``: how far the journal was after each transaction; ``acknowledged[i]``: how many of them were over, at the
    least, after ``i`` operations."""

    def __init__(self, folder: Path, lines: tuple[str, ...], checkpoint: int) -> None:
        self.disk, self.lines = Disk(), lines
        self.acknowledged: list[int] = []
        self.heads: list[Head] = []
        with recording(self.disk), pytest.MonkeyPatch.context() as patch:
            patch.setattr(database, "_CHECKPOINT", checkpoint)
            with Journal(folder / NAME) as journal:
                self._note(journal)
                journal.add(lines[:1], began=0.0)
                self._note(journal)
                self._play(journal, 1, len(lines) // 2)
            with Journal(folder / NAME) as journal:
                self._play(journal, len(lines) // 2, len(lines))
                journal.checkpoint()
                journal.append(1, {"obs": "tick", "t": 1e5})
                self._note(journal)
            self.acknowledged += [len(self.heads)] * (len(self.disk.ops) + 1 - len(self.acknowledged))

    def _play(self, journal: Journal, done: int, end: int) -> None:
        while done < end:
            if done % 5 == 0:
                journal.record_job(1, FeedJob(done, done, done % 4, 1))
                self._note(journal)
            batch = self.lines[done : min(end, done + (3 if done % 4 == 0 else 1))]
            done += len(journal.append(1, *map(json.loads, batch), fed={done - 1: 1} if done % 5 == 1 else {}))
            self._note(journal)

    def _note(self, journal: Journal) -> None:
        self.acknowledged += [len(self.heads)] * (len(self.disk.ops) - len(self.acknowledged))
        self.heads.append(journal.head())

    def check(self, n: int, path: Path) -> None:
        """Check that what a power cut after ``n`` operations left in ``path`` is right."""
        with Journal(path) as journal:
            head, noted = journal.head(), read_head(path) or Head()
            assert journal.recovery is None, "a power cut loses nothing, so there is nothing to tell"
            assert list(journal.damages()) == []
            assert head in self.heads, "what belongs together was torn apart"
            assert self.heads.index(head) + 1 >= self.acknowledged[n]
            assert 0 <= self.heads.index(head) - self.heads.index(noted) <= 1
            if not head.game:
                return
            lines = journal.lines(1)[: len(self.lines)]
            assert lines == list(self.lines[: len(lines)])
            journal.append(1, {"obs": "tick", "t": 1e6})
            assert list(journal.damages()) == []

    def check_all(self, folder: Path, most: int, seed: int) -> Counter[str]:
        """Check each power cut, with ``most`` states after it or fewer; returns what was counted."""
        random, count = Random(seed), Counter[str](operations=len(self.disk.ops))
        for n in range(len(self.disk.ops) + 1):
            for files in self.disk.states(n, most, random):
                self.check(n, lay_down(files, folder / "cut"))
                rmtree(folder / "cut")
                count["states"] += 1
        return count


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A game that is carried over into the file several times on the way."""
    return Played(tmp_path_factory.mktemp("played"), game_lines()[:24], checkpoint=16)


@pytest.mark.long
def test_whatever_a_power_cut_leaves_is_a_journal(played: Played, tmp_path: Path) -> None:
    assert played.check_all(tmp_path, 2, 3)["states"] > 250


@pytest.mark.long
def test_each_combination_of_writes_that_a_power_cut_leaves_is_a_journal(tmp_path: Path) -> None:
    (tmp_path / "played").mkdir()
    long = Played(tmp_path / "played", game_lines()[:90], checkpoint=16)
    print(count := long.check_all(tmp_path, many(1 << 9), 4))
    assert count["states"] > many(10_000)


def test_the_disk_has_seen_what_it_is_to_prove(played: Played) -> None:
    writes = {name: [op for op in played.disk.ops if op.name == name and op.what == "write"] for name in (
        NAME, f"{NAME}-wal", f"{NAME}-head",
    )}  # fmt: skip
    assert len(writes[f"{NAME}-wal"]) > len(played.lines)
    assert len({op.place for op in writes[NAME]}) > 5
    assert len(writes[f"{NAME}-head"]) >= len(played.heads)
    assert any(op.what == "delete" for op in played.disk.ops)
    assert played.acknowledged[-1] == len(played.heads)
