"""The opening: who deals, seven cards each, the first card."""

from __future__ import annotations

from tests.slow_referee import ending
from tests.slow_referee.table import Ruling, Seen, Table, refused, ruled


def pick(table: Table, seen: Seen) -> list[Ruling]:
    """Everybody picks a card, and the highest number deals; who picked the same picks again."""
    seat = seen["seat"]
    if table.phase != "pick":
        return refused(seat, "wrong-phase", seen)
    if table.picked.get(seat, "not asked") is not None:
        return refused(seat, "not-your-turn", seen)
    table.picked[seat] = seen["card"]
    if None in table.picked.values():
        return []
    numbers = {seat: table.cards.number_of(card) for seat, card in table.picked.items() if card}
    worth = {seat: table.says["picked action"] if number is None else number for seat, number in numbers.items()}
    highest = [seat for seat in sorted(worth) if worth[seat] == max(worth.values())]
    if len(highest) > 1:
        table.picked = dict.fromkeys(highest)
        return [ruled("pick_again", seats=highest, rule="dealer.pick")]
    table.dealer = highest[0]
    table.phase = "deal"
    is_settled = table.says["picked action is settled"] or None not in numbers.values()
    reading = None if is_settled else "proposed"
    return [ruled("dealer", seat=table.dealer, rule="dealer.pick", reading=reading)]


def dealt(table: Table, seen: Seen) -> list[Ruling]:
    """Each player gets seven cards, or as many as the table chose."""
    # "Shuffle the cards and play again": where a round is the game, another follows like the next round of a game.
    may_follow = table.phase == "round_over" or (table.phase == "game_over" and table.target is None)
    rulings = ending.next_round(table) if may_follow else []
    seat, n = seen["seat"], seen["n"]
    if table.phase != "deal":
        return rulings + refused(seat, "wrong-phase", seen)
    size = table.hand_size if seat in table.players else 0
    if len(table.hands[seat]) + n > size:
        return [*rulings, ruled("mismatch", what="hand", expected=size, seen=len(table.hands[seat]) + n, rule=None)]
    table.take(seat, seen)
    if all(len(table.hands[seat]) == size for seat in table.players):
        table.phase = "upcard"
    return rulings


START = {"skip": "start.skip", "reverse": "start.reverse", "draw2": "start.draw2", "wild-draw4": "start.wd4"}


def upcard(table: Table, seen: Seen) -> list[Ruling]:
    """The top card of the draw pile is turned up and begins the discard pile, if it counts."""
    card = seen["card"]
    if table.phase != "upcard":
        return refused(table.who(seen), "wrong-phase", seen)
    assert table.dealer is not None
    table.direction = table.says["begins"]
    symbol = table.cards.symbol_of(card)
    if table.says["deck"] == "all-wild":
        symbol = symbol.removeprefix("wild-")
    to = table.says["up"].get(symbol, "effect")
    rule = START.get(symbol, "start.wild.who_names_color")
    if table.says["deck"] in ("168", "crazy-eights", "mau-mau") and symbol not in START:
        rule = "start.own"
    if to == "plain":
        # "The first card has no effect: its suit and its rank are matched."
        symbol = rule = "start.first_player"
    elif to != "effect":
        if to == "aside":
            table.draw_pile.remove(card)
            table.discard_pile.append(card)
        return [ruled("return_card", card=card, to=to, rule=rule)]
    table.draw_pile.remove(card)
    table.discard_pile.append(card)
    table.top = card
    table.color = card.split("-")[0] if to == "plain" and table.cards.colors else table.cards.color_of(card)
    table.phase = "turn"
    first = table.turn = table.next_to(table.dealer)
    if table.cards.is_wild(card) and to != "plain":
        table.phase = "color"
        table.is_first_card = True
        return [ruled("choose_color", seat=first, rule=rule)]
    if table.color is None:
        return [table.say_turn(rule="start.first_player")]
    color = ruled("color", color=table.color)
    if symbol == "reverse":
        table.turn = table.dealer
        table.direction = "left" if table.direction == "right" else "right"
    elif symbol == "skip":
        table.turn = table.next_to(first)
        return [color, ruled("skip", seat=first, rule=rule), table.say_turn(rule=rule)]
    elif symbol == "draw2":
        table.turn = table.next_to(first)
        draw = table.owe(first, 2, "draw2", rule=rule)
        return [color, draw, ruled("skip", seat=first, rule=rule), table.say_turn(rule=rule)]
    else:
        rule = "start.first_player"
    return [color, table.say_turn(rule=rule)]
