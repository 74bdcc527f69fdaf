"""The tables of a hub's database, in SQLite or PostgreSQL; the migrations make them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, Text

SCHEMA: Final = MetaData()

LOGS: Final = Table(
    "log",
    SCHEMA,
    Column("season", String(64), primary_key=True),  # the director's key
    Column("name", String(64), primary_key=True),
    Column("lines", Integer, nullable=False),  # accepted
    Column("head", LargeBinary, nullable=False),  # `croupier_hub.signed_log.Head.data`
    Column("fork", Integer),  # the first line of which there is another one
)
LINES: Final = Table(
    "line",
    SCHEMA,
    Column("season", String(64), primary_key=True),
    Column("log", String(64), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("text", Text, nullable=False),
    # Of the full trees of which this leaf is the last (`croupier_hub.merkle.extended`); None for none.
    Column("roots", LargeBinary),
    # Of the log up to here, for other hubs; only at the end of a piece.
    Column("root", LargeBinary),
    Column("signature", LargeBinary),
    postgresql_partition_by="LIST (season)",
)
BRANCHES: Final = Table(
    "branch",
    SCHEMA,
    Column("season", String(64), primary_key=True),
    Column("log", String(64), primary_key=True),
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
"""The newest heads of logs of others that this hub has cosigned."""

COSIGNATURES: Final = Table(
    "cosignature",
    SCHEMA,
    Column("season", String(64), primary_key=True),
    Column("log", String(64), primary_key=True),
    Column("size", Integer, primary_key=True),
    Column("text", Text, primary_key=True),
)
"""By witnesses, over the logs of this hub: lines of signed notes."""
