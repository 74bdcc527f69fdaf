"""A card that was seen more often than the deck holds it: which one, and what the record says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from croupier.game_views.story import Moment, Story
from croupier_rules.cards import DECKS, UNREAD
from croupier_rules.referee.observations import Recycled
from croupier_rules.referee.rulings import Illegal, Mismatch


@dataclass(frozen=True, slots=True)
class Dispute:
    """Lines of the record that cannot both be right. ``face``: the card that the line ``n`` saw once too often;
    ``before``: the last line before it with the same card, 0 if none shows it; ``texts``: what these lines say."""

    face: str
    n: int
    before: int
    texts: tuple[str, str]


def dispute(story: Story, moment: Moment, reader: int | None = None) -> Dispute | None:
    """Return the dispute of the last act up to ``moment``; None if table and record agree about the cards. ``reader``:
    the seat of the player who is addressed."""
    last = story.last_act(moment)
    if last is None or not any(isinstance(one, Mismatch) and one.what == "card" for one in last.rulings):
        return None
    seen = Counter(_faces(last))
    earlier = _in_play(story, last)
    counts = Counter(face for _moment, faces in earlier for face in faces)
    deck = DECKS[story.header.ruleset.deck]
    too_often = [face for face in seen if seen[face] + counts[face] > deck.get(face, 0)]
    if not too_often:
        return None
    face = too_often[0]
    before = next((one for one, faces in reversed(earlier) if face in faces), None)
    texts = story.describe(last, reader).seen, "" if before is None else story.describe(before, reader).seen
    return Dispute(face, last.n, 0 if before is None else before.n, texts)


def _in_play(story: Story, last: Moment) -> list[tuple[Moment, tuple[str, ...]]]:
    """Return the moments before ``last`` that stand and showed cards which are still in play, with these cards."""
    found: list[tuple[Moment, tuple[str, ...]]] = []
    for one in story.standing:
        if one.round != last.round or one.n >= last.n:
            continue
        if isinstance(one.reported, Recycled):
            found = found[-1:]  # all but the up-card went back into the draw pile
        elif not any(isinstance(ruling, Illegal | Mismatch) for ruling in one.rulings):
            found.append((one, tuple(_faces(one))))
    return found


def _faces(moment: Moment) -> Iterator[str]:
    """Yield the cards that everybody could see, without their icons."""
    if moment.obs not in ("play", "upcard", "shown"):
        return
    card, cards = (getattr(moment.reported, name, None) for name in ("card", "cards"))
    for face in (card,) if card is not None else cards or ():
        if face not in (UNREAD, "back"):
            yield face.rstrip("*")
