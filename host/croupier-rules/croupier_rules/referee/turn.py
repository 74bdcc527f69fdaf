"""A turn: a seat lifts a card, plays, draws or passes."""

from __future__ import annotations

from dataclasses import replace

from croupier_rules.cards import KIND_SEEN, PLAIN, UNKNOWN
from croupier_rules.referee import end_of_round, house, own_cards, own_rules, stack, uno
from croupier_rules.referee.observations import Drew, Lift, Pass, Play
from croupier_rules.referee.rulings import CannotTell, Illegal, Ruling, Rulings, Turn, Warn, in_order
from croupier_rules.referee.table import Table, is_dry, kinds_of, known_as, refuse, run_out, see, take
from croupier_rules.referee.transitions import (
    CHALLENGE,
    COLOR,
    DIRECTIONS,
    DRAWN,
    ROULETTE,
    ROUND_OVER,
    STACK,
    SWAP,
    TURN,
)
from croupier_rules.rules import UNWRITTEN
from croupier_rules.rules.card_tables import (
    DRAW2,
    REVERSE,
    SKIP,
    WILD_DRAW4,
    UpCard,
)

_ACTION_PART = {SKIP: "skip", REVERSE: "reverse", DRAW2: "draw2"}


def lift(table: Table, obs: Lift) -> Rulings:
    """A card was lifted: the seat on turn begins its turn, or the next seat ends the turn of a seat that has drawn."""
    passed: Rulings = ()
    if obs.seat != table.turn:
        if not _is_pass_by_next(table, obs.seat):
            return ()
        passed = _pass(table)
    if table.phase in (TURN, STACK) and table.turn == obs.seat:
        return in_order(*passed, *_begin(table, obs, "lift"))
    return passed


def _begin(table: Table, obs: Lift | Play | Drew, how: str) -> Rulings:
    """Begin the turn of the seat on turn. An action that is refused begins the turn, too (``how``: ``lift``, ``draw``
    or ``play``)."""
    if table.constants.own is not None:
        table.begun = obs, table.turn
    return uno.close(table, obs, how) if table.watch else ()


def play(table: Table, obs: Play) -> Rulings:
    """A card touched the discard pile."""
    seat, up = obs.seat, table.up.laid[obs.kind]
    # Half of what is reported is this: the seat on turn lays a card that fits out of a hidden hand. The careful way
    # comes to the same and takes twice as long.
    if up is not None and (seat is None or seat == table.turn) and table.phase <= DRAWN and table.quick:
        seat = table.turn
        unseen, left = table.unseen[up.plain], table.hands[seat] - 1
        if unseen and left >= 0 and not table.known[seat]:
            table.unseen[up.plain] = unseen - 1
            # What follows is the next turn, and mostly nothing else.
            transition = table.transitions.plain[table.direction][seat][up.effect]
            if transition is None or left < 2 or table.watch or not table.draw_pile:
                return follow(table, obs, up, ())
            table.hands[seat] = left
            table.up = up
            table.phase = TURN
            table.turn = transition.turn
            table.direction = transition.direction
            table.settled = transition.rulings
            if n := transition.n:
                table.owed[transition.debtor] += n
                table.owing += n
            return transition.rulings
    is_laid, found = _look_closely(table, obs, obs.kind)
    return follow(table, obs, table.cards.laid[obs.kind], found) if is_laid else found


def follow(table: Table, obs: Play, up: UpCard, found: Rulings) -> Rulings:
    """The seat on turn laid the card."""
    seat, effect = table.turn, up.effect
    left = table.hands[seat] = table.hands[seat] - 1
    table.up_before = table.up
    table.up = up
    table.challenger = UNKNOWN
    table.since_touch = None
    if table.watch:
        found += uno.close(table, obs, "play")
    if left == 0 and not table.owed[seat]:
        return in_order(*found, *end_of_round.go_out(table, seat, effect))
    if left == 1 and not table.cards.effects[effect].discards:
        found += uno.touch(table, obs, seat)
    if table.constants.most_house_rules:
        found += house.card_touched(table, seat, up.kind)
    if table.constants.own is None:
        transition = table.transitions.laid[table.direction][seat][effect]
    else:
        transition = own_rules.laid(table, obs, seat, up)
    table.enter(transition)
    # A new pile is asked for once: as soon as a card lies under the top one.
    if not table.draw_pile and (table.discard_pile == 2 or (transition.n and table.discard_pile < 2)):
        return in_order(*found, *transition.rulings, *run_out(table))
    return in_order(*found, *transition.rulings) if found else transition.rulings


