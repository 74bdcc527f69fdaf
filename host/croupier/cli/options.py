"""Arguments and options that several commands share, with the checks of their values."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer

from cardsight.headers import PICTURES
from croupier.cards import DECKS
from croupier.files import CONFIG, parse_toml, read_toml


def examples(*lines: str) -> str:
    """The end of a help text: command lines that can be tried."""
    # \b keeps the lines of the paragraph apart.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one line for each result.")]
ConfigFile = Annotated[Path, typer.Option("--config", metavar="FILE", help="The file that describes the table.")]


def with_folders(images: list[str] | None) -> list[str]:
    """Replace each folder by the pictures in it, in the order of their names."""
    return [path for image in images or [] for path in _in_folder(image)]


def _in_folder(image: str) -> list[str]:
    if not Path(image).is_dir():
        return [image]
    try:
        inside = sorted(str(path) for path in Path(image).iterdir() if path.suffix.lower() in PICTURES)
    except PermissionError:
        raise typer.BadParameter(f"{image}: no right to look into this folder; allow it, or ask its owner") from None
    if not inside:
        raise typer.BadParameter(
            f"{image}: no pictures in this folder; expected some that end in {', '.join(PICTURES)}"
        )
    return inside


Images = Annotated[
    list[str],
    typer.Argument(
        metavar="IMAGE",
        help="Pictures, or folders of pictures; - for standard input.",
        show_default=False,
        callback=with_folders,
    ),
]
PictureOut = Annotated[
    str | None,
    typer.Option(
        "--picture",
        metavar="OUT.png",
        help="Draw what was read onto the picture; with several pictures, onto OUT-1.png, OUT-2.png, …",
    ),
]
DeckProfileOption = Annotated[
    str | None,
    typer.Option(
        "--deck-profile",
        metavar="FILE",
        help="Your own deck, as croupier enroll learned it; by default the one that croupier.toml names.",
    ),
]


def _known_deck(name: str) -> str:
    if name not in DECKS:
        raise typer.BadParameter(f"there is no deck {name!r}; expected one of {', '.join(DECKS)}")
    return name


Deck = Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(DECKS)}.", callback=_known_deck)]

JOURNAL: Final = Path("croupier.journal")
"""In the folder where the program is started, as `croupier.toml`."""


def _configured_journal(context: typer.Context, option: typer.CallbackParam, journal: Path) -> Path:
    """The journal that is named, else that of `croupier.toml`. Mistakes in that file are left to other readers."""
    source = context.get_parameter_source(option.name or "")
    if source is None or source.name != "DEFAULT":
        return journal
    with suppress(OSError, ValueError, KeyError, TypeError):
        return Path(parse_toml(read_toml(CONFIG))["journal"]["file"])
    return journal


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
    int | None,
    typer.Option(metavar="N", min=0, max=65535, help="The port of the page; by default the first free one."),
]
