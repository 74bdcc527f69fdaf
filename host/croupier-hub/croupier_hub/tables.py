"""The tables of a hub's database, in SQLite or PostgreSQL; the migrations make them.

Keys are bytes, and stand once: elsewhere seasons and logs are numbers, which are those of this database alone.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA: Final = MetaData()

SEASONS: Final = Table(
    "season",
    SCHEMA,
    Column("id", Integer, Identity(), primary_key=True),
    Column("key", LargeBinary, nullable=False, unique=True),  # the director's
)
LOGS: Final = Table(
    "log",
    SCHEMA,
    Column("id", Integer, Identity(), primary_key=True),
    Column("season", Integer, nullable=False),
    Column("name", LargeBinary, nullable=False),  # its writer's key
    Column("lines", Integer, nullable=False),  # accepted
    Column("head", LargeBinary, nullable=False),  # `croupier_hub.signed_log.Head.data`
    Column("fork", Integer),  # the first line of which there is another one
    UniqueConstraint("season", "name"),
)
LINES: Final = Table(
    "line",
    SCHEMA,
    Column("receipt", BigInteger),  # of a result (`croupier_hub.standings.receipt_number`)
    # When a piece came here, in seconds since 1970; only at its end. None for those of before there were times.
    Column("arrived", BigInteger),
    Column("season", Integer, primary_key=True),
    Column("log", Integer, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("text", Text, nullable=False),
    # Of the full trees of which this leaf is the last (`croupier_hub.merkle.extended`); None for none.
    Column("roots", LargeBinary),
    # Of the log up to here, for other hubs; only at the end of a piece.
    Column("root", LargeBinary),
    Column("signature", LargeBinary),
    postgresql_partition_by="LIST (season)",
    sqlite_with_rowid=False,
)
_HAS_RECEIPT: Final = LINES.c.receipt.is_not(None)
Index("line_receipt", LINES.c.receipt, postgresql_where=_HAS_RECEIPT, sqlite_where=_HAS_RECEIPT)

BRANCHES: Final = Table(
    "branch",
    SCHEMA,
    Column("season", Integer, primary_key=True),
    Column("log", Integer, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("hash", LargeBinary, primary_key=True),
    Column("text", Text, nullable=False),
    Column("head", LargeBinary, nullable=False),  # that the writer signed with these lines
    Column("signature", LargeBinary, nullable=False),
)

COSIGNER: Final = Table("cosigner", SCHEMA, Column("key", LargeBinary, primary_key=True))
"""The private key by which this hub cosigns the logs of others."""

WITNESSED: Final = Table(
    "witnessed",
    SCHEMA,
    Column("log", String(64), primary_key=True),
    Column("size", Integer, nullable=False),
    Column("root", LargeBinary, nullable=False),
)
"""The newest heads of logs of others that this hub has cosigned, of any season and of none."""

COSIGNATURES: Final = Table(
    "cosignature",
    SCHEMA,
    Column("season", Integer, primary_key=True),
    Column("log", Integer, primary_key=True),
    Column("size", Integer, primary_key=True),
    Column("text", Text, primary_key=True),
)
"""By witnesses, over the logs of this hub: lines of signed notes."""
