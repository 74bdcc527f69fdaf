"""Wild cards: naming a color, the Wild Draw Four (accepted, challenged, judged), and Shuffle Hands.

Only a challenge asks whether a Wild Draw Four was legal (``wd4.bluff``). The judgement compares the color in force
before the card with the hand left at its touch, without the cards that the seat drew since. Before a challenge, no
ruling depends on a hidden hand.

Shuffle Hands (``shuffle.hands``): when the color is named, each hand is set to its size after the redeal and all known
faces are forgotten. ``to_deal`` counts the cards that are still to be dealt, so the cards always make up the deck.
"""

from __future__ import annotations

from typing import Final

from croupier_rules.cards import KIND, KIND_SEEN, UNKNOWN
from croupier_rules.referee import own_cards, stack
from croupier_rules.referee.end_of_round import follow
from croupier_rules.referee.observations import Accept, Challenge, Color, Redealt
from croupier_rules.referee.rulings import (
    CannotTell,
    ChallengeOutcome,
    ColorIs,
    Mismatch,
    Redeal,
    Ruling,
    Rulings,
    ShowHand,
    Turn,
    Void,
    in_order,
)
from croupier_rules.referee.table import Table, known_as, refuse
from croupier_rules.referee.transitions import CHALLENGE, COLOR, DIRECTIONS, REDEAL, ROULETTE, STACK, TURN
from croupier_rules.rules import UNWRITTEN
from croupier_rules.rules.card_tables import (
    AS_WRITTEN,
    SHUFFLE_HANDS,
    WILD_DRAW4,
)

_PLAIN_WILD: Final = KIND["wild"]


def color(table: Table, obs: Color) -> Rulings:
    """A color was named. Only the seat on turn may name it."""
    seat = table.speaker if obs.seat is None else obs.seat
    is_last_card = table.phase == CHALLENGE and table.went_out != UNKNOWN and table.challenger == UNKNOWN
    if table.phase != COLOR and not (is_last_card and seat == table.turn):
        return (Void(UNWRITTEN, seat, "not-the-namer"),)
    rule = "start.wild.who_names_color" if table.is_first_wild else "card.wild.current_color"
    if seat != table.turn:
        return (Void(table.constants.rules.basis(rule), seat, "not-the-namer"),)
    if obs.color not in table.cards.colors:
        return (Void(table.constants.rules.basis(rule), seat, "not-in-document"),)
    named = table.cards.colors.index(obs.color)
    table.up = table.cards.with_color(table.up, named)
    colors = table.constants.colors_again if named == table.up_before.color else table.constants.colors
    if table.cards.effects[table.up.effect].until_color:
        return (ColorIs(own_cards.basis(table), obs.color), *_follow(table, table.up.effect))
    if table.is_first_wild:
        table.is_first_wild = False
        table.phase = TURN
        basis = table.constants.rules.basis("start.wild.who_names_color")
        table.settled = (Turn(basis, seat, DIRECTIONS[table.direction]),)
        return (colors[named], *table.settled)
    return (colors[named],) + _follow(table, table.cards.effect_of[table.up.kind])


def _follow(table: Table, effect: int) -> Rulings:
    """Apply the consequences of a wild once its color is named."""
    transitions, seat, way = table.transitions, table.turn, table.direction
    if effect in table.cards.draws and table.constants.own is not None:
        return stack.ask(table)
    if table.cards.effects[effect].until_color:
        table.phase, table.turned_up, table.drawn = ROULETTE, 0, UNKNOWN
        return (own_cards.awaited(table),)
    if table.cards.effects[effect].swaps or table.cards.effects[effect].targets:
        return follow(table, transitions.chosen_by(effect, seat, way))
    if effect == WILD_DRAW4:
        table.phase = CHALLENGE
        return (transitions.may_challenge[way][seat],)
    if effect == SHUFFLE_HANDS:
        return collect_hands(table)
    written = table.constants.options.custom
    if effect == AS_WRITTEN and written is not None and written.is_ruled:
        return follow(table, transitions.as_written(seat, way, written.draw, written.skip, written.again))
    transition = transitions.colored[way][seat]
    table.enter(transition)
    return transition.rulings


