"""The cards that no printed sheet of the first box has, by the sentences of the rulesets that have them."""

from __future__ import annotations

from tests.slow_referee import ending, own_rules
from tests.slow_referee.table import WITH_A_TURN, Ruling, Seen, Table, refused, ruled


def laid(table: Table, seat: int, card: str) -> list[Ruling] | None:
    """What a card does that only this box has; ``None`` where it is another."""
    symbol = table.cards.symbol_of(card)
    if symbol == "wild-reverse-draw4":
        # "Play runs the other way, and the next player then draws 4 cards"
        table.direction = "left" if table.direction == "right" else "right"
    if table.cards.is_wild(card) and table.cards.makes_draw(card):
        own_rules.joins_the_stack(table, card)
    if symbol == "wild-roulette":
        # "The next player names a color"
        table.phase, table.turn = "color", table.next_to(seat)
        return [ruled("choose_color", seat=table.turn, rule="card.own")]
    if symbol == "8" and table.says["deck"] == "mau-mau":
        # "The next player misses the turn."
        missing = table.next_to(seat)
        table.turn = table.next_to(missing)
        return [ruled("skip", seat=missing, rule="card.own"), table.say_turn(rule="card.own")]
    if symbol in ("wild-skip", "wild-skip2"):
        # "The next two players miss their turn." Of two players only the other can.
        missed = [table.next_to(seat)]
        if symbol == "wild-skip2" and not table.has_two_players:
            missed.append(table.next_to(missed[0]))
        table.turn = table.next_to(missed[-1])
        skips = [ruled("skip", seat=one, rule="card.own") for one in missed]
        return [*skips, table.say_turn(rule="two.skip" if table.has_two_players else "card.own")]
    if symbol == "wild-reverse" and table.has_two_players:
        # "a Reverse works as a Skip"
        return [ruled("skip", seat=table.next_to(seat), rule="two.reverse"), table.say_turn(rule="two.reverse")]
    if symbol == "wild-reverse":
        table.direction = "left" if table.direction == "right" else "right"
        table.turn = table.next_to(seat)
        return [table.say_turn(rule="card.own")]
    if symbol in ("wild-draw2", "wild-draw4") and table.says["deck"] == "all-wild":
        # "The next player draws 2 cards and misses the turn."
        after, n = table.next_to(seat), table.cards.makes_draw(card)
        table.turn = table.next_to(after)
        draw = table.owe(after, n, symbol, rule="card.own")
        return [draw, ruled("skip", seat=after, rule="card.own"), table.say_turn(rule="card.own")]
    if symbol == "wild-target-draw2":
        # "Whoever plays it chooses another player, who draws 2 cards"
        table.phase, table.turn = "target", seat
        return [ruled("choose_target", seat=seat, rule="card.own")]
    if symbol == "wild-forced-swap":
        return [own_rules.choose_seat(table, seat, "card.own")]
    if symbol == "discard-all":
        # "Whoever plays it lays all other cards of its color from the hand under it"
        table.phase, table.turn = "discard", seat
        return [ruled("discard_all", seat=seat, rule="card.own")]
    if symbol == "skip-all":
        # "All others miss the turn: whoever played it plays again."
        others, other = [], table.next_to(seat)
        while other != seat:
            others.append(ruled("skip", seat=other, rule="card.own"))
            other = table.next_to(other)
        table.turn = seat
        return [*others, table.say_turn(rule="card.own")]
    return None


def answerer(table: Table, layer: int) -> int:
    """Who has to answer a draw card. "between two, whoever played it", if it turned the direction."""
    is_turned_on_two = table.top == "wild-reverse-draw4" and table.has_two_players
    return layer if is_turned_on_two else table.next_to(layer)


def discarded(table: Table, seen: Seen) -> list[Ruling]:
    """The other cards of the color were laid under Discard All, and "have no effect"."""
    seat, hand, known, n = seen["seat"], table.hands[seen["seat"]], table.known[seen["seat"]], seen["n"]
    if table.phase != "discard":
        return refused(seat, "wrong-phase", seen)
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    if n > len(hand):
        return [ruled("mismatch", what="hand", expected=len(hand), seen=n, rule=None)]
    of_color = [card for card in hand if table.cards.color_of(card) == table.color]
    if wrong := [card for card in seen.get("cards", []) if table.cards.color_of(card) != table.color]:
        return refused(seat, "no-match", {"card": wrong[0]}, "card.own")
    if n != len(of_color):
        return refused(seat, "discard-all" if n < len(of_color) else "not-in-hand", seen, "card.own")
    for card in of_color:
        hand.remove(card)
        if card in known:
            known.remove(card)
    table.discard_pile[-1:-1] = of_color
    if not hand and not table.owed[seat]:
        return ending.go_out(table, seat, "")
    if len(hand) == 1 and seat not in table.called:
        table.catchable.add(seat)
    if len(hand) != 1:
        table.called.discard(seat)
    table.phase, table.turn = "turn", table.next_to(seat)
    return [table.say_turn()]


