"""Drawing from the draw pile, and what happens when it runs out; no face more often than the deck holds it."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from croupier.cards import PLAIN
from croupier.referee.book import KIND_SEEN, UNKNOWN
from croupier.referee.observations import Recycled
from croupier.referee.rulings import (
    CannotTell,
    ChooseColor,
    Draw,
    Eliminated,
    GameOver,
    MayChallenge,
    Mismatch,
    Recycle,
    RoundOver,
    Ruling,
    Rulings,
    Score,
    Short,
    ShowHand,
    Skip,
    Turn,
)
from croupier.referee.table import Table
from croupier.rules import UNWRITTEN

_ORDER: Final[dict[type[Any], int]] = {
    kind: place
    for place, kind in enumerate(
        (CannotTell, Mismatch, Draw, Skip, Recycle, Short, RoundOver, Score, Eliminated, GameOver), start=1
    )
} | dict.fromkeys((ChooseColor, MayChallenge, ShowHand, Turn), 99)


def in_order(*rulings: Ruling) -> Rulings:
    """The rulings of one observation in the order of the table log: found, drawn, over, awaited."""
    return tuple(sorted(rulings, key=lambda ruling: _ORDER.get(type(ruling), 0)))


def kinds_of(cards: tuple[str, ...], n: int) -> tuple[int, ...]:
    """The kinds of ``n`` cards of which ``cards`` were seen."""
    return tuple([KIND_SEEN[card] for card in cards]) + (UNKNOWN,) * (n - len(cards))


def too_many(table: Table, kinds: tuple[int, ...]) -> Ruling | None:
    """The mismatch, where one of these cards would be in play more often than the deck holds it."""
    for kind, n in Counter([PLAIN[kind] for kind in kinds if kind != UNKNOWN]).items():
        if n > table.unseen[kind]:
            held = table.book.deck[kind]
            return Mismatch(UNWRITTEN, "card", held, held - table.unseen[kind] + n)
    return None


def take(table: Table, seat: int, kinds: tuple[int, ...]) -> Ruling | None:
    """The seat takes these cards from the draw pile; or the mismatch that makes it impossible, and nothing changed."""
    n = len(kinds)
    if n > table.draw_pile:
        return Mismatch(UNWRITTEN, "pile", table.draw_pile, n)
    if mismatch := too_many(table, kinds):
        return mismatch
    table.locate(kinds)
    table.draw_pile -= n
    table.hands[seat] += n
    table.known[seat] += tuple([kind for kind in kinds if kind != UNKNOWN])
    # A call lapses when the hand grows; and where no window closes, nobody is caught with a hand that grew.
    table.called &= ~(1 << seat)
    if not table.book.closes_at_all:
        table.catchable &= ~(1 << seat)
    return None


def run_out(table: Table) -> list[Ruling]:
    """What to do about a draw pile that is empty: make a new one, or waive what cannot be drawn."""
    if table.draw_pile:
        return []
    if table.discard_pile > 1:
        return [Recycle(table.book.rules.basis("pile.exhausted", "recycle"))]
    basis = table.book.rules.basis("pile.exhausted", "short")
    rulings: list[Ruling] = [Short(basis, seat, owed) for seat, owed in enumerate(table.owed) if owed]
    for seat in range(table.book.seats):
        table.owe(seat, -table.owed[seat])
    return rulings


def is_dry(table: Table) -> bool:
    """Whether no card can be drawn, nor any be made to draw."""
    return not table.draw_pile and table.discard_pile <= 1


def recycled(table: Table, obs: Recycled) -> Rulings:
    """The discard pile, less its top card, became the draw pile: its faces are unseen again."""
    if table.discard_pile > 1:
        table.draw_pile += table.discard_pile - 1
        table.discard_pile = 1
        table.unseen = table.book.deck.copy()
        table.locate((table.top,))
        for known in table.known:
            table.locate(known)
    return ()
