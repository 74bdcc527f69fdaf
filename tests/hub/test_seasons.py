"""A season in one file: written, kept, taken out of a database, and into another one."""

from __future__ import annotations

import gzip
import json
import os
import re
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from croupier.cli import main
from croupier_hub.errors import BadHub
from croupier_hub.fold import standings
from croupier_hub.messages import Verdict
from croupier_hub.schema import partition_of
from croupier_hub.seasons import restore
from croupier_hub.signed_log import name_of, sign
from croupier_hub.store import LogStore, migrate_database
from tests.hub.postgresql import USER, Cluster, as_owner
from tests.hub.test_logs import BOSS, DIRECTOR, EVERYTHING, EXPECTED, ONE, B

OTHER_SEASON, ARRIVED = name_of(ONE), 1_790_000_000


def run(*arguments: str) -> int:
    return main.run(["--language", "en", "hub", *arguments])


def filled(database: str) -> str:
    """A database with a season, a log of which has a fork."""
    with closing(LogStore(database, BOSS, lambda: ARRIVED)) as store:
        for key, lines in EVERYTHING:
            store.put(sign(key, lines))
    return database


def archived(database: str, folder: Path) -> Path:
    """The file of a filled database."""
    file = folder / "season.croupier"
    assert run("archive", str(file), "--database", filled(database), "--director", BOSS) == 0
    return file


def test_a_season_is_the_same_in_another_database(database: str, tmp_path: Path) -> None:
    file = archived(database, tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    other = f"sqlite:///{tmp_path / 'other.db'}"
    for _again in range(2):
        assert run("restore", str(file), "--database", other) == 0
    with closing(LogStore(database, BOSS)) as old, closing(LogStore(other, BOSS)) as new:
        assert standings(BOSS, new.logs()) == standings(BOSS, old.logs()) == EXPECTED
        assert new.heads() == old.heads()
        assert new.branches(B) == old.branches(B) != []
        for log in old.heads():
            assert new.checkpoint(log) == old.checkpoint(log)
            assert [*new.pieces(log)] == [*old.pieces(log)]
        assert {arrived for log in new.heads() for _sent, arrived in new.pieces(log)} == {ARRIVED}


def test_a_season_goes_from_sqlite_into_postgresql(cluster: Cluster, tmp_path: Path) -> None:
    file, database = archived(f"sqlite:///{tmp_path / 'hub.db'}", tmp_path), cluster.new_database()
    assert run("restore", str(file), "--database", database) == 0
    with closing(LogStore(database, BOSS)) as store:
        assert standings(BOSS, store.logs()) == EXPECTED


@pytest.mark.parametrize("has_partition", [False, True])
def test_a_season_is_taken_out_and_another_one_stays(cluster: Cluster, tmp_path: Path, has_partition: bool) -> None:
    database, file = cluster.new_database(), tmp_path / "season.croupier"
    owner = as_owner(database)
    if has_partition:
        migrate_database(owner, BOSS, USER)
    filled(database)
    with closing(LogStore(database, OTHER_SEASON)) as other:
        other.put(sign(ONE, EVERYTHING[0][1]))
        kept = other.heads()
    assert run("archive", str(file), "--database", owner, "--director", BOSS, "--remove") == 0
    with closing(LogStore(database, BOSS)) as store:
        assert store.heads() == {BOSS: (0, None)}
    with closing(LogStore(database, OTHER_SEASON)) as other:
        assert other.heads() == kept
    migrate_database(owner, BOSS, USER)
    assert run("restore", str(file), "--database", database) == 0
    with closing(LogStore(database, BOSS)) as store:
        assert standings(BOSS, store.logs()) == EXPECTED
    owners = create_engine(owner)
    with owners.connect() as connection:
        assert (connection.exec_driver_sql(f"SELECT count(*) FROM {partition_of(BOSS)}").scalar() or 0) > 10
    owners.dispose()


def test_a_season_of_which_there_is_more_by_now_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database, linked = filled(f"sqlite:///{tmp_path / 'hub.db'}"), os.link

    def late(made: Path, file: Path) -> None:
        linked(made, file)
        with closing(LogStore(database, BOSS)) as store:
            more = [*EVERYTHING[1][1], '{"obs": "tick", "t": 9.5}']
            assert store.put(sign(ONE, more)).verdict is Verdict.ACCEPTED

    monkeypatch.setattr(os, "link", late)
    file = tmp_path / "season.croupier"
    assert run("archive", str(file), "--database", database, "--director", BOSS, "--remove") == 2
    assert "the database has more than that now; stop the hubs" in capsys.readouterr().err
    with closing(LogStore(database, BOSS)) as store:
        assert store.heads()[BOSS][0] == len(EVERYTHING[0][1])


def test_an_archive_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = f"sqlite:///{tmp_path / 'hub.db'}"
    content = (file := archived(database, tmp_path)).read_bytes()
    assert run("archive", str(file), "--database", database, "--director", BOSS) == 2
    assert "already exists" in capsys.readouterr().err
    assert file.read_bytes() == content
    assert not [*tmp_path.glob(".season*")]


def rows(file: Path) -> list[str]:
    return gzip.decompress(file.read_bytes()).decode().splitlines()


DAMAGES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "cut": (lambda lines: lines[:-1], "line {end}: expected a season"),
    "a-piece-less": (lambda lines: [*lines[:2], *lines[3:]], "line {less}: expected a season"),
    "no-season": (lambda lines: lines[1:], "line 1: expected a season"),
    "empty": (lambda _lines: [], "line 1: expected a season"),
    "not-json": (lambda lines: [lines[0], "{", *lines[1:]], "line 2: expected a season"),
    "not-an-object": (lambda lines: [lines[0], "7", *lines[1:]], "line 2: expected a season"),
    "not-a-piece": (lambda lines: [lines[0], "{}", *lines[1:]], "line 2: expected a season"),
    "a-point-more": (lambda lines: [re.sub("Ann", "Eve", line) for line in lines], "line 2: not what the table"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_says_where(damage: str, tmp_path: Path) -> None:
    file = archived(f"sqlite:///{tmp_path / 'hub.db'}", tmp_path)
    change, expected = DAMAGES[damage]
    lines = rows(file)
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in change(lines)).encode()))
    text = expected.format(end=len(lines), less=len(lines) - 1)
    with pytest.raises(BadHub, match=text):
        restore(f"sqlite:///{tmp_path / 'other.db'}", file)


def test_half_a_file_says_so(tmp_path: Path) -> None:
    file = archived(f"sqlite:///{tmp_path / 'hub.db'}", tmp_path)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(BadHub, match="expected a season"):
        restore(f"sqlite:///{tmp_path / 'other.db'}", file)


def test_what_the_director_did_not_sign_is_told_apart_from_damage(tmp_path: Path) -> None:
    file = archived(f"sqlite:///{tmp_path / 'hub.db'}", tmp_path)
    lines = rows(file)
    forged = json.loads(lines[1]) | {"signature": "00" * 64}
    file.write_bytes(gzip.compress("\n".join([lines[0], json.dumps(forged), *lines[2:]]).encode()))
    with pytest.raises(BadHub, match="line 2: not what the table or the director has signed"):
        restore(f"sqlite:///{tmp_path / 'other.db'}", file)
    assert DIRECTOR is EVERYTHING[0][0]
