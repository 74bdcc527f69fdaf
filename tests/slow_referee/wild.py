"""Wilds: a color is named, a Wild Draw Four taken or challenged, hands shuffled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tests.slow_referee import own_cards, own_rules
from tests.slow_referee.table import Ruling, Seen, Table, refused, ruled
from tests.slow_referee.turn import wild_draw4_is_taken


def color(table: Table, seen: Seen) -> list[Ruling]:
    """A color was named, by the seat that laid the wild; at the start by who begins."""
    seat = table.who(seen)
    # The color of a last card need not be named, but may be.
    is_last = table.phase == "challenge" and table.went_out is not None and table.challenger is None
    if (table.phase != "color" and not is_last) or seat != table.turn:
        return [ruled("void", seat=seat, why="not-the-namer")]
    if seen["color"] not in table.cards.colors:
        return [ruled("void", seat=seat, why="not-in-document")]
    table.color = seen["color"]
    named = ruled("color", color=table.color)
    if table.is_first_card:
        table.is_first_card = False
        table.phase = "turn"
        return [named, table.say_turn(rule="start.wild.who_names_color")]
    if table.top == "wild-roulette":
        table.phase, table.turned_up = "roulette", []
        return [named, ruled("turn_up", seat=seat, rule="card.own")]
    if table.top and table.cards.makes_draw(table.top):
        return [named, *what_may_be_done(table, seat)]
    if table.top == "wild-swap":
        return [named, own_rules.choose_seat(table, seat, "card.own")]
    if table.top == "wild-shuffle":
        return [named, collect_all_hands(table)]
    table.phase = "turn"
    if table.top == "wild-blank":
        return [named, *as_written(table, seat)]
    table.turn = table.next_to(seat)
    if table.has_two_players and table.says["lists the wild"]:
        return [named, table.say_turn(rule="two.draw", reading="proposed")]
    return [named, table.say_turn()]


def what_may_be_done(table: Table, layer: int) -> list[Ruling]:
    """The Wild Draw Four of ``layer`` may be challenged, answered, or is taken at once."""
    table.phase, table.turn = "challenge", layer
    asked = [ruled("may_challenge", seats=table.challengers, rule="wd4.challenge.who")]
    if table.top != "wild-draw4" or not table.challengers or table.challenger is not None:
        asked = []
    if own_rules.answers(table) and table.went_out is None:
        return [*asked, own_rules.ask_for_an_answer(table, own_cards.answerer(table, layer))]
    return asked or wild_draw4_is_taken(table)


def as_written(table: Table, seat: int) -> list[Ruling]:
    """A blank wild does what was written on it before play; with nothing to rule it is a plain wild."""
    written = table.options.get("custom", {}).get("effect", {})
    after = table.next_to(seat)
    rulings = [table.owe(after, written["draw"], "custom", rule="custom.blank")] if "draw" in written else []
    table.turn = after
    if written.get("skip"):
        rulings.append(ruled("skip", seat=after, rule="custom.blank"))
        table.turn = table.next_to(after)
    if written.get("again"):
        table.turn = seat
    return [*rulings, table.say_turn()]


def accept(table: Table, seen: Seen) -> list[Ruling]:
    seat = seen["seat"]
    if table.phase == "stack":
        if seat != table.turn:
            return refused(seat, "not-your-turn", seen)
        assert table.layer is not None
        return own_rules.take_stack(table, table.stack, table.layer)
    if table.phase != "challenge" or table.challenger is not None or table.turn is None:
        return refused(seat, "wrong-phase", seen)
    if seat != table.next_to(table.turn):
        return [ruled("void", seat=seat, why="not-the-challenger", rule="wd4.bluff")]
    return wild_draw4_is_taken(table)


def challenge(table: Table, seen: Seen) -> list[Ruling]:
    seat = seen["seat"]
    if table.phase != "challenge" and not (table.phase == "stack" and table.top == table.cards.doubtful):
        if table.top == table.cards.doubtful and table.phase != "color":
            if table.says["challengers"] == "nobody":
                return [ruled("void", seat=seat, why="not-the-challenger", rule="wd4.challenge.who")]
            return [ruled("void", seat=seat, why="too-late", rule="wd4.challenge.who", reading="proposed")]
        return refused(seat, "wrong-phase", seen)
    if table.challenger is not None or seat not in table.challengers:
        return [ruled("void", seat=seat, why="not-the-challenger", rule="wd4.challenge.who")]
    table.phase, table.turn = "challenge", table.accused
    assert table.turn is not None
    table.challenger = seat
    to = seat if table.says["hand is shown to"] == "challenger" else table.next_to(table.turn)
    return [ruled("show_hand", seat=table.turn, to=to, rule="wd4.challenge.shown_to")]


def shown(table: Table, seen: Seen) -> list[Ruling]:
    """A hand was shown: to the challenger, or for its points."""
    seat, held = seen["seat"], table.hands[seen["seat"]]
    if len(seen["cards"]) != len(held):
        return [ruled("mismatch", what="hand", expected=len(held), seen=len(seen["cards"]), rule=None)]
    table.hands[seat], table.known[seat] = seen["cards"].copy(), seen["cards"].copy()
    if table.phase == "drawn" and seat == table.turn and table.drawn is not None:
        table.drawn = table.cards.held_as(table.hands[seat], table.drawn)
    if table.phase == "challenge" and seat == table.turn and table.challenger is not None:
        return judged(table, seat, table.challenger, seen["cards"])
    return []


def judged(table: Table, accused: int, by: int, shown: list[str]) -> list[Ruling]:
    """The Wild Draw Four was laid against the rules if there was a card of the color in the hand that it left.

    The hand shown may hold cards that were drawn since: which, only this referee sees. What the table cannot know it
    cannot judge: every choice of cards that may have been drawn since has to come to the same.
    """
    verdicts = {verdict(table, hand) for hand in hands_left(table, shown)}
    if len({guilty for _, guilty in verdicts}) > 1:
        table.challenger = None
        doubt = ruled("cannot_tell", about="play", seats=[accused], rule="wd4.legality")
        return [doubt, *what_may_be_done(table, accused)]
    rule, guilty = verdict(table, table.left)
    assert guilty in {guilty for _, guilty in verdicts}
    outcome = ruled("challenge", seat=accused, by=by, guilty=guilty)
    if len(verdicts) == 1:
        outcome["rule"] = rule
    after = table.next_to(accused)
    if guilty:
        draw = table.owe(accused, 4, "guilty", rule="wd4.challenge.guilty")
    else:
        draw = table.owe(by, 6, "innocent", rule="wd4.challenge.innocent")
    if table.stack > 4:
        # The challenge "is about the last card laid alone": what was laid before it is still to be answered or taken.
        table.stack -= 4
        if guilty:
            return [outcome, draw, *what_may_be_done(table, accused)]
        return [outcome, draw, *own_rules.take_stack(table, table.stack, accused)]
    table.stack = 0
    if table.went_out is not None:
        table.phase = "game_over" if table.target is None else "round_over"
        return [outcome, draw]
    table.phase = "turn"
    table.turn = after if guilty else table.next_to(after)
    if guilty:
        return [outcome, draw, table.say_turn(rule="wd4.challenge.guilty")]
    return [outcome, draw, ruled("skip", seat=after), table.say_turn()]


def verdict(table: Table, hand: list[str]) -> tuple[str, bool]:
    """The rule that decides whether this hand made the card illegal, and whether it did."""
    color = table.color_before
    of_color = [card for card in hand if color is not None and table.cards.color_of(card) == color]
    if of_color and all(map(table.cards.is_action, of_color)) and table.says["excuses action cards"]:
        return "wd4.other_cards_held", True
    if table.says["a wild is a match"] and not of_color and any(table.cards.is_wild(card) for card in hand):
        return "wd4.wild_counts_as_match", True
    return "wd4.legality", bool(of_color)


def hands_left(table: Table, shown: list[str]) -> Iterator[list[str]]:
    """Every hand that may have been left at the touch, as far as the table knows what was drawn since."""
    surely, rest, unseen = [], shown.copy(), table.n_since
    for card in table.drawn_since:
        if own := table.cards.held_as(rest, card):
            rest.remove(own)
            unseen -= 1
    for card in table.left_known:
        if own := table.cards.held_as(rest, card):
            rest.remove(own)
            surely.append(own)
    for left in combinations(rest, len(rest) - unseen):
        yield [*surely, *left]


def collect_all_hands(table: Table) -> Ruling:
    """All hands are shuffled, to be dealt again one by one, beginning with who laid the card. All calls lapse."""
    assert table.turn is not None
    table.collected = [card for hand in table.hands for card in hand]
    table.hands = [[] for _ in table.hands]
    table.known = [[] for _ in table.hands]
    table.called.clear()
    table.catchable.clear()
    first = seat = table.turn if table.says["shuffled from"] == "who laid it" else table.next_to(table.turn)
    for _ in table.collected:
        table.to_deal[seat] += 1
        seat = table.next_to(seat)
    table.phase = "redeal"
    return ruled("redeal", **{"from": first}, counts=table.to_deal.copy(), rule="shuffle.hands")


def redealt(table: Table, seen: Seen) -> list[Ruling]:
    """A seat gets its cards; when all have theirs the turn goes on, and who has one card may be caught."""
    seat, n = seen["seat"], seen["n"]
    if table.phase != "redeal":
        return refused(seat, "wrong-phase", seen)
    if n > table.to_deal[seat]:
        return [ruled("mismatch", what="hand", expected=table.to_deal[seat], seen=n, rule=None)]
    for card in seen["really"]:
        table.collected.remove(card)
    table.hands[seat] += seen["really"]
    table.to_deal[seat] -= n
    if any(table.to_deal):
        return []
    assert table.turn is not None
    table.catchable = {seat for seat in table.players if len(table.hands[seat]) == 1}
    table.phase = "turn"
    table.turn = table.next_to(table.turn)
    return [table.say_turn(rule="shuffle.hands")]
