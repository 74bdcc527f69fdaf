"""The tables of a hub's database: made by its owner, used by a role that may only read and write rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import ProgrammingError

from croupier.cli import main
from croupier.journal.receipt import code_of
from croupier_hub import migrations
from croupier_hub.checkpoints import Growth
from croupier_hub.errors import BadHub
from croupier_hub.fold import standings
from croupier_hub.merkle import is_consistent
from croupier_hub.pages.site import create_site
from croupier_hub.schema import partition_of
from croupier_hub.service import create_hub
from croupier_hub.serving import serving
from croupier_hub.signed_log import Head, name_of, sign
from croupier_hub.store import LogStore, migrate_database
from croupier_hub.tables import LINES, SCHEMA
from tests.hub.postgresql import USER, Cluster, as_owner
from tests.hub.test_logs import BOSS, DIRECTED, DIRECTOR, EVERYTHING, EXPECTED, ONE, A, result
from tests.patience import PATIENCE_S

OLD: Final = Path(__file__).parent / "old"
FORMS: Final = sorted({file.name.split(".")[0] for file in OLD.glob("*.sql")})
"""The forms of the tables that any version of croupier-hub has made, of which there are databases with a season here:
`EVERYTHING`."""

GAME: Final = "5e" * 32


def fill(engine: Engine, form: str) -> None:
    """Make the database of a hub with tables of an old form."""
    script = (OLD / f"{form}.{engine.dialect.name}.sql").read_text(encoding="utf-8")
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            for statement in script.removeprefix("BEGIN TRANSACTION;\n").removesuffix("COMMIT;\n").split(";\n"):
                connection.exec_driver_sql(statement)
        else:
            connection.execute(text(script.replace(":", "\\:")))
    engine.dispose()


@pytest.fixture
def owners(cluster: Cluster) -> Iterator[Engine]:
    """An empty PostgreSQL as its owner reaches it."""
    engine = create_engine(as_owner(cluster.new_database(is_migrated=False)))
    yield engine
    engine.dispose()


def as_hub(owners: Engine) -> str:
    """The address by which the hub reaches a database."""
    return str(owners.url.set(username=USER))


def run(*arguments: str) -> int:
    return main.run(["--language", "en", "hub", *arguments])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_of_each_version_goes_on(
    form: str, kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path / 'hub.db'}"
        fill(create_engine(url), form)
    else:
        engine: Engine = request.getfixturevalue("owners")
        fill(engine, form)
        migrate_database(str(engine.url), role=USER)
        url = as_hub(engine)
    with closing(LogStore(url, BOSS)) as store:
        assert standings(BOSS, store.logs()) == EXPECTED
        lines = EVERYTHING[1][1]
        growth = Growth.parse(store.growth(A, 2)[1] or "")
        assert is_consistent(2, Head().after(lines[:2]).root, 4, Head().after(lines).root, growth.proof)
        more = sign(ONE, [*lines, json.dumps({"obs": "tick", "t": 3.0})], 4)
        assert (store.put(more).accepted_to, store.branches(BOSS)) == (5, [])
        create_hub(store)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_long_log_of_the_first_form_has_its_roots_receipts_and_partition(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    lines = [json.dumps({"obs": "tick", "t": float(n)}) for n in range(2500)]
    lines[1234] = result(1, 1, [30, 0]).replace('"points"', f'"game": "{GAME}", "points"')
    with closing(LogStore(f"sqlite:///{tmp_path / 'new.db'}", BOSS)) as new:
        new.put(sign(DIRECTOR, DIRECTED[:4]))
        new.put(sign(ONE, lines))
        growth, proof = new.growth(A, 1234), new.proof(A, 2047)
    engine = create_engine(f"sqlite:///{tmp_path / 'hub.db'}")
    if kind == "postgresql":
        engine = request.getfixturevalue("owners")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(migrations.__path__[0])))
        config.attributes["connection"] = connection
        command.upgrade(config, "trees")
        if kind == "postgresql":
            connection.exec_driver_sql(f"CREATE TABLE line_{BOSS[:32]} PARTITION OF line FOR VALUES IN ('{BOSS}')")
        for key, texts in ((DIRECTOR, DIRECTED[:4]), (ONE, lines)):
            leaves, _roots, head = Head().extend(texts)
            sent, log = sign(key, texts), {"season": BOSS, "log": name_of(key)}
            insert = "INSERT INTO log VALUES (:season, :log, :lines, :head, NULL)"
            connection.execute(text(insert), log | {"lines": head.lines, "head": head.data})
            rows: list[dict[str, Any]] = [log | {"n": n, "hash": leaf, "text": line, "root": None, "signature": None}
                    for n, (leaf, line) in enumerate(zip(leaves, texts, strict=True))]  # fmt: skip
            rows[-1] |= {"root": sent.head, "signature": sent.signature}
            insert = "INSERT INTO line VALUES (:season, :log, :n, :hash, :text, :root, :signature)"
            connection.execute(text(insert), rows)
    engine.dispose()
    migrate_database(str(engine.url), role=USER)
    url = as_hub(engine) if kind == "postgresql" else str(engine.url)
    with closing(LogStore(url, BOSS)) as store:
        assert (store.growth(A, 1234), store.proof(A, 2047)) == (growth, proof | {"arrived": None})
        assert store.with_receipt(code_of(bytes.fromhex(GAME))) == [(A, 1234, lines[1234])]
        assert store.put(sign(ONE, [*lines, "{}"], 2500)).accepted_to == 2501
        query = "SELECT tableoid::regclass::text, count(*) FROM line GROUP BY 1"
        if kind == "postgresql":
            with store.engine.connect() as connection:
                assert connection.exec_driver_sql(query).all() == [(partition_of(BOSS), 2505)]


def test_a_hub_serves_as_a_role_that_makes_no_tables_also_for_a_new_season(owners: Engine) -> None:
    migrate_database(str(owners.url), BOSS, USER)
    with closing(LogStore(as_hub(owners), BOSS)) as store, closing(LogStore(as_hub(owners), A)) as later:
        for one, key in ((store, DIRECTOR), (later, ONE)):
            assert one.put(sign(key, ["{}"])).accepted_to == 1
        with pytest.raises(ProgrammingError, match="permission denied"), store.engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE other (n int)")
    query = "SELECT tableoid::regclass::text FROM line ORDER BY 1"
    with owners.connect() as connection:
        assert connection.exec_driver_sql(query).scalars().all() == [partition_of(BOSS), "line_others"]
        rights = text("SELECT table_name, privilege_type FROM information_schema.role_table_grants WHERE grantee = :to")
        found = {(name, right) for name, right in connection.execute(rights, {"to": USER})}
    usual = {(name, right) for name in SCHEMA.tables for right in ("SELECT", "INSERT", "UPDATE", "DELETE")}
    assert found == usual | {("alembic_version", "SELECT")}


def refusal(url: str) -> str:
    with pytest.raises(BadHub) as refused:
        LogStore(url, BOSS)
    return str(refused.value)


def test_without_tables_of_this_version_a_hub_says_who_runs_what(owners: Engine) -> None:
    url = as_hub(owners)
    assert re.search(r"/hub\d+ has no schema of a hub: let its owner run croupier hub migrate --database", refusal(url))
    fill(owners, FORMS[-1])
    assert "has no rights in the database" in refusal(url)
    migrate_database(str(owners.url), role=USER)
    LogStore(url, BOSS).close()
    for version, said in (("trees", "of an older croupier-hub: stop all hubs"), ("later", "of a newer croupier-hub")):
        with owners.begin() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'")
        assert said in refusal(url)
    with pytest.raises(BadHub, match="of a newer croupier-hub"):
        migrate_database(str(owners.url), role=USER)


def test_a_file_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'hub.db'}"
    LogStore(url, BOSS).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'later'")
    engine.dispose()
    before = (tmp_path / "hub.db").read_bytes()
    assert "of a newer croupier-hub" in refusal(url)
    assert (tmp_path / "hub.db").read_bytes() == before


def test_the_command_makes_the_tables_as_often_as_it_is_run(owners: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run("migrate", "--database", str(owners.url), "--role", USER, "--director", BOSS) == 0
        assert capsys.readouterr().out == f"{owners.url}: the schema is that of this version\n"
    assert run("migrate", "--database", str(owners.url), "--director", "nobody") == 2
    assert "--director nobody: expected a director’s file, or a key" in capsys.readouterr().err
    assert run("migrate", "--database", str(owners.url), "--role", "nobody") == 2
    assert 'role "nobody" does not exist' in capsys.readouterr().err


def test_a_hub_names_itself_and_has_no_endless_statement(owners: Engine) -> None:
    migrate_database(str(owners.url), role=USER)
    shown = "SELECT current_setting('application_name'), current_setting('statement_timeout'), "
    shown += "current_setting('idle_in_transaction_session_timeout')"
    with closing(LogStore(as_hub(owners), BOSS)) as store, store.engine.connect() as connection:
        assert tuple(connection.exec_driver_sql(shown).one()) == ("croupier-hub", "1min", "1min")
        assert connection.execute(LINES.select()).all() == []
    own_name = f"{as_hub(owners)}?application_name=federation"
    with closing(LogStore(own_name, A)) as store, store.engine.connect() as connection:
        assert connection.exec_driver_sql(shown).one()[0] == "federation"


def test_an_answer_names_neither_address_nor_file_of_the_database_and_the_log_names_them_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)) as store, serving(create_site(store)) as url:
        store.engine.dispose()
        (tmp_path / "hub.db").rename(tmp_path / "away.db")
        (tmp_path / "hub.db").mkdir()
        answers = [httpx.get(f"{url}{path}", timeout=PATIENCE_S) for path in ("/standings", "/results", "/", "/screen")]
    assert [one.status_code for one in answers] == [503] * 4
    assert answers[0].json()["error"] == "the database does not answer; the hub's log says why"
    assert "The database does not answer; the log of the hub says why." in answers[2].text
    assert not any("unable to open" in one.text or str(tmp_path) in one.text for one in answers)
    assert [one.message for one in caplog.records if one.name.startswith("croupier_hub")] == [
        "the database does not answer: unable to open database file"
    ]
