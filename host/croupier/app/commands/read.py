"""`croupier read`: which cards lie in each picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from croupier.app.pictures import Read

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


def read(images: Images, as_json: AsJson = False, picture: PictureOut = None) -> int:
    """Say which cards lie in each picture, how sure that is, and where."""
    from croupier.app.pictures import card_reader

    return report(images, card_reader(), as_json=as_json, picture=picture)


def report(images: Sequence[str], read: Read, *, as_json: bool = False, picture: str | None = None) -> int:
    """Read each picture with ``read`` and print it at once; 2 if one of them was none."""
    from croupier.app.pictures import Unseen, draw, drawing_paths, see

    drawings = drawing_paths(picture, images) if picture else []
    status = 0
    for place, seen in enumerate(see(images, read, "read")):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Unseen):
            status = 2
            continue
        if not as_json:
            from croupier.app.card_list import console, print_cards

            print_cards(console(), seen)
        if drawings:
            draw(seen, drawings[place])
    return status
