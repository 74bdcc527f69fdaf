"""The table's own rules: cards laid out of turn, hands that move, and what must or must not be laid.

Out of turn (``jump_in``, ``play.double``): until the seat on turn begins its turn, another may lay the card that lies
on top once more, and play goes on from it. Two cards that touch within their uncertainty have no order: the first in
the log stands, and the other goes back without blame (``cannot_tell``).
"""

from __future__ import annotations

from dataclasses import replace

from croupier_rules.cards import FACES, KIND_SEEN, PLAIN, UNKNOWN
from croupier_rules.referee import end_of_round, stack, uno
from croupier_rules.referee.observations import Drew, Observation, Play, Swap, Target
from croupier_rules.referee.rulings import CannotTell, ChooseSeat, HandsMoved, Illegal, Ruling, Rulings, Turn, Void
from croupier_rules.referee.table import Laid, Table, is_dry, known_as, refuse, too_often
from croupier_rules.referee.transitions import DRAWN, STACK, SWAP, TARGET, TURN, Transition
from croupier_rules.rules import UNWRITTEN, Basis
from croupier_rules.rules.card_tables import NOTHING, SKIP, UpCard


def objection(table: Table, seat: int, kind: int, card: str) -> Ruling | None:
    """The objection that the table's own rules have to a card which the sheet would let the seat lay."""
    own, rules = table.constants.own, table.constants.rules
    assert own is not None
    if table.phase == STACK and (basis := stack.objection(table, kind)) is not None:
        return Illegal(basis, seat, "no-match", card)
    if own.no_action_last and table.hands[seat] == 1 and table.cards.is_special[kind]:
        return Illegal(rules.basis("last.action"), seat, "action-last", card)
    return None


def may_be_laid(table: Table, kind: int, held: int) -> bool:
    """True if a seat that holds ``held`` cards may lay one of this kind on its turn (never an unknown one)."""
    own = table.constants.own
    if own is not None and own.no_action_last and held == 1 and table.cards.is_special[kind]:
        return False
    return table.up.playable[kind] if table.phase != STACK else stack.objection(table, kind) is None


def can_lay(table: Table, seat: int) -> bool | None:
    """True if the seat holds a card that it may lay; ``None`` where its hand is not known well enough."""
    known, held = table.known[seat], table.hands[seat]
    if any(may_be_laid(table, kind, held) for kind in known):
        return True
    return False if len(known) == held else None


def must_draw_on(table: Table) -> bool:
    """True if the seat on turn has drawn a card that does not fit, and may draw another (``until-it-fits``)."""
    own = table.constants.own
    assert own is not None
    if not own.draws_until_it_fits or table.drawn == UNKNOWN or is_dry(table):
        return False
    if own.most_drawn is not None and _drawn_so_far(table) >= own.most_drawn:
        return False
    return not may_be_laid(table, table.drawn, table.hands[table.turn])


def drawn_beyond(table: Table, obs: Drew) -> str:
    """Return the rule against a draw where cards are drawn until one fits (``turn.must_draw``): the seat drew on after
    a card that fits, or more cards than are drawn in a turn (``draw.most``). Empty if there is none."""
    own, held = table.constants.own, table.hands[obs.seat]
    assert own is not None
    if own.most_drawn is not None and _drawn_so_far(table) + obs.n > own.most_drawn:
        return "draw.most"
    kinds = [KIND_SEEN[card] for card in obs.cards[: obs.n - 1]]
    fits = any(may_be_laid(table, kind, held + place) for place, kind in enumerate(kinds, start=1))
    return "turn.must_draw" if fits or (table.phase == DRAWN and may_be_laid(table, table.drawn, held)) else ""


def _drawn_so_far(table: Table) -> int:
    return max(1, table.turned_up) if table.phase == DRAWN else 0


def faces_out_of_turn(table: Table) -> set[str]:
    """The face that a seat which is not on turn may lay now, if any."""
    own, up = table.constants.own, table.up
    is_open = table.phase in (TURN, STACK) and (table.begun is None or table.begun[1] != table.turn)
    if own is None or not (own.jump_in or own.double) or not is_open or not _is_colored(table, up.kind):
        return set()
    is_somewhere = table.unseen[up.plain] or any(known_as(known, up.kind) != UNKNOWN for known in table.known)
    return {FACES[up.plain]} if is_somewhere else set()


def _is_colored(table: Table, kind: int) -> bool:
    return kind != UNKNOWN and not table.cards.is_wild[kind]


def out_of_turn(table: Table, obs: Play, seat: int) -> Rulings:
    """A seat that is not on turn laid a card. Where it may, it is on turn now, and nothing is said."""
    own, rules, kind, laid = table.constants.own, table.constants.rules, obs.kind, table.laid
    assert own is not None
    is_double = own.double and laid is not None and laid.seat == seat
    rule = "play.double" if is_double else "jump_in" if own.jump_in else None
    begun = table.begun[0] if table.begun is not None and table.begun[1] == table.turn else None
    is_same = _is_colored(table, kind) and PLAIN[kind] == table.up.plain
    if rule is None or table.phase not in (TURN, STACK) or (kind != UNKNOWN and not is_same) or begun is not None:
        other = _rival(table, obs, seat, begun if is_same else None)
        if rule is None or other == UNKNOWN:
            return refuse(table, seat, "not-your-turn", card=obs.card)
        return (CannotTell(rules.basis(rule), "play", tuple(sorted((seat, other)))),)
    if kind == UNKNOWN:
        return (CannotTell(rules.basis(rule), "play", (seat,)),)
    held = known_as(table.known[seat], kind)
    if held == UNKNOWN and len(table.known[seat]) == table.hands[seat]:
        return refuse(table, seat, "not-in-hand", card=obs.card)
    if (wrong := objection(table, seat, kind, obs.card)) is not None:
        return (wrong,)
    if held == UNKNOWN and not table.unseen[PLAIN[kind]]:
        return (too_often(table, PLAIN[kind]),)
    table.laid = Laid(obs, seat, table.turn, rule)
    table.turn = seat
    return ()


