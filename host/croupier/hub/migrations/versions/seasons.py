"""Logs by season, their lines, and the lines of forks."""

import sqlalchemy as sa
from alembic import op

revision = "seasons"
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
