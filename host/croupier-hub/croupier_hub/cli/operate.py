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
_SEASON_FILE = "season.croupier"

hub_app = typer.Typer(
    name="hub",
    rich_markup_mode=None,
    help="Look after the database of a hub; croupier tournament hub starts the hub itself.",
    epilog=examples(
        "croupier hub migrate --database postgresql+psycopg://owner@/hub --role hub",
        "croupier tournament hub --database postgresql+psycopg://hub@/hub",
        f"croupier hub archive {_SEASON_FILE}",
        f"croupier hub restore {_SEASON_FILE}",
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


@hub_app.command(
    epilog=examples(
        f"croupier hub archive {_SEASON_FILE}",
        f"croupier hub archive {_SEASON_FILE} --database postgresql+psycopg://owner@/hub --remove",
    )
)
def archive(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The archive, a new file.", show_default=False)],
    database: Database = "sqlite:///hub.db",
    director: Annotated[str, typer.Option(metavar="FILE", help="Whose season: a key, or a director’s file.")] = str(
        DIRECTOR_FILE
    ),
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the season out of the database, when the file has been read again.")
    ] = False,
) -> None:
    """Write a season into a file: all logs, as tables and director have signed them.

    Hubs may run meanwhile; before --remove stop them. The director’s file is not in it: keep a copy of that, too.
    """
    from croupier_hub import seasons
    from croupier_hub.store import LogStore, open_engine

    store = LogStore(database, season := _season(director))
    try:
        with store.errors():
            lines = seasons.archive(store, file)
            heads = seasons.check(store, file) if remove else {}
    finally:
        store.close()
    if remove:
        engine = open_engine(database, is_limited=False)
        try:
            seasons.remove(engine, season, heads, file)
        finally:
            engine.dispose()
    print(_("{file}: lines: {n}", file=file, n=lines))


@hub_app.command(
    epilog=examples(
        f"croupier hub restore {_SEASON_FILE}",
        f"croupier hub restore {_SEASON_FILE} --director {DIRECTOR_FILE}",
        f"croupier hub restore {_SEASON_FILE} --database postgresql+psycopg://hub@/hub",
    )
)
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The archive of a season.", show_default=False)],
    database: Database = "sqlite:///hub.db",
    director: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A copy of the director’s file: it gets what was ordered since."),
    ] = None,
) -> None:
    """Take a season from a file into a database; every signature is checked, and what is there counts once."""
    from croupier_hub import seasons
    from croupier_hub.director import open_outbox

    season, lines = seasons.restore(database, file)
    if director is not None:
        with open_outbox(director) as outbox:
            if outbox.log != season:
                raise BadHub(marked("{file}: expected the file of the director {key}"), file=director, key=season)
            seasons.complete(outbox, database)
    print(_("{file}: lines: {n}", file=file, n=lines))
    print(_("the director’s key: {key}", key=season))
