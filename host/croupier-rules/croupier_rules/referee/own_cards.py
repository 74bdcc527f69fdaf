"""Cards that only a deck file knows (``card.own``), and hands that grow too big (``hand.limit``).

Discard All (phase ``discard``): the seat that laid it says how many other cards it laid under it. Known faces of the
color go first. A call of UNO is due when these cards are laid, not before.

Until a color comes (phase ``roulette``): the next seat names the color, and draws until a card of it was seen. Where
nobody sees the cards, its pass ends it.
"""

from __future__ import annotations

from croupier_rules.cards import KIND_SEEN, UNKNOWN
from croupier_rules.referee import end_of_round, stack, uno
from croupier_rules.referee.observations import Discarded, Drew, Observation
from croupier_rules.referee.rulings import (
    DiscardAll,
    Eliminated,
    Illegal,
    Mismatch,
    RoundOver,
    Ruling,
    Rulings,
    Turn,
    TurnUp,
    in_order,
)
from croupier_rules.referee.table import Table, is_dry, known_as, refuse, run_out, see, take
from croupier_rules.referee.transitions import DIRECTIONS, DISCARD, HAS_TURN, ROUND_OVER, STACK, TURN
from croupier_rules.rules import UNWRITTEN, Basis
from croupier_rules.rules.card_tables import NOTHING


def basis(table: Table) -> Basis:
    """Return the basis of the effect of the up-card."""
    return table.constants.rules.basis("card.own", table.cards.effects[table.up.effect].symbol)


def awaited(table: Table) -> Ruling:
    """Return the requests of the table in the phases of these cards."""
    return (DiscardAll if table.phase == DISCARD else TurnUp)(basis(table), table.turn)


def discarded(table: Table, obs: Discarded) -> Rulings:
    """The seat on turn laid other cards of the color under its Discard All."""
    seat, n, known, hand = obs.seat, obs.n, table.known[obs.seat], table.hands[obs.seat]
    if table.phase != DISCARD or seat != table.turn:
        return refuse(table, seat, "wrong-phase" if table.phase != DISCARD else "not-your-turn")
    if n > hand:
        return (Mismatch(UNWRITTEN, "hand", hand, n),)
    color, rest, new = table.up.color, list(known), []
    for card in obs.cards:
        kind = KIND_SEEN[card]
        if kind == UNKNOWN:
            continue
        if table.cards.color_of[kind] != color:
            return (Illegal(basis(table), seat, "no-match", card),)
        if (own := known_as(rest, kind)) != UNKNOWN:
            rest.remove(own)
        else:
            new.append(kind)
    # Of the cards that nobody saw, those that are known and of the color; the others come out of the hidden hand.
    unseen = n - (len(known) - len(rest)) - len(new)
    more = sum(table.cards.color_of[kind] == color for kind in rest)
    if more > unseen:
        return (Illegal(basis(table), seat, "discard-all"),)
    if len(new) + unseen - more > hand - len(known):
        return (Illegal(basis(table), seat, "not-in-hand"),)
    if mismatch := see(table, tuple(new)):
        return (mismatch,)
    table.known[seat] = tuple(kind for kind in known if table.cards.color_of[kind] != color)
    table.hands[seat] = left = hand - n
    rulings: Rulings = ()
    if left == 0 and not table.owed[seat]:
        return end_of_round.go_out(table, seat, NOTHING)
    if left == 1:
        rulings = uno.touch(table, obs, seat)
    else:
        table.called &= ~(1 << seat)
    transition = table.transitions.laid[table.direction][seat][NOTHING]
    table.enter(transition)
    if not table.draw_pile and n and table.discard_pile == n + 1:
        rulings += tuple(run_out(table))
    return (*rulings, *transition.rulings)


def turn_up(table: Table, obs: Drew) -> Rulings:
    """The seat on turn turned up cards until one of the color came, or some of them."""
    seat, cards = obs.seat, [KIND_SEEN[card] for card in obs.cards]
    is_of_color = [kind != UNKNOWN and table.cards.color_of[kind] == table.up.color for kind in cards]
    if True in is_of_color[: obs.n - 1]:
        return (Illegal(basis(table), seat, "one-draw"),)
    if mismatch := take(table, seat, obs.n, obs.cards):
        return (mismatch, *run_out(table))
    table.turned_up += obs.n
    table.drawn = cards[-1] if len(cards) == obs.n else UNKNOWN
    ended = _end_turning_up(table) if is_of_color and len(cards) == obs.n and is_of_color[-1] else ()
    return in_order(*run_out(table), *ended)


def stop_turning_up(table: Table, seat: int) -> Rulings:
    """The seat says that it has turned up a card of the color."""
    if seat != table.turn:
        return refuse(table, seat, "not-your-turn")
    is_dry_now = is_dry(table)
    if not is_dry_now and (not table.turned_up or table.drawn != UNKNOWN):
        return refuse(table, seat, "wrong-phase", basis(table))
    return _end_turning_up(table)


def _end_turning_up(table: Table) -> Rulings:
    transition = table.transitions.turned_up(table.up.effect, table.turn, table.direction)
    table.enter(transition)
    table.begun, table.turned_up = None, 0
    return transition.rulings


def knock_out(table: Table, obs: Observation) -> Rulings:
    """Knock out the seats that hold too many cards (``hand.limit``)."""
    most, rules = table.constants.most_held, table.constants.rules
    assert most is not None
    if table.phase not in HAS_TURN:
        return ()
    was_dry, way = is_dry(table), table.direction
    rulings: list[Ruling] = []
    for seat in [seat for seat, n in enumerate(table.hands) if n > most]:
        after = table.transitions.after[way][seat]
        bit = 1 << seat
        table.hands[seat], table.known[seat] = 0, ()
        table.owe(seat, -table.owed[seat])
        table.out |= bit
        table.knocked_out |= bit
        table.called &= ~bit
        table.catchable &= ~bit
        table.transitions = table.constants.transitions(table.out)
        rulings.append(Eliminated(rules.basis("hand.limit", "out"), seat))
        if len(table.transitions.players) == 1:
            return (*rulings, *_last_one_left(table, after))
        if table.turn == seat:
            rulings += _goes_on(table, after)
    return (*rulings, *(run_out(table) if was_dry and not is_dry(table) else ()))


def _last_one_left(table: Table, winner: int) -> Rulings:
    rules = table.constants.rules
    table.owe(winner, -table.owed[winner])
    table.went_out, table.phase, table.catchable, table.stack, table.stacked = winner, ROUND_OVER, 0, 0, ""
    rulings: Rulings = (RoundOver(rules.basis("hand.limit", "last"), winner),)
    if table.constants.is_round_the_game:
        rulings += (end_of_round.won(table, rules.basis("goal"), winner),)
    return (*rulings, *end_of_round.settle(table))


def _goes_on(table: Table, seat: int) -> Rulings:
    """The seat on turn was knocked out: ``seat`` is on turn, or is asked for an answer to a draw card."""
    table.turn, table.begun, table.drawn, table.turned_up = seat, None, UNKNOWN, 0
    if table.phase == STACK:
        return stack.ask(table)
    table.phase, table.stack, table.stacked = TURN, 0, ""
    table.settled = (Turn(table.constants.rules.basis("hand.limit", "turn"), seat, DIRECTIONS[table.direction]),)
    return table.settled
