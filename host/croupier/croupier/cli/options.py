"""Arguments and options that several commands share, with the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from croupier.cli.help_texts import filled
from croupier.errors import BadDeck
from croupier.files import CONFIG, parse_toml, read_toml
from croupier.i18n import _
from croupier_rules.cards import DECKS

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one line for each result.")]
ConfigFile = Annotated[Path, typer.Option("--config", metavar="FILE", help="The file that describes the table.")]


def with_folders(images: list[str] | None) -> list[str]:
    """Replace each folder by the pictures in it, in the order of their names."""
    return [path for image in images or [] for path in in_folder(image)]


def in_folder(image: str) -> list[str]:
    """The pictures in a folder, in the order of their names; of anything else, only itself."""
    if not Path(image).is_dir():
        return [image]

    from cardsight.headers import PICTURES

    try:
        inside = sorted(str(path) for path in Path(image).iterdir() if path.suffix.lower() in PICTURES)
    except PermissionError:
        text = _("{folder}: no right to look into this folder; allow it, or ask its owner", folder=image)
        raise typer.BadParameter(text) from None
    if not inside:
        kinds = ", ".join(PICTURES)
        raise typer.BadParameter(
            _("{folder}: no pictures in this folder; expected some that end in {kinds}", folder=image, kinds=kinds)
        )
    return inside


Images = Annotated[
    list[str],
    typer.Argument(
        metavar="IMAGE", help="Pictures, or folders of pictures; - for standard input.", show_default=False,
        callback=with_folders,
    ),
]  # fmt: skip


_PICTURE: Final = "Write the picture with what was read marked in it; several pictures to OUT-1.png, OUT-2.png, …"
PictureOut = Annotated[str | None, typer.Option("--picture", metavar="OUT.png", help=_PICTURE)]


def drawn_on(picture: str | None, images: Sequence[str]) -> str | None:
    """Return ``picture``; reject it for videos, which have many pictures."""
    from croupier.pictures.video import is_video

    if picture is not None and any(map(is_video, images)):
        raise typer.BadParameter(_("--picture is for pictures only; leave it out for a video or the camera"))
    return picture


_PROFILE: Final = "Your own deck, as croupier enroll learned it; by default the one that croupier.toml names."
DeckProfileOption = Annotated[str | None, typer.Option("--deck-profile", metavar="FILE", help=_PROFILE)]


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


def _deck_or_file(name: str | None) -> str | None:
    from croupier.pictures.decks import check_name

    try:
        return name if name is None else check_name(name)
    except BadDeck as err:
        raise typer.BadParameter(str(err)) from err


_FILE: Final = "The deck, one of {names}, or a deck file (.toml); by default that of croupier.toml, else g7942."
DeckOrFile = Annotated[
    str | None,
    typer.Option("--deck", metavar="NAME", help=filled(_FILE, names=", ".join(DECKS)), callback=_deck_or_file),
]
DeckInPlay = Annotated[
    str | None,
    typer.Option(
        "--deck",
        metavar="NAME",
        callback=_deck_or_file,
        help=filled(
            "The deck, one of {names}, or a deck file (.toml): no card is read more often than it has it. By default "
            "that of croupier.toml; otherwise any that fits what is seen.",
            names=", ".join(DECKS),
        ),
    ),
]

House = Annotated[
    str | None,
    typer.Option("--house", metavar="NAME", help="With house rules that `croupier rules presets` lists."),
]

JOURNAL: Final = Path("croupier.journal")
"""In the folder where the program is started, as `croupier.toml`."""


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
