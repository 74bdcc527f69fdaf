"""The tables of a hub's database: who makes them, and whether they fit this program.

SQLite belongs to whoever starts the hub, which brings the file to the newest form itself. In PostgreSQL the owner of
the database does so, by ``croupier hub migrate``; the hub serves as a role that may only read and write rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, Engine, insert, inspect, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql

from croupier.errors import marked
from croupier_hub.errors import BadHub
from croupier_hub.tables import COSIGNER, SCHEMA, SEASONS

MIGRATE: Final = "croupier hub migrate --database postgresql+psycopg://OWNER@HOST/NAME --role ROLE"
NO_TABLES: Final = marked("the database {url} has no schema of a hub: let its owner run {command}")
OLDER: Final = marked("the schema of the database {url} is that of an older croupier-hub: stop all hubs there, and "
                      "let its owner run {command}")  # fmt: skip
NEWER: Final = marked("the schema of the database {url} is that of a newer croupier-hub, which this one would "
                      "damage: update this one")  # fmt: skip
NO_RIGHT: Final = marked("the role of the hub has no rights in the database {url}: let its owner run {command}")

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_MIGRATING: Final = 0x63726F75
"""The number of PostgreSQL's lock."""
_VERSIONS: Final = "alembic_version"


def migrate(engine: Engine, season: str = "", role: str = "") -> None:
    """Bring the tables of a database to the newest form, as their owner. ``season``: key of a director whose season
    gets a partition of its own; ``role``: may read and write rows.

    Raises:
        BadHub: a newer program has made the tables.
    """
    config = _config()
    with engine.begin() as connection:
        is_postgresql = engine.dialect.name == "postgresql"
        if is_postgresql:  # those who start at once wait for each other
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
        _refuse_newer(connection, engine, config)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if connection.execute(select(COSIGNER)).first() is None:
            connection.execute(insert(COSIGNER).values(key=Ed25519PrivateKey.generate().private_bytes_raw()))
        if is_postgresql and season:
            _add_partition(connection, season)
        if is_postgresql and role:
            _grant(connection, role)


def check(engine: Engine) -> None:
    """See that the tables of a PostgreSQL are there, and fit this program.

    Raises:
        BadHub: they are missing, older or newer, or the role has no rights.
    """
    config = _config()
    with engine.connect() as connection:
        if not inspect(connection).has_table(_VERSIONS):
            raise BadHub(NO_TABLES, url=engine.url, command=MIGRATE)
        may = f"SELECT has_table_privilege('{_VERSIONS}', 'SELECT') AND has_table_privilege('line', 'INSERT')"
        if not connection.exec_driver_sql(may).scalar():
            raise BadHub(NO_RIGHT, url=engine.url, command=MIGRATE)
        _refuse_newer(connection, engine, config)
        if MigrationContext.configure(connection).get_current_revision() != _script(config).get_current_head():
            raise BadHub(OLDER, url=engine.url, command=MIGRATE)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


def _script(config: Config) -> ScriptDirectory:
    return ScriptDirectory.from_config(config)


def _refuse_newer(connection: Connection, engine: Engine, config: Config) -> None:
    if not inspect(connection).has_table(_VERSIONS):
        return
    known = {one.revision for one in _script(config).walk_revisions()}
    if not {*MigrationContext.configure(connection).get_current_heads()} <= known:
        raise BadHub(NEWER, url=engine.url)


def _add_partition(connection: Connection, season: str) -> None:
    """A season whose lines are in the partition of all others keeps them there."""
    name = partition_of(season)
    if inspect(connection).has_table(name):
        return
    number = season_number(connection, insert_postgresql, season)
    if connection.exec_driver_sql(f"SELECT 1 FROM line_others WHERE season = {number} LIMIT 1").first() is None:
        connection.exec_driver_sql(f"CREATE TABLE {name} PARTITION OF line FOR VALUES IN ({number})")


def season_number(connection: Connection, insert: Any, season: str) -> int:
    """The number of a season in this database, which gets one if it has none; ``insert``: of its dialect."""
    key = bytes.fromhex(season)
    query = select(SEASONS.c.id).where(SEASONS.c.key == key)
    if connection.execute(query).first() is None:
        connection.execute(insert(SEASONS).values(key=key).on_conflict_do_nothing())
    number: int = connection.execute(query).scalar_one()
    return number


def partition_of(season: str) -> str:
    """The name of the partition with the lines of a season."""
    return f"line_{season[:32]}"


def _grant(connection: Connection, role: str) -> None:
    quote = connection.dialect.identifier_preparer.quote
    tables = ", ".join(quote(name) for name in SCHEMA.tables)
    connection.exec_driver_sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {quote(role)}")
    connection.exec_driver_sql(f"GRANT SELECT ON {_VERSIONS} TO {quote(role)}")
