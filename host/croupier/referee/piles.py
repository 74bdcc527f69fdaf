"""Drawing from the draw pile, and what happens when it runs out; no face more often than the deck holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from croupier.cards import PLAIN
from croupier.referee.game_constants import KIND_SEEN, UNKNOWN
from croupier.referee.observations import Recycled
from croupier.referee.rulings import (
    CannotTell,
    Caught,
    ChallengeOutcome,
    ChooseColor,
    ColorIs,
    Draw,
    Eliminated,
    GameOver,
    HouseRuleIs,
    Illegal,
    MayChallenge,
    Mismatch,
    Recycle,
    Redeal,
    ReturnCard,
    RoundOver,
    Ruling,
    Rulings,
    Score,
    Short,
    ShowHand,
    Skip,
    Turn,
    UnoStands,
    Void,
    Warn,
)
from croupier.referee.table import Table
from croupier.rules import UNWRITTEN, Basis

_FOUND: Final = (Illegal, Void, Warn, UnoStands, Caught, ChallengeOutcome, ReturnCard, ColorIs, HouseRuleIs)
_SAID_THEN: Final = (CannotTell, Mismatch, Draw, Skip, Recycle, Short, RoundOver, Score, Eliminated, GameOver)
_AWAITED: Final = (ChooseColor, MayChallenge, ShowHand, Redeal, Turn)
_ORDER: Final[dict[type[Any], int]] = {
    kind: place for place, kind in enumerate((*_FOUND, *_SAID_THEN, *_AWAITED), start=1)
}


def in_order(*rulings: Ruling) -> Rulings:
    """The rulings of one observation in the order of the table log: found, drawn, over, awaited."""
    return tuple(sorted(rulings, key=_place)) if len(rulings) > 1 else rulings


def _place(ruling: Ruling) -> int:
    return _ORDER.get(type(ruling), 0)


def kinds_of(cards: tuple[str, ...]) -> tuple[int, ...]:
    """The kinds of those cards that could be read."""
    kinds = tuple(map(KIND_SEEN.__getitem__, cards))
    return kinds if UNKNOWN not in kinds else tuple([kind for kind in kinds if kind != UNKNOWN])


def known_as(known: Sequence[int], kind: int) -> int:
    """As which of the known cards a hand holds a card of this kind; `UNKNOWN`: as none of them.

    The icon on a number is easily overlooked, so ``red-5`` is also that ``red-5*`` of which nothing else is known.
    """
    if kind in known:
        return kind
    return next((like for like in known if PLAIN[like] == PLAIN[kind]), UNKNOWN)


def too_often(table: Table, plain: int) -> Ruling:
    """One card more of this kind would be in play than the deck holds."""
    return Mismatch(UNWRITTEN, "card", table.book.deck[plain], table.book.deck[plain] + 1)


def see(table: Table, kinds: tuple[int, ...]) -> Ruling | None:
    """These cards were not seen before and are now; or the mismatch, where the deck does not hold so many."""
    unseen, plain_of, too_many = table.unseen, PLAIN, UNKNOWN
    for kind in kinds:
        plain = plain_of[kind]
        left = unseen[plain] = unseen[plain] - 1
        if left < 0:
            too_many = plain
    if too_many == UNKNOWN:
        return None
    for kind in kinds:
        unseen[PLAIN[kind]] += 1
    return too_often(table, too_many)


def take(table: Table, seat: int, n: int, cards: tuple[str, ...]) -> Ruling | None:
    """The seat takes ``n`` cards from the draw pile, ``cards`` of them seen; or the mismatch, and nothing changed."""
    if n > table.draw_pile:
        return Mismatch(UNWRITTEN, "pile", table.draw_pile, n)
    if cards:
        kinds = kinds_of(cards)
        if mismatch := see(table, kinds):
            return mismatch
        table.known[seat] += kinds
    table.draw_pile -= n
    table.hands[seat] += n
    # A call lapses when the hand grows; and where no window closes, nobody is caught with a hand that grew.
    if table.called:
        table.called &= ~(1 << seat)
    if table.catchable and not table.book.closes_at_all:
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


def penalize(table: Table, basis: Basis, seat: int, n: int, why: str) -> Rulings:
    """The seat is to draw ``n`` cards, because of ``why``; where there are none, that is waived."""
    table.owe(seat, n)
    return (Draw(basis, seat, n, why), *(run_out(table) if is_dry(table) else ()))


def is_dry(table: Table) -> bool:
    """Whether no card can be drawn, nor any be made to draw."""
    return not table.draw_pile and table.discard_pile <= 1


def recycled(table: Table, obs: Recycled) -> Rulings:
    """The discard pile, less its top card, became the draw pile: its faces are unseen again."""
    if table.discard_pile > 1:
        table.draw_pile += table.discard_pile - 1
        table.unseen = list(table.book.deck)
        table.locate((table.up.kind,))
        for known in table.known:
            table.locate(known)
    return ()
