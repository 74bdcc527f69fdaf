"""A journal as a kill leaves it, and what becomes of it when one of its files is damaged."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from croupier.errors import CroupierError
from croupier.journal import Archive, FeedJob, Journal
from tests.journal.games import game_lines

NAME = "croupier.journal"
FILES = (NAME, f"{NAME}-wal", f"{NAME}-head")


@dataclass
class Content:
    """What a journal holds, by game; of the lines, those that are whole."""

    began: dict[int, float] = field(default_factory=dict)
    lines: dict[int, list[str]] = field(default_factory=dict)
    jobs: dict[int, list[FeedJob]] = field(default_factory=dict)

    @classmethod
    def of(cls, archive: Archive) -> Content:
        games = list(archive.began())
        return cls(
            archive.began(),
            {game: archive.whole_lines(game)[0] for game in games},
            {game: archive.feed_jobs(game) for game in games},
        )


def killed_journal(folder: Path, *, checkpoint_at: int = 35) -> tuple[dict[str, bytes], Content]:
    """The files of a table that was killed in its third game, and what it had acknowledged."""
    path = folder / NAME
    with Journal(path) as journal:
        journal.add(game_lines(2)[:50], began=1e9)
        journal.add(game_lines(3)[:30], began=1e9 + 3600)
        lines = game_lines()
        game = journal.add(lines[:1], began=1e9 + 7200)
        for n, line in enumerate(lines[1:60], 1):
            if n % 10 == 0:
                journal.record_job(game, FeedJob(n // 10, n, n % 4, 1))
            journal.append(game, json.loads(line), fed={n // 10: 1} if n % 10 == 5 else {})
            if n == checkpoint_at:
                journal.checkpoint()
        content = Content.of(journal)
        files = {name: (folder / name).read_bytes() for name in FILES}
    return files, content


def lay_down(files: dict[str, bytes], folder: Path) -> Path:
    """Write files into an empty folder; returns the journal."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / NAME


def verified(path: Path) -> bool:
    """Whether `verify` says that all is as written."""
    try:
        with Archive(path) as archive:
            return list(archive.damages()) == []
    except CroupierError:
        return False


def examine(path: Path, written: Content) -> str:
    """What becomes of a damaged journal: "harmless", "repaired" (nothing is lost) or "told".

    Raises:
        AssertionError: something is lost and nobody is told, or something is there that was never written.
    """
    is_told = not verified(path)
    try:
        with Journal(path) as journal:
            recovery = journal.recovery
            games = [*journal.began()]
            found = Content.of(journal)
            for game in games:
                assert found.lines[game] == written.lines.get(game, [])[: len(found.lines[game])]
            newest = journal.last()
            if newest is not None:
                journal.resumed(newest)
            is_all_there = found.lines == written.lines and found.jobs == written.jobs
            assert is_all_there or recovery is not None or is_told
            if newest is None or found.lines[newest] != written.lines.get(newest) or len(games) < len(written.lines):
                assert recovery is not None, "play goes on from an older position in silence"
                assert recovery.is_incomplete
            if newest is not None:
                journal.append(newest, {"obs": "tick", "t": 1e6})
                assert journal.whole_lines(newest)[1] is None
        if not is_told and recovery is None:
            assert found == written
            assert verified(path), "damage comes to light only after somebody wrote"
    except CroupierError:
        return "told"
    if recovery is not None and not recovery.is_incomplete:
        assert is_all_there
        return "repaired"
    return "told" if is_told or recovery is not None else "harmless"
