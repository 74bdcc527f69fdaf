"""A turn: lift, lay, draw, pass; and what the cards do."""

from __future__ import annotations

from tests.slow_referee import ending, house, own_cards, own_rules
from tests.slow_referee.table import Ruling, Seen, Table, refused, ruled


def turn_begins(table: Table, by: str) -> None:
    """The seat on turn has begun its turn; nobody may be caught from now on, if the document says so."""
    table.has_begun = True
    window = table.says["window"]
    if window == "lift" or (window == "play" and by != "lift"):
        table.catchable.clear()


def by_the_faces(rulings: list[Ruling]) -> list[Ruling]:
    """Rulings that only who sees the cards can make."""
    return [{"by the faces": True, **ruling} for ruling in rulings]


def has_passed(table: Table, seat: int) -> bool:
    """A seat that has drawn has also passed when the next seat lifts, plays or draws."""
    return table.phase == "drawn" and table.turn is not None and seat == table.next_to(table.turn) != table.turn


def lift(table: Table, seen: Seen) -> list[Ruling]:
    """A card was taken out of a hand to be played."""
    rulings = []
    if has_passed(table, seen["seat"]):
        rulings = end_turn(table, seen)
    if table.phase in ("turn", "stack") and seen["seat"] == table.turn:
        turn_begins(table, "lift")
    return rulings


def play(table: Table, seen: Seen) -> list[Ruling]:
    """A card touched the discard pile."""
    seat, card = table.who(seen), seen["card"]
    if table.phase not in ("turn", "drawn", "stack"):
        return refused(seat, "wrong-phase", seen)
    if has_passed(table, seat):
        rulings = end_turn(table, seen)
        return rulings + play(table, seen) if table.turn == seat else rulings
    by_rule = None if seat == table.turn else own_rules.out_of_turn(table, seat, card)
    if seat != table.turn and by_rule is None:
        return refused(seat, "not-your-turn", seen)
    hand, known = table.hands[seat], table.known[seat]
    own, own_known = table.cards.held_as(hand, card), table.cards.held_as(known, card)
    if by_rule is None:
        # Whatever becomes of the card: it was taken out of the hand to be played, and so the turn has begun.
        turn_begins(table, "lift")
    if own is None:
        return refused(seat, "not-in-hand", seen)
    if table.phase == "drawn" and own != table.drawn:
        return refused(seat, "hand-card-after-draw", seen, "draw.then_hand_card")
    if table.phase == "stack":
        if rule := own_rules.why_no_answer(table, card):
            return refused(seat, "no-match", seen, rule)
    elif not table.fits(card):
        return refused(seat, "no-match", seen, "match.action_on" if table.cards.is_action(card) else "match.basic")
    if own_rules.is_forbidden_last(table, card, len(hand)):
        return refused(seat, "action-last", seen, "last.action")

    turn_begins(table, "play")
    was_on_turn, table.turn, table.layer = table.turn, seat, seat
    table.just_played = seat
    hand.remove(own)
    if own_known:
        known.remove(own_known)
    table.discard_pile.append(card)
    table.color_before, table.color = table.color, table.cards.color_of(card)
    table.top = card
    table.challenger = None
    table.left, table.left_known, table.drawn_since, table.n_since = hand.copy(), known.copy(), [], 0
    if not hand and not table.owed[seat]:
        return ending.go_out(table, seat, card)
    is_to_call = table.says["calls"] and table.cards.symbol_of(card) != "discard-all"
    if len(hand) == 1 and is_to_call and seat not in table.called:
        table.catchable.add(seat)
    rulings = house.laid(table, seat, card)
    if by_rule == "play.double" and table.cards.symbol_of(card) == "skip" and not table.stack:
        # "effects add up": the seat that the first Skip let play is skipped, too.
        assert was_on_turn is not None
        table.phase, table.turn = "turn", table.next_to(was_on_turn)
        return [*rulings, ruled("skip", seat=was_on_turn), table.say_turn(rule=by_rule)]
    does = what_it_does(table, seat, card)
    return rulings + [one | {"rule": by_rule} if by_rule and one["ruling"] == "turn" else one for one in does]


def what_it_does(table: Table, seat: int, card: str) -> list[Ruling]:
    """The card has its effect, and the turn goes on."""
    table.phase = "turn"
    after, symbol, two = table.next_to(seat), table.cards.symbol_of(card), table.has_two_players
    if (does := own_cards.laid(table, seat, card)) is not None:
        return does
    if table.cards.is_wild(card):
        table.phase = "color"
        return [ruled("choose_color", seat=seat, rule="card.wild.current_color")]
    if own_rules.is_bounce(table, symbol):
        return own_rules.bounce(table, seat, symbol)
    if symbol == "skip":
        table.turn = table.next_to(after)
        has_rule = two and table.says["two players"]
        turn = table.say_turn(rule="two.skip" if has_rule else "card.skip")
        return [ruled("skip", seat=after, rule="card.skip"), turn]
    if symbol == "reverse" and two and table.says["two players"]:
        table.turn = seat
        return [ruled("skip", seat=after, rule="two.reverse"), table.say_turn(rule="two.reverse")]
    if symbol == "reverse":
        table.direction = "left" if table.direction == "right" else "right"
        table.turn = table.next_to(seat)
        return [table.say_turn(rule="two.reverse" if two else "card.reverse")]
    if table.cards.makes_draw(card) and own_rules.joins_the_stack(table, card):
        if own_rules.answers(table):
            return [own_rules.ask_for_an_answer(table, after)]
        return own_rules.take_stack(table, table.stack, seat)
    if symbol == "7" and table.own.get("seven") in ("swap", "may-swap"):
        return [own_rules.choose_seat(table, seat, "seven")]
    if symbol == "0" and table.own.get("zero") == "pass-on":
        moved = own_rules.pass_on(table)
        table.turn = after
        return [moved, table.say_turn()]
    if symbol == "draw2":
        table.turn = table.next_to(after)
        draw = table.owe(after, 2, "draw2", rule="card.draw2")
        has_rule = two and table.says["two players"]
        turn = table.say_turn(rule="two.draw" if has_rule else "card.draw2")
        return [draw, ruled("skip", seat=after, rule="card.draw2"), turn]
    table.turn = after
    return [table.say_turn()]


