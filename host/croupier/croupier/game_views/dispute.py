"""A card about which table and record disagree: which one, and the two lines that cannot both be right.

Either it was seen more often than the deck holds it, or a hand that lies open does not have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from croupier.game_views.story import Moment, Story
from croupier.game_views.view import card_view
from croupier.i18n import _
from croupier_rules.cards import DECKS, UNREAD
from croupier_rules.referee.observations import Drew, Recycled, Shown
from croupier_rules.referee.rulings import Illegal, Mismatch


@dataclass(frozen=True, slots=True)
class Dispute:
    """Lines of the record that cannot both be right. ``face``: the card that the line ``n`` saw once too often, or not;
    ``before``: the last line before it with the same card, 0 if none shows it; ``texts``: what these lines say.
    ``missing_in``: who does not have it, though the record says so; "" if it was seen too often."""

    face: str
    n: int
    before: int
    texts: tuple[str, str]
    missing_in: str = ""


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
    missing_in = ""
    if too_often:
        face = too_often[0]
        before = next((one for one, faces in reversed(earlier) if face in faces), None)
    elif isinstance(last.reported, Shown) and last.is_over and (held := _held(story, last, last.reported)):
        face, before, missing_in = *held, last.names[last.reported.seat]
    else:
        return None
    texts = story.describe(last, reader).seen, "" if before is None else story.describe(before, reader).seen
    return Dispute(face, last.n, 0 if before is None else before.n, texts, missing_in)


def title_of(dispute: Dispute, story: Story) -> str:
    """Return the sentence that names the card."""
    card = card_view(dispute.face, story).name
    if dispute.missing_in:
        return _("Not in the hand of {name}: {card}", name=dispute.missing_in, card=card)
    return _("Too many of this card: {card}", card=card)


def _held(story: Story, last: Moment, shown: Shown) -> tuple[str, Moment | None] | None:
    """Return a card that the record has in the hand which was ``shown`` in the moment ``last``, and that was not seen
    there, and the last moment before it that saw it in this hand."""
    missing = Counter(story.recorded_hand(shown.seat)) - Counter(shown.cards)
    if not missing:
        return None
    face = next(iter(missing))
    for one in reversed(story.standing):
        reported = story.reported(one.n) if one.round == last.round and 0 < one.n < last.n else None
        if isinstance(reported, Shown | Drew) and reported.seat == shown.seat and face in reported.cards:
            return face, one
    return face, None


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
