"""`croupier read`: which cards lie in each picture."""

from __future__ import annotations

from typing import Annotated

import typer

Images = Annotated[
    list[str], typer.Argument(metavar="IMAGE", help="Pictures; - for standard input.", show_default=False)
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
    images: Images, as_json: AsJson = False, picture: PictureOut = None, deck_profile: DeckProfileOption = None
) -> int:
    """Say which cards lie in each picture, how sure, and where."""
    from croupier.app.reading.own_deck import deck_reader
    from croupier.app.reading.read import report

    return report(images, deck_reader(deck_profile), as_json=as_json, picture=picture)
