"""Announcements of a game for screen readers, in three levels of detail; `static/spoken.js` speaks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from croupier.game_views.offers import Offers
from croupier.game_views.story import Story
from croupier.game_views.view import TableView
from croupier.i18n import _, ngettext
from croupier_rules.referee import Ruling

MINE, EVENTS, EVERYTHING = 1, 2, 3
"""The levels: what concerns the player, what happens, and the counts of cards too."""

_LAST: Final = 8
"""Moments: several may come at once."""
_IN_STANDING: Final = ("turn", "color")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A ``text`` on the moment ``n``, said from the level ``detail`` on. ``id``: of its element, ``counts`` that of the
    counts of cards, which are also said with how it stands, when asked for."""

    id: str
    n: int
    detail: int
    text: str


def sentences(
    story: Story, view: TableView, seat: int | None, offers: Offers | None, reader: int | None
) -> Iterator[Sentence]:
    """Return the announcements of the last moments for the page of ``seat``, or for a spectator; the oldest first.
    ``reader``: the seat of the player who is addressed."""
    now, is_asked = view.moment, offers is not None and offers.is_asked
    for moment in story.moments[max(1, now.n + 1 - _LAST) : now.n + 1]:
        told = story.describe(moment, reader)
        # How it stands follows.
        left_out = _IN_STANDING if is_asked and moment is now else ()
        text = " ".join((told.seen, *(ruling.text for ruling in told.rulings if ruling.name not in left_out)))
        concerns = moment.is_over or moment.actor == seat or any(_concerns(one, seat) for one in moment.rulings)
        yield Sentence(f"told-{moment.n}", moment.n, MINE if concerns else EVENTS, text)
    if is_asked:
        is_mine = view.on_turn is not None and view.on_turn.number == seat
        yield Sentence(
            f"asked-{now.n}", now.n, MINE, " ".join(([_("Your turn") + "."] if is_mine else []) + [view.standing])
        )
    counts = ", ".join(f"{one.name}: {ngettext('{n} card', '{n} cards', one.cards)}" for one in view.in_turn)
    yield Sentence("counts", now.n, EVERYTHING, f"{counts}.")


def _concerns(ruling: Ruling, seat: int | None) -> bool:
    named = (getattr(ruling, "seat", None), getattr(ruling, "to", None), *getattr(ruling, "seats", ()))
    return seat is not None and seat in named
