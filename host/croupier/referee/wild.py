"""Naming a color, and the Wild Draw Four: taken, challenged, judged.

Whether the card was laid rightly is asked by a challenge alone (``wd4.bluff``). It is judged against the color in
force before the card was laid and the hand that was left after it; of a hidden hand nothing is said before.
"""

from __future__ import annotations

from typing import Final

from croupier.cards import COLORS, KIND
from croupier.referee import redeal
from croupier.referee.end_of_round import settle
from croupier.referee.game_constants import KIND_SEEN, UNKNOWN
from croupier.referee.observations import Accept, Challenge, Color
from croupier.referee.phases import CHALLENGE, COLOR, GAME_OVER, ROUND_OVER, TURN
from croupier.referee.piles import in_order, is_dry, run_out
from croupier.referee.rulings import (
    CannotTell,
    ChallengeOutcome,
    Draw,
    Illegal,
    Ruling,
    Rulings,
    ShowHand,
    Turn,
    Void,
)
from croupier.referee.table import Table
from croupier.referee.transitions import DIRECTIONS, Sequel
from croupier.rules import UNWRITTEN
from croupier.rules.effects import AS_WRITTEN, EFFECT_OF, NOTHING, SHUFFLE_HANDS, WILD_DRAW4
from croupier.rules.legality import COLOR_OF, IS_ACTION, IS_WILD, NO_COLOR, with_color

_PLAIN_WILD: Final = KIND["wild"]
_COLOR: Final = {color: place for place, color in enumerate(COLORS)}


def color(table: Table, obs: Color) -> Rulings:
    """A color was named; only the seat that has to may do so."""
    seat = table.speaker if obs.seat is None else obs.seat
    named = _COLOR[obs.color]
    is_last_card = table.phase == CHALLENGE and table.went_out != UNKNOWN and table.challenger == UNKNOWN
    if table.phase != COLOR and not (is_last_card and seat == table.turn):
        return (Void(UNWRITTEN, seat, "not-the-namer"),)
    rule = "start.wild.who_names_color" if table.opening else "card.wild.current_color"
    if seat != table.turn:
        return (Void(table.book.rules.basis(rule), seat, "not-the-namer"),)
    table.up = with_color(table.up, named)
    colors = table.book.colors_again if named == table.up_before.color else table.book.colors
    if table.opening:
        table.opening = False
        table.phase = TURN
        basis = table.book.rules.basis("start.wild.who_names_color")
        return (colors[named], Turn(basis, seat, DIRECTIONS[table.direction]))
    return (colors[named],) + _follow(table, EFFECT_OF[table.up.kind])


def _follow(table: Table, effect: int) -> Rulings:
    """What follows when the color of a wild is named."""
    circle, seat, way = table.circle, table.turn, table.direction
    if effect == WILD_DRAW4:
        table.phase = CHALLENGE
        return (circle.may_challenge[way][seat],)
    if effect == SHUFFLE_HANDS:
        return redeal.collect(table)
    written = table.book.options.custom
    if effect == AS_WRITTEN and written is not None and written.is_ruled:
        sequel = circle.as_written(seat, way, written.draw, written.skip, written.again)
        return _end(table, sequel)
    sequel = circle.laid[way][seat][NOTHING]
    table.enter(sequel)
    return sequel.rulings


def accept(table: Table, obs: Accept) -> Rulings:
    """The seat that must draw takes the Wild Draw Four."""
    if table.phase != CHALLENGE or table.challenger != UNKNOWN:
        return (Illegal(UNWRITTEN, obs.seat, "wrong-phase"),)
    if obs.seat != table.next_seat:
        return (Void(table.book.rules.basis("wd4.challenge.who"), obs.seat, "not-the-challenger"),)
    return _end(table, table.circle.accepted[table.direction][table.turn])


def accept_by_drawing(table: Table) -> Rulings:
    """The seat that must draw draws: that is an answer too."""
    return _end(table, table.circle.accepted[table.direction][table.turn])


def challenge(table: Table, obs: Challenge) -> Rulings:
    """A seat challenges the Wild Draw Four: the hand is to be shown."""
    rules = table.book.rules
    if table.phase != CHALLENGE:
        is_taken = table.phase != COLOR and table.up.kind != UNKNOWN and EFFECT_OF[table.up.kind] == WILD_DRAW4
        if is_taken:
            return (Void(rules.basis("wd4.challenge.who", "late"), obs.seat, "too-late"),)
        return (Illegal(UNWRITTEN, obs.seat, "wrong-phase"),)
    asked = table.circle.may_challenge[table.direction][table.turn]
    if obs.seat not in asked.seats or table.challenger != UNKNOWN:
        return (Void(asked.basis, obs.seat, "not-the-challenger"),)
    table.challenger = obs.seat
    return (show_hand(table),)


def show_hand(table: Table) -> Ruling:
    """Whose hand is to be shown to whom (``wd4.challenge.shown_to``)."""
    rule = "wd4.challenge.shown_to"
    to = table.challenger if table.book.rules.value(rule) == "challenger" else table.next_seat
    return ShowHand(table.book.rules.basis(rule), table.turn, to)


def judge(table: Table, cards: tuple[str, ...]) -> Rulings:
    """The accused hand is shown: was there a card of the color?"""
    accused, by = table.turn, table.challenger
    verdict = _verdict(table, cards)
    if verdict is None:
        return (CannotTell(table.book.rules.basis("wd4.legality"), "play", (accused,)),)
    guilty, rule, part = verdict
    defined = table.book.rules.basis("wd4.challenge.defined")
    outcome = ChallengeOutcome(table.book.rules.basis(rule, part, also=defined), accused, by, guilty)
    if guilty:
        sequel = table.circle.convicted(accused, table.direction)
    else:
        sequel = table.circle.acquitted(accused, by, table.direction)
    return in_order(outcome, *_end(table, sequel))


def _verdict(table: Table, cards: tuple[str, ...]) -> tuple[bool, str, str] | None:
    """Guilty or not, with the rule and the part of it that decide; ``None`` where it cannot be told."""
    if not cards:
        return False, "wd4.legality", "all"
    rules, color = table.book.rules, table.up_before.color
    if color == NO_COLOR:
        return None
    named = "named" if IS_WILD[table.up_before.kind] else "all"
    kinds = [KIND_SEEN[card] for card in cards]
    seen = [kind for kind in kinds if kind != UNKNOWN]
    of_color = [kind for kind in seen if COLOR_OF[kind] == color]
    if any(not IS_ACTION[kind] for kind in of_color):
        return True, "wd4.legality", named
    if of_color and rules.value("wd4.other_cards_held") == "none":
        return True, "wd4.legality", named
    if of_color:
        return True, "wd4.other_cards_held", "action"
    if any(IS_WILD[kind] for kind in seen) and rules.value("wd4.wild_counts_as_match") == "yes":
        return True, "wd4.wild_counts_as_match", "all" if _PLAIN_WILD in seen else "other"
    if len(seen) < len(kinds):
        return None
    return False, "wd4.legality", named


def _end(table: Table, sequel: Sequel) -> Rulings:
    """The question is settled; after a last card only the cards are drawn."""
    table.enter(sequel)
    rulings = sequel.rulings
    if table.went_out != UNKNOWN:
        table.phase = GAME_OVER if table.book.is_round_the_game else ROUND_OVER
        rulings = tuple(ruling for ruling in rulings if isinstance(ruling, Draw))
    if not is_dry(table):
        return rulings
    dry = run_out(table)
    return in_order(*rulings, *dry, *(settle(table) if dry else ()))
