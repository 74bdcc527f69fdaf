"""Journals as former programs wrote them, each with one game: they are read, replayed, and gone on with."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from croupier.cli import main
from croupier.journal import Archive, Journal
from croupier.journal.database import check_form
from tests.journal.games import game_lines

OLD = Path(__file__).with_name("old")
"""``form-N.journal``: written by the last program that wrote form N."""


@pytest.fixture(params=[1, 2], ids=["form-1", "form-2"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of such a journal, in the folder of a table."""
    return Path(shutil.copy(OLD / f"form-{request.param}.journal", tmp_path / "croupier.journal"))


def form(journal: Path) -> int:
    with closing(sqlite3.connect(journal)) as opened:
        return check_form(opened, journal)


def lines_of(journal: Path, game: int = 1) -> list[str]:
    with Archive(journal) as archive:
        return list(archive.lines(game))


def test_its_game_is_read_replayed_and_found_whole(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = old.read_bytes()
    assert len(lines_of(old)) == 96
    assert main.run(["replay", "--journal", str(old)]) == 0
    assert capsys.readouterr().out.startswith("Round 1\n")
    assert main.run(["journal", "verify", "--journal", str(old)]) == 0
    assert capsys.readouterr().out == "1 game, all intact\n"
    assert old.read_bytes() == before, "whoever reads changes nothing"


def test_a_new_game_stands_behind_the_old_one_which_stays_as_it_was(old: Path) -> None:
    game = lines_of(old)
    with Journal(old) as journal:
        assert journal.add(game_lines(3), began=1.8e9) == 2
    assert form(old) == 3
    assert lines_of(old) == game
    assert lines_of(old, 2) == list(game_lines(3))
    with Archive(old) as archive:
        assert archive.began()[1] == 1.7e9
        assert list(archive.damages()) == []
