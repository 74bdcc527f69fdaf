"""A turn: lift, lay, draw, pass."""

from __future__ import annotations

from croupier.cards import KIND, PLAIN
from croupier.referee import ending, uno
from croupier.referee.book import UNKNOWN
from croupier.referee.observations import Drew, Lift, Pass, Play
from croupier.referee.phases import CHALLENGE, DRAWN, TURN
from croupier.referee.piles import in_order, is_dry, kinds_of, run_out, take
from croupier.referee.rulings import CannotTell, Illegal, Ruling, Rulings, Turn, Warn
from croupier.referee.table import Table
from croupier.referee.wild import accept_by_drawing
from croupier.rules import UNWRITTEN, Basis
from croupier.rules.effects import EFFECT_OF
from croupier.rules.legality import COLOR_OF, IS_ACTION, IS_WILD, PLAYABLE, SYMBOL_OF

# What may be laid on a card while its own color is to be matched.
_ON = tuple(PLAYABLE[kind][COLOR_OF[kind]] for kind in range(len(PLAYABLE)))
_ACTION_PART = {10: "skip", 11: "reverse", 12: "draw2"}


def refuse(seat: int, why: str, basis: Basis = UNWRITTEN, card: str | None = None) -> Rulings:
    """Not allowed; nothing changed."""
    return (Illegal(basis, seat, why, card),)


def lift(table: Table, obs: Lift) -> Rulings:
    """A card was taken out of a hand: the seat on turn begins its turn, or the next one ends a turn that has drawn."""
    passed: Rulings = ()
    if obs.seat != table.turn:
        if not _is_pass_by_next(table, obs.seat):
            return ()
        passed = _pass(table)
    if table.phase == TURN and table.turn == obs.seat and table.watch:
        return in_order(*passed, *uno.close(table, obs, "lift"))
    return passed


def play(table: Table, obs: Play) -> Rulings:
    """A card touched the discard pile."""
    seat = table.turn if obs.seat is None else obs.seat
    kind = KIND.get(obs.card, UNKNOWN)
    if seat != table.turn or table.phase > DRAWN or kind == UNKNOWN:
        return _play_otherwise(table, obs)
    known = table.known[seat]
    doubt: Ruling | None = None
    if known:
        if objection := _objection(table, seat, kind, obs.card):
            return (objection,)
        doubt = _doubt(table, seat, kind)
    elif not table.playable[kind]:
        return (_no_match(table, seat, kind, obs.card),)
    if kind in known:
        place = known.index(kind)
        table.known[seat] = known[:place] + known[place + 1 :]
    else:
        plain = PLAIN[kind]
        if not table.unseen[plain]:
            return (ending.too_often(table, plain),)
        table.unseen[plain] -= 1

    top_before, color_before = table.top, table.color
    left = table.hands[seat] = table.hands[seat] - 1
    table.discard_pile += 1
    table.top = kind
    table.color = COLOR_OF[kind]
    table.playable = _ON[kind]
    effect = EFFECT_OF[kind]
    if table.watch or left < 2 or effect >= 4 or doubt is not None or not table.draw_pile:
        return _laid(table, obs, seat, effect, top_before, color_before, doubt)
    sequel = table.sequels[table.direction][effect][seat]
    table.phase = TURN
    table.turn = sequel.turn
    table.direction = sequel.direction
    if sequel.n:
        table.owe(sequel.debtor, sequel.n)
    return sequel.rulings


def _laid(
    table: Table, obs: Play, seat: int, effect: int, top_before: int, color_before: int, doubt: Ruling | None
) -> Rulings:
    """As the end of `play`, where more than the next turn may follow."""
    rulings: Rulings = () if doubt is None else (doubt,)
    if table.watch:
        rulings += uno.close(table, obs, "play")
    table.color_before = color_before
    table.named_before = top_before != UNKNOWN and bool(IS_WILD[top_before])
    table.challenger = UNKNOWN
    left = table.hands[seat]
    if left == 0 and not table.owed[seat]:
        return in_order(*rulings, *ending.go_out(table, seat, effect))
    if left == 1:
        rulings += uno.touch(table, obs, seat)
    sequel = table.sequels[table.direction][effect][seat]
    table.enter(sequel)
    dry = run_out(table) if not table.draw_pile and (sequel.n or table.discard_pile == 2) else []
    return in_order(*rulings, *sequel.rulings, *dry)


def _play_otherwise(table: Table, obs: Play) -> Rulings:
    """A card that nobody could read, or by a seat that is not to lay one."""
    seat = table.speaker if obs.seat is None else obs.seat
    if table.phase > DRAWN:
        return refuse(seat, "wrong-phase", card=obs.card)
    if seat != table.turn:
        if not _is_pass_by_next(table, seat):
            return refuse(seat, "not-your-turn", card=obs.card)
        passed = _pass(table)
        return in_order(*passed, *play(table, obs)) if table.turn == seat else passed
    closed = uno.close(table, obs, "play") if table.watch else ()
    return (*closed, CannotTell(UNWRITTEN, "play", (seat,)))


def _objection(table: Table, seat: int, kind: int, card: str) -> Ruling | None:
    """Why this card may not be laid, as far as the faces in the hand are known."""
    known, rules = table.known[seat], table.book.rules
    is_all_known = len(known) == table.hands[seat]
    if is_all_known and kind not in known:
        return Illegal(rules.basis("match.basic"), seat, "not-in-hand", card)
    if table.phase == DRAWN:
        is_old = table.drawn != kind if table.drawn != UNKNOWN else kind in known and not table.unseen[PLAIN[kind]]
        if is_old:
            return Illegal(rules.basis("draw.then_hand_card"), seat, "hand-card-after-draw", card)
    return None if table.playable[kind] else _no_match(table, seat, kind, card)


