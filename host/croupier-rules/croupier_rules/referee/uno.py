"""UNO calls and catches: who may be caught, until when, and what a press of the UNO button means.

A seat must call before its second-to-last card touches the pile. From the touch on, it may be caught until it calls, is
caught, or the catch window closes. The window closes when the seat on turn begins its turn (``uno.catch.closes``: it
lifts, draws or lays a card). Drawing a penalty does not begin a turn, and only the seat on turn closes the window.
A late call, after the touch and before any of that, still counts.

A call is a race. Two reports whose times differ by no more than their joint uncertainty have no order
(`Observation.is_tied_with`). Where the order decides, the ruling is ``cannot_tell`` and nobody is penalised:

    pair               question                    ruling
    touch, catch       too early or caught?        a later press may still catch the seat
    catch, call        caught or safe?             the penalty is taken back, the call counts
    catch, closing     caught or too late?         the penalty is taken back
    closing, call      safe or too late?           the call counts

The table remembers the last report of each kind, so that both orders of a pair lead to the same ruling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from croupier_rules.cards import UNKNOWN
from croupier_rules.referee import end_of_round
from croupier_rules.referee.observations import Observation, Uno
from croupier_rules.referee.rulings import CannotTell, Caught, Ruling, Rulings, UnoStands, Void, in_order
from croupier_rules.referee.table import Table, penalize
from croupier_rules.referee.transitions import CHALLENGE, COLOR, DISCARD, HAS_TURN, REDEAL, STACK
from croupier_rules.rules import UNWRITTEN
from croupier_rules.rules.card_tables import NOTHING, SHUFFLE_HANDS


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)


def touch(table: Table, obs: Observation, seat: int) -> Rulings:
    """The second-to-last card of ``seat`` touched the pile. Without a call, the seat may be caught from now on."""
    if table.called >> seat & 1 or not table.constants.calls:
        return ()
    table.catchable |= 1 << seat
    table.watch = True
    table.touched[seat] = obs
    table.penalty_drawn = False
    early = table.early
    if early is not None and early.seat != seat and obs.is_tied_with(early):
        return (_cannot_tell(table, "uno.catch.opens", seat, early.seat),)
    return ()


def hands_moved(table: Table, obs: Observation, seats: Iterable[int]) -> None:
    """These seats have got other hands: their calls lapse, and who now holds one card may be caught."""
    for seat in seats:
        table.called &= ~(1 << seat)
        table.catchable &= ~(1 << seat)
        if table.hands[seat] == 1 and table.constants.calls:
            table.catchable |= 1 << seat
            table.touched[seat] = obs
            table.watch, table.penalty_drawn = True, False


def close(table: Table, obs: Observation, how: str) -> Rulings:
    """Close the catch window: the seat on turn began its turn (``how``: ``lift``, ``draw`` or ``play``)."""
    if not table.constants.closes_at_all or (how == "lift" and not table.constants.closes_on_lift):
        return ()
    rulings: Rulings = ()
    if table.catch is not None and obs.is_tied_with(table.catch[0]):
        rulings = (_take_back(table, "uno.catch.closes"),)
    table.closed = (obs, table.catchable, how) if table.catchable else None
    table.catchable = 0
    table.catch = table.saved = None
    table.watch = False
    return rulings


def press(table: Table, obs: Uno) -> Rulings:
    """Judge a press: the first of late call, catch and call that applies; otherwise void or ``cannot_tell``."""
    seat, bit = obs.seat, 1 << obs.seat
    if not table.constants.calls:
        return (Void(table.constants.rules.basis("uno.call.when"), seat, "not-in-document"),)
    is_timely = table.turn == seat and ((table.phase <= STACK and table.hands[seat] == 2) or table.phase == DISCARD)
    # The ordinary case: a call in its turn, and no other report to race with.
    if is_timely and not (table.watch or table.saved or table.closed):
        table.called |= bit
        return table.constants.called[seat]
    if table.out & bit:
        return (Void(UNWRITTEN, seat, "nobody-to-catch"),)
    if table.catchable & bit:
        table.catchable &= ~bit
        table.called |= bit
        table.saved = obs
        return (UnoStands(table.constants.rules.basis("uno.late_self_save"), seat),)
    if table.catch is not None and seat in table.catch[1] and obs.is_tied_with(table.catch[0]):
        table.called |= bit
        caught = table.catch[1]
        return in_order(_take_back(table, "uno.late_self_save"), *_out_after_all(table, caught))
    if table.catchable & ~table.constants.spared[seat]:
        return _catch(table, obs)
    ruling = _tie_with_the_past(table, obs) if table.saved or table.closed else None
    if is_timely:
        table.called |= bit
        return (ruling,) if ruling else table.constants.called[seat]
    return (ruling or _void(table, obs),)


def _catch(table: Table, obs: Uno) -> Rulings:
    by, rules, penalty = obs.seat, table.constants.rules, table.constants.rules.number("uno.penalty")
    basis = rules.basis("uno.penalty")
    if table.penalty_drawn and table.constants.closes_at_all:
        basis = rules.basis("uno.catch.closes", "penalty")
    elif table.up.kind != UNKNOWN and table.cards.effect_of[table.up.kind] == SHUFFLE_HANDS:
        basis = rules.basis("uno.penalty", also=rules.basis("shuffle.hands", "one"))
    rulings: list[Ruling] = []
    caught = {}
    for seat in _seats(table.catchable & ~table.constants.spared[by]):
        if obs.is_tied_with(table.touched[seat]):
            rulings.append(_cannot_tell(table, "uno.catch.opens", seat, by))
            continue
        table.catchable &= ~(1 << seat)
        caught[seat] = penalty
        rulings += (Caught(basis, seat, by), *penalize(table, rules.basis("uno.penalty"), seat, penalty, "uno"))
    if caught:
        table.catch = (obs, caught)
    return in_order(*rulings)


def _tie_with_the_past(table: Table, obs: Uno) -> Ruling | None:
    """``cannot_tell`` if a press that has no effect would have one in the other order of two tied reports."""
    seat, spared, saved = obs.seat, table.constants.spared[obs.seat], table.saved
    if saved is not None and saved.seat != seat and not spared >> saved.seat & 1 and obs.is_tied_with(saved):
        return _cannot_tell(table, "uno.late_self_save", saved.seat, seat)
    if table.closed is not None and obs.is_tied_with(table.closed[0]):
        open_until = table.closed[1] & ~spared
        if open_until >> seat & 1:
            table.called |= 1 << seat
            return _cannot_tell(table, "uno.catch.closes", seat)
        if open_until:
            return _cannot_tell(table, "uno.catch.closes", seat, *_seats(open_until))
    return None


def _void(table: Table, obs: Uno) -> Ruling:
    """The reason for which a press has no effect."""
    seat, rules, spared = obs.seat, table.constants.rules, table.constants.spared[obs.seat]
    uncalled = [one for one in table.transitions.players if table.hands[one] == 1 and not table.called >> one & 1]
    if table.phase not in HAS_TURN or table.phase == REDEAL:
        return Void(UNWRITTEN, seat, "nobody-to-catch")
    if any(not spared >> one & 1 for one in uncalled):
        how = table.closed[2] if table.closed is not None else "late"
        return Void(rules.basis("uno.catch.closes", how), seat, "too-late")
    if uncalled:
        return Void(table.constants.spares, seat, "nobody-to-catch")
    is_two_uncalled = table.hands[table.turn] == 2 and not (table.called | spared) >> table.turn & 1
    if is_two_uncalled or (seat == table.turn and table.hands[seat] > 2):
        if seat != table.turn:
            table.early = obs
        return Void(rules.basis("uno.catch.opens"), seat, "too-early")
    return Void(UNWRITTEN, seat, "nobody-to-catch")


def _take_back(table: Table, rule: str) -> Ruling:
    """Take the last catch back, and waive the cards that are still owed for it."""
    assert table.catch is not None
    press, caught = table.catch
    for seat, penalty in caught.items():
        table.owe(seat, -min(penalty, table.owed[seat]))
    table.catch = None
    return _cannot_tell(table, rule, press.seat, *caught)


def _out_after_all(table: Table, caught: Mapping[int, int]) -> Rulings:
    """A seat that laid its last card, and did not go out only because of a debt that is waived now, is out."""
    seat = next((seat for seat in caught if not table.hands[seat] and not table.owed[seat]), None)
    if seat is None or table.phase not in HAS_TURN:
        return ()
    # What its card does was ruled at the touch; only a wild or a stack may still be open.
    effect = table.up.effect if table.phase in (STACK, COLOR, CHALLENGE) and table.accused == seat else NOTHING
    table.stack -= min(table.stack, table.cards.draws.get(effect, 0))  # that is added again for the last card
    if effect != NOTHING and table.cards.effects[effect].reverse:  # and it turns the direction again
        table.direction = 1 - table.direction
    return end_of_round.go_out(table, seat, effect)


def _cannot_tell(table: Table, rule: str, *seats: int) -> Ruling:
    return CannotTell(table.constants.rules.basis(rule), "uno", tuple(sorted(set(seats))))
