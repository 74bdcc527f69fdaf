"""The roots of full trees, stored with their last leaves."""

import sqlalchemy as sa
from alembic import op

from croupier_hub.merkle import extended

revision = "roots"
down_revision = "trees"

_AT_ONCE = 1000
_WRITE = sa.text("UPDATE line SET roots = :roots WHERE season = :season AND log = :log AND n = :n")


def upgrade() -> None:
    """Add the column, and compute the roots of the logs that are here."""
    op.add_column("line", sa.Column("roots", sa.LargeBinary))
    here = op.get_bind()
    for season, log in here.execute(sa.text("SELECT season, name FROM log")).all():
        size, peaks = 0, tuple[bytes, ...]()
        while leaves := _leaves(here, season, log, size):
            roots, peaks = extended(size, peaks, leaves)
            rows = [{"season": season, "log": log, "n": n, "roots": one} for n, one in enumerate(roots, size) if one]
            if rows:
                here.execute(_WRITE, rows)
            size += len(leaves)


def _leaves(here: sa.Connection, season: str, log: str, start: int) -> list[bytes]:
    query = sa.text(
        "SELECT hash FROM line WHERE season = :season AND log = :log AND n >= :start AND n < :end ORDER BY n"
    )
    where = {"season": season, "log": log, "start": start, "end": start + _AT_ONCE}
    return [bytes(hash_) for (hash_,) in here.execute(query, where)]
