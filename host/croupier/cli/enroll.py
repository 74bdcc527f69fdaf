"""`croupier enroll`: learns the user's own deck."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier.cards import BACK, is_face
from croupier.cli.audit import Deck
from croupier.cli.read import PictureOut, drawn_on, with_folders
from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG


def _known_faces(faces: list[str]) -> list[str]:
    for face in faces:
        if not is_face(face) and face != BACK:
            raise typer.BadParameter(f"there is no card {face!r}; expected such as red-7, wild-draw4 or back")
    return faces


def enroll(
    images: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="IMAGE",
            help="Pictures of the cards, folders of them, or videos; camera: that of croupier.toml.",
            show_default=False,
            callback=with_folders,
        ),
    ] = None,
    deck_profile: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where what was learned is kept; without: in the file that croupier.toml names, else my.deck.",
        ),
    ] = None,
    deck: Deck = "g7942",
    names: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A list of which cards lie in which picture, a line each: table.jpg: red-7 wild …"
        ),
    ] = None,
    forget: Annotated[
        list[str],
        typer.Option(metavar="FACE", help="Forget what was learned of a face first.", callback=_known_faces),
    ] = [],  # noqa: B006  Typer makes a new one for each run
    renew: Annotated[
        bool, typer.Option("--renew", help="Learn what is in the profile anew, after the card reader was updated.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON line for each picture, and one at the end.")
    ] = False,
    picture: PictureOut = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Learn your own deck, so that any edition can be read.

    Show each face once: lay the cards out in a few pictures, or take one picture of each. Which card is which, the
    name of the file says (red-7.jpg, red-7_2.jpg, back.jpg), or a list (--names), or else the reader where it is
    sure; at a terminal you are asked about the others. Of a video, and of the table's camera, each card that is shown
    is taken. Run it again with more pictures to go on.
    """
    from cardsight.reader import Reader
    from croupier.pictures.enroll import opened, report, terminal
    from croupier.pictures.names import Names, read_names
    from croupier.pictures.own_deck import profile_path
    from croupier.pictures.pictures import shipped_model

    path = profile_path(deck_profile, config) or Path("my.deck")
    if not images and not (forget or renew):
        raise typer.BadParameter("no pictures; expected some of your cards, as in croupier enroll cards/*.jpg")
    model = shipped_model()
    return report(
        images or [],
        Reader(model).read,
        opened(path, model, forget, renew=renew),
        path,
        deck,
        Names() if names is None else read_names(names),
        ask=None if as_json else terminal(),
        as_json=as_json,
        picture=drawn_on(picture, images or []),
        config=config,
    )
