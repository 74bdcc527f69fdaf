"""The record of the shoe's jobs through kills: what was fed is what the log says, and what is in doubt."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from croupier.commands import CountFedCards
from croupier.events import CommandGiven
from croupier_rules.referee.corrections import SetTo
from tests.longer import many
from tests.runtime.live import PICO, Board, Running

THREE = '[camera]\nsource = "none"\n[seats]\nnames = ["Ann", "Ben", "Cem"]\ndealer = 0\n'


def check_cards(table: Running) -> None:
    """Each seat got at least what the log says, and at most what is in doubt more."""
    logged, doubtful = Counter[int](), Counter[int]()
    for line in table.log:
        if line["obs"] in ("dealt", "drew", "redealt"):
            logged[line["seat"]] += line["n"]
    for job in table.disk.journal.feed_jobs(table.table.run.session.game):
        doubtful[job.seat] += job.n if job.fed is None else 0
    for seat in range(3):
        assert logged[seat] <= table.board.got[seat] <= logged[seat] + doubtful[seat]


def play(table: Running, tenths: int) -> None:
    for _ in range(tenths):
        table.wait(0.1)
        check_cards(table)


def settle(table: Running) -> None:
    """People press go, and count what the shoe cannot know."""
    for _ in range(10):
        play(table, 30)
        doubt = table.table.devices.shoe.in_doubt
        if doubt is not None:
            logged = sum(line["n"] for line in table.log if line["obs"] == "dealt" and line["seat"] == doubt[0].seat)
            came = table.board.got[doubt[0].seat] - logged
            table.say(CommandGiven(t=table.table.clock.now(), command=CountFedCards(came)))
            play(table, 5)
        table.press("go")
    play(table, 50)


Kill = st.tuples(st.integers(0, 160), st.booleans())
"""After how many tenths of a second, and whether the Pico loses its power too."""


def check_two_kills(kills: tuple[tuple[int, bool], tuple[int, bool]], pause: int) -> None:
    with TemporaryDirectory() as folder:
        table = Running(Path(folder) / "croupier.journal", THREE + PICO, board=Board(card_s=0.7, turn_s=0.7))
        for tenths, loses_power in kills:
            table.press("go")
            play(table, tenths)
            table.kill()
            if loses_power:
                table.board.start_pico("power")
            table.start()
            check_cards(table)
            play(table, pause)
        settle(table)
        assert table.position.phase == "upcard"
        assert table.board.got == {0: 7, 1: 7, 2: 7}
        assert all(job.fed is not None for job in table.disk.journal.feed_jobs(1))
        assert list(table.disk.journal.damages()) == []
        table.kill()


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@example(((2, False), (14, False)), 40)
@given(st.tuples(Kill, Kill), st.integers(0, 40))
def test_after_any_two_kills_each_seat_has_the_cards_of_the_log(
    kills: tuple[tuple[int, bool], tuple[int, bool]], pause: int
) -> None:
    check_two_kills(kills, pause)


@pytest.mark.long
@settings(max_examples=many(130), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.tuples(Kill, Kill), st.integers(0, 40))
def test_after_any_two_kills_each_seat_has_the_cards_of_the_log_for_long(
    kills: tuple[tuple[int, bool], tuple[int, bool]], pause: int
) -> None:
    check_two_kills(kills, pause)


@pytest.mark.parametrize("change", ["n = 13", "fed = 7", "seat = 2", "hash = x''"])
def test_a_damaged_record_of_a_job_pauses_play_and_asks(tmp_path: Path, change: str) -> None:
    path = tmp_path / "croupier.journal"
    table = Running(path, THREE + PICO, board=Board(card_s=0.7, turn_s=0.7))
    table.go(2)
    table.kill()
    table.board.run_to(table.board.now + 2)  # the shoe stops by itself
    got = dict(table.board.got)
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE job SET {change} WHERE job = (SELECT max(job) FROM job WHERE fed IS NULL)")
    assert connection.total_changes == 1
    connection.commit()
    connection.close()
    table.start()
    table.wait(20)
    assert table.position.phase == "paused"
    assert ("shoe", "jobs-unreadable") in table.alarms
    assert table.board.got == got, "fed on doubt"
    table.kill()


OPEN = "SELECT max(job) FROM job WHERE fed IS NULL"
BEFORE = json.dumps([{"game": 1, "lines": 0, "number": seat, "seat": seat, "n": 7} for seat in (1, 2)])


@pytest.mark.parametrize(
    ("change", "before"),
    [
        *((f"UPDATE job SET {change} WHERE job = ({OPEN})", "") for change in ("n = 13", "fed = 7", "seat = 2")),
        (f"UPDATE job SET hash = x'' WHERE job = ({OPEN})", ""),
        (f"DELETE FROM job WHERE job = ({OPEN})", BEFORE),  # by a program that kept jobs beside the journal
        (f"DELETE FROM job WHERE job = ({OPEN})", "[{"),
    ],
)
@pytest.mark.parametrize("is_killed_again", [False, True], ids=["", "killed again"])
def test_after_a_damaged_record_go_feeds_nothing_before_the_hands_are_counted(
    tmp_path: Path, change: str, before: str, is_killed_again: bool
) -> None:
    path = tmp_path / "croupier.journal"
    table = Running(path, THREE + PICO, board=Board(card_s=0.7, turn_s=0.7))
    table.go(2)
    table.kill()
    table.board.run_to(table.board.now + 2)
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(change).rowcount == 1
    if before:
        Path(f"{path}-shoe").write_text(before)
    table.start()
    got = dict(table.board.got)
    for _ in range(3):
        table.press("go")
        table.wait(20)
    if is_killed_again:
        table.kill()
        table.start()
        table.press("go")
        table.wait(20)
    assert table.board.got == got, "fed before anybody has counted"
    assert ("shoe", "jobs-unreadable") in table.faults
    counted = {seat: got.get(seat, 0) for seat in range(3)}
    assert sum(counted.values()), "the shoe had fed something"
    table.say(CommandGiven(t=table.table.clock.now(), command=SetTo({"hands": counted})))
    table.wait(5)
    for _ in range(3):
        table.press("go")
        table.wait(20)
    assert table.position.phase == "upcard"
    assert table.board.got == {0: 7, 1: 7, 2: 7}
    table.kill()
    table.start()
    table.wait(5)
    assert table.faults.count(("shoe", "jobs-unreadable")) == 1
    assert all(job.fed is not None for job in table.disk.journal.feed_jobs(1))
    table.kill()
