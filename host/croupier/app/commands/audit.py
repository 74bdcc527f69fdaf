"""`croupier audit`: is the deck complete?"""

from __future__ import annotations

from typing import Annotated

import typer

from croupier.app.commands.read import AsJson, DeckProfileOption, Images
from croupier.cards import DECKS


def _known_deck(name: str) -> str:
    if name not in DECKS:
        raise typer.BadParameter(f"there is no deck {name!r}; expected one of {', '.join(DECKS)}")
    return name


Deck = Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(DECKS)}.", callback=_known_deck)]


def audit(
    images: Images,
    deck: Deck = "g7942",
    as_json: AsJson = False,
    deck_profile: DeckProfileOption = None,
) -> int:
    """Count the cards in all pictures together: is the deck complete?

    Each picture must show other cards: a card that lies in two pictures is counted twice.
    """
    from croupier.app.reading.audit import report
    from croupier.app.reading.own_deck import deck_reader

    return report(images, deck_reader(deck_profile), deck, as_json=as_json)