def drew(table: Table, seen: Seen, first: int = 0) -> list[Ruling]:
    """Cards were taken from the draw pile, from the ``first`` of those that were seen on: what is owed before all."""
    seat, n = seen["seat"], seen["n"] - first
    if n == 0:
        return []
    if table.owed[seat]:
        served = min(n, table.owed[seat])
        table.take(seat, seen, first, served)
        table.owed[seat] -= served
        return drew(table, seen, first + served)
    if table.paused:
        return refused(seat, "wrong-phase", seen)
    if table.phase == "challenge" and table.challenger is None and table.turn is not None:
        if seat == table.next_to(table.turn):
            return wild_draw4_is_taken(table) + drew(table, seen, first)
        return refused(seat, "wrong-phase", seen)
    if table.phase == "stack" and seat == table.turn:
        assert table.layer is not None
        return own_rules.take_stack(table, table.stack, table.layer) + drew(table, seen, first)
    if table.phase == "roulette" and seat == table.turn:
        return own_cards.turn_up(table, seen, first)
    if table.phase == "stack":
        return refused(seat, "not-your-turn", seen)
    if table.phase not in ("turn", "drawn"):
        return refused(seat, "wrong-phase", seen)
    if has_passed(table, seat):
        rulings = end_turn(table, seen)
        return rulings + drew(table, seen, first) if table.turn == seat else rulings
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    turn_begins(table, "draw")
    if objection := own_rules.why_not_draw(table, seat, (seen["cards"] if "cards" in seen else seen["really"])[first:]):
        rulings = refused(seat, objection[0], seen, objection[1])
        is_by_the_faces = table.own.get("turn.must_draw") == "until-it-fits" and objection[1] != "draw.most"
        return by_the_faces(rulings) if is_by_the_faces else rulings
    is_first = table.phase == "turn"
    table.n_drawn = n if is_first else table.n_drawn + n
    if is_first:
        table.drew_by_need = not any(table.fits(card) for card in table.hands[seat])
    table.take(seat, seen, first)
    table.drawn = table.hands[seat][-1]
    table.phase = "drawn"
    if is_first and not table.drew_by_need and not table.says["choice is granted"]:
        return [ruled("warn", seat=seat, rule="draw.voluntary")]
    return []


def passed(table: Table, seen: Seen) -> list[Ruling]:
    """A seat ends its turn; that needs a draw, unless there is nothing left to draw."""
    seat = seen["seat"]
    if table.phase == "roulette":
        return own_cards.passed(table, seen)
    if table.phase == "swap":
        return own_rules.keep(table, seen)
    if table.phase not in ("turn", "drawn"):
        return refused(seat, "wrong-phase", seen)
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    if table.phase == "drawn":
        return end_turn(table, seen)
    if table.draw_pile or len(table.discard_pile) > 1:
        return refused(seat, "wrong-phase", seen, "turn.must_draw")
    if own_rules.must_lay(table, seat):
        return refused(seat, "must-play-drawn", seen, "turn.force_play")
    table.turn = table.next_to(seat)
    return [table.say_turn()]


def end_turn(table: Table, seen: Seen) -> list[Ruling]:
    """The seat that has drawn keeps the card, where it may."""
    assert table.turn is not None
    assert table.drawn is not None
    if own_rules.must_draw_on(table):
        return by_the_faces(refused(table.turn, "wrong-phase", {}, "turn.must_draw"))
    how, rule = ("drawn by choice", "draw.voluntary.then_play")
    if table.drew_by_need:
        how, rule = ("drawn by need", "draw.forced.then_play")
    must = table.says[how] == "must"
    if table.own.get("turn.force_play", "no") != "no":
        must, rule = True, "turn.force_play"
    # "only when the player holding it does not have a card to match the color": who has one may not lay it.
    others = table.hands[table.turn].copy()
    others.remove(table.drawn)
    is_asked = table.says["challengers"] != "nobody"
    is_forbidden = table.drawn == "wild-draw4" and any(table.cards.color_of(card) == table.color for card in others)
    may = own_rules.may_lay(table, table.drawn, len(others) + 1) and not (is_asked and is_forbidden)
    if must and may:
        return [ruled("illegal", seat=table.turn, why="must-play-drawn", rule=rule)]
    table.phase = "turn"
    table.turn = table.next_to(table.turn)
    return [table.say_turn()]


def wild_draw4_is_taken(table: Table) -> list[Ruling]:
    """The next seat draws four cards and misses its turn; after a last card it only draws."""
    assert table.turn is not None
    if table.stack:
        return own_rules.take_stack(table, table.stack, table.turn)
    after = table.next_to(table.turn)
    draw = table.owe(after, 4, "wild-draw4")
    if table.went_out is not None:
        table.phase = "game_over" if table.target is None else "round_over"
        return [draw]
    table.phase = "turn"
    table.turn = table.next_to(after)
    return [draw, ruled("skip", seat=after), table.say_turn()]
