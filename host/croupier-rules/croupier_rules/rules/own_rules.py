"""House rules: additions of a table to the rules that all printed sheets share, in the form that the referee uses.

They are the rules that no sheet has but the table chose, and those of a deck with cards of its own.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from croupier_rules.rules.card_tables import AS_WRITTEN, DRAW2, REVERSE, SKIP, WILD_DRAW4, card_tables
from croupier_rules.rules.catalogue import USUAL
from croupier_rules.rules.ruleset import RuleSet

_ANSWERS: Final = {
    (DRAW2, "draw2"): {DRAW2},
    (WILD_DRAW4, "wild-draw4"): {WILD_DRAW4},
    (DRAW2, "any"): {DRAW2, WILD_DRAW4},
    (WILD_DRAW4, "any"): {DRAW2, WILD_DRAW4},
}
"""By effect of the up-card and value of its rule: the effects that may answer it."""

_BOUNCES: Final = {"no": (), "reverse": (REVERSE,), "reverse-skip": (REVERSE, SKIP)}
"""By value of ``stack.bounce``: the effects that hand a Draw Two on."""

_STACK_RULE: Final = {DRAW2: "stack.draw2", WILD_DRAW4: "stack.wd4"}
"""By effect: the rule that decides whether it may be answered."""


class OwnRules:
    """The additions of a table to the rules of the printed sheets.

    ``cards``: the tables of the deck.

    ``answers``: by effect of a draw card the effects that may answer it, empty if it may not be answered; ``bounces``:
    those effects among them that hand the cards on to another seat, and may be answered as what they answered;
    ``stack_rule``: by the same, the rule that says so; ``any_color``: an answer need not have the color; ``limit``: at
    most so many cards are stacked (``None``: any number). ``hands_move``: by number of a card, whether it moves hands;
    ``may_keep_hand``: who laid a seven need not swap.
    ``most_drawn``: so many cards are drawn in a turn until one fits (``None``: any number). ``most_held``: a hand of
    more cards is knocked out (``None``: none is). The others are true where the rule of that
    name is played.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.cards = card_tables(rules.deck)
        value, draws = rules.value, self.cards.draws
        self.any_color = value("stack.cards") == "equal-or-more"
        if self.any_color:
            self.answers = {one: {two for two in draws if draws[two] >= draws[one]} for one in draws}
            self.stack_rule = dict.fromkeys(draws, "stack.cards")
        else:
            self.answers = {one: _ANSWERS.get((one, str(value(_STACK_RULE.get(one, "stack.draw2")))), set())
                            for one in draws}  # fmt: skip
            # What only ends a stack rests on the rule that let it be laid.
            chosen = [rule for rule in _STACK_RULE.values() if rules.is_chosen(rule)]
            self.stack_rule = {one: rule if rule in chosen else chosen[0]
                               for one, rule in _STACK_RULE.items() if chosen}  # fmt: skip
        held = self.cards.held
        self.bounces = {one for one in _BOUNCES[str(value("stack.bounce"))] if one in held and DRAW2 in held}
        if self.bounces and not self.any_color:
            self.answers[DRAW2] = self.answers[DRAW2] | self.bounces
            self.answers |= dict.fromkeys(self.bounces, self.answers[DRAW2])
            if not rules.is_chosen("stack.draw2"):
                self.stack_rule[DRAW2] = "stack.bounce"
            self.stack_rule |= dict.fromkeys(self.bounces, "stack.bounce")
        self.limit = None if value("stack.limit") == "none" else rules.number("stack.limit")
        self.jump_in = value("jump_in") == "identical"
        self.double = value("play.double") == "identical"
        self.hands_move = {7: value("seven") != "plain", 0: value("zero") == "pass-on"}
        self.may_keep_hand = value("seven") == "may-swap"
        self.draws_until_it_fits = value("turn.must_draw") == "until-it-fits"
        self.most_drawn = None if value("draw.most") == "none" else rules.number("draw.most")
        self.must_lay = value("turn.force_play") == "always"
        self.must_lay_drawn = value("turn.force_play") != "no"
        self.no_action_last = value("last.action") == "forbidden"
        self.no_challenge = value("wd4.challenge.who") == "nobody"
        self.most_held = None if value("hand.limit") == "none" else rules.number("hand.limit") - 1


@cache
def own_rules(rules: RuleSet) -> OwnRules | None:
    """Return the additions of a table to the rules of the printed sheets; ``None`` without any."""
    own = OwnRules(rules)
    is_any = (
        own.draws_until_it_fits
        or own.no_challenge
        or own.most_held is not None
        or any(rules.value(rule) != usual for rule, usual in USUAL.items())
    )
    return own if is_any or len(card_tables(rules.deck).effects) > AS_WRITTEN + 1 else None