def accept(table: Table, obs: Accept) -> Rulings:
    """The seat that must draw takes the Wild Draw Four, or the stack."""
    if table.phase == STACK:
        return stack.take(table) if obs.seat == table.turn else refuse(table, obs.seat, "not-your-turn")
    if table.phase != CHALLENGE or table.challenger != UNKNOWN:
        return refuse(table, obs.seat, "wrong-phase")
    if obs.seat != table.next_seat:
        return (Void(table.constants.rules.basis("wd4.bluff", "taken"), obs.seat, "not-the-challenger"),)
    return stack.take(table)


def challenge(table: Table, obs: Challenge) -> Rulings:
    """A seat challenges the Wild Draw Four: the hand is to be shown."""
    rules, accused = table.constants.rules, table.accused
    is_wild_draw4 = table.up.effect == WILD_DRAW4 and table.phase != COLOR
    if table.phase != CHALLENGE and not (table.phase == STACK and is_wild_draw4):
        if is_wild_draw4 and rules.value("wd4.challenge.who") != "nobody":
            return (Void(rules.basis("wd4.challenge.who", "late"), obs.seat, "too-late"),)
        if not is_wild_draw4:
            return refuse(table, obs.seat, "wrong-phase")
    asked = table.transitions.may_challenge[table.direction][accused]
    if obs.seat not in asked.seats or table.challenger != UNKNOWN:
        return (Void(asked.basis, obs.seat, "not-the-challenger"),)
    table.challenger = obs.seat
    table.phase, table.turn = CHALLENGE, accused
    return (show_hand(table),)


def show_hand(table: Table) -> Ruling:
    """Show the challenged hand to the seats that the sheet names (``wd4.challenge.shown_to``)."""
    rule = "wd4.challenge.shown_to"
    to = table.challenger if table.constants.rules.value(rule) == "challenger" else table.next_seat
    return ShowHand(table.constants.rules.basis(rule), table.turn, to)


def judge(table: Table, cards: tuple[str, ...]) -> Rulings:
    """Judge the hand shown by the accused: did it hold a card of the color?"""
    accused, by = table.turn, table.challenger
    verdict = _verdict(table, cards)
    if verdict is None:
        doubt = CannotTell(table.constants.rules.basis("wd4.legality"), "play", (accused,))
        if UNKNOWN in map(KIND_SEEN.__getitem__, cards):
            return (doubt,)
        # Every card was read: to look again is of no use, so that the challenge is as if it had not been made.
        table.challenger = UNKNOWN
        return (doubt, *stack.ask(table))
    guilty, rule, part = verdict
    defined = table.constants.rules.basis("wd4.challenge.defined")
    outcome = ChallengeOutcome(table.constants.rules.basis(rule, part, also=defined), accused, by, guilty)
    if guilty:
        transition = table.transitions.convicted(accused, table.direction)
    else:
        transition = table.transitions.acquitted(accused, by, table.direction)
    return in_order(outcome, *stack.judged(table, guilty, transition))