def _doubt(table: Table, seat: int, kind: int) -> Ruling | None:
    """After a draw that nobody saw: was this the card drawn, or its like from the hand?"""
    if table.phase == DRAWN and table.drawn == UNKNOWN and kind in table.known[seat]:
        return CannotTell(table.book.rules.basis("draw.then_hand_card"), "play", (seat,))
    return None


def _no_match(table: Table, seat: int, kind: int, card: str) -> Ruling:
    rules = table.book.rules
    basis = rules.basis("match.basic")
    if IS_ACTION[kind]:
        basis = rules.basis("match.action_on", _ACTION_PART[SYMBOL_OF[kind]])
    return Illegal(basis, seat, "no-match", card)


def drew(table: Table, obs: Drew) -> Rulings:
    """Cards were taken from the draw pile: what is owed first, then the turn's draw."""
    seat, n = obs.seat, obs.n
    if table.owed[seat] or n == 0 or seat != table.turn or table.phase != TURN:
        return _drew_otherwise(table, obs)
    if n != table.book.draw_size:
        return refuse(seat, "one-draw", table.book.rules.basis("turn.must_draw"))
    kinds = kinds_of(obs.cards, n)
    need = _needs(table, seat)
    if mismatch := take(table, seat, kinds):
        return (mismatch, *(run_out(table) if not table.draw_pile else ()))
    closed = uno.close(table, obs, "draw") if table.watch else ()
    table.phase = DRAWN
    table.drawn = kinds[0]
    table.drew_by_need = need
    if need is False and table.book.warns_of_draws:
        closed += (Warn(table.book.rules.basis("draw.voluntary"), seat, "playable-card-held"),)
    return closed if table.draw_pile else (*closed, *run_out(table))


def _drew_otherwise(table: Table, obs: Drew) -> Rulings:
    """Cards that are owed, that accept a Wild Draw Four, that end the turn of another; or that nobody may take."""
    seat, n = obs.seat, obs.n
    if n == 0:
        return ()
    if table.owed[seat]:
        return _serve(table, obs)
    if table.phase == CHALLENGE and table.challenger == UNKNOWN and seat == table.next_seat:
        accepted = accept_by_drawing(table)
        return in_order(*accepted, *_serve(table, obs))
    if table.paused or table.phase not in (TURN, DRAWN):
        return refuse(seat, "wrong-phase")
    if seat == table.turn:
        return refuse(seat, "one-draw", table.book.rules.basis("turn.must_draw"))
    if not _is_pass_by_next(table, seat):
        return refuse(seat, "not-your-turn")
    passed = _pass(table)
    return in_order(*passed, *drew(table, obs)) if table.turn == seat else passed


def _serve(table: Table, obs: Drew) -> Rulings:
    """What is owed is drawn; what goes beyond it is a draw of its own."""
    seat, n = obs.seat, min(obs.n, table.owed[obs.seat])
    rest = Drew(obs.t, seat, obs.n - n, obs.cards[n:], u=obs.u)
    if mismatch := take(table, seat, kinds_of(obs.cards[:n], n)):
        return (mismatch, *(run_out(table) if not table.draw_pile else ()))
    table.owe(seat, -n)
    if table.catchable:
        table.penalty_drawn = True
    dry = run_out(table) if not table.draw_pile else []
    return in_order(*dry, *ending.settle(table), *(_drew_otherwise(table, rest) if rest.n else ()))


def pass_(table: Table, obs: Pass) -> Rulings:
    """The seat ends its turn: after drawing, or where nothing is left to draw."""
    if table.phase > DRAWN:
        return refuse(obs.seat, "wrong-phase")
    if obs.seat != table.turn:
        return refuse(obs.seat, "not-your-turn")
    if table.phase == TURN and not is_dry(table):
        return refuse(obs.seat, "wrong-phase")
    return _pass(table)


def _pass(table: Table) -> Rulings:
    """The turn goes on to the next seat, unless the document makes the seat lay what it drew."""
    rules, seat, phase = table.book.rules, table.turn, table.phase
    doubt: Rulings = ()
    if phase == DRAWN and table.drawn != UNKNOWN and table.playable[table.drawn]:
        by_need, by_choice = table.book.must_lay_drawn
        must = by_choice if table.drew_by_need is False else by_need
        if table.drew_by_need is None and by_need != by_choice:
            doubt = (CannotTell(rules.basis("draw.forced.then_play"), "play", (seat,)),)
        elif must:
            rule = "draw.voluntary.then_play" if table.drew_by_need is False else "draw.forced.then_play"
            return refuse(seat, "must-play-drawn", rules.basis(rule))
    table.phase = TURN
    table.turn = table.next_seat
    if not doubt and phase == DRAWN:
        return table.book.passed[table.direction][table.turn]
    basis = rules.basis("draw.forced.then_play") if phase == DRAWN else rules.basis("pile.exhausted", "short")
    return (*doubt, Turn(basis, table.turn, ("left", "right")[table.direction]))


def _is_pass_by_next(table: Table, seat: int) -> bool:
    """Whether what ``seat`` does means that the seat on turn, which has drawn, has passed."""
    return table.phase == DRAWN and seat == table.next_seat and seat != table.turn


def _needs(table: Table, seat: int) -> bool | None:
    """Whether the seat had nothing to lay; ``None`` where its hand is not known well enough."""
    known = table.known[seat]
    if any(table.playable[kind] for kind in known):
        return False
    return True if known and len(known) == table.hands[seat] else None
