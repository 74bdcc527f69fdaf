"""House rules of the Polish deck: made with an icon card, run by each card of the number, changed by the house wild.

A rule runs beside the turns. Every seat does what the rule asks and presses its button; the last seat draws
(``house.last_draws``). A seat is the last if no other seat was clearly later. If several seats may have been the last,
nobody draws.
"""

from __future__ import annotations

from typing import Final

from croupier_rules.cards import KIND, UNKNOWN
from croupier_rules.referee.observations import Acted, Decline, HouseRule
from croupier_rules.referee.rulings import CannotTell, HouseRuleIs, Ruling, Rulings, Void, Warn
from croupier_rules.referee.table import Table, penalize
from croupier_rules.rules import UNWRITTEN, Basis
from croupier_rules.rules.card_tables import AS_WRITTEN, MAY_RULE

_CHANGES: Final = KIND["wild-house"]


def card_touched(table: Table, seat: int, kind: int) -> Rulings:
    """A card was laid: the rule of its number runs. Its seat may make a rule until the next card touches."""
    rulings = stop(table)
    if MAY_RULE[kind]:
        table.rule_card = (seat, kind)
    number = table.cards.number_of[kind]
    if number not in table.house_rules:
        return rulings
    table.running = number
    basis = table.constants.rules.basis("house.add.first_effect")
    return (HouseRuleIs(basis, number, "run", table.house_rules[number]), *rulings)


def stop(table: Table) -> Rulings:
    """End the time to make a rule and the rule that runs. If some seats have acted, the last one is not known."""
    table.rule_card = None
    missing = tuple(seat for seat in table.transitions.players if table.acted[seat] is None)
    is_open = table.running != UNKNOWN and len(missing) < len(table.transitions.players)
    table.running = UNKNOWN
    table.acted = [None] * table.constants.seats
    return (CannotTell(table.constants.rules.basis("house.who", "tie"), "house-rule", missing),) if is_open else ()


def house_rule(table: Table, obs: HouseRule) -> Rulings:
    """Judge a house rule: added for the number of the seat's card, changed with the house wild, or refused."""
    basis, state = _judged(table, obs)
    if state != "refused":
        table.house_rules[obs.number] = obs.text
        table.rule_card = None
    return (HouseRuleIs(basis, obs.number, state, obs.text),)


def _judged(table: Table, obs: HouseRule) -> tuple[Basis, str]:
    """The rule that decides, and what becomes of the house rule."""
    rules = table.constants.rules
    if not table.constants.most_house_rules:
        # Where the table can be meant to write on its blank wild, its sheet says when.
        return rules.basis("custom.blank", "before") if table.up.effect == AS_WRITTEN else UNWRITTEN, "refused"
    seat, kind = table.rule_card or (UNKNOWN, UNKNOWN)
    if seat != obs.seat or not obs.text.strip():
        return rules.basis("house.add.trigger"), "refused"
    is_ruled = obs.number in table.house_rules
    if kind == _CHANGES:
        return rules.basis("house.change"), "changed" if is_ruled else "refused"
    if table.cards.number_of[kind] != obs.number:
        return rules.basis("house.add.trigger"), "refused"
    if is_ruled:
        return rules.basis("house.icon_ignored"), "refused"
    if len(table.house_rules) >= table.constants.most_house_rules:
        return rules.basis("house.max"), "refused"
    return rules.basis("house.add.trigger"), "added"


def decline(table: Table, obs: Decline) -> Rulings:
    """A seat makes no rule."""
    if table.rule_card is not None and table.rule_card[0] == obs.seat:
        table.rule_card = None
    return ()


def acted(table: Table, obs: Acted) -> Rulings:
    """A seat has obeyed the house rule. When all seats have, the last one draws."""
    players, times = table.transitions.players, table.acted
    if not table.constants.most_house_rules:
        return (Void(UNWRITTEN, obs.seat, "not-in-document"),)
    if table.running == UNKNOWN or times[obs.seat] is not None or obs.seat not in players:
        return ()
    times[obs.seat] = obs
    reported = [one for seat in players if (one := times[seat]) is not None]
    if len(reported) < len(players):
        return ()
    # Nobody was clearly later than these.
    last = tuple(
        one.seat for one in reported if not any(one.t < other.t and not one.is_tied_with(other) for other in reported)
    )
    table.running = UNKNOWN
    table.acted = [None] * table.constants.seats
    if len(last) > 1:
        return (CannotTell(table.constants.rules.basis("house.who", "tie"), "house-rule", last),)
    return _last_draws(table, last[0])


def _last_draws(table: Table, seat: int) -> Rulings:
    """The last seat draws one card, or as many as agreed before play; a penalty of the rule's own is only announced."""
    rules, own = table.constants.rules, table.constants.options.own_penalties
    if own is True:
        warning: Ruling = Warn(rules.basis("house.last_draws", "own"), seat, "own-penalty")
        return (warning,)
    if own is False:
        return penalize(table, rules.basis("house.last_draws"), seat, rules.number("house.last_draws"), "house-rule")
    return penalize(table, rules.basis("house.last_draws", "own"), seat, own, "house-rule")
