"""Arguments and options of the commands that look at pictures of cards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from croupier.cli.help_texts import filled
from croupier.errors import BadDeck
from croupier.i18n import _
from croupier_rules.cards import DECKS


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


def drawn_on(picture: str | None, images: Sequence[str]) -> str | None:
    """Return ``picture``; reject it for videos, which have many pictures."""
    from croupier.pictures.video import is_video

    if picture is not None and any(map(is_video, images)):
        raise typer.BadParameter(_("--picture is for pictures only; leave it out for a video or the camera"))
    return picture


_PROFILE: Final = "Your own deck, as croupier enroll learned it; by default the one that croupier.toml names."
DeckProfileOption = Annotated[str | None, typer.Option("--deck-profile", metavar="FILE", help=_PROFILE)]


def _deck_or_file(name: str | None) -> str | None:
    from croupier_tally.decks import check_name

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
