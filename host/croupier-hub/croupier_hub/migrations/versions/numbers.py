"""Seasons and logs are numbers where they stood as 64 letters; receipts and times of arrival beside the lines."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "numbers"
down_revision = "others"

_OLD = ("log", "line", "branch", "cosignature")
_GAME = '"game": ?"([0-9a-f]{15})[0-9a-f]{49}"'
_RECEIPTS = {
    "sqlite": "receipt_of(text)",
    "postgresql": "CASE WHEN position('\"result\"' in text) > 0 THEN "
    f"CAST(CAST('x' || substring(text from '{_GAME}') AS bit(60)) AS bigint) END",
}
_HEX = {"sqlite": "lower(hex({}))", "postgresql": "encode({}, 'hex')"}


def upgrade() -> None:
    """Make the tables anew, and copy all that is in them."""
    here = op.get_bind()
    kind = here.dialect.name
    own = _set_aside(here) if kind == "postgresql" else {}
    for table in _OLD:
        op.rename_table(table, f"old_{table}")
    _create()
    seasons = {*own, *here.execute(sa.text("SELECT DISTINCT season FROM old_log")).scalars()}
    ids = {key: _insert_season(here, key) for key in sorted(seasons)}
    if kind == "postgresql":
        op.execute("CREATE TABLE line_others PARTITION OF line DEFAULT")
        for key, name in own.items():
            op.execute(f"CREATE TABLE {name} PARTITION OF line FOR VALUES IN ({ids[key]})")
    else:
        here.connection.driver_connection.create_function("receipt_of", 1, _receipt_of)
    logs = here.execute(sa.text("SELECT season, name, lines, head, fork FROM old_log ORDER BY season, name")).mappings()
    rows = [{**row, "season": ids[row["season"]], "name": bytes.fromhex(row["name"])} for row in logs]
    if rows:
        insert = "INSERT INTO log (season, name, lines, head, fork) VALUES (:season, :name, :lines, :head, :fork)"
        here.execute(sa.text(insert), rows)
    season, log = _HEX[kind].format("season.key"), _HEX[kind].format("log.name")
    for table, columns in (
        ("line", "n, hash, text, roots, root, signature"), ("branch", "n, hash, text, head, signature"),
        ("cosignature", "size, text"),
    ):  # fmt: skip
        old = ", ".join(f"old.{column}" for column in columns.split(", "))
        receipt = ("receipt, ", f"{_RECEIPTS[kind]}, ") if table == "line" else ("", "")
        here.execute(sa.text(
            f"INSERT INTO {table} ({receipt[0]}season, log, {columns}) SELECT {receipt[1]}season.id, log.id, {old} "
            f"FROM season CROSS JOIN log CROSS JOIN old_{table} AS old "
            f"WHERE log.season = season.id AND old.season = {season} AND old.log = {log}"
        ))  # fmt: skip
    for table in _OLD:
        op.drop_table(f"old_{table}")


def _set_aside(here: sa.Connection) -> dict[str, str]:
    """Give the old partitions and keys in PostgreSQL other names; the partitions of one season, by season."""
    own = {}
    query = (
        "SELECT relname, pg_get_expr(relpartbound, pg_class.oid) "
        "FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = CAST('line' AS regclass)"
    )
    for name, bound in here.execute(sa.text(query)).all():
        if found := re.search("'([0-9a-f]{64})'", bound):
            own[found[1]] = name
        op.rename_table(name, f"old_{name}")
        op.execute(f"ALTER INDEX {name}_pkey RENAME TO old_{name}_pkey")
    for table in _OLD:
        op.execute(f"ALTER INDEX {table}_pkey RENAME TO old_{table}_pkey")
    return own


def _create() -> None:
    op.create_table(
        "season",
        sa.Column("id", sa.Integer, sa.Identity(), primary_key=True),
        sa.Column("key", sa.LargeBinary, nullable=False, unique=True),
    )
    op.create_table(
        "log",
        sa.Column("id", sa.Integer, sa.Identity(), primary_key=True),
        sa.Column("season", sa.Integer, nullable=False),
        sa.Column("name", sa.LargeBinary, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("head", sa.LargeBinary, nullable=False),
        sa.Column("fork", sa.Integer),
        sa.UniqueConstraint("season", "name"),
    )
    line = op.create_table(
        "line",
        sa.Column("receipt", sa.BigInteger),
        sa.Column("arrived", sa.BigInteger),
        sa.Column("season", sa.Integer, primary_key=True),
        sa.Column("log", sa.Integer, primary_key=True),
        sa.Column("n", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("roots", sa.LargeBinary),
        sa.Column("root", sa.LargeBinary),
        sa.Column("signature", sa.LargeBinary),
        postgresql_partition_by="LIST (season)",
        sqlite_with_rowid=False,
    )
    has_receipt = line.c.receipt.is_not(None)
    op.create_index("line_receipt", "line", ["receipt"], postgresql_where=has_receipt, sqlite_where=has_receipt)
    op.create_table(
        "branch",
        sa.Column("season", sa.Integer, primary_key=True),
        sa.Column("log", sa.Integer, primary_key=True),
        sa.Column("n", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("head", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "cosignature",
        sa.Column("season", sa.Integer, primary_key=True),
        sa.Column("log", sa.Integer, primary_key=True),
        sa.Column("size", sa.Integer, primary_key=True),
        sa.Column("text", sa.Text, primary_key=True),
    )


def _insert_season(here: sa.Connection, key: str) -> int:
    here.execute(sa.text("INSERT INTO season (key) VALUES (:key)"), {"key": bytes.fromhex(key)})
    found: int = here.execute(
        sa.text("SELECT id FROM season WHERE key = :key"), {"key": bytes.fromhex(key)}
    ).scalar_one()
    return found


def _receipt_of(text: str) -> int | None:
    found = re.search(_GAME, text) if '"result"' in text else None
    return None if found is None else int(found[1], 16)
