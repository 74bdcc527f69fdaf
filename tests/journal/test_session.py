"""A game of the journal as the runtime holds it: begun, judged, written, resumed; and its feed jobs."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

import pytest

from croupier.alarms import Alarm, AlarmRegistry
from croupier.devices.protocols import Feed
from croupier.errors import BadJournal, BadLog, CannotWrite
from croupier.journal import Archive, FeedJob, Journal
from croupier.journal.recovery import Recovery
from croupier.runtime.session import FeedLog, GameSession, begin, clock_doubt, resume
from croupier_rules.referee import Referee, parse_header, parse_observation
from croupier_rules.referee.observations import Fault, Overrule, Tick
from tests.journal.games import game_lines

LINES = game_lines()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "croupier.journal"


def begun(journal: Journal, now: float = 5.0) -> GameSession:
    return begin(journal, parse_header(json.loads(LINES[0])), now=now)


def play(session: GameSession, start: int, end: int) -> None:
    for line in LINES[start:end]:
        session.write(session.judge([parse_observation(json.loads(line), 4)]))


def test_a_game_is_begun_with_its_header_and_its_date(path: Path) -> None:
    with Journal(path) as journal:
        session = begun(journal)
        assert (session.game, session.t, session.past) == (1, 0.0, ())
        assert session.journal is journal
        assert session.header == session.referee.header
        assert journal.began() == {1: 5.0}
        assert journal.lines(1) == [LINES[0]]
        assert session.position == session.referee.state()
        assert begun(journal).game == 2


def test_steps_are_numbered_as_their_lines_through_a_restart(path: Path) -> None:
    with Journal(path) as journal:
        session = begun(journal)
        first = session.judge([parse_observation(json.loads(line), 4) for line in LINES[1:21]])
        session.write(first)
        assert [step.n for step in first] == [*range(1, 21)]
        referee = Referee(session.header)
        assert [step.rulings for step in first] == [referee.observe(step.observation) for step in first]
        assert any(step.rulings for step in first)
        again = resume(journal)
        assert again is not None
        assert [step.n for step in again.past] == [*range(1, 22)]
        assert [step.observation for step in again.past[:20]] == [step.observation for step in first]
        assert [step.rulings for step in again.past[:20]] == [step.rulings for step in first]
        assert first[-1].fields == session.referee.position()
        assert first[-1].position == session.position
        assert [step.fields for step in again.past[:20]] == [step.fields for step in first]
        assert [step.position for step in again.past[:20]] == [step.position for step in first]
        assert again.past[20].observation == Fault(first[-1].observation.t, device="table", kind="restarted")
        assert again.t == first[-1].observation.t
        (step,) = again.judge([Tick(again.t)])
        assert step.n == 22
        again.write([step])
        assert len(journal.lines(1)) == 23


@pytest.mark.parametrize("n", [1, 2])
def test_what_cannot_be_judged_changes_nothing(path: Path, n: int) -> None:
    with Journal(path) as journal:
        session = begun(journal)
        play(session, 1, 4)
        before = session.referee.position()
        first = parse_observation(json.loads(LINES[4]), 4)
        with pytest.raises(BadLog):
            session.judge([*[first] * (n - 1), Overrule(9.0, undo=99)])
        assert session.referee.position() == before
        (step,) = session.judge([Tick(9.0)])
        assert step.n == 4


def test_when_a_round_is_over_the_database_holds_it_without_its_log(path: Path, tmp_path: Path) -> None:
    with Journal(path) as journal:
        session, n = begun(journal), 1
        while not session.referee.is_round_over:
            if n == 10:
                copyfile(path, tmp_path / "before")
            play(session, n, n + 1)
            n += 1
        copyfile(path, tmp_path / "after")
    with pytest.raises(BadJournal):
        Archive(tmp_path / "before")  # all of it is in the log
    with Archive(tmp_path / "after") as archive:
        assert len(archive.lines(1)) == n


def test_a_game_is_resumed_paused_once_however_often(path: Path) -> None:
    with Journal(path) as journal:
        assert resume(journal) is None
        begun(journal)
        for _ in range(2):
            again = resume(journal)
            assert again is not None
            assert again.position.phase == "paused"
            assert [step.observation for step in again.past] == [Fault(0.0, device="table", kind="restarted")]
            assert len(journal.lines(1)) == 2


def test_lost_lines_pause_a_game_once_more(path: Path) -> None:
    with Journal(path) as journal:
        begun(journal)
        resume(journal)
        for is_incomplete, kinds in ((False, ["restarted"]), (True, ["restarted", "lines-lost"])):
            journal.recovery = Recovery(BadJournal("damaged"), is_incomplete=is_incomplete)
            again = resume(journal)
            assert again is not None
            faults = [step.observation for step in again.past]
            assert [one.kind for one in faults if isinstance(one, Fault)] == kinds
            assert faults[-1] == Fault(0.0, device="table" if len(kinds) == 1 else "journal", kind=kinds[-1])


def test_a_game_that_is_over_is_not_resumed(path: Path) -> None:
    with Journal(path) as journal:
        journal.add(game_lines(target=1), began=0.0)
        n = len(journal.lines(1))
        assert resume(journal) is None
        assert len(journal.lines(1)) == n


def test_a_game_that_cannot_be_continued_is_named(path: Path) -> None:
    with Journal(path) as journal:
        journal.add([*LINES[:4], '{"obs":"overrule","t":9.0,"undo":99}'], began=0.0)
        with pytest.raises(BadLog) as failed:
            resume(journal)
        assert f"{path}, game 1" in str(failed.value)


def test_jobs_without_an_outcome_are_open(path: Path) -> None:
    with Journal(path) as journal:
        session = begun(journal)
        assert session.open_jobs() == []
        for job, fed in ((4, 2), (5, None), (6, None)):
            journal.record_job(1, FeedJob(job, job + 100, job % 4, 2, fed))
        assert session.open_jobs() == [Feed(5, 1, 2, number=105), Feed(6, 2, 2, number=106)]
        assert journal.last_job(1) == 6
        session.write((), fed={5: 0})
        assert [job.job for job in session.open_jobs()] == [6]
        other = begun(journal)
        assert journal.last_job(other.game) == 0
        journal.record_job(other.game, FeedJob(6, 1, 0, 7))
        other.write((), fed={6: 7, 99: 1})
        assert [job.job for job in session.open_jobs()] == [6]
        assert other.open_jobs() == []


def test_jobs_are_read_as_they_were_written_whatever_version_wrote_them(path: Path) -> None:
    with Journal(path) as journal:
        session = begun(journal)
        journal.record_job(1, FeedJob(5, 105, 1, 7))
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("SELECT hash FROM job").fetchone()[0] == sha256(b"1 5 105 1 7 None").digest()
            session.write((), fed={5: 0})
            assert file.execute("SELECT hash FROM job").fetchone()[0] == sha256(b"1 5 105 1 7 0").digest()
        with pytest.raises(BadJournal, match="no game 2: begin it first"):
            journal.append(2, fed={5: 1})


def test_the_shoe_gets_a_job_only_when_it_is_on_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[Alarm] = []
    with Journal(path) as journal:
        log = FeedLog(journal, AlarmRegistry(changes.append))
        begun(journal)
        begun(journal)
        assert log.record(17, Feed(3, 1, 5))
        assert journal.feed_jobs(2) == [FeedJob(3, 17, 1, 5)]
        assert journal.feed_jobs(1) == []

        def fail(*_: object) -> None:
            raise CannotWrite("the disk is full")

        monkeypatch.setattr(journal, "record_job", fail)
        assert not log.record(18, Feed(4, 1, 5))
        assert changes == [Alarm("journal", "not-written", "the disk is full")]


@pytest.mark.parametrize(
    ("behind_s", "told"),
    [
        (60.0, None),
        (60.1, "is 0.0 hours behind"),
        (2 * 86400.0, "is 48.0 hours behind"),
        (2 * 86400.0 + 1, "is 2 days behind"),
        (90 * 86400.0, "is 90 days behind"),
    ],
)
def test_a_clock_is_doubted_that_stands_before_the_newest_game(path: Path, behind_s: float, told: str | None) -> None:
    with Journal(path) as journal:
        assert clock_doubt(journal, 0.0) is None
        for now in (1e9 - 1e6, 1e9, 1e9 - 1e8):
            begun(journal, now)
        doubt = clock_doubt(journal, 1e9 - behind_s)
        expected = (
            f"the clock of this machine {told} the newest game in the journal: set it; nothing is lost, only the dates "
            "of games are wrong"
        )
        assert doubt == (None if told is None else expected)