def _look_closely(table: Table, obs: Play, kind: int) -> tuple[bool, Rulings]:
    """Return whether the seat on turn laid the card, and the rulings so far."""
    seat = table.speaker if obs.seat is None else obs.seat
    if table.phase > STACK:
        return False, refuse(table, seat, "wrong-phase", card=obs.card)
    if seat != table.turn:
        if _is_pass_by_next(table, seat):
            passed = _pass(table)
            return False, in_order(*passed, *play(table, obs)) if table.turn == seat else passed
        if table.constants.own is None:
            return False, refuse(table, seat, "not-your-turn", card=obs.card)
        if refused := own_rules.out_of_turn(table, obs, seat):
            return False, refused
    if kind == UNKNOWN:
        return False, (*_begin(table, obs, "play"), CannotTell(UNWRITTEN, "play", (seat,)))
    known = table.known[seat]
    own = known_as(known, kind)
    if objection := _objection(table, seat, kind, own, obs.card):
        return False, in_order(objection, *_begin(table, obs, "lift"))
    doubt = _doubt(table, seat, own)
    if own != UNKNOWN:
        place = known.index(own)
        table.known[seat] = known[:place] + known[place + 1 :]
    elif mismatch := see(table, (kind,)):
        return False, (mismatch,)
    return True, doubt


def _objection(table: Table, seat: int, kind: int, own: int, card: str) -> Ruling | None:
    """The objection to a card that is known in the hand as ``own``, as far as the faces in the hand are known."""
    known, rules = table.known[seat], table.constants.rules
    if own == UNKNOWN and len(known) == table.hands[seat]:
        return Illegal(UNWRITTEN, seat, "not-in-hand", card)
    if table.phase == DRAWN and _is_old(table, kind if own == UNKNOWN else own, known):
        return Illegal(rules.basis("draw.then_hand_card"), seat, "hand-card-after-draw", card)
    if not table.up.playable[kind] and table.phase != STACK:
        return _no_match(table, seat, kind, card)
    return None if table.constants.own is None else own_rules.objection(table, seat, kind, card)


def _is_old(table: Table, kind: int, known: tuple[int, ...]) -> bool:
    """True if a card of this kind is certainly not the one that was drawn."""
    if table.drawn != UNKNOWN:
        return table.drawn != kind
    is_all_known = len(known) == table.hands[table.turn] or not table.unseen[PLAIN[kind]]
    return is_all_known and table.held.count(kind) == known.count(kind) > 0


def _doubt(table: Table, seat: int, own: int) -> Rulings:
    """``cannot_tell`` if, after an unseen draw, the card may be the one drawn or an equal one of the hand."""
    if table.phase == DRAWN and table.drawn == UNKNOWN and own != UNKNOWN:
        return (CannotTell(table.constants.rules.basis("draw.then_hand_card"), "play", (seat,)),)
    return ()


def _no_match(table: Table, seat: int, kind: int, card: str) -> Ruling:
    rules = table.constants.rules
    basis = rules.basis("match.basic")
    if table.cards.is_action[kind]:
        basis = rules.basis("match.action_on", _ACTION_PART.get(table.cards.effect_of[kind], "all"))
    return Illegal(basis, seat, "no-match", card)


def drew(table: Table, obs: Drew) -> Rulings:
    """Cards were drawn: they serve a debt first, then they are the draw of the turn."""
    seat, n = obs.seat, obs.n
    # The ordinary cases must be quick: a debt and the draw of the turn, which nobody saw, and the pile holds more.
    if obs.cards or table.draw_pile <= n or table.catchable or table.phase > DRAWN:
        return _draw_closely(table, obs)
    if owed := table.owed[seat]:
        if not 0 < n <= owed:
            return _draw_closely(table, obs)
        table.owed[seat] = owed - n
        table.owing -= n
    elif (
        seat == table.turn
        and table.phase == TURN
        and n == table.constants.plain_draw
        and not table.watch
        and not table.paused
    ):
        table.phase = DRAWN
        table.drawn = UNKNOWN
        table.drew_by_need = None
        table.held = table.known[seat]
    else:
        return _draw_closely(table, obs)
    table.draw_pile -= n
    table.hands[seat] += n
    if table.called:
        table.called &= ~(1 << seat)
    return ()


