"""The journal: what is written can be read, by anybody, as it was written; and a fault of the file is one line."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.errors import BadJournal, CannotWrite, DiskFull
from croupier.journal import Archive, FeedJob, Journal, read_lines, text_of
from croupier.journal.database import read_rows, translate_errors
from croupier.journal.head import Head, head_file
from croupier.journal.journal import bytes_written
from croupier.journal.log_file import texts_of
from tests.journal.games import game_lines

HEADER = {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 1}
PLAY = {"obs": "play", "t": 1.5, "card": "red-7"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "croupier.journal"


def test_what_was_appended_is_read_beside_the_writer(path: Path) -> None:
    with Journal(path) as journal, Archive(path) as archive:
        game = journal.begin(HEADER, began=100.0)
        assert archive.lines(game) == [text_of(HEADER)]
        assert journal.append(game, PLAY, PLAY)[-1] == journal.head().hash
        assert archive.lines(game, 1) == [text_of(PLAY)] * 2
        assert archive.lines(game, 3) == []
        assert archive.began() == {1: 100.0}
        listed = archive.game(1)
        assert (listed.number, listed.began, listed.lines) == (1, 100.0, 3)


def test_games_are_numbered_and_kept_apart(path: Path) -> None:
    with Journal(path) as journal:
        assert journal.last() is None
        first, second = (journal.begin(HEADER | {"dealer": dealer}, began=0.0) for dealer in (0, 1))
        journal.append(first, PLAY)
        assert [len(journal.lines(game)) for game in (first, second)] == [2, 1]
        assert journal.last() == second == 2
    with Journal(path) as again:
        again.append(second, PLAY, PLAY)
        assert [again.game(game).lines for game in again.began()] == [2, 3]
        assert again.resumed(second)[0] == text_of(HEADER)
        assert list(again.damages()) == []


def test_the_head_can_be_worked_out_from_the_exported_text_alone(path: Path) -> None:
    lines = game_lines()
    with Journal(path) as journal:
        journal.add(lines, began=0.0)
        game = journal.game(1)
    hash_ = b""
    for line in lines:
        hash_ = sha256(hash_ + line.encode()).digest()
    assert game.head == hash_


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), max_size=5))
def test_any_object_comes_back_as_it_was(lines: list[dict[str, object]]) -> None:
    texts = [text_of(line) for line in lines]
    assert [one.data for one in read_lines(text.encode() + b"\n" for text in texts)] == lines


def test_a_line_is_taken_in_without_its_end_and_nothing_else() -> None:
    lines = [b'\xef\xbb\xbf{"obs": "tick"} \r\n', b"  \n", b'{"obs": "\xc3\xa9"}']
    assert texts_of(lines) == ['{"obs": "tick"} ', '{"obs": "é"}']


def test_what_json_cannot_hold_in_utf_8_is_kept_as_an_escape(path: Path) -> None:
    odd = {"obs": "house_rule", "t": 1.0, "text": "half \ud83d, a line\nend, \u2028 and \x00"}
    with Journal(path) as journal:
        game = journal.begin(HEADER, began=0.0)
        journal.append(game, odd)
        assert json.loads(journal.resumed(game)[1]) == odd


def test_only_one_process_writes(path: Path) -> None:
    with Journal(path), pytest.raises(CannotWrite, match=r"^\S+croupier\.journal: another croupier .* a single writer"):
        Journal(path)
    Journal(path).close()


def test_everybody_may_read_the_files_and_their_owner_write_them(path: Path) -> None:
    before = os.umask(0o022)
    try:
        Journal(path).close()
    finally:
        os.umask(before)
    assert [stat.S_IMODE(file.stat().st_mode) for file in (path, head_file(path))] == [0o644, 0o644]


@pytest.mark.parametrize(
    "statement",
    ["UPDATE line SET text = '{}'", "DELETE FROM line", f"INSERT INTO line VALUES ({1 << 32}, '{{}}', x'00')"],
    ids=["change", "delete", "write twice"],
)
def test_lines_cannot_be_changed_by_accident(path: Path, statement: str) -> None:
    with Journal(path) as journal:
        journal.begin(HEADER, began=0.0)
        with pytest.raises(sqlite3.IntegrityError):
            journal._connection.execute(statement)


def tampered(path: Path, *statements: str) -> None:
    """What somebody does to the file who means to."""
    connection = sqlite3.connect(path)
    for statement in ("DROP TRIGGER lines_stay", "DROP TRIGGER lines_stay_so", *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "line", "what"),
    [
        pytest.param(
            "UPDATE line SET text = replace(text, 'red', 'blue') WHERE id % 4096 = 3 AND id < 2 * 4294967296",
            4,
            "written",
            id="changed",
        ),
        pytest.param(f"DELETE FROM line WHERE id = {(1 << 32) + 5}", 6, "missing", id="left out"),
        pytest.param(f"DELETE FROM line WHERE id = {1 << 32}", 1, "missing", id="without its header"),
        pytest.param(
            f"UPDATE line SET hash = x'{'00' * 32}' WHERE id = {(1 << 32) + 7}", 8, "written", id="another hash"
        ),
    ],
)
def test_a_line_that_is_not_as_it_was_written_is_found(path: Path, statement: str, line: int, what: str) -> None:
    with Journal(path) as journal:
        game = journal.begin(HEADER, began=0.0)
        for t in range(10):
            journal.append(game, PLAY | {"t": t})
        other = journal.add(game_lines(), began=0.0)
    tampered(path, statement)
    with Archive(path) as archive:
        (damage,) = archive.damages()
        assert (damage.game, damage.line) == (game, line)
        assert what in damage.what
        assert len(archive.whole_lines(game)[0]) == line - 1
    with Journal(path) as journal:
        with pytest.raises(BadJournal, match=f"journal: game {game} is damaged from line {line} on; .*export saves"):
            journal.resumed(game)
        assert journal.resumed(other) == list(game_lines())


@pytest.mark.parametrize("game", [pytest.param(1, id="the-first"), pytest.param(2, id="in-between")])
def test_a_game_that_is_missing_is_found(path: Path, game: int) -> None:
    with Journal(path) as journal:
        for _ in range(3):
            journal.begin(HEADER, began=0.0)
    tampered(path, f"DELETE FROM game WHERE id = {game}", f"DELETE FROM line WHERE id / {1 << 32} = {game}")
    with Archive(path) as archive:
        assert [(one.game, one.line, one.what) for one in archive.damages()] == [(game, 1, "the game is missing")]


def test_a_game_whose_lines_are_all_missing_is_found(path: Path) -> None:
    with Journal(path) as journal:
        journal.begin(HEADER, began=0.0)
        assert journal.head(7) == Head(7)
        assert journal.head(-1) == Head()
    tampered(path, "DELETE FROM line")
    with Archive(path) as archive:
        assert [(one.game, one.line, one.what) for one in archive.damages()] == [(1, 1, "the game has no lines")]


def test_a_page_that_cannot_be_is_found(path: Path) -> None:
    with Journal(path) as journal:
        journal.add(game_lines(rounds=3), began=0.0)
        journal.check_structure()
    raw = bytearray(path.read_bytes())
    raw[20 * 1024 + 8 : 20 * 1024 + 12] = b"\xff\xff\xff\xff"
    path.write_bytes(raw)
    with Archive(path) as archive, pytest.raises(BadJournal, match=r"croupier\.journal: damaged: "):
        archive.check_structure()


def test_a_corrupted_page_costs_no_line_before_it(path: Path) -> None:
    lines = game_lines(rounds=3)
    with Journal(path) as journal:
        journal.add(lines, began=0.0)
    raw = bytearray(path.read_bytes())
    page = len(raw) // 1024 * 2 // 3
    raw[page * 1024 : page * 1024 + 1024] = b"\xff" * 1024
    path.write_bytes(raw)
    with Archive(path) as archive:
        (damage,) = archive.damages()
        whole, same = archive.whole_lines(1)
        assert same == damage
        assert damage.what == "the file cannot be read from here on"
        assert whole == list(lines[: len(whole)])
        assert len(whole) > len(lines) // 4
    with Journal(path) as again, pytest.raises(BadJournal, match="damaged"):
        again.resumed(1)


@pytest.mark.parametrize("size", [1, 99, 100, 4096], ids=lambda n: f"{n} bytes")
@pytest.mark.parametrize("kind", [Journal, Archive])
def test_a_file_that_is_no_journal_is_refused_and_stays(path: Path, kind: type[Archive], size: int) -> None:
    path.write_bytes(b"x" * size)
    with pytest.raises(BadJournal, match=r"^\S+croupier\.journal: (not a journal|journal format 0)"):
        kind(path)
    assert path.read_bytes() == b"x" * size


def test_a_database_of_somebody_else_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(BadJournal, match="not a journal"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_journal_of_a_later_form_is_left_to_the_program_that_wrote_it(path: Path) -> None:
    Journal(path).close()
    tampered(path, "PRAGMA user_version = 9")
    with pytest.raises(BadJournal, match=r"^\S+croupier\.journal: journal format 9: expected 3"):
        Journal(path)


def test_there_is_no_journal_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        CannotWrite, match=r"none/croupier\.journal: No such file or directory: expected an existing folder"
    ):
        Journal(tmp_path / "none" / "croupier.journal")
    with pytest.raises(BadJournal, match="no such file"):
        Archive(tmp_path / "none")


def test_a_name_with_what_means_something_in_an_address_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "what? a#1 100%.journal"
    with Journal(path) as journal:
        journal.begin(HEADER, began=0.0)
    assert path.exists()
    with Archive(path) as archive:
        assert archive.last() == 1


def test_a_game_wears_the_card_by_a_bounded_number_of_bytes() -> None:
    lines = game_lines()
    size = sum(len(line) for line in lines)
    written = bytes_written(lines)
    assert size < written < 2_000 * len(lines)


JOB = FeedJob(job=5, number=1, seat=0, n=7)


def test_the_outcome_of_a_feed_job_is_written_with_its_line_also_where_no_card_came(path: Path) -> None:
    with Journal(path) as journal:
        game = journal.begin(HEADER, began=0.0)
        journal.record_job(game, JOB)
        journal.record_job(game, replace(JOB, job=6, number=2))
        assert [job.fed for job in journal.feed_jobs(game)] == [None, None]
        journal.append(game, {"obs": "dealt", "t": 1.0, "seat": 0, "n": 7}, fed={5: 7})
        journal.append(game, fed={6: 0})
        journal.record_job(game, JOB)  # told again, as after a restart
        assert [job.fed for job in journal.feed_jobs(game)] == [7, 0]
        assert list(journal.damages()) == []


def test_a_feed_job_that_is_not_as_it_was_written_is_reported(path: Path) -> None:
    with Journal(path) as journal:
        game = journal.begin(HEADER, began=0.0)
        journal.record_job(game, JOB)
    tampered(path, "UPDATE job SET n = 13")
    with Archive(path) as archive:
        with pytest.raises(BadJournal, match="journal: game 1: the record of the shoe's jobs was changed"):
            archive.feed_jobs(game)
        assert [damage.game for damage in archive.damages()] == [game]


def test_a_journal_without_feed_jobs_is_brought_up_to_date(path: Path) -> None:
    with Journal(path) as journal:
        game = journal.begin(HEADER, began=0.0)
    table = "CREATE TABLE game (id INTEGER PRIMARY KEY, began REAL NOT NULL) STRICT"
    tampered(
        path, "DROP TABLE job", "DROP TABLE game", table, "INSERT INTO game VALUES (1, 0)", "PRAGMA user_version = 1"
    )
    head_file(path).unlink()
    with Archive(path) as archive:
        assert (archive.feed_jobs(game), list(archive.damages())) == ([], [])
    with Journal(path) as journal:
        assert journal.recovery is None
        journal.record_job(game, JOB)
        assert journal.feed_jobs(game) == [JOB]
        journal.begin(HEADER, began=0.0)
        assert list(journal.damages()) == []


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        (sqlite3.SQLITE_FULL, DiskFull, "the disk is full: free some space"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, DiskFull, "the disk is full: free some space"),
        (sqlite3.SQLITE_READONLY, CannotWrite, "cannot be written"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, CannotWrite, "cannot be written"),
        (sqlite3.SQLITE_CANTOPEN, CannotWrite, "cannot be opened"),
        (sqlite3.SQLITE_PERM, CannotWrite, "cannot be opened"),
        (sqlite3.SQLITE_BUSY, CannotWrite, "another program has it open"),
        (sqlite3.SQLITE_IOERR, CannotWrite, "the disk reports an error"),
        (sqlite3.SQLITE_IOERR_WRITE, CannotWrite, "the disk reports an error"),
        (sqlite3.SQLITE_NOTADB, BadJournal, "not a journal"),
        (sqlite3.SQLITE_CORRUPT, BadJournal, "damaged"),
        (sqlite3.SQLITE_CORRUPT_INDEX, BadJournal, "damaged"),
        (sqlite3.SQLITE_ERROR, BadJournal, "damaged"),
        (sqlite3.SQLITE_PROTOCOL, CannotWrite, "j: locking protocol"),
    ],
)
def test_an_error_of_the_database_is_reported_in_a_line(code: int, kind: type[Exception], text: str) -> None:
    error = sqlite3.OperationalError("locking protocol")
    error.sqlite_errorcode = code
    with pytest.raises(kind, match=f"^j: .*{text}|^{text}") as told, translate_errors(Path("j")):
        raise error
    assert type(told.value) is kind
    assert "\n" not in str(told.value)


def test_a_text_that_is_no_text_is_damage() -> None:
    with pytest.raises(BadJournal, match=r"^j: damaged"), translate_errors(Path("j")):
        b"\xff".decode()


class Meeting:
    """A connection that meets the writer ``times`` in the midst of a change of the log's index."""

    def __init__(self, times: int, code: int) -> None:
        self.left, self.code = times, code

    def execute(self, *query: object) -> str:
        if self.left:
            self.left -= 1
            err = sqlite3.OperationalError("attempt to write a readonly database")
            err.sqlite_errorcode = self.code
            raise err
        return "rows"


@pytest.mark.parametrize("code", [sqlite3.SQLITE_READONLY_RECOVERY, sqlite3.SQLITE_READONLY_CANTINIT])
def test_a_reader_that_meets_the_writer_reads_what_comes_next(code: int) -> None:
    connection: Any = Meeting(3, code)
    rows: Any = read_rows(connection, "SELECT 1")
    assert rows == "rows"
    broken: Any = Meeting(10_000, code)
    with pytest.raises(sqlite3.OperationalError):
        read_rows(broken, "SELECT 1")
