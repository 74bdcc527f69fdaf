"""The table's own choices on top of a printed sheet.

Such a ruleset is its name: ``g7942-en+draw.voluntary=warn+uno.catch.closes=play`` is the English sheet, but who holds a
card that fits does not draw, and a catch comes too late only when the next card is laid. A table log that names it
in its header says everything, so it replays on any machine.

The choices are values of the catalogue, so no mechanism knows of them. A ruling that rests on one cites no sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from croupier.errors import BadRuleSet
from croupier.rules.catalogue import VALUES, Value
from croupier.rules.ruleset import Rule, RuleSet, printed
from croupier.rules.spelling import meant

HOUSE: Final = "house"
"""What people call the choices of their table, wherever its `croupier.toml` is at hand."""

OF_THE_CARDS: Final = frozenset({"deck.size", "shuffle.hands", "custom.blank"}) | {
    rule for rule in VALUES if rule.startswith("house.")
}
"""Rules that come with the cards: no choice puts a Shuffle Hands into a deck that has none."""


@cache
def load(name: str) -> RuleSet:
    """The ruleset ``name``: a printed one, or one with the table's choices, ``BASE+RULE=VALUE+…``.

    Raises:
        BadRuleSet: there is no such ruleset or rule, or the rule cannot have that value; with what was expected.
    """
    if name == HOUSE:
        raise BadRuleSet(
            "ruleset house: it stands in the croupier.toml of a table, not here:"
            " expected its full name, as `croupier rules show house` tells it there"
        )
    base, *said = name.split("+")
    choices: dict[str, object] = {}
    for choice in said:
        rule, given, value = choice.partition("=")
        if not given or rule in choices:
            raise BadRuleSet(f"ruleset {name!r}: {choice!r}: expected a choice RULE=VALUE, each rule once")
        choices[rule] = value
    try:
        return choose(printed(base), choices)
    except BadRuleSet as err:
        raise BadRuleSet(f"ruleset {name!r}: {err}" if said else str(err)) from err


def choose(base: RuleSet, choices: Mapping[str, object]) -> RuleSet:
    """What ``base`` says, but for ``choices``: values of the catalogue by rule id.

    A choice that the sheet itself makes in so many words is no choice: the sentence stands.

    Raises:
        BadRuleSet: no such rule, or not a value that it may have; with what was expected.
    """
    chosen = {rule: _value(rule, said) for rule, said in choices.items()}
    own = {rule: chosen[rule] for rule in VALUES if rule in chosen and not _is_said(base, rule, chosen[rule])}
    if not own:
        return base
    rows = {rule: _row(base, rule, value) for rule, value in own.items()}
    return RuleSet(
        name="+".join([base.name, *(f"{rule}={value}" for rule, value in own.items())]),
        title=f"{base.title} ({HOUSE})",
        document=base.document,
        language=base.language,
        deck=base.deck,
        rules={**base.rules, **rows},
    )


def _value(rule: str, said: object) -> Value:
    if rule not in VALUES:
        raise BadRuleSet(
            f"unknown rule id {rule!r}: {meant(rule, VALUES)}expected one that `croupier rules show g7942-en` lists"
        )
    if rule in OF_THE_CARDS:
        raise BadRuleSet(f"{rule}: comes with the cards of a deck: expected a base that has them, not a choice")
    for value in VALUES[rule]:
        if str(value) == str(said):
            return value
    raise BadRuleSet(f"{rule}: value {said!r}: expected {' or '.join(map(str, VALUES[rule]))}")


def _is_said(base: RuleSet, rule: str, value: Value) -> bool:
    row = base.rules.get(rule)
    return base.value(rule) == value and (row is None or "all" not in row.proposed)


def _row(base: RuleSet, rule: str, value: Value) -> Rule:
    """What the choice leaves open stays a proposed reading: who deals after a tie, say."""
    row = base.rules.get(rule)
    parts = {} if row is None else {part: text for part, text in row.proposed.items() if part != "all"}
    return Rule(value, proposed=parts, chosen=True)
