"""The hands of a round for a score sheet: read from pictures, or typed. Each card is known in the end, or asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from cardsight.headers import PICTURES
from cardsight.sighting import Sighting
from croupier.config import CONFIG
from croupier.ctrl_c import Ask
from croupier.errors import BadScore
from croupier.i18n import _
from croupier.pictures.readings import Read, Still, scored_face
from croupier.pictures.video import is_video
from croupier_rules.cards import UNREAD
from croupier_tally.readings import (
    Unreadable,
    answered_size,
    counted,
    how_many,
    is_at_edge,
    is_faulty,
    may_hide_text,
    other_size,
    points_in,
    print_cards,
)
from croupier_tally.sources import read_sources

Face = Callable[[str], str | None]
"""Returns the card that a typed text means; None if it means none."""
_NO_CARD: Final = "-"


def is_picture(source: str) -> bool:
    """True if a hand is a picture, a video or the camera; otherwise its cards are typed."""
    path = Path(source)
    return source == "-" or is_video(source) or path.suffix.lower() in PICTURES or path.is_file()


def typed_cards(text: str, face: Face) -> tuple[str, ...]:
    """The cards of a typed hand, such as ``red-7,wild`` or ``r7 +4``. Raises `BadScore`."""
    words = [word for word in text.split(",") if word.strip()]
    if len(words) == 1 and face(text) is None:
        words = text.split()
    cards = [(word, face(word)) for word in words]
    for word, card in cards:
        if card is None:
            raise BadScore(
                _("{word}: neither a card nor a picture; expected such as red-7,blue-2 or hand.jpg", word=word.strip())
            )
    return tuple(card for _word, card in cards if card is not None)


def read_hand(
    name: str, source: str, readers: Callable[[], tuple[Read, Still]], face: Face, ask: Ask | None,
    config: Path = CONFIG, *, size: int | None = None, held: Mapping[str, int] | None = None,
) -> tuple[str, ...] | None:  # fmt: skip
    """Read the hand of a player from a picture, a video or the camera, and print its cards.

    ``readers``: as `table_reader.hand_readers`. ``size``: the number of cards, if people counted them: if so many are
    known, nothing else is a card. ``held``: as in `read_sources`. ``ask``: asks for what cannot be read; None: nobody
    can be asked. Without a ``size`` it asks first for it where a card of a picture is unknown, or may lie hidden, and
    the picture is read again with it.

    Return None if a card remains unknown, none lies face up, there are not so many as people counted, some may lie
    hidden and nobody tells their number, or the camera did not show all of them.

    Raises:
        BadScore: the file is no picture.
    """
    read, still = readers()
    found: list[str | None] = []
    is_spoilt = False
    numbers = [] if size is None else [size]
    for _place, seen in read_sources([source], read, "", config, still=still, numbers=numbers, held=held):
        if isinstance(seen, Unreadable):
            raise BadScore(f"{seen.image}: {seen.error}")
        cards = seen.reading.cards
        print_cards(seen, points_in(cards))
        is_spoilt |= is_faulty(seen.reading)
        if any(card.face == UNREAD and is_at_edge(card, seen.reading.size) for card in cards):
            print("  " + _("a card is cut off by the edge of the picture: take the picture again from further away"))
        if is_spoilt:
            continue
        is_open = seen.reading.may_hide or _known(cards) != cards
        if size is None and ask is not None and is_open and not is_video(source):
            size = answered_size(ask(how_many(name, len(cards))), len(cards))
            if size is not None:
                again = counted(seen, still, size)
                if again.reading.cards != cards:
                    print_cards(again, points_in(again.reading.cards))
                cards = again.reading.cards
        cards = known if len(known := _known(cards)) == size else cards
        if seen.reading.may_hide and size is None:
            advice = _("type the cards of this hand, as in {name}=red-7,blue-2", name=name)
            print(f"  {name}: {may_hide_text()}; {advice}")
            return None
        found += _named(name, cards, face, ask, begin=len(found))
    if is_spoilt:
        return None
    if not found:
        print("  " + _("no card face up was found: photograph the whole hand from above"))
    hand = tuple(card for card in found if card is not None)
    if size is not None and len(hand) != size:
        print("  " + other_size(size))
        return None
    return hand if hand and None not in found else None


def _known(cards: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """Return the cards whose points are known."""
    return tuple(card for card in cards if scored_face(card) is not None)


def _named(name: str, cards: Sequence[Sighting], face: Face, ask: Ask | None, begin: int) -> Iterator[str | None]:
    """Yield each card, those that could not be read as they are answered; None where nobody answers."""
    for place, card in enumerate(cards, begin + 1):
        if (scored := scored_face(card)) is not None:
            yield scored
            continue
        candidates = [one for one, _share in card.candidates[:3]]
        which = _("{name}, card {n}", name=name, n=place) + f" ({' / '.join(candidates)}?)" * bool(candidates)
        if ask is None:
            advice = _("could not be read; type the cards of this hand, as in {name}=red-7,blue-2", name=name)
            print(f"  {which}: {advice}")
            yield None
            continue
        or_none = _("- if it is no card")
        answer = ask(f"  {which}, {or_none}: ").strip()
        while answer not in ("", _NO_CARD) and face(answer) is None:
            answer = ask("  " + _("That is no card; expected such as red 7, r7, +4:") + " ").strip()
        if answer != _NO_CARD:
            yield face(answer)
