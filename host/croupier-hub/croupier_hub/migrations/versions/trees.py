"""Logs by season, their lines, the lines of forks, and what witnesses say."""

import sqlalchemy as sa
from alembic import op

revision = "trees"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "log",
        sa.Column("season", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("head", sa.LargeBinary, nullable=False),
        sa.Column("fork", sa.Integer),
    )
    op.create_table(
        "line",
        sa.Column("season", sa.String(64), primary_key=True),
        sa.Column("log", sa.String(64), primary_key=True),
        sa.Column("n", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("root", sa.LargeBinary),
        sa.Column("signature", sa.LargeBinary),
        postgresql_partition_by="LIST (season)",
    )
    op.create_table(
        "branch",
        sa.Column("season", sa.String(64), primary_key=True),
        sa.Column("log", sa.String(64), primary_key=True),
        sa.Column("n", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("head", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
    )
    op.create_table("cosigner", sa.Column("key", sa.LargeBinary, primary_key=True))
    op.create_table(
        "witnessed",
        sa.Column("log", sa.String(64), primary_key=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("root", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "cosignature",
        sa.Column("season", sa.String(64), primary_key=True),
        sa.Column("log", sa.String(64), primary_key=True),
        sa.Column("size", sa.Integer, primary_key=True),
        sa.Column("text", sa.Text, primary_key=True),
    )
