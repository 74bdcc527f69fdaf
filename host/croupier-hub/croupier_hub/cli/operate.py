"""The commands of hub, for whoever runs one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import examples
from croupier.errors import marked
from croupier.i18n import _
from croupier_hub import DIRECTOR_FILE
from croupier_hub.errors import BadHub

_KEY = r"[0-9a-f]{64}"

hub_app = typer.Typer(
    name="hub",
    rich_markup_mode=None,
    help="Look after the database of a hub; croupier tournament hub starts the hub itself.",
    epilog=examples(
        "croupier hub migrate --database postgresql+psycopg://owner@/hub --role hub",
        "croupier tournament hub --database postgresql+psycopg://hub@/hub",
    ),
)

Database = Annotated[
    str, typer.Option(metavar="URL", help="SQLite, or PostgreSQL as its owner: postgresql+psycopg://owner@host/name.")
]


def _season(director: str) -> str:
    """The key that is given, or that of the file that is named."""
    from croupier_hub.outbox import Outbox

    if not director or re.fullmatch(_KEY, director):
        return director
    if not Path(director).is_file():
        text = marked("--director {file}: expected a director’s file, or a key: 64 digits 0-9 a-f")
        raise BadHub(text, file=director)
    with Outbox(Path(director)) as outbox:
        return outbox.log


@hub_app.callback()
def hub() -> None:
    """Keep the subcommands: with one command alone, Typer would leave out its name."""


@hub_app.command(
    epilog=examples(
        "croupier hub migrate",
        "croupier hub migrate --database postgresql+psycopg://owner@/hub --role hub",
        f"croupier hub migrate --database postgresql+psycopg://owner@/hub --role hub --director {DIRECTOR_FILE}",
    )
)
def migrate(
    database: Database = "sqlite:///hub.db",
    role: Annotated[
        str, typer.Option(metavar="NAME", help="PostgreSQL’s role of the hubs: may read and write rows, nothing else.")
    ] = "",
    director: Annotated[
        str,
        typer.Option(
            metavar="FILE", help=f"Give this director’s season a partition: a key, or a file as {DIRECTOR_FILE}."
        ),
    ] = "",
) -> None:
    """Make the schema of a hub’s database, or bring it to the newest form, as its owner.

    Stop the hubs of an older version before. It may be repeated.
    """
    from croupier_hub.store import migrate_database

    print(_("{url}: the schema is that of this version", url=migrate_database(database, _season(director), role)))
