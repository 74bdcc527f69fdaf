"""Stacking: a draw card waits for an answer, and the cards to draw of all stacked cards are added up (``stack.*``).

While the question is open (phase ``stack``) the seat that may answer is on turn, and nothing is owed yet. With a Wild
Draw Four on top it may challenge, too: the challenge is about that card alone, the rest of the stack stays.
"""

from __future__ import annotations

from croupier_rules.cards import UNKNOWN
from croupier_rules.referee import end_of_round
from croupier_rules.referee.rulings import MayStack, Ruling, Rulings
from croupier_rules.referee.table import Table, is_dry, run_out
from croupier_rules.referee.transitions import CHALLENGE, STACK, Transition
from croupier_rules.rules import Basis
from croupier_rules.rules.card_tables import (
    AS_WRITTEN,
    DRAW2,
    WILD_DRAW4,
)
from croupier_rules.rules.ruleset import WHOLE


def objection(table: Table, kind: int) -> Basis | None:
    """Return the reason against answering the up-card with a card of this kind; ``None`` if it may be laid."""
    own, top, effect = table.constants.own, table.up.effect, table.cards.effect_of[kind]
    assert own is not None
    # A colored card needs the color that was named for a wild.
    is_of_color = own.any_color or top == DRAW2 or table.cards.color_of[kind] in (table.cards.no_color, table.up.color)
    if effect in own.bounces or top in own.bounces:
        is_of_color = table.up.playable[kind]
    if effect not in own.answers[top] or not is_of_color:
        return _basis(table)
    if own.limit is not None and table.stack + table.cards.draws.get(effect, 0) > own.limit:
        return table.constants.rules.basis("stack.limit")
    return None


def laid(table: Table, seat: int) -> Transition:
    """``seat`` laid a draw card: it joins the stack, if there is one or it may be answered."""
    own, effect, way = table.constants.own, table.up.effect, table.direction
    assert own is not None
    if table.stack or own.answers[effect]:
        table.stack += table.cards.draws[effect]
        table.stacked = table.stacked or table.cards.why[effect]
    transition = table.transitions.laid[way][seat][effect]
    if table.cards.effects[effect].wild:
        return transition
    source = table.transitions.source(effect, seat, transition.direction)
    if not own.answers[effect]:
        return _taken(table, source, transition.direction)
    after = table.transitions.after[transition.direction][source]
    return Transition(STACK, after, transition.direction, (_may_stack(table, after),))


def bounced(table: Table, seat: int) -> Transition:
    """``seat`` laid a Reverse or a Skip on a Draw Two that waits for an answer (``stack.bounce``): the next seat may
    answer now; after a Reverse in the other direction."""
    way = 1 - table.direction if table.cards.effects[table.up.effect].reverse else table.direction
    after = table.transitions.after[way][seat]
    return Transition(STACK, after, way, (_may_stack(table, after),))


def ask(table: Table) -> Rulings:
    """Continue after the color of a wild draw card was named, or after its judgment: decide who may answer it now."""
    own, accused, effect = table.constants.own, table.accused, table.up.effect
    asked: Rulings = ()
    may_challenge = table.transitions.may_challenge[table.direction][accused]
    if effect == WILD_DRAW4 and may_challenge.seats and table.challenger == UNKNOWN:
        asked = (may_challenge,)
    if table.phase != STACK:
        table.turn = table.transitions.source(effect, table.turn, table.direction)
    if own is not None and own.answers[effect] and table.went_out == UNKNOWN:
        if table.phase != STACK:
            table.phase, table.turn = STACK, table.next_seat
        return (*asked, _may_stack(table, table.turn))
    if asked:
        table.phase, table.turn = CHALLENGE, accused
        return asked
    return take(table)


def take(table: Table) -> Rulings:
    """The next seat takes the cards."""
    if table.phase == CHALLENGE and not table.stack:  # as by the sheet
        return end_of_round.follow(table, table.transitions.accepted[table.direction][table.turn])
    return end_of_round.follow(table, _taken(table, table.accused, table.direction))


def judged(table: Table, guilty: bool, transition: Transition) -> Rulings:
    """The Wild Draw Four on top was judged: ``transition`` says what follows of it, the rest of the stack stays.

    It is still asked about where the seat was ``guilty``, else it is taken.
    """
    if table.stack <= table.cards.draws[WILD_DRAW4]:
        table.stack, table.stacked = 0, ""
        return end_of_round.follow(table, transition)
    table.stack -= table.cards.draws[WILD_DRAW4]
    table.owe(transition.debtor, transition.n)
    rest = ask(table) if guilty else take(table)
    return (transition.rulings[0], *rest, *(run_out(table) if guilty and is_dry(table) else ()))


def _taken(table: Table, source: int, way: int) -> Transition:
    """Apply the transition of a draw card on top that was not answered: the seat after ``source`` draws."""
    n, why, effect = table.stack, table.stacked, table.up.effect
    table.stack, table.stacked = 0, ""
    if n and (n, why) != (table.cards.draws.get(effect), table.cards.why.get(effect)):
        return table.transitions.stacked(source, way, n, why, _basis(table, "taken"))
    if effect > AS_WRITTEN:
        return table.transitions.drawn_for(effect, source, way)
    if effect == DRAW2:
        return table.transitions.laid[way][source][effect]
    return table.transitions.accepted[way][source]


def _may_stack(table: Table, seat: int) -> Ruling:
    return MayStack(_basis(table), seat, table.stack)


def _basis(table: Table, part: str = WHOLE) -> Basis:
    """The rule that lets the up-card be stacked; where it only ends a stack, the one that let it be laid."""
    own = table.constants.own
    assert own is not None
    return table.constants.rules.basis(own.stack_rule[table.up.effect], part)
