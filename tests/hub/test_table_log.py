"""The log of a table: what is in its journal and what its outbox adds, after every mishap that either may have."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select

from croupier.journal import Archive, Journal
from croupier_hub import tables
from croupier_hub.client import deliver
from croupier_hub.errors import HubRefuses
from croupier_hub.fold import Fold
from croupier_hub.signed_log import CHAIN, OF_NO_GAME, Head, chain_line, sign
from croupier_hub.standings import Result, directed
from croupier_hub.store import LogStore
from croupier_hub.table_log import TableLog
from tests.hub.running import JOURNAL, OUTBOX
from tests.hub.test_logs import BOSS, DIRECTOR, text
from tests.hub.test_table import LINES, SEATS, play
from tests.hub.test_verification import checked
from tests.longer import many, run_number

OLD = Path(__file__).with_name("old")
"""A journal and its outbox in the midst of a game, as the program wrote them when an outbox had copies of all lines in
a chain of its own: a game that is over, a page, its result, eight lines, a call, six lines."""

OLD_LINES = 32


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    return iter([None])


def hub(key: str, file: str = "hub.db", rounds: int = 1) -> LogStore:
    """A hub at whose table 1 these players sit."""
    store = LogStore(f"sqlite:///{file}", BOSS)
    plans = [text(plan=1, round=n, tables={"1": list(SEATS)}) for n in range(1, rounds + 1)]
    store.put(sign(DIRECTOR, [text(enroll=key, table=1, from_round=1), *plans]))
    return store


def send(log: TableLog, store: LogStore) -> int:
    """Copy what is new, and send it; after a loss results are written again."""
    with Archive(JOURNAL) as journal:
        for _ in range(2):
            log.copy(journal)
            log.write_results(directed(store.logs()[BOSS].lines))
            sent = deliver(store, log)
    return sent


def told(store: LogStore) -> Fold:
    fold = Fold(BOSS)
    for name, log in store.logs().items():
        fold.add(name, log)
    return fold


def leaves(store: LogStore, key: str) -> list[bytes]:
    with store.engine.connect() as connection:
        query = select(tables.LINES.c.hash).join(tables.LOGS, tables.LOGS.c.id == tables.LINES.c.log)
        query = query.where(tables.LOGS.c.name == bytes.fromhex(key)).order_by(tables.LINES.c.n)
        return list(connection.execute(query).scalars())


def games(lines: tuple[str, ...]) -> list[str]:
    return [line for line in lines if not line.startswith(OF_NO_GAME)]


def move_away() -> None:
    """A new card, on which there is no journal."""
    for file in Path().glob("croupier.journal*"):
        file.unlink()


@pytest.mark.parametrize("known", [0, 20, OLD_LINES])
def test_an_old_outbox_goes_on_in_the_midst_of_a_game_wherever_the_hub_is(
    capsys: pytest.CaptureFixture[str], known: int
) -> None:
    for file in OLD.iterdir():
        shutil.copy(file, ".")
    OUTBOX.chmod(0o600)
    with closing(sqlite3.connect(OUTBOX)) as connection:
        ((key,),) = connection.execute("SELECT key FROM writer")
        lines = [line for (line,) in connection.execute("SELECT text FROM line ORDER BY n")]
    assert checked(capsys, str(OUTBOX)) == (0, [])  # as it is
    signer = Ed25519PrivateKey.from_private_bytes(key)
    with TableLog(OUTBOX, JOURNAL) as log, closing(hub(log.log)) as store:
        store.put(sign(signer, lines[:known]))
        play(LINES[14:20], 2)
        assert send(log, store) == len(log) == OLD_LINES + 1 + 6
        found = store.logs()[log.log]
        assert (list(found.lines[:OLD_LINES]), found.fork) == (lines, None)
        assert found.lines[OLD_LINES + 1 :] == LINES[14:20]
        with Archive(JOURNAL) as journal:
            of_journal = [hash_ for _, _, hash_ in journal.hashed_lines(2)]
            assert found.lines[OLD_LINES] == chain_line(of_journal[13])
            assert leaves(store, log.log)[-6:] == of_journal[14:]
            log.copy(journal)
            assert log.lines() == list(found.lines)
        (result,) = told(store).results()["rounds"][0]["tables"]
        assert result["points"] == [0, 30, 0, 0]
    assert checked(capsys, str(OUTBOX)) == (0, [])
    assert checked(capsys, "hub.db") == (0, [])


def test_the_outbox_has_no_line_of_a_game_and_its_leaves_are_the_hashes_of_the_journal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with TableLog(OUTBOX, JOURNAL) as log, closing(hub(log.log)) as store:
        game = play(LINES[:30])
        send(log, store)
        log.call("Ben")
        play(LINES[30:], game)
        send(log, store)
        with Archive(JOURNAL) as journal:
            hashes = [hash_ for _, _, hash_ in journal.hashed_lines(game)]
        assert leaves(store, log.log)[1:31] + leaves(store, log.log)[32:-1] == hashes
        code = told(store).results()["rounds"][0]["tables"][0]["receipt"]
    with closing(sqlite3.connect(OUTBOX)) as connection:
        own = [line for (line,) in connection.execute("SELECT text FROM line ORDER BY n")]
        assert [line.startswith(OF_NO_GAME) for line in own] == [True] * 3
        assert connection.execute("SELECT count(*) FROM span").fetchone() == (2,)
    assert checked(capsys, str(OUTBOX), code)[0] == checked(capsys, "hub.db", code)[0] == 0
    with closing(sqlite3.connect(JOURNAL)) as connection:
        connection.execute("DROP TRIGGER lines_stay_so")
        connection.execute("UPDATE line SET text = replace(text, 'obs', 'obz') WHERE id % 100 = 7")
        connection.commit()
    status, said = checked(capsys, str(OUTBOX))
    assert status == 1
    assert "the line was changed after it was written" in said[0]


def test_a_journal_is_replaced_after_the_hub_had_all_of_it() -> None:
    with TableLog(OUTBOX, JOURNAL) as log:
        store = hub(log.log, rounds=2)
        play(LINES)
        send(log, store)
    move_away()
    play(LINES[:9])
    with TableLog(OUTBOX, JOURNAL) as log, closing(store):
        send(log, store)
        assert log.lost == 0
        lines = store.logs()[log.log].lines
        assert lines[-9:] == LINES[:9]
        assert [line for line in lines if line.startswith(CHAIN)] == [chain_line()]


@pytest.mark.parametrize("known", ["nothing", "some"])
def test_lines_that_are_lost_with_a_journal_are_told_and_the_log_goes_on(
    capsys: pytest.CaptureFixture[str], known: str
) -> None:
    with TableLog(OUTBOX, JOURNAL) as log:
        store = hub(log.log, rounds=2)
        key, game, n = log.log, play(LINES[:20]), 0
        if known == "some":
            n = send(log, store)
        play(LINES[20:], game)
        with Archive(JOURNAL) as journal:
            log.copy(journal)
        log.write_results(directed(store.logs()[BOSS].lines))
        log.call("Ben")
    move_away()
    play(LINES[:9])
    with TableLog(OUTBOX, JOURNAL) as log:
        send(log, store)
        lost = len(LINES) - max(0, n - 1)
        assert log.lost == lost
        assert log.last_call()[0] == n + 1
        lines = store.logs()[key].lines
        assert lines[n] == chain_line(lost=lost)
        assert lines[n + 1] == '{"call":"director","player":"Ben"}'
        assert lines[n + 2 : n + 11] == LINES[:9]
        with Archive(JOURNAL) as journal:
            log.copy(journal)
        play(LINES[9:12], 1)
        send(log, store)
        assert log.lost == lost
    fold = told(store)
    results = fold.results()
    assert (results["lost"], results["forks"], results["quarantined"]) == ({key: lost}, {}, [])
    assert results["rounds"][0]["tables"][0]["points"] is not None
    assert fold.calls() == [(key, n + 1, "Ben")]
    for file in (str(OUTBOX), "hub.db"):
        status, said = checked(capsys, file)
        assert (status, len(said)) == (1, 1)
        assert f"{key}: {lost} lines of its games are lost" in said[0]


def test_a_hub_and_a_journal_that_were_both_replaced_are_not_patched_together() -> None:
    with TableLog(OUTBOX, JOURNAL) as log, closing(hub(log.log)) as store:
        game = play(LINES[:20])
        send(log, store)
        with closing(sqlite3.connect("hub.db")) as here, closing(sqlite3.connect("backup.db")) as there:
            here.backup(there)
        for at in range(20, 60, 10):
            play(LINES[at : at + 10], game)
            send(log, store)
    move_away()
    play(LINES[:9])
    with TableLog(OUTBOX, JOURNAL) as log, closing(LogStore("sqlite:///backup.db", BOSS)) as store:
        before = store.logs()
        with pytest.raises(HubRefuses, match="the hub has other lines of this key"):
            send(log, store)
        assert store.logs() == before


class Mishaps:
    """A table and a hub to which things happen by chance; ``games``: what the hub must have of games in the end."""

    def __init__(self, chance: Random) -> None:
        self.chance, self.game, self.at = chance, 0, 0
        self.lines: tuple[str, ...] = ()
        self.log = TableLog(OUTBOX, JOURNAL)
        self.store = hub(self.log.log, rounds=3)
        self.games = list[str]()

    def play(self) -> None:
        """Play on; each game has another target, and so another header."""
        if self.at == len(self.lines):
            first = json.loads(LINES[0]) | {"options": {"target": 200 + len(self.games)}}
            self.lines, self.at = (json.dumps(first), *LINES[1:]), 0
        end = min(len(self.lines), self.at + self.chance.randint(1, 40))
        self.game = play(self.lines[self.at : end], self.game if self.at else None)
        self.games += self.lines[self.at : end]
        self.at = end

    def move_away(self) -> None:
        move_away()
        self.at = len(self.lines)

    def copy(self) -> None:
        if JOURNAL.exists():
            with Archive(JOURNAL) as journal:
                self.log.copy(journal)

    def send(self) -> None:
        if JOURNAL.exists():
            send(self.log, self.store)

    def send_a_piece(self) -> None:
        """The answer is lost, and so is the program."""
        if JOURNAL.exists():
            with Archive(JOURNAL) as journal:
                self.log.copy(journal)
                at = len(self.store.logs()[self.log.log].lines)
                if self.log.accept(at):
                    self.store.put(self.log.piece(at))
            self.restart()

    def restart(self) -> None:
        self.log.close()
        self.log = TableLog(OUTBOX, JOURNAL)

    def call(self) -> None:
        self.log.call("Ben")

    def restore_hub(self) -> None:
        self.store.close()
        if self.chance.random() < 0.5 and Path("backup.db").exists():
            shutil.copy("backup.db", "hub.db")
            for one in ("hub.db-wal", "hub.db-shm"):
                Path(one).unlink(missing_ok=True)
        else:
            shutil.copy("hub.db", "backup.db")
        self.store = LogStore("sqlite:///hub.db", BOSS)

    def close(self) -> None:
        self.log.close()
        self.store.close()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(run_number(), run_number() + many(20)))
def test_whatever_happens_to_table_and_hub_the_log_is_that_of_the_journal(seed: int) -> None:
    chance = Random(seed)
    with closing(Mishaps(chance)) as now:
        kinds = [now.play, now.copy, now.send, now.send_a_piece, now.restart, now.call, now.restore_hub]
        for _ in range(25):
            chance.choice(kinds)()
        now.play()
        now.send()
        found = now.store.logs()[now.log.log]
        with Archive(JOURNAL) as journal:
            now.log.copy(journal)
            assert (now.log.lines(), None) == (list(found.lines), found.fork)
            assert games(found.lines) == now.games
        assert Head().after(found.lines).root == now.log.head_at(len(now.log)).root
        assert told(now.store).results()["lost"] == {}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(run_number(), run_number() + many(20)))
def test_whenever_a_journal_is_replaced_what_the_hub_has_stays_and_the_rest_is_told(seed: int) -> None:
    chance = Random(seed)
    with closing(Mishaps(chance)) as now:
        for _ in range(4):
            for _ in range(chance.randint(1, 8)):
                chance.choice([now.play, now.copy, now.send, now.send_a_piece, now.restart, now.call])()
            now.copy()
            before = now.store.logs()[now.log.log].lines
            now.move_away()
            now.restart()
            now.play()
            now.send()
            found = now.store.logs()[now.log.log]
            assert found.lines[: len(before)] == before
            assert found.fork is None
            assert len(games(found.lines)) + told(now.store).results()["lost"].get(now.log.log, 0) == len(now.games)
            calls = sum(line.startswith('{"call"') for line in found.lines)
            assert calls == len(told(now.store).calls())


def test_results_that_were_lost_stand_again_or_correct_those_that_the_hub_has() -> None:
    with TableLog(OUTBOX, JOURNAL) as log:
        store = hub(log.log)
        game = play(LINES)
        send(log, store)
        with Journal(JOURNAL) as journal:
            journal.append(game, {"obs": "overrule", "t": 1e6, "set": {"scores": [7, 0, 0, 0]}})
        with Archive(JOURNAL) as archive:
            log.copy(archive)
        log.write_results(directed(store.logs()[BOSS].lines))
    move_away()
    play(LINES[:9])
    with TableLog(OUTBOX, JOURNAL) as log:
        send(log, store)
    results = told(store).results()
    assert results["rounds"][0]["tables"][0]["points"] == [7, 0, 0, 0]
    assert results["quarantined"] == []
    newest = [json.loads(line) for line in store.logs()[log.log].lines if line.startswith('{"result"')]
    assert [Result.model_validate(one["result"]).points[0] for one in newest][-1] == 7
    assert newest[-1]["corrects"] is not None
