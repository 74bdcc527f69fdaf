"""`kill -9` at random moments: what was acknowledged is there, the position is the same, the chain is intact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest

from croupier.journal import Archive, Journal
from croupier.runtime.session import GameSession, begin, resume
from croupier_rules.referee import Observation, Referee, parse_header, parse_observation
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import Fault, Resumed
from tests.journal.games import game_lines
from tests.longer import many
from tests.processes import forks_of

MOMENT_S = 0.02
"""Kills come so long after an acknowledgment or less; a line takes a fraction of a millisecond."""

MOST = 60
"""Acknowledgments that are waited for, or fewer; none where the kill is to come while the file is made or opened."""


def play(path: Path, told: Connection) -> None:
    """Play on, for ever: judge, write, and say then that it was done and which position came of it."""
    header, *_ = game_lines(rounds=2)
    with Journal(path) as journal:
        while True:
            session = resume(journal) or begin(journal, parse_header(header), now=0.0)
            for observations in left_to_tell(session):
                session.write(session.judge(observations))
                told.send((session.game, len(journal.lines(session.game)), session.referee.position()))
            begin(journal, parse_header(header), now=0.0)


def left_to_tell(session: GameSession) -> Iterator[list[Observation]]:
    """The rest of the game, one or three at a time; first go, where play was paused."""
    lines = [json.loads(line)["obs"] for line in session.journal.lines(session.game)[1:]]
    done = len([obs for obs in lines if obs not in ("fault", "resumed")])
    t = session.t
    if lines and session.referee.position()["phase"] == "paused":
        yield [Resumed(t)]
    rest = [parse_observation(line, len(session.header.seats)) for line in game_lines(rounds=2)[1 + done :]]
    while rest:
        n = 3 if len(rest) % 5 == 0 else 1
        yield rest[:n]
        del rest[:n]


def position_at(lines: list[str]) -> PositionFields:
    header = parse_header(lines[0])
    referee = Referee(header)
    for line in lines[1:]:
        referee.observe(parse_observation(line, len(header.seats)))
    return referee.position()


def killed(path: Path, random: Random) -> tuple[int, int, dict[str, object]] | None:
    """Play in a process of its own, and kill that at a random moment; what it acknowledged last."""
    processes = forks_of(__name__)
    receiver, sender = processes.Pipe(duplex=False)
    child = processes.Process(target=play, args=(path, sender), daemon=True)
    child.start()
    sender.close()
    last = None
    for _ in range(max(0, random.randrange(-MOST // 4, MOST))):
        last = receiver.recv()
    child.join(random.random() * MOMENT_S)
    assert child.exitcode is None, "it ended by itself"
    child.kill()
    child.join()
    try:
        while receiver.poll():
            last = receiver.recv()
    except EOFError:
        pass  # all is read; what was being sent was no acknowledgment yet
    return last


def play_and_kill(path: Path, times: int, random: Random) -> int:
    """Kill so often, looking at the journal after each; returns how many acknowledgments were compared."""
    compared = 0
    for _ in range(times):
        told = killed(path, random)
        if not path.exists() or told is None:
            continue
        game, n, position = told
        with Archive(path) as archive:
            lines, damage = archive.whole_lines(game)
            assert damage is None
            assert len(lines) >= n, "an acknowledged observation is lost"
            assert position_at(lines[:n]) == position
        compared += 1
    with Journal(path) as journal:
        assert list(journal.damages()) == []
        session = resume(journal)
        if session is not None:
            assert session.referee.position()["phase"] == "paused"
            assert position_at(journal.lines(session.game)) == session.referee.position()
    return compared


def test_ten_kills_lose_nothing(tmp_path: Path) -> None:
    assert play_and_kill(tmp_path / "croupier.journal", 10, Random(6)) >= 6


@pytest.mark.long
def test_hundreds_of_kills_lose_nothing(tmp_path: Path) -> None:
    """A thousand with CROUPIER_LONG=4."""
    random, folders = Random(7), range(many(5))
    assert sum(play_and_kill(tmp_path / f"{folder}.journal", 50, random) for folder in folders) > 35 * len(folders)


def test_a_game_that_is_gone_on_with_waits_for_somebody(tmp_path: Path) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        journal.add(game_lines()[:40], began=0.0)
        before = position_at(journal.lines(1))
        session = resume(journal)
        assert session is not None
        assert session.referee.position() == before | {"phase": "paused", "resumes": before["phase"]}
        assert json.loads(journal.lines(1)[-1]) == {
            "obs": "fault", "t": session.t, "device": "table", "kind": "restarted",
            "rulings": [], "changed": {"phase": "paused", "resumes": before["phase"]},
        }  # fmt: skip
        again = resume(journal)
        assert again is not None
        assert len(journal.lines(1)) == 41, "it is paused once, however often the power fails"
        session.write(session.judge([Resumed(session.t)]))
        assert session.referee.position() == before


def test_nothing_is_gone_on_with_where_no_game_is_open(tmp_path: Path) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        assert resume(journal) is None
        header = json.loads(game_lines()[0]) | {"given": {"phase": "game_over"}}
        journal.begin(header, began=0.0)
        assert resume(journal) is None


def test_the_pause_is_an_observation_like_any_other() -> None:
    assert parse_observation({"obs": "fault", "t": 1, "device": "table", "kind": "restarted"}, 2) == Fault(
        1.0, device="table", kind="restarted"
    )
