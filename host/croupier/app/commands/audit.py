"""`croupier audit`: is the deck complete?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from croupier.app.commands.read import AsJson, Images
from croupier.cards import DECKS

if TYPE_CHECKING:
    from croupier.app.audit import Audit
    from croupier.app.pictures import Read


def _known_deck(name: str) -> str:
    if name not in DECKS:
        raise typer.BadParameter(f"there is no deck {name!r}; expected one of {', '.join(DECKS)}")
    return name


def audit(
    images: Images,
    deck: Annotated[str, typer.Option(help=f"One of {', '.join(DECKS)}.", callback=_known_deck)] = "g7942",
    as_json: AsJson = False,
) -> int:
    """Count the cards in all pictures together: is the deck complete, what is missing, what is too much?

    Each picture must show other cards: a card that lies in two pictures is counted twice.
    """
    from croupier.app.pictures import card_reader

    return report(images, card_reader(), deck, as_json=as_json)


def report(images: Sequence[str], read: Read, deck: str, *, as_json: bool = False) -> int:
    """Audit ``deck`` in what ``read`` reads in the pictures.

    Returns 0 where it is complete, 1 where it is not or that cannot be told, 2 where one of the files was no picture.
    """
    from croupier.app.audit import audit as count_deck
    from croupier.app.pictures import Seen, see

    readings = []
    for seen in see(images, read, "audit"):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Seen):
            readings.append(seen.reading)
    found = count_deck(deck, readings)
    all_seen = len(readings) == len(images)
    # A deck that looks incomplete is not known to be, as long as a picture could not be seen.
    complete = found.complete if all_seen else None
    if as_json:
        print(json.dumps(asdict(found) | {"complete": complete}))
    else:
        _print_audit(found, complete)
    if not all_seen:
        return 2
    return 0 if complete else 1


def _print_audit(found: Audit, complete: bool | None) -> None:
    """The answer first, then what it rests on."""
    answer = {True: "complete", False: "not complete", None: "cannot tell"}[complete]
    print(f"{found.deck}: {answer}. {found.read} cards read of {found.expected}.")
    for what, faces in (("missing", found.missing), ("too many", found.extra)):
        if faces:
            print(f"  {what}: {_in_words(faces)}")
    if found.unreadable:
        print(f"  not readable: {found.unreadable}; `croupier read` says where they lie")
    if found.face_down:
        print(f"  face down: {found.face_down}; turn them over")
    if found.extra:
        print("  A card that lies in two pictures is counted twice.")


def _in_words(faces: Mapping[str, int]) -> str:
    return ", ".join(face if n == 1 else f"{n} x {face}" for face, n in faces.items())