def _draw_closely(table: Table, obs: Drew) -> Rulings:
    """Judge a draw that is a debt, accepts a Wild Draw Four, ends another seat's turn, or is not allowed."""
    seat, n = obs.seat, obs.n
    if n == 0:
        return ()
    if table.owed[seat]:
        return _serve(table, obs)
    if table.paused:
        return refuse(table, seat, "wrong-phase")
    is_asked = table.phase == CHALLENGE and table.challenger == UNKNOWN and seat == table.next_seat
    if is_asked or (table.phase == STACK and seat == table.turn):
        accepted = stack.take(table)
        return in_order(*accepted, *_serve(table, obs))
    if table.phase == STACK:
        return refuse(table, seat, "not-your-turn")
    if table.phase == ROULETTE and seat == table.turn:
        return own_cards.turn_up(table, obs)
    if table.phase > DRAWN:
        return refuse(table, seat, "wrong-phase")
    if seat != table.turn:
        if not _is_pass_by_next(table, seat):
            return refuse(table, seat, "not-your-turn")
        passed = _pass(table)
        return in_order(*passed, *drew(table, obs)) if table.turn == seat else passed
    own = table.constants.own
    if own is not None and own.draws_until_it_fits:
        against = own_rules.drawn_beyond(table, obs)
    else:
        against = "turn.must_draw" if table.phase == DRAWN or n != table.constants.draw_size else ""
    if against:
        refused = refuse(table, seat, "one-draw", table.constants.rules.basis(against))
        return in_order(*refused, *_begin(table, obs, "draw"))
    objection = _must_lay(table, seat) if table.phase == TURN else ()
    if any(isinstance(ruling, Illegal) for ruling in objection):
        return in_order(*objection, *_begin(table, obs, "draw"))
    return in_order(*objection, *_draw(table, obs)) if objection else _draw(table, obs)


def _must_lay(table: Table, seat: int) -> Rulings:
    """The objection to a seat that lays no card, where who can play must (``turn.force_play``)."""
    own = table.constants.own
    if own is None or not own.must_lay:
        return ()
    basis = table.constants.rules.basis("turn.force_play")
    can = own_rules.can_lay(table, seat)
    if can is None:
        return (CannotTell(basis, "play", (seat,)),)
    return refuse(table, seat, "must-play-drawn", basis) if can else ()


def _draw(table: Table, obs: Drew) -> Rulings:
    """The turn's draw."""
    seat, constants = obs.seat, table.constants
    need = _needs(table, seat) if constants.plain_draw == UNKNOWN else None
    is_first, known = table.phase == TURN, table.known[seat]
    if mismatch := take(table, seat, obs.n, obs.cards):
        return (mismatch, *(run_out(table) if not table.draw_pile else ()))
    if constants.own is not None and constants.own.most_drawn is not None:
        table.turned_up = obs.n + (0 if is_first else max(1, table.turned_up))
    table.phase = DRAWN
    table.drawn = KIND_SEEN[obs.cards[-1]] if len(obs.cards) == obs.n else UNKNOWN
    table.held = known + kinds_of(obs.cards[:-1])
    rulings = _begin(table, obs, "draw")
    if is_first:
        table.drew_by_need = need
    if is_first and need is False and constants.warns_of_draws:
        rulings += (Warn(constants.rules.basis("draw.voluntary"), seat, "playable-card-held"),)
    return rulings if table.draw_pile else (*rulings, *run_out(table))


def _serve(table: Table, obs: Drew) -> Rulings:
    """Serve the debt. Cards beyond the debt are judged as another draw."""
    seat, n, cards, owed, rest = obs.seat, obs.n, obs.cards, table.owed[obs.seat], None
    if n > owed:
        rest = replace(obs, n=n - owed, cards=cards[owed:])
        n, cards = owed, cards[:owed]
    known = table.known[seat]
    if mismatch := take(table, seat, n, cards):
        return (mismatch, *(run_out(table) if not table.draw_pile else ()))
    table.owe(seat, -n)
    if table.phase in (STACK, COLOR, CHALLENGE) and seat == table.accused:
        before, seen, known = table.since_touch or (0, (), known)
        table.since_touch = before + n, seen + kinds_of(cards), known
    if table.phase == DRAWN and seat == table.turn:
        table.held += kinds_of(cards)
    if table.catchable:
        table.penalty_drawn = True
    rulings: Rulings = () if table.draw_pile else tuple(run_out(table))
    if table.phase == ROUND_OVER:
        rulings += end_of_round.settle(table)
    return in_order(*rulings, *_draw_closely(table, rest)) if rest is not None else rulings