def _verdict(table: Table, cards: tuple[str, ...]) -> tuple[bool, str, str] | None:
    """Guilty or not, with the rule and the part of it that decide; ``None`` where it cannot be told."""
    certain, rest, more = _left_at_the_touch(table, cards)
    hand = certain + rest
    if not hand:
        return False, "wd4.legality", "all"
    rules, color = table.constants.rules, table.up_before.color
    if table.up_before.kind == UNKNOWN:
        return None
    named = "named" if table.cards.is_wild[table.up_before.kind] else "all"
    tables, seen = table.cards, [kind for kind in hand if kind != UNKNOWN]
    of_color = {kind for kind in seen if tables.color_of[kind] == color != tables.no_color}
    wilds = {kind for kind in seen if tables.is_wild[kind]}
    action = (
        ("wd4.legality", named) if rules.value("wd4.other_cards_held") == "none" else ("wd4.other_cards_held", "action")
    )
    wild = ("wd4.wild_counts_as_match", "all" if _PLAIN_WILD in wilds else "other")
    plain = {kind for kind in of_color if not tables.is_action[kind]}
    matching = [(plain, ("wd4.legality", named)), (of_color, action)]
    if rules.value("wd4.wild_counts_as_match") == "yes":
        matching.append((of_color | wilds, wild))
    for kinds, basis in matching:
        # Of the cards that may have been drawn since, not all that match were.
        if kinds.intersection(certain) or sum(kind in kinds for kind in rest) > more:
            return True, *basis
    if UNKNOWN in hand or matching[-1][0]:
        return None
    return False, "wd4.legality", named


def _left_at_the_touch(table: Table, cards: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return the cards that were left in the shown hand when the Wild Draw Four touched the pile.

    Returns its cards that were certainly there, the others, and how many of these were drawn since.
    """
    hand = tuple(KIND_SEEN[card] for card in cards)
    if table.since_touch is None:
        return hand, (), 0
    more, seen, known = table.since_touch
    rest = list(hand)

    def found(kinds: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the faces that are in the hand, taken out of it."""
        these = []
        for kind in kinds:
            like = known_as([one for one in rest if one != UNKNOWN], kind)
            if like != UNKNOWN:
                rest.remove(like)
                these.append(like)
        return tuple(these)

    more -= len(found(seen))
    certain = found(known)
    return (certain, tuple(rest), more) if more < len(rest) else (certain, (), 0)


def collect_hands(table: Table) -> Rulings:
    """Collect all hands and rule how many cards each seat gets, dealt one by one (``shuffle.hands``)."""
    after, players = table.transitions.after[table.direction], table.transitions.players
    each, more = divmod(sum(table.hands), len(players))
    table.hands = [each if seat in players else 0 for seat in range(table.constants.seats)]
    seat = _first_dealt(table)
    for _ in range(more):
        table.hands[seat] += 1
        seat = after[seat]
    table.forget_hands()
    table.called = table.catchable = 0
    table.to_deal = table.hands.copy()
    table.phase = REDEAL
    return redeal_awaited(table)


def redeal_awaited(table: Table) -> Rulings:
    """Rule the part of the redeal that is still to be done."""
    uneven = len({table.hands[seat] for seat in table.transitions.players}) > 1
    basis = table.constants.rules.basis("shuffle.hands", "uneven" if uneven else "all")
    return (Redeal(basis, _first_dealt(table), tuple(table.to_deal)),)


def _first_dealt(table: Table) -> int:
    """The seat that gets the first of the shuffled cards (``shuffle.hands``)."""
    return table.next_seat if table.constants.rules.value("shuffle.hands") == "from-the-next" else table.turn


def redealt(table: Table, obs: Redealt) -> Rulings:
    """Cards reached a seat. After the last of them, the next seat is on turn and seats with one card are catchable."""
    if table.phase != REDEAL:
        return refuse(table, obs.seat, "wrong-phase")
    if obs.n > table.to_deal[obs.seat]:
        expected = table.to_deal[obs.seat]
        return (Mismatch(UNWRITTEN, "hand", expected, obs.n),)
    table.to_deal[obs.seat] -= obs.n
    if any(table.to_deal):
        return ()
    for seat in table.transitions.players:
        if table.hands[seat] == 1:
            table.catchable |= 1 << seat
            table.touched[seat] = obs
    table.watch = table.catchable != 0
    table.phase, table.turn = TURN, table.next_seat
    basis = table.constants.rules.basis("shuffle.hands", "turn")
    table.settled = (Turn(basis, table.turn, DIRECTIONS[table.direction]),)
    return table.settled
