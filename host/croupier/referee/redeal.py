"""Wild Shuffle Hands: all hands are collected, shuffled and dealt anew (``shuffle.hands``).

From the moment the color is named the hands are what they will be when all is dealt, and nobody knows a face in them;
what is still on its way stands in ``to_deal``. So cards are never nowhere.
"""

from __future__ import annotations

from croupier.referee.observations import Redealt
from croupier.referee.phases import REDEAL, TURN
from croupier.referee.rulings import Illegal, Mismatch, Redeal, Rulings, Turn
from croupier.referee.table import Table
from croupier.referee.transitions import DIRECTIONS
from croupier.rules import UNWRITTEN


def collect(table: Table) -> Rulings:
    """The hands are collected; said is how many cards each seat gets, dealt one by one from who laid the card."""
    dealer, after, players = table.turn, table.circle.after[table.direction], table.circle.players
    each, more = divmod(sum(table.hands), len(players))
    table.hands = [each if seat in players else 0 for seat in range(table.book.seats)]
    seat = dealer
    for _ in range(more):
        table.hands[seat] += 1
        seat = after[seat]
    table.forget_hands()
    table.called = table.catchable = 0
    table.to_deal = table.hands.copy()
    table.phase = REDEAL
    return awaited(table)


def awaited(table: Table) -> Rulings:
    """The redeal, as it is still to be done."""
    uneven = len({table.hands[seat] for seat in table.circle.players}) > 1
    basis = table.book.rules.basis("shuffle.hands", "uneven" if uneven else "all")
    return (Redeal(basis, table.turn, tuple(table.to_deal)),)


def redealt(table: Table, obs: Redealt) -> Rulings:
    """Cards reached a seat; with the last of them the next seat is on turn, and a single card wants to be called."""
    if table.phase != REDEAL:
        return (Illegal(UNWRITTEN, obs.seat, "wrong-phase"),)
    if obs.n > table.to_deal[obs.seat]:
        expected = table.to_deal[obs.seat]
        return (Mismatch(UNWRITTEN, "hand", expected, obs.n),)
    table.to_deal[obs.seat] -= obs.n
    if any(table.to_deal):
        return ()
    for seat in table.circle.players:
        if table.hands[seat] == 1:
            table.catchable |= 1 << seat
            table.touched[seat] = (obs.t, obs.u)
    table.watch = table.catchable != 0
    table.phase, table.turn = TURN, table.next_seat
    basis = table.book.rules.basis("shuffle.hands", "turn")
    return (Turn(basis, table.turn, DIRECTIONS[table.direction]),)
