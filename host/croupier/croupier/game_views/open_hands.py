"""Hands laid open at the end of a round at the live table: whose is next, and what the camera sees of it."""

from __future__ import annotations

from croupier.game_views.story import Story
from croupier.i18n import _, ngettext
from croupier.table_api.live_table import LiveTableState
from croupier_rules.cards import UNREAD


def hands_due(story: Story, table: LiveTableState | None) -> tuple[int, ...]:
    """Return the seats whose hands are to be laid open, in the order in which the table takes them."""
    order = () if table is None or table.open_hands is None else table.open_hands.due
    return tuple(sorted(story.hands_to_show, key=lambda seat: order.index(seat) if seat in order else len(order)))


def hand_in_sight(story: Story, table: LiveTableState | None) -> tuple[str, ...]:
    """Return the cards that the camera sees of the hand that is next; of the other hands it sees none."""
    return () if table is None or table.open_hands is None or not story.hands_to_show else table.open_hands.cards


def sight(story: Story, table: LiveTableState, names: tuple[str, ...], held: list[int]) -> str:
    """Return what is wrong with the hand that lies open; "" if nothing is. ``held``: the numbers of cards."""
    seen, due = table.open_hands, hands_due(story, table)
    if seen is None or not due:
        return ""
    name, n, of_all = names[due[0]], len(seen.cards), held[due[0]]
    if seen.must_be_taken_up:
        return _("Take up the cards that lie there, then lay down the hand of {name}.", name=name)
    if UNREAD in seen.cards:
        return _("{name}: not every card can be read. Spread them so that no card hides another.", name=name)
    if n > of_all:
        return _("{name}: {n} cards lie there, but the hand has {all}.", name=name, n=n, all=of_all)
    if n and n < of_all:
        return ngettext(
            "{name}: {n} of {all} cards is seen. Lay the others beside it.",
            "{name}: {n} of {all} cards are seen. Lay the others beside them.",
            n, name=name, all=of_all,
        )  # fmt: skip
    return ""
