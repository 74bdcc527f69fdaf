"""Arguments and options that several commands share, with the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from croupier.cli.help_texts import filled
from croupier.files import CONFIG, parse_toml, read_toml
from croupier.i18n import _
from croupier_rules.cards import DECKS

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one line for each result.")]
ConfigFile = Annotated[Path, typer.Option("--config", metavar="FILE", help="The file that describes the table.")]


_PICTURE: Final = "Write the picture with what was read marked in it; several pictures to OUT-1.png, OUT-2.png, …"
PictureOut = Annotated[str | None, typer.Option("--picture", metavar="OUT.png", help=_PICTURE)]


def one_of(names: Collection[str]) -> Callable[[Any], Any]:
    """Make a callback that rejects names, single or in a list, that are not among these."""

    def check(value: Any) -> Any:
        for name in value if isinstance(value, list) else () if value is None else (value,):
            if name not in names:
                raise typer.BadParameter(
                    _("there is no {name}; expected one of {names}", name=name, names=", ".join(names))
                )
        return value

    return check


Deck = Annotated[
    str,
    typer.Option(metavar="NAME", help=filled("One of {names}.", names=", ".join(DECKS)), callback=one_of(DECKS)),
]


House = Annotated[
    str | None,
    typer.Option("--house", metavar="NAME", help="With house rules that `croupier rules presets` lists."),
]


def quick_option(file: Path, section: str, name: str) -> Any:
    """Return an option of `croupier.toml`, or None if it cannot be read; loading it whole would take longer."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return parse_toml(read_toml(file))[section][name]
    return None


def _configured_journal(context: typer.Context, option: typer.CallbackParam, journal: Path) -> Path:
    source = context.get_parameter_source(option.name or "")
    configured = quick_option(CONFIG, "journal", "file") if source is not None and source.name == "DEFAULT" else None
    return Path(configured) if isinstance(configured, str) else journal


JournalFile = Annotated[
    Path,
    typer.Option(
        "--journal", metavar="FILE", envvar="CROUPIER_JOURNAL", callback=_configured_journal,
        help="The journal; by default the one that croupier.toml names.",
    ),
]  # fmt: skip
Log = Annotated[
    str | None,
    typer.Argument(metavar="LOG", help="A table log; - for standard input; by default a game of the journal."),
]
Game = Annotated[
    int | None,
    typer.Option("--game", metavar="N", min=1, help="The number of the game in the journal; by default the newest."),
]
Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="The address to listen on; 0.0.0.0 is open to the whole network.")
]
Port = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=65535, help="The port of the page; by default the first free one.")
]