def target(table: Table, seen: Seen) -> list[Ruling]:
    """ "chooses another player, who draws 2 cards and does not miss the next turn" """
    seat, other = seen["seat"], seen["with"]
    if table.says["deck"] != "all-wild":
        return [ruled("void", seat=seat, why="not-in-document")]
    if table.phase != "target":
        return refused(seat, "wrong-phase", seen)
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    if other == seat or other in table.out:
        return refused(seat, "wrong-phase", seen, "card.own")
    assert table.top is not None
    table.phase, table.turn = "turn", table.next_to(seat)
    draw = table.owe(other, 2, table.top, rule="card.own")
    return [draw, table.say_turn(rule="card.own")]


def turn_up(table: Table, seen: Seen, first: int) -> list[Ruling]:
    """Cards are turned up, "until one of that color comes"; where nobody sees them, the player says when."""
    seat, came = seen["seat"], [table.cards.color_of(card) == table.color for card in seen.get("cards", [])[first:]]
    if True in came[:-1]:
        return refused(seat, "one-draw", seen, "card.own")
    table.take(seat, seen, first)
    table.turned_up = [*table.turned_up, *came, *(None for _ in seen["really"][first + len(came) :])]
    return turned_up_enough(table, seat) if came and came[-1] else []


def passed(table: Table, seen: Seen) -> list[Ruling]:
    """The player says that a card of the color has come."""
    if seen["seat"] != table.turn:
        return refused(seen["seat"], "not-your-turn", seen)
    is_more = table.draw_pile or len(table.discard_pile) > 1
    if is_more and (not table.turned_up or table.turned_up[-1] is not None):
        return refused(seen["seat"], "wrong-phase", seen, "card.own")
    return turned_up_enough(table, seen["seat"])


def turned_up_enough(table: Table, seat: int) -> list[Ruling]:
    """The player has taken the cards, "and misses the turn"."""
    table.phase, table.turn = "turn", table.next_to(seat)
    return [ruled("skip", seat=seat, rule="card.own"), table.say_turn(rule="card.own")]


def some_hand_is_too_big(table: Table) -> bool:
    """Whether somebody "holds 25 cards or more", while the round goes on."""
    limit = table.says["knocked out at"]
    return limit is not None and table.phase in WITH_A_TURN and any(len(hand) >= limit for hand in table.hands)


def knock_out(table: Table, said: list[Ruling]) -> list[Ruling]:
    """ "Whoever holds 25 cards or more is knocked out; these cards go under the discard pile." """
    if not some_hand_is_too_big(table):
        return said
    limit = table.says["knocked out at"]
    was_dry = not table.draw_pile and len(table.discard_pile) <= 1
    rulings: list[Ruling] = []
    for seat in [seat for seat, hand in enumerate(table.hands) if len(hand) >= limit]:
        after = table.next_to(seat)
        table.discard_pile[:0] = table.hands[seat]
        table.hands[seat], table.known[seat] = [], []
        table.owed[seat] = 0
        table.out, table.knocked_out = table.out | {seat}, table.knocked_out | {seat}
        table.called.discard(seat)
        table.catchable.discard(seat)
        rulings.append(ruled("eliminated", seat=seat, rule="hand.limit"))
        if len(table.players) == 1:
            return [*not_yet(said), *rulings, *last_one_left(table, after)]
        if table.turn == seat:
            said = not_yet(said)
            rulings.append(goes_on(table, after))
    if was_dry and len(table.discard_pile) > 1:
        rulings.append(ruled("recycle", rule="pile.exhausted"))
    return said + rulings


def not_yet(said: list[Ruling]) -> list[Ruling]:
    """Without whose turn it would have been."""
    return [ruling for ruling in said if ruling["ruling"] not in ("turn", "may_stack")]


def last_one_left(table: Table, winner: int) -> list[Ruling]:
    """ "or whoever is left when all others are knocked out" """
    table.owed[winner], table.stack = 0, 0
    table.went_out, table.phase = winner, "round_over"
    table.catchable.clear()
    rulings = [ruled("round_over", seat=winner, rule="hand.limit")]
    if table.target is None:
        table.phase = "game_over"
        rulings.append(ruled("game_over", seat=winner, rule="goal"))
    return rulings


def goes_on(table: Table, seat: int) -> Ruling:
    """ "it is the next player's turn, and a draw card that waits for an answer waits for that player's" """
    table.turn = seat
    if table.phase == "stack":
        return own_rules.ask_for_an_answer(table, seat)
    table.phase, table.stack = "turn", 0
    is_unsettled = table.says["deck"] == "168"  # the sheet with such a limit does not say who goes on
    return table.say_turn(rule="hand.limit", reading="proposed" if is_unsettled else None)
