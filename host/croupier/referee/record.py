"""The record itself: hands that are shown, trouble and going on, and reports on what the document does not play."""

from __future__ import annotations

from croupier.cards import PLAIN
from croupier.referee.end_of_round import settle
from croupier.referee.game_constants import UNKNOWN
from croupier.referee.observations import Fault, Hint, Resumed, Shown, Tick
from croupier.referee.phases import CHALLENGE, DRAWN, HAS_TURN
from croupier.referee.piles import kinds_of, known_as, penalize, see
from croupier.referee.rulings import CannotTell, Illegal, Mismatch, Rulings, Void
from croupier.referee.table import Table
from croupier.referee.wild import judge
from croupier.rules import UNWRITTEN


def shown(table: Table, obs: Shown) -> Rulings:
    """A hand was shown: its faces are known now, and answer a challenge or the question of the points."""
    seat, cards = obs.seat, obs.cards
    if len(cards) != table.hands[seat]:
        return (Mismatch(UNWRITTEN, "hand", table.hands[seat], len(cards)),)
    new = kinds = kinds_of(cards)
    known = table.known[seat]
    missing: tuple[int, ...] = ()
    if known:
        new, missing = _compared(known, kinds)
    if len(missing) > len(cards) - len(kinds):
        # The record has a face in this hand that is not there.
        plain = PLAIN[missing[0]]
        return (Mismatch(UNWRITTEN, "card", _count(known, plain), _count(kinds, plain)),)
    if mismatch := see(table, new):
        return (mismatch,)
    table.known[seat] = kinds + missing
    if table.phase == DRAWN and seat == table.turn:
        _look_for_drawn(table, known, new)
    if table.phase == CHALLENGE and seat == table.turn and table.challenger != UNKNOWN:
        return judge(table, cards)
    if len(table.known[seat]) < table.hands[seat]:
        return (CannotTell(UNWRITTEN, "play", (seat,)),)
    return settle(table)


def _compared(known: tuple[int, ...], kinds: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which of the cards that are seen (``kinds``) were not known before, and which that were are not seen now."""
    new, missing = list(kinds), []
    # The very face goes before its like, which is another by the icon alone.
    for kind in sorted(known, key=lambda kind: kind not in kinds):
        like = known_as(new, kind)
        if like != UNKNOWN:
            new.remove(like)
        else:
            missing.append(kind)
    return tuple(new), tuple(missing)


def _count(kinds: tuple[int, ...], plain: int) -> int:
    return [PLAIN[kind] for kind in kinds].count(plain)


def _look_for_drawn(table: Table, known: tuple[int, ...], new: tuple[int, ...]) -> None:
    """The hand was shown after a draw: if nobody saw the card drawn, it is one of those not known before."""
    now = table.known[table.turn]
    if table.drawn != UNKNOWN:
        table.drawn = known_as(now, table.drawn)
    elif table.held is None and len(known) < table.hands[table.turn]:
        held = list(now)
        for kind in new:
            held.remove(kind)
        table.held = tuple(held)
        if len(new) == 1 and len(held) + 1 == table.hands[table.turn]:
            table.drawn = new[0]


def fault(table: Table, obs: Fault) -> Rulings:
    """The machine reports trouble: play is paused."""
    table.paused = True
    return ()


def resumed(table: Table, obs: Resumed) -> Rulings:
    """Play goes on where it was."""
    table.paused = False
    return ()


def tick(table: Table, obs: Tick) -> Rulings:
    """Time passed; no document sets a limit."""
    return ()


def hint(table: Table, obs: Hint) -> Rulings:
    """A seat told another what to play: where the document speaks of it, it draws (``penalty.hint``)."""
    rules, seat = table.book.rules, obs.seat
    if rules.value("penalty.hint") == "none":
        return (Void(UNWRITTEN, seat, "not-in-document"),)
    if table.phase not in HAS_TURN or table.out >> seat & 1:
        return (Illegal(UNWRITTEN, seat, "wrong-phase"),)
    return penalize(table, rules.basis("penalty.hint"), seat, rules.number("penalty.hint"), "hint")
