"""The table's own rules, as the contract of the table log tells them (*The table's own rules*)."""

from __future__ import annotations

from tests.slow_referee.table import Ruling, Seen, Table, refused, ruled


def out_of_turn(table: Table, seat: int, card: str) -> str | None:
    """By which rule a seat that is not on turn may lay this card; ``None``: by none.

    "a seat not on turn (or the one that just played) may lay a card of the same color and symbol as the up-card, wilds
    excepted, until the seat on turn begins"
    """
    if table.phase not in ("turn", "stack") or table.has_begun or table.top is None or table.cards.is_wild(card):
        return None
    if table.cards.is_wild(table.top) or card.rstrip("*") != table.top.rstrip("*"):
        return None
    if table.own.get("play.double") == "identical" and seat == table.just_played:
        return "play.double"
    return "jump_in" if table.own.get("jump_in") == "identical" else None


# Stacking.


def answers(table: Table) -> list[str]:
    """What may answer the card on top: ``draw2`` and ``wild-draw4``, as far as its rule says so."""
    assert table.top is not None
    symbol = table.cards.symbol_of(table.top)
    if table.says["stacks"]:
        # "one that makes draw as much or more, of any color"
        least = table.cards.makes_draw(table.top)
        return [one for one in table.cards.draw_cards if table.cards.makes_draw(one) >= least]
    is_draw2 = symbol == "draw2" or is_bounce(table, symbol)
    value = table.own.get("stack.draw2" if is_draw2 else "stack.wd4", "no")
    found = {"no": [], "any": ["draw2", "wild-draw4"]}.get(value, [value])
    return found + bouncing(table) if is_draw2 else found


def bouncing(table: Table) -> list[str]:
    """The actions that hand a Draw Two on: "a Reverse sends it back, a Skip hands it on"."""
    return {"reverse": ["reverse"], "reverse-skip": ["reverse", "skip"]}.get(table.own.get("stack.bounce", "no"), [])


def is_bounce(table: Table, symbol: str) -> bool:
    """Whether a card with this symbol hands on what is to be drawn."""
    return table.stack > 0 and symbol in bouncing(table)


def bounce(table: Table, seat: int, symbol: str) -> list[Ruling]:
    """The next seat has to answer now; after a Reverse, the one on the other side."""
    if symbol == "reverse":
        table.direction = "left" if table.direction == "right" else "right"
    return [ask_for_an_answer(table, table.next_to(seat))]


def why_no_answer(table: Table, card: str) -> str | None:
    """The rule that forbids to answer with this card; ``None`` where it may be stacked."""
    assert table.top is not None
    symbol, limit = table.cards.symbol_of(card), table.own.get("stack.limit", "none")
    top = table.cards.symbol_of(table.top)
    rule = {"draw2": "stack.draw2" if "stack.draw2" in table.own else "stack.bounce"}.get(top, "stack.wd4")
    rule = "stack.bounce" if is_bounce(table, top) else rule
    if table.says["stacks"]:
        if not 0 < table.cards.makes_draw(table.top) <= table.cards.makes_draw(card):
            return "stack.cards"
    else:
        is_of_color = table.top != "wild-draw4" or symbol != "draw2" or table.cards.color_of(card) == table.color
        if is_bounce(table, symbol) or is_bounce(table, top):
            is_of_color = table.fits(card)  # "it has to fit"
        if symbol not in answers(table) or not is_of_color:
            return rule
    return "stack.limit" if limit != "none" and table.stack + table.cards.makes_draw(card) > int(limit) else None


def joins_the_stack(table: Table, card: str) -> bool:
    """A draw card was laid; it is added up where it may be answered, or where it is an answer itself."""
    if not table.stack and not answers(table):
        return False
    if not table.stack:
        table.stack_why = table.cards.symbol_of(card)
    table.stack += table.cards.makes_draw(card)
    return True


def ask_for_an_answer(table: Table, seat: int) -> Ruling:
    """``seat`` may answer."""
    table.phase = "stack"
    table.turn = seat
    table.has_begun = False
    return ruled("may_stack", seat=seat, n=table.stack)


def take_stack(table: Table, n: int, layer: int) -> list[Ruling]:
    """The seat that may answer, or the one after ``layer``, takes ``n`` cards and misses its turn."""
    seat, why = table.next_to(layer), table.stack_why
    if table.phase == "stack":
        assert table.turn is not None
        seat = table.turn
    table.stack = 0
    draw = table.owe(seat, n, why)
    if table.went_out is not None:
        table.phase = "game_over" if table.target is None else "round_over"
        return [draw]
    table.phase = "turn"
    table.turn = table.next_to(seat)
    return [draw, ruled("skip", seat=seat), table.say_turn()]


# Hands that move.