def _rival(table: Table, obs: Play, seat: int, begun: Observation | None) -> int:
    """Return the seat whose report is tied with this one in time and decides the meaning of this one; `UNKNOWN` if
    there is no such seat."""
    laid = table.laid
    if begun is not None and obs.is_tied_with(begun):
        return table.turn
    if laid is None or laid.seat == seat or not obs.is_tied_with(laid.report):
        return UNKNOWN
    is_of_before = _is_colored(table, obs.kind) and PLAIN[obs.kind] == table.up_before.plain
    return laid.seat if is_of_before or (laid.rule and laid.on_turn == seat) else UNKNOWN


def laid(table: Table, obs: Play, seat: int, up: UpCard) -> Transition:
    """``seat`` laid a card, on its turn or out of it: what follows."""
    own, way, transitions, last = table.constants.own, table.direction, table.transitions, table.laid
    assert own is not None
    if last is None or last.report is not obs:
        last = table.laid = Laid(obs, seat, seat)
    table.begun = None
    from_, number = seat, table.cards.number_of[up.kind]
    if last.rule == "play.double" and up.effect == SKIP and not table.stack:
        from_ = transitions.after[1 - way][last.on_turn]  # effects add up: another seat is skipped
    transition = transitions.laid[way][from_][up.effect]
    if up.effect in table.cards.draws:
        transition = stack.laid(table, seat)
    elif table.stack and up.effect in own.bounces:
        transition = stack.bounced(table, seat)
    elif own.hands_move.get(number) and number == 7:
        transition = Transition(SWAP, seat, way, (ChooseSeat(table.constants.rules.basis("seven"), seat),))
    elif own.hands_move.get(number):
        players = transitions.players
        zero = table.constants.rules.basis("zero")
        moved = _move_hands(table, obs, zero, {transitions.after[way][one]: one for one in players})
        transition = replace(transition, rulings=(moved, *transition.rulings))
    if not last.rule:
        return transition
    basis = table.constants.rules.basis(last.rule)
    rulings = tuple(replace(one, basis=basis) if isinstance(one, Turn) else one for one in transition.rulings)
    return replace(transition, rulings=rulings)


def swap(table: Table, obs: Swap) -> Rulings:
    """The seat that laid a seven (``seven``), or a card of the deck that does so, swaps hands with another."""
    seat, other, own, way = obs.seat, obs.with_, table.constants.own, table.direction
    if own is None or not (own.hands_move[7] or table.cards.swaps):
        return (Void(UNWRITTEN, seat, "not-in-document"),)
    if table.phase != SWAP:
        return refuse(table, seat, "wrong-phase")
    if seat != table.turn:
        return refuse(table, seat, "not-your-turn")
    if other not in table.transitions.others[seat]:
        return refuse(table, seat, "wrong-phase", swap_basis(table))
    moved = _move_hands(table, obs, swap_basis(table), {seat: other, other: seat})
    transition = table.transitions.laid[way][seat][NOTHING]
    table.enter(transition)
    return (moved, *transition.rulings)


def keep_hand(table: Table, seat: int) -> Rulings:
    """The seat that laid a seven keeps its hand, where it need not swap (``seven=may-swap``)."""
    own = table.constants.own
    if own is None or not own.may_keep_hand or table.cards.effects[table.up.effect].swaps:
        return refuse(table, seat, "wrong-phase", swap_basis(table))
    if seat != table.turn:
        return refuse(table, seat, "not-your-turn")
    transition = table.transitions.laid[table.direction][seat][NOTHING]
    table.enter(transition)
    return transition.rulings


def swap_basis(table: Table) -> Basis:
    """Return what lets the seat on turn swap hands: the card that lies on top, or the rule of the seven."""
    does = table.cards.effects[table.up.effect]
    return table.constants.rules.basis(*(("card.own", does.symbol) if does.swaps else ("seven",)))


def target(table: Table, obs: Target) -> Rulings:
    """The seat that laid such a card chooses another, which draws (``card.own``)."""
    seat, effect = obs.seat, table.up.effect
    if not table.cards.targets:
        return (Void(UNWRITTEN, seat, "not-in-document"),)
    if table.phase != TARGET:
        return refuse(table, seat, "wrong-phase")
    if seat != table.turn:
        return refuse(table, seat, "not-your-turn")
    if obs.with_ not in table.transitions.others[seat]:
        basis = table.constants.rules.basis("card.own", table.cards.effects[effect].symbol)
        return refuse(table, seat, "wrong-phase", basis)
    return end_of_round.follow(table, table.transitions.targeted(effect, seat, obs.with_, table.direction))


def _move_hands(table: Table, obs: Observation, basis: Basis, whose: dict[int, int]) -> Ruling:
    """Give each seat the hand of the seat in ``whose``, with the faces that are known in it."""
    hands, known = table.hands.copy(), table.known.copy()
    for seat, other in whose.items():
        table.hands[seat], table.known[seat] = hands[other], known[other]
    uno.hands_moved(table, obs, whose)
    return HandsMoved(basis, tuple(table.hands))