def pass_(table: Table, obs: Pass) -> Rulings:
    """The seat ends its turn: after drawing, or where nothing is left to draw."""
    if obs.seat == table.turn and table.phase == DRAWN:
        if table.drawn != UNKNOWN:
            return _pass(table)
        # The ordinary case: nobody else saw the card drawn.
        transitions, way = table.transitions, table.direction
        table.phase = TURN
        table.turn = turn = transitions.after[way][obs.seat]
        table.settled = transitions.passed[way][turn]
        return table.settled
    if table.phase == ROULETTE:
        return own_cards.stop_turning_up(table, obs.seat)
    if table.phase == SWAP:
        return own_rules.keep_hand(table, obs.seat)
    if table.phase > DRAWN:
        return refuse(table, obs.seat, "wrong-phase")
    if obs.seat != table.turn:
        return refuse(table, obs.seat, "not-your-turn")
    if not is_dry(table):
        return refuse(table, obs.seat, "wrong-phase", table.constants.rules.basis("turn.must_draw"))
    objection = _must_lay(table, obs.seat)
    if any(isinstance(ruling, Illegal) for ruling in objection):
        return objection
    table.turn, table.begun = table.next_seat, None
    basis = table.constants.rules.basis("pile.exhausted", "short")
    table.settled = (Turn(basis, table.turn, DIRECTIONS[table.direction]),)
    return (*objection, *table.settled)


def _pass(table: Table) -> Rulings:
    """Pass the turn to the next seat, unless the seat has to lay the card that it drew, or has to draw on."""
    doubt: Rulings = ()
    own, rules = table.constants.own, table.constants.rules
    if own is not None and own_rules.must_draw_on(table):
        return refuse(table, table.turn, "wrong-phase", rules.basis("turn.must_draw"))
    if table.drawn != UNKNOWN and any(table.constants.must_lay_drawn) and (must := _must_lay_drawn(table)) is not False:
        is_choice = table.drew_by_need is False
        basis = rules.basis("draw.voluntary.then_play" if is_choice else "draw.forced.then_play", "must")
        if own is not None and own.must_lay_drawn:
            basis = rules.basis("turn.force_play")
        if must:
            return refuse(table, table.turn, "must-play-drawn", basis)
        doubt = (CannotTell(basis, "play", (table.turn,)),)
    transitions, way = table.transitions, table.direction
    table.phase = TURN
    table.turn = turn = transitions.after[way][table.turn]
    table.settled = transitions.passed[way][turn]
    return doubt + table.settled


def _must_lay_drawn(table: Table) -> bool | None:
    """True if the card drawn has to be laid; ``None`` where the hand is not known well enough."""
    by_need, by_choice = table.constants.must_lay_drawn
    must = {True: by_need, False: by_choice, None: by_need if by_need == by_choice else None}[table.drew_by_need]
    if must is False or not own_rules.may_be_laid(table, table.drawn, table.hands[table.turn]):
        return False
    own = table.constants.own
    if table.cards.effect_of[table.drawn] != WILD_DRAW4 or (own is not None and own.no_challenge):
        return must
    # Who holds a card of the color may not lay a Wild Draw Four (`wd4.legality`).
    known, color = table.known[table.turn], table.up.color
    if color != table.cards.no_color and any(table.cards.color_of[kind] == color for kind in known):
        return False
    return must if color != table.cards.no_color and len(known) == table.hands[table.turn] else None


def _is_pass_by_next(table: Table, seat: int) -> bool:
    """True if what ``seat`` does means that the seat on turn, which has drawn, has passed."""
    return table.phase == DRAWN and seat == table.next_seat and seat != table.turn


def _needs(table: Table, seat: int) -> bool | None:
    """True if the seat had nothing to lay; ``None`` where its hand is not known well enough."""
    known = table.known[seat]
    if any(table.up.playable[kind] for kind in known):
        return False
    return True if known and len(known) == table.hands[seat] else None