def choose_seat(table: Table, seat: int, rule: str) -> Ruling:
    table.phase = "swap"
    table.turn = seat
    return ruled("choose_seat", seat=seat, rule=rule)


def swap(table: Table, seen: Seen) -> list[Ruling]:
    """Who laid a seven, or a card that says so, swaps hands with the seat it names."""
    seat, other = seen["seat"], seen["with"]
    rule = "card.own" if table.top in ("wild-swap", "wild-forced-swap") else "seven"
    if table.own.get("seven") not in ("swap", "may-swap") and table.says["deck"] not in ("all-wild", "112-swap"):
        return [ruled("void", seat=seat, why="not-in-document")]
    if table.phase != "swap":
        return refused(seat, "wrong-phase", seen)
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    if other == seat or other in table.out:
        return refused(seat, "wrong-phase", seen, rule)
    moved = move(table, {seat: other, other: seat}, rule)
    table.phase = "turn"
    table.turn = table.next_to(seat)
    return [moved, table.say_turn()]


def keep(table: Table, seen: Seen) -> list[Ruling]:
    """Who laid a seven keeps the hand, where it "may" swap."""
    seat, is_own_card = seen["seat"], table.top in ("wild-swap", "wild-forced-swap")
    if table.own.get("seven") != "may-swap" or is_own_card:
        return refused(seat, "wrong-phase", seen, "card.own" if is_own_card else "seven")
    if seat != table.turn:
        return refused(seat, "not-your-turn", seen)
    table.phase, table.turn = "turn", table.next_to(seat)
    return [table.say_turn()]


def pass_on(table: Table) -> Ruling:
    """Every hand goes on to the next seat in the direction of play."""
    return move(table, {table.next_to(seat): seat for seat in table.players}, "zero")


def move(table: Table, whose: dict[int, int], rule: str) -> Ruling:
    """Known faces move with the hands; calls lapse; a seat that comes to hold one card is catchable."""
    hands, known = table.hands.copy(), table.known.copy()
    for seat, other in whose.items():
        table.hands[seat], table.known[seat] = hands[other], known[other]
        table.called.discard(seat)
        table.catchable.discard(seat)
        if len(table.hands[seat]) == 1 and table.says["calls"]:
            table.catchable.add(seat)
    return ruled("hands_moved", hands=[len(hand) for hand in table.hands], rule=rule)


# What must be laid, and what may not.


def is_forbidden_last(table: Table, card: str, held: int) -> bool:
    """The last card may not be an action or a wild."""
    is_special = table.cards.is_action(card) or table.cards.is_wild(card)
    return table.own.get("last.action") == "forbidden" and held == 1 and is_special


def may_lay(table: Table, card: str, held: int) -> bool:
    """Whether a seat on turn that holds so many cards may lay this one."""
    return table.fits(card) and not is_forbidden_last(table, card, held)


def why_not_draw(table: Table, seat: int, drawn: list[str]) -> tuple[str, str] | None:
    """The objection to a draw, with its rule: who can play must; who draws until a card fits may not draw on."""
    held = len(table.hands[seat])
    if table.own.get("turn.must_draw") == "until-it-fits":
        if drawn_so_far(table) + len(drawn) > most_drawn(table):
            return "one-draw", "draw.most"
        goes_on = table.phase == "drawn" and table.drawn is not None and may_lay(table, table.drawn, held)
        if goes_on or any(may_lay(table, card, held + n) for n, card in enumerate(drawn[:-1], start=1)):
            return "one-draw", "turn.must_draw"
    elif table.phase == "drawn" or len(drawn) != 1:
        return "one-draw", "turn.must_draw"
    if table.phase == "turn" and must_lay(table, seat):
        return "must-play-drawn", "turn.force_play"
    return None


def must_lay(table: Table, seat: int) -> bool:
    """Who can play must, where the table plays so."""
    hand = table.hands[seat]
    return table.own.get("turn.force_play") == "always" and any(may_lay(table, card, len(hand)) for card in hand)


def must_draw_on(table: Table) -> bool:
    """What was drawn does not fit, and there is more to draw."""
    assert table.turn is not None
    assert table.drawn is not None
    is_more = (table.draw_pile or len(table.discard_pile) > 1) and drawn_so_far(table) < most_drawn(table)
    is_so = table.own.get("turn.must_draw") == "until-it-fits" and is_more
    return bool(is_so) and not may_lay(table, table.drawn, len(table.hands[table.turn]))


def drawn_so_far(table: Table) -> int:
    """How many cards the seat on turn has drawn in its turn."""
    return table.n_drawn if table.phase == "drawn" else 0


def most_drawn(table: Table) -> float:
    """How many cards a seat draws in a turn until one fits, at most."""
    return float(table.own.get("draw.most", "inf").replace("none", "inf"))
