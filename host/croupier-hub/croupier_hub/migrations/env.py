"""Alembic's entry: migrates the connection that `croupier_hub.schema.migrate` opened."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
