"""A turn: lift, lay, draw, pass; and what the cards do."""

from __future__ import annotations

from tests.slow_referee import cards, ending, house
from tests.slow_referee.table import Ruling, Seen, Table, refused, ruled


def turn_begins(table: Table, by: str) -> None:
    """The seat on turn has begun its turn; nobody may be caught from now on, if the document says so."""
    window = table.says["window"]
    if window == "lift" or (window == "play" and by != "lift"):
        table.catchable.clear()


def has_passed(table: Table, seat: int) -> bool:
    """A seat that has drawn has also passed when the next seat lifts, plays or draws."""
    return table.phase == "drawn" and table.turn is not None and seat == table.next_to(table.turn) != table.turn


def lift(table: Table, seen: Seen) -> list[Ruling]:
    """A card was taken out of a hand to be played."""
    rulings = []
    if has_passed(table, seen["seat"]):
        rulings = end_turn(table, seen)
    if table.phase == "turn" and seen["seat"] == table.turn:
        turn_begins(table, "lift")
    return rulings


def play(table: Table, seen: Seen) -> list[Ruling]:
    """A card touched the discard pile."""
    seat, card = table.who(seen), seen["card"]
    if table.phase not in ("turn", "drawn"):
        return refused(seat, "wrong-phase", seen)
    if has_passed(table, seat):
        rulings = end_turn(table, seen)
        return rulings + play(table, seen) if table.turn == seat else rulings
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    hand, known = table.hands[seat], table.known[seat]
    own, own_known = cards.held_as(hand, card), cards.held_as(known, card)
    # Whatever becomes of the card: it was taken out of the hand to be played, and so the turn has begun.
    turn_begins(table, "lift")
    if own is None:
        return refused(seat, "not-in-hand", seen, "match.basic")
    if table.phase == "drawn" and own != table.drawn:
        return refused(seat, "hand-card-after-draw", seen, "draw.then_hand_card")
    if not table.fits(card):
        return refused(seat, "no-match", seen, "match.action_on" if cards.is_action(card) else "match.basic")

    turn_begins(table, "play")
    hand.remove(own)
    if own_known:
        known.remove(own_known)
    table.discard_pile.append(card)
    table.color_before, table.color = table.color, cards.color_of(card)
    table.top = card
    table.challenger = None
    table.left, table.left_known, table.drawn_since, table.n_since = hand.copy(), known.copy(), [], 0
    if not hand and not table.owed[seat]:
        return ending.go_out(table, seat, card)
    if len(hand) == 1 and seat not in table.called:
        table.catchable.add(seat)
    return house.laid(table, seat, card) + what_it_does(table, seat, card)


def what_it_does(table: Table, seat: int, card: str) -> list[Ruling]:
    """The card has its effect, and the turn goes on."""
    table.phase = "turn"
    after, symbol, two = table.next_to(seat), cards.symbol_of(card), table.has_two_players
    if cards.is_wild(card):
        table.phase = "color"
        return [ruled("choose_color", seat=seat, rule="card.wild.current_color")]
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
    if table.phase not in ("turn", "drawn"):
        return refused(seat, "wrong-phase", seen)
    if has_passed(table, seat):
        rulings = end_turn(table, seen)
        return rulings + drew(table, seen, first) if table.turn == seat else rulings
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    turn_begins(table, "draw")
    if table.phase == "drawn" or n != 1:
        return refused(seat, "one-draw", seen, "turn.must_draw")
    table.drew_by_need = not any(table.fits(card) for card in table.hands[seat])
    table.take(seat, seen, first)
    table.drawn = table.hands[seat][-1]
    table.phase = "drawn"
    if not table.drew_by_need and not table.says["choice is granted"]:
        return [ruled("warn", seat=seat, rule="draw.voluntary")]
    return []


def passed(table: Table, seen: Seen) -> list[Ruling]:
    """A seat ends its turn; that needs a draw, unless there is nothing left to draw."""
    seat = seen["seat"]
    if table.phase not in ("turn", "drawn"):
        return refused(seat, "wrong-phase", seen)
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    if table.phase == "drawn":
        return end_turn(table, seen)
    if table.draw_pile or len(table.discard_pile) > 1:
        return refused(seat, "wrong-phase", seen, "turn.must_draw")
    table.turn = table.next_to(seat)
    return [table.say_turn()]


def end_turn(table: Table, seen: Seen) -> list[Ruling]:
    """The seat that has drawn keeps the card, where it may."""
    assert table.turn is not None
    assert table.drawn is not None
    how, rule = ("drawn by choice", "draw.voluntary.then_play")
    if table.drew_by_need:
        how, rule = ("drawn by need", "draw.forced.then_play")
    # "only when the player holding it does not have a card to match the color": who has one may not lay it.
    others = table.hands[table.turn].copy()
    others.remove(table.drawn)
    is_forbidden = table.drawn == "wild-draw4" and any(cards.color_of(card) == table.color for card in others)
    if table.says[how] == "must" and table.fits(table.drawn) and not is_forbidden:
        return [ruled("illegal", seat=table.turn, why="must-play-drawn", rule=rule)]
    table.phase = "turn"
    table.turn = table.next_to(table.turn)
    return [table.say_turn()]


def wild_draw4_is_taken(table: Table) -> list[Ruling]:
    """The next seat draws four cards and misses its turn; after a last card it only draws."""
    assert table.turn is not None
    after = table.next_to(table.turn)
    draw = table.owe(after, 4, "wild-draw4")
    if table.went_out is not None:
        table.phase = "game_over" if table.target is None else "round_over"
        return [draw]
    table.phase = "turn"
    table.turn = table.next_to(after)
    return [draw, ruled("skip", seat=after), table.say_turn()]
