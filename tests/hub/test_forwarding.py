"""A club's hub that sends everything on to that of a federation."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NoReturn

import pytest
from sqlalchemy.exc import SQLAlchemyError

from croupier import supervisor
from croupier.retry import RetryPolicy
from croupier_hub import forwarding as hub_forwarding
from croupier_hub.client import HubClient
from croupier_hub.cosigning import cosigned_by
from croupier_hub.errors import HubRefuses
from croupier_hub.fold import standings
from croupier_hub.forwarding import Forwarder, forwarding
from croupier_hub.service import create_hub
from croupier_hub.serving import serving
from croupier_hub.signed_log import sign
from croupier_hub.standings import Log
from croupier_hub.store import LogStore
from tests.hub.test_logs import BOSS, DIRECTED, DIRECTOR, EVERYTHING, EXPECTED, FORKED, ONE, TABLE_1, TABLE_2, TWO, A, B
from tests.patience import PATIENCE_S


@pytest.fixture
def club(tmp_path: Path) -> Iterator[LogStore]:
    with closing(LogStore(f"sqlite:///{tmp_path / 'club.db'}", BOSS)) as store:
        yield store


@contextmanager
def federation(store: LogStore, club: LogStore, told: list[str] | None = None) -> Iterator[Forwarder]:
    """The hub of a federation, and what forwards to it; ``told``: gets what it tells the club."""
    with serving(create_hub(store)) as url, HubClient(url) as client:
        yield Forwarder(club, client, (list[str]() if told is None else told).append)


def test_the_federation_has_the_same_standings_and_forks_however_often_it_is_told(
    club: LogStore, database: str
) -> None:
    with closing(LogStore(database, BOSS)) as store, federation(store, club) as forwarder:
        for key, lines in EVERYTHING:
            for end in range(1, len(lines) + 1):
                club.put(sign(key, lines[:end], end - 1))
            forwarder.run()
            assert standings(BOSS, store.logs()) == standings(BOSS, club.logs())
        for again in (forwarder.run, forwarder.begin):
            again()
            assert standings(BOSS, store.logs()) == EXPECTED
        assert store.branches(B) == club.branches(B) == [sign(TWO, FORKED, 2)]


def test_a_log_that_its_table_changed_in_between_shows_as_a_fork_at_the_federation_and_the_club_is_told(
    club: LogStore, database: str
) -> None:
    told = list[str]()
    with closing(LogStore(database, BOSS)) as store, federation(store, club, told) as forwarder:
        for key, lines in ((DIRECTOR, DIRECTED), (TWO, FORKED)):
            store.put(sign(key, lines))
        for key, lines in EVERYTHING[:3]:
            club.put(sign(key, lines))
        forwarder.run()
        club.put(sign(TWO, [*TABLE_2, "more"], len(TABLE_2)))
        forwarder.run()
        assert told == [f"ALARM: {B} has written two different lines 2; from there on nothing counts"]
        assert store.logs()[B] == Log(tuple(FORKED), fork=2)
        assert sign(TWO, TABLE_2, 2) in store.branches(B)


def test_what_the_federation_lost_or_never_got_is_sent_in_as_many_requests_as_it_takes(
    club: LogStore, tmp_path: Path
) -> None:
    lines = [*TABLE_1, *(f"{n} {'é' * 300}" for n in range(1500))]
    club.put(sign(DIRECTOR, DIRECTED))
    for end in (4, 5, 400, 401, 1504):
        start = club.heads()[A][0]
        club.put(sign(ONE, lines[:end], start))
    file, backup = tmp_path / "federation.db", tmp_path / "backup"
    for before in (None, backup):
        if before is not None:
            shutil.copy(before, file)
        with closing(LogStore(f"sqlite:///{file}", BOSS)) as store, federation(store, club) as forwarder:
            if before is None:
                store.put(sign(DIRECTOR, DIRECTED))
                store.put(sign(ONE, lines[:100]))
                with closing(sqlite3.connect(file)) as database:
                    database.execute("VACUUM INTO ?", [str(backup)])
            forwarder.run()
            assert store.logs() == club.logs()


def test_the_director_may_write_at_either_hub_and_is_one(club: LogStore, tmp_path: Path) -> None:
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'federation.db'}", BOSS)) as store,
        federation(store, club) as forwarder,
    ):
        store.put(sign(DIRECTOR, DIRECTED[:3]))
        forwarder.run()
        assert club.put(sign(ONE, TABLE_1)).accepted_to == len(TABLE_1)
        club.put(sign(DIRECTOR, DIRECTED))
        forwarder.run()
        assert store.logs() == club.logs()
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'other.db'}", A)) as store,
        federation(store, club) as forwarder,
        pytest.raises(HubRefuses, match="another director"),
    ):
        forwarder.run()


def test_while_the_federation_is_away_all_waits_and_one_line_says_so(
    club: LogStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "RETRY", RetryPolicy(0.01, 0.01))
    monkeypatch.setattr(hub_forwarding, "_LOOK_S", 0.01)
    said: SimpleQueue[str] = SimpleQueue()
    for key, lines in EVERYTHING[:2]:
        club.put(sign(key, lines))
    store = LogStore(f"sqlite:///{tmp_path / 'federation.db'}", BOSS)
    is_away = [True]
    submit = store.submit
    monkeypatch.setattr(store, "submit", lambda sent: _fail() if is_away[0] else submit(sent))
    with closing(store), serving(create_hub(store)) as url, forwarding(club, url, said.put):
        assert "Federation: " in said.get(timeout=PATIENCE_S)
        is_away[0] = False
        assert said.get(timeout=PATIENCE_S) == "Federation: the hub has what has waited."
        assert store.logs() == club.logs()
        club.put(sign(TWO, TABLE_2))
    assert said.empty()
    assert store.logs() == club.logs()


@pytest.mark.parametrize("errand", [forwarding, cosigned_by])
def test_a_disk_of_the_club_that_takes_nothing_is_one_line_and_no_failure_of_the_program(
    errand: Any, club: LogStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said: SimpleQueue[str] = SimpleQueue()
    with serving(create_hub(club)) as url:
        monkeypatch.setattr(club, "heads", lambda: _fail())
        with errand(club, url, said.put):
            assert "club.db: away" in (line := said.get(timeout=PATIENCE_S))
    assert "Traceback" not in caplog.text
    assert "\n" not in line


def _fail() -> NoReturn:
    raise SQLAlchemyError("away")
