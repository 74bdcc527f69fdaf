"""A place for the lines of seasons without a partition of their own: who serves need not make tables."""

from alembic import op

revision = "others"
down_revision = "roots"


def upgrade() -> None:
    """Make the partition."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE TABLE line_others PARTITION OF line DEFAULT")
