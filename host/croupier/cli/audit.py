"""`croupier audit`: is the deck complete?"""

from __future__ import annotations

from typing import Annotated

import typer

from croupier.cards import DECKS
from croupier.cli.read import AsJson, DeckProfileOption, Images, PictureOut, drawn_on
from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG


def _known_deck(name: str) -> str:
    if name not in DECKS:
        raise typer.BadParameter(f"there is no deck {name!r}; expected one of {', '.join(DECKS)}")
    return name


Deck = Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(DECKS)}.", callback=_known_deck)]


def audit(
    images: Images,
    deck: Deck = "g7942",
    as_json: AsJson = False,
    picture: PictureOut = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Is a deck complete? Are worn cards in it, or those of another?

    The cards of all pictures are counted together. Each picture must show other cards: a card that lies in two pictures
    is counted twice. A video (.mp4, .mov, .mkv, .avi, .webm) shows the cards one after the other, laid on a pile or
    held before the camera, each still for a moment.
    """
    from croupier.pictures.audit import report
    from croupier.pictures.condition import Condition
    from croupier.pictures.own_deck import profile_path, reader_and_profile

    picture = drawn_on(picture, images)
    reader, profile = reader_and_profile(profile_path(deck_profile, config))
    return report(images, reader.read, deck, Condition(profile), as_json=as_json, picture=picture, config=config)
