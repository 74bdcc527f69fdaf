"""`croupier read`: which cards lie in each picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cardsight.headers import PICTURES
from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG


def with_folders(images: list[str] | None) -> list[str]:
    """A folder stands for the pictures in it, in the order of their names."""
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


def drawn_on(picture: str | None, images: Sequence[str]) -> str | None:
    """``picture``, if there is something to draw on: a video has a picture for each of its cards."""
    from croupier.pictures.run_through import is_moving

    if picture is not None and any(map(is_moving, images)):
        raise typer.BadParameter("--picture draws onto pictures; leave it out for a video or the camera")
    return picture


Images = Annotated[
    list[str],
    typer.Argument(
        metavar="IMAGE",
        help="Pictures, or folders of them; - for standard input.",
        show_default=False,
        callback=with_folders,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON line for each picture, as soon as it is read.")]
PictureOut = Annotated[
    str | None,
    typer.Option(
        "--picture",
        metavar="OUT.png",
        help="Draw what was read onto the picture; of several pictures onto OUT-1.png, OUT-2.png, …",
    ),
]
DeckProfileOption = Annotated[
    str | None,
    typer.Option(
        "--deck-profile",
        metavar="FILE",
        help="Your own deck, as croupier enroll learned it; else the one that croupier.toml names.",
    ),
]


def read(
    images: Images,
    as_json: AsJson = False,
    picture: PictureOut = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Say which cards lie in each picture, how sure, and where.

    Of a video (.mp4, .mov, .mkv, .avi, .webm), or of the table's camera (camera), each card that is shown is told, once
    it lies still.
    """
    from croupier.pictures.own_deck import deck_reader
    from croupier.pictures.read import report

    read = deck_reader(deck_profile, config)
    return report(images, read, as_json=as_json, picture=drawn_on(picture, images), config=config)
