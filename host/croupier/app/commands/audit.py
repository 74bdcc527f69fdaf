"""`croupier audit`: is the deck complete?"""

from __future__ import annotations

from typing import Annotated

import typer

from croupier.app.commands.read import AsJson, Images
from croupier.cards import DECKS


def _known_deck(name: str) -> str:
    if name not in DECKS:
        raise typer.BadParameter(f"there is no deck {name!r}; expected one of {', '.join(DECKS)}")
    return name


def audit(
    images: Images,
    deck: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of {', '.join(DECKS)}.", callback=_known_deck)
    ] = "g7942",
    as_json: AsJson = False,
) -> int:
    """Count the cards in all pictures together: is the deck complete?

    Each picture must show other cards: a card that lies in two pictures is counted twice.
    """
    from croupier.app.reading.audit import report
    from croupier.app.reading.pictures import card_reader

    return report(images, card_reader(), deck, as_json=as_json)
