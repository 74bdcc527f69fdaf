"""`croupier journal`: the games that were played at a table, listed, taken out, taken in, checked."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli import examples

app = typer.Typer(
    rich_markup_mode=None,
    help="The games of a table: list, export, import, verify.",
    epilog=examples("croupier journal list", "croupier journal export > game.jsonl"),
)

JOURNAL = Path("croupier.journal")
"""Where the program is started, as `croupier.toml`."""


def _of_table(context: typer.Context, option: typer.CallbackParam, journal: Path) -> Path:
    """The journal that is named, else that of `croupier.toml`; where that is wrong, whoever needs the rest tells so."""
    source = context.get_parameter_source(option.name or "")
    if source is None or source.name != "DEFAULT":
        return journal
    with suppress(OSError, ValueError, KeyError, TypeError):
        return Path(tomllib.loads(Path("croupier.toml").read_text(encoding="utf-8"))["journal"]["file"])
    return journal


At = Annotated[
    Path,
    typer.Option(
        "--journal", metavar="FILE", envvar="CROUPIER_JOURNAL", callback=_of_table,
        help="The journal; without: that of croupier.toml.",
    ),
]  # fmt: skip
AsJson = Annotated[bool, typer.Option("--json", help="The same as JSON.")]


@app.command("list", epilog=examples("croupier journal list", "croupier journal list --json"))
def list_(journal: At = JOURNAL, as_json: AsJson = False) -> None:
    """List the games: when they began, who played, how long the log is."""
    from croupier.console import Teller
    from croupier.journal import Archive, Damage
    from croupier.replay.archive import listed, said

    teller = Teller()
    with Archive(journal) as archive:
        for game in listed(archive):
            if isinstance(game, Damage):
                print(json.dumps(asdict(game))) if as_json else teller.say(said(game))
            else:
                print(json.dumps(game.to_json())) if as_json else teller.say(str(game))


@app.command(epilog=examples("croupier journal export > game.jsonl", "croupier journal export 3 --to game-3.jsonl"))
def export(
    game: Annotated[int | None, typer.Argument(metavar="GAME", help="Its number; without: the newest.")] = None,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="A new file, instead of standard output.")] = None,
    journal: At = JOURNAL,
) -> None:
    """Write the table log of a game as JSON lines.

    Faces of hidden hands are left out while their round is played. Where the journal is damaged, what stands before
    the damage is written, and the exit status is 2.
    """
    from croupier.journal import Archive
    from croupier.replay.archive import export as export_

    with Archive(journal) as archive:
        export_(archive, game, to)


@app.command("import", epilog=examples("croupier journal import game.jsonl", "croupier journal import - < game.jsonl"))
def import_(
    logs: Annotated[list[str], typer.Argument(metavar="LOG…", help="Table logs; - for standard input.")],
    journal: At = JOURNAL,
) -> None:
    """Take table logs into the journal, each as its own game.

    A log is taken in whole or not at all.
    """
    from time import time

    from croupier.console import Teller
    from croupier.i18n import _
    from croupier.journal import Journal
    from croupier.replay.archive import take_in

    teller = Teller()
    with Journal(journal) as writer:
        for log in logs:
            teller.say(_("{log}: taken in as game {game}", log=log, game=take_in(writer, log, now=time())))


@app.command(epilog=examples("croupier journal verify", "croupier journal verify --json"))
def verify(journal: At = JOURNAL, as_json: AsJson = False) -> int:
    """Check that no line of any game was changed, lost or moved.

    The exit status is 1 where one was.
    """
    from croupier.console import Teller
    from croupier.i18n import _, ngettext
    from croupier.journal import Archive
    from croupier.replay.archive import said

    with Archive(journal) as archive:
        damages = list(archive.damages())
        games = len(archive.began())
    if as_json:
        told = [asdict(one) for one in damages]
        print(json.dumps({"games": games, "damages": told}))
    else:
        teller = Teller()
        for one in damages:
            teller.say(said(one))
        counted = ngettext("{n} game", "{n} games", games)
        state = ngettext("{n} not as written", "{n} not as written", len(damages)) if damages else _("all as written")
        teller.say(f"{counted}, {state}")
    return 1 if damages else 0
