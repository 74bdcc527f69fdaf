"""A table of a tournament and a real hub: both killed, apart for a while, a backup restored, a journal moved away."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

import pytest

from croupier import supervisor
from croupier.journal import Journal
from croupier.journal.archive import Archive
from croupier.log_replay import Record, replay_lines
from croupier.retry import RetryPolicy
from croupier_hub import DIRECTOR_FILE, table_observer
from croupier_hub.client import HubClient, deliver
from croupier_hub.director import answer, end, revoke, write
from croupier_hub.errors import BadOutbox, HubRefuses, HubUnavailable
from croupier_hub.outbox import Outbox
from croupier_hub.signed_log import OF_NO_GAME, Sent, chain_line
from croupier_hub.standings import Directed, Enroll, RoundPlan
from croupier_hub.table_log import TableLog
from croupier_hub.table_observer import TournamentTable
from croupier_hub.tickets import BADGE_S
from tests.hub.running import (
    JOURNAL,
    OUTBOX,
    HubProcess,
    direct,
    director,
    hub_here,
    key_of_the_table,
    points,
    results_when,
    stored,
    table_at,
)
from tests.journal.games import game_lines
from tests.observers.replayed import header_of
from tests.patience import PATIENCE_S

LINES = game_lines(5, rounds=2)
SEATS = header_of(LINES).seats


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(supervisor, "RETRY", RetryPolicy(0.01, 0.01))
    monkeypatch.setattr(table_observer, "_ASK_S", 0.01)
    monkeypatch.setattr(table_observer, "_ASK_FOR_ANSWER_S", 0.01)
    monkeypatch.setattr(table_observer, "_GATHER_S", 0.0)


def totals(lines: Sequence[str]) -> list[int]:
    """What the referee counts."""
    *_, last = replay_lines((line.encode() for line in lines), "game")
    assert isinstance(last, Record)
    return list(last.fields["scores"])


def play(lines: Sequence[str], game: int | None = None) -> int:
    """Write lines into the journal, those of a new game or of one that goes on."""
    with Journal(JOURNAL) as journal:
        if game is None:
            return journal.add(lines, began=0.0)
        journal.append(game, *map(json.loads, lines))
        return game


def games_in(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if not line.startswith(OF_NO_GAME)]


def test_a_hub_whose_backup_was_restored_gets_what_a_table_had_sent_though_it_plays_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_observer, "_HEADS_S", 0.05)
    with hub_here() as url:
        direct(url, key_of_the_table(), SEATS)
        backup = Path("hub.backup")
        with closing(sqlite3.connect("hub.db")) as database:
            database.execute("VACUUM INTO ?", (str(backup),))
        play(LINES)
        with table_at(url):
            results_when(url, lambda results: points(results) == totals(LINES))
            with closing(sqlite3.connect("hub.db")) as database:
                database.execute("ATTACH ? AS backup", (str(backup),))
                database.executescript(
                    "BEGIN IMMEDIATE; DELETE FROM line; INSERT INTO line SELECT * FROM backup.line;"
                    "DELETE FROM log; INSERT INTO log SELECT * FROM backup.log; COMMIT"
                )
            until_stored(key_of_the_table())


def until_stored(key: str) -> None:
    """Wait until the hub has the game."""
    last = monotonic() + PATIENCE_S
    while games_in(stored(key)) != list(LINES):
        assert monotonic() < last


KILLED = """
import os, signal, sys
from pathlib import Path
from croupier_hub.client import HubClient
from croupier_hub import table_observer
where, when, url = sys.argv[1:]
kind = HubClient if where == "put" else table_observer.TableLog
before, left = getattr(kind, where), [int(when)]
def killed(*arguments):
    answer = before(*arguments)
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
setattr(kind, where, killed)
table = table_observer.TournamentTable(url, Path("table.outbox"), Path("croupier.journal"), print)
table.begin()
table._supervisor.join()
"""


@pytest.mark.long
def test_killed_at_any_moment_hub_and_table_lose_nothing_and_count_nothing_twice() -> None:
    hub = HubProcess()
    try:
        key = key_of_the_table()
        direct(hub.url, key, SEATS)
        pieces = [LINES[at : at + 30] for at in range(0, len(LINES), 30)]
        moments = [("put", 1), ("put", 2), ("_add_span", 1), ("_write_result", 1), ("copy", 1), ("put", 2)]
        game = None
        for piece, (where, when) in zip(pieces, moments, strict=True):
            game = play(piece, game)
            if where == "_write_result" and not any(totals(LINES[: 30 * (pieces.index(piece) + 1)])):
                where = "copy"
            done = subprocess.run([sys.executable, "-c", KILLED, where, str(when), hub.url], timeout=PATIENCE_S,
                                  check=False)  # fmt: skip
            assert done.returncode == -signal.SIGKILL
            hub.kill()
            hub.start()
        with table_at(hub.url):
            results = results_when(hub.url, lambda one: points(one) == totals(LINES))
        assert games_in(stored(key)) == list(LINES)
        assert (results["forks"], results["quarantined"]) == ({}, [])
        assert hub.kill(signal.SIGTERM) in (0, -signal.SIGTERM)
    finally:
        hub.kill() if hub._process.poll() is None else None


def test_a_hub_that_is_killed_between_two_pieces_of_the_plan_is_asked_for_all_of_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, calls = HubClient.director, count(1)

    def torn(client: HubClient, start: int, expected: str = "") -> Sent:
        if next(calls) == 2:
            raise HubUnavailable("gone")
        return asked(client, start, expected)

    with hub_here() as url:
        direct(url, key_of_the_table(), SEATS)
        play(LINES)
        monkeypatch.setattr(HubClient, "director", torn)
        with table_at(url):
            results_when(url, lambda one: points(one) == totals(LINES))
    assert next(calls) > 3


def test_what_is_played_while_nobody_answers_is_sent_later_and_the_table_says_so_once() -> None:
    play(game_lines(1))  # before the table was one of a tournament: nobody else's business
    key = key_of_the_table()
    play(LINES)
    with hub_here() as url:
        direct(url, key, SEATS)
    with table_at(url) as said:
        text = said.get(timeout=PATIENCE_S)
        assert text.startswith(f"Tournament: {url}: Connection refused: ")
        assert said.empty()
    with hub_here() as url, table_at(url):
        results = results_when(url, lambda one: points(one) == totals(LINES))
        assert stored(key) == (chain_line(), *LINES, stored(key)[-1])
        assert results["rounds"][0]["tables"][0]["line"] == 1 + len(LINES)
        play(LINES)  # the next game has no place in the plan
        direct(url, key, SEATS, rounds=2)
        results_when(url, lambda one: points(one, 2) == totals(LINES))


def test_a_result_follows_the_game_and_the_plan() -> None:
    key = key_of_the_table()
    half = next(n for n in range(2, len(LINES)) if any(totals(LINES[:n])))
    game = play(LINES[:half])
    with hub_here() as url, table_at(url) as said:
        said.get(timeout=PATIENCE_S)
        other = (*SEATS[2:], *SEATS[:2])
        direct(url, key, other)  # whoever the plan calls the first
        then = totals(LINES[:half])
        results_when(url, lambda one: points(one) == [*then[2:], *then[:2]])
        assert said.get(timeout=PATIENCE_S) == "Tournament: the hub has what has waited."
        play(LINES[half:], game)
        now = totals(LINES)
        results_when(url, lambda one: points(one) == [*now[2:], *now[:2]])
        play([json.dumps({"obs": "overrule", "t": 1e6, "set": {"scores": [7, *now[1:]]}})], game)
        results_when(url, lambda one: points(one) == [now[2], now[3], 7, now[1]])
        direct(url, key, SEATS)  # another version of the plan
        results = results_when(url, lambda one: points(one) == [7, *now[1:]])
        assert results["rounds"][0]["plan"] == 2
        assert {one["reason"] for one in results["quarantined"]} == {"plan"}
        with HubClient(url) as client:
            write(client, DIRECTOR_FILE, lambda known: end(known, 1, results, anyway=False))
        play([json.dumps({"obs": "overrule", "t": 1e6, "set": {"scores": [9, *now[1:]]}})], game)
        late = results_when(url, lambda one: any(quarantined["reason"] == "late" for quarantined in one["quarantined"]))
        assert points(late) == [7, *now[1:]]


def test_a_journal_that_was_moved_away_does_not_end_the_tournament() -> None:
    key = key_of_the_table()
    with hub_here() as url:
        direct(url, key, SEATS, rounds=2)
        for n, lines in enumerate((LINES, game_lines(9, rounds=2)), start=1):
            play(lines)
            with table_at(url):
                results_when(url, lambda one, n=n, lines=lines: points(one, n) == totals(lines))  # type: ignore[misc]
            for file in Path().glob("croupier.journal*"):
                file.unlink()
        assert len(games_in(stored(key))) == len(LINES) + len(game_lines(9, rounds=2))


def test_calls_outlast_a_restart_and_are_answered_and_revoked_badges_are_known() -> None:
    key, states = key_of_the_table(), SimpleQueue[str]()
    play(LINES[:9])

    def begin() -> TournamentTable:
        table = TournamentTable(
            url, OUTBOX, JOURNAL, print, "http://table-1.local:8000", lambda: states.put(table.call_state)
        )
        table.begin()
        return table

    def wait_for(state: str) -> None:
        while states.get(timeout=PATIENCE_S) != state:
            pass

    with hub_here() as url, HubClient(url) as client:
        direct(url, key, SEATS)
        table = begin()
        table.call("Ben")
        table.call("Cat")  # somebody is called already
        wait_for("heard")
        table.close()
        table = begin()
        assert table.call_state == "heard"
        lines = stored(key)
        at = lines.index('{"call":"director","player":"Ben"}')
        write(client, DIRECTOR_FILE, lambda known: answer(known, key, at, settled=False))
        wait_for("answered")
        write(client, DIRECTOR_FILE, lambda known: revoke(known, "player", SEATS[1], 0.0))
        write(client, DIRECTOR_FILE, lambda known: answer(known, key, at, settled=True))
        wait_for("")
        assert table.revoked_badges == ((SEATS[1], BADGE_S),)
        table.close()
        told = sorted(line for line in stored(key) if line not in LINES)
        assert told == [lines[at], chain_line(), '{"page":"http://table-1.local:8000"}']
    for player in ("Dan", "Eve"):  # the hub is away, and the table starts anew
        table = begin()
        assert table.call_state == ("" if player == "Dan" else "on its way")
        table.call(player)
        table.close()
    with TableLog(OUTBOX, JOURNAL) as log, Archive(JOURNAL) as journal:
        log.copy(journal)
        assert log.lines()[-1] == '{"call":"director","player":"Dan"}'


def test_points_of_partners_are_those_of_their_team() -> None:
    lines = [json.dumps(json.loads(LINES[0]) | {"teams": [[0, 2], [1, 3]]}), *LINES[1:]]
    play([*lines[:1]])
    with Archive(JOURNAL) as journal, TableLog(Path("new.outbox"), Path("nowhere")) as log:
        log.copy(journal)
        play([json.dumps({"obs": "overrule", "t": 0.0, "set": {"scores": [0, 30]}})], 1)
        log.copy(journal)
        known = Directed({1: {1: log.log}}, {1: RoundPlan(plan=1, round=1, tables={"1": list(SEATS)})})
        log.write_results(known)
        assert json.loads(log.lines()[-1])["result"]["points"] == [0, 30, 0, 30]


def test_a_restored_backup_of_the_outbox_is_refused_before_it_forks() -> None:
    key = key_of_the_table()
    with hub_here() as url, HubClient(url) as client:
        direct(url, key, SEATS)
        with Outbox(OUTBOX) as outbox:
            outbox.append(lambda _: ["a"])
            deliver(client, outbox)
        shutil.copy(OUTBOX, "backup")
        with Outbox(OUTBOX) as outbox:
            outbox.append(lambda _: ["b", "c"])
            deliver(client, outbox)
        shutil.copy("backup", OUTBOX)
        with Outbox(OUTBOX) as outbox, pytest.raises(HubRefuses, match="as after a restored backup"):
            deliver(client, outbox)
        with Outbox(OUTBOX) as outbox:
            outbox.append(lambda _: ["other", "lines"])
            with pytest.raises(HubRefuses, match="as after a restored backup"):
                deliver(client, outbox)


def test_a_hub_that_lost_its_newest_lines_gets_them_again() -> None:
    key = key_of_the_table()
    with hub_here() as url, HubClient(url) as client, Outbox(OUTBOX) as outbox:
        direct(url, key, SEATS)
        outbox.append(lambda _: [f"{n}" + "x" * 400 for n in range(2500)])  # more than one request takes
        deliver(client, outbox)
        assert len(stored(key)) == len(outbox) == 2501
        with hub_here("sqlite:///restored.db") as other, HubClient(other) as restored:
            write(restored, DIRECTOR_FILE, lambda known: ())
            assert deliver(restored, outbox, 2501) == 2501
        assert stored(key, "sqlite:///restored.db") == stored(key)


def test_whom_a_table_and_a_director_do_not_trust() -> None:
    key_of_the_table()
    play(LINES)
    with hub_here() as url:
        with table_at(url) as said:
            assert f"croupier tournament enroll {key_of_the_table()} --table N" in said.get(timeout=PATIENCE_S)
        with Outbox(Path("other.outbox")) as outbox:
            other = outbox.log
        with HubClient(url) as client:
            row = Enroll(enroll=other, table=1, from_round=1)
            with pytest.raises(HubRefuses, match=f"another director .{director()}.: expected {other}"):
                write(client, Path("other.outbox"), lambda known: [row])
            with pytest.raises(BadOutbox, match="nowhere: no such file: expected the director’s"):
                write(client, Path("nowhere"), lambda known: [row])
        assert not Path("nowhere").exists()
        with Outbox(Path("other.outbox")) as outbox:
            assert len(outbox) == 0
    with hub_here("sqlite:///other.db", other) as url, table_at(url) as said:
        assert f"another director ({other}): expected {director()}" in said.get(timeout=PATIENCE_S)


@pytest.mark.parametrize(
    ("content", "mode", "text"),
    [
        pytest.param(None, 0o644, "others may read the key in this file: expected chmod 600", id="readable"),
        pytest.param(b"x" * 5000, 0o600, "not the outbox of a tournament, or damaged", id="no database"),
    ],
)
def test_an_outbox_that_cannot_be_used_says_why(content: bytes | None, mode: int, text: str) -> None:
    key_of_the_table()
    assert OUTBOX.stat().st_mode & 0o777 == 0o600
    if content is not None:
        OUTBOX.write_bytes(content)
    OUTBOX.chmod(mode)
    with pytest.raises(BadOutbox, match=text):
        key_of_the_table()


def test_an_address_where_something_else_answers_is_no_hub() -> None:
    with hub_here() as url, HubClient(f"{url}/standings") as client, pytest.raises(HubUnavailable, match="HTTP 404"):
        client.get("/results")
