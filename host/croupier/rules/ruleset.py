"""Rulesets: what one printed document says in one language, and the table's own choices on top of it.

A printed ruleset (`printed`, from ``data/<name>.toml``) gives each rule id a value and the sentence that it rests on.
The referee asks `RuleSet.value` for what to do and `RuleSet.basis` for what a ruling cites. No ruleset inherits from
another: what the file does not say, the document does not say.

A ruleset with choices is its name: ``g7942-en+draw.voluntary=warn+uno.catch.closes=play`` is the English sheet, except
that a seat with a playable card must not draw, and a catch is too late only after the next card. A table log names it
in its header, so it replays on any machine. Choices are values of the catalogue; a ruling on a choice cites no
sentence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from croupier.cards import DECKS, STARRED
from croupier.errors import BadRuleSet, did_you_mean
from croupier.rules.catalogue import VALUES, Value

_DATA: Final = resources.files(__package__) / "data"
_FIELDS: Final = frozenset({"value", "quote", "quotes", "quoted_from", "restored", "proposed"})


@dataclass(frozen=True, slots=True)
class Basis:
    """What a ruling rests on: a rule id (``None`` where no document speaks), its sentence, and the proposed reading.

    ``quote`` is empty where the document is silent; ``quoted_from`` names the ruleset the sentence is borrowed from.
    ``proposed`` is the reading, in the language of the ruleset, where the document does not settle the case.
    ``restored``: letters that are lost in the copy of the document are restored in the sentence.
    ``chosen``: no document speaks here, the table plays this rule by its own choice.
    """

    rule: str | None
    quote: str = ""
    proposed: str | None = None
    quoted_from: str | None = None
    restored: bool = False
    chosen: bool = False


UNWRITTEN: Final = Basis(None)
"""The basis of a ruling on which no document speaks: not your turn, wrong phase, mismatch."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of a ruleset. ``quotes`` and ``proposed`` by part: ``all`` for every ruling, else for the part named.

    ``restored`` and ``chosen`` as in `Basis`.
    """

    value: Value
    quote: str = ""
    quotes: Mapping[str, str] = field(default_factory=dict)
    quoted_from: str | None = None
    restored: bool = False
    proposed: Mapping[str, str] = field(default_factory=dict)
    chosen: bool = False


@dataclass(frozen=True, eq=False)
class RuleSet:
    """One document in one language. ``deck`` is a name of `croupier.cards.DECKS`, ``document`` names the sheet."""

    name: str
    title: str
    document: str
    language: str
    deck: str
    rules: Mapping[str, Rule]
    _bases: dict[tuple[str, str, str | None], Basis] = field(default_factory=dict, repr=False)

    def value(self, rule: str) -> Value:
        """What the document says on ``rule`` (a rule id); ``"none"`` where it has no such rule."""
        assert rule in VALUES, rule
        row = self.rules.get(rule)
        return "none" if row is None else row.value

    def number(self, rule: str) -> int:
        """As `value`, for a rule that says a number."""
        value = self.value(rule)
        assert isinstance(value, int), rule
        return value

    def has_part(self, rule: str, part: str) -> bool:
        """True if the document has a sentence or a reading of its own for ``part`` of the rule."""
        row = self.rules.get(rule)
        return row is not None and (part in row.quotes or part in row.proposed)

    def is_chosen(self, rule: str) -> bool:
        """True if the table chose the rule itself."""
        row = self.rules.get(rule)
        return row is not None and row.chosen

    @property
    def most_house_rules(self) -> int:
        """How many house rules may be in play at once (``house.max``); 0 where the document plays none."""
        return 0 if self.value("house.max") == "none" else self.number("house.max")

    @property
    def faces(self) -> frozenset[str]:
        """What its cards can show: the faces of its deck; where house rules are played, numbers with the icon, too."""
        return frozenset(DECKS[self.deck]).union(STARRED if self.most_house_rules else ())

    def basis(self, rule: str, part: str = "all", also: Basis | None = None) -> Basis:
        """What a ruling on ``rule`` cites, where ``part`` of it decides.

        ``also`` is a second row that the ruling needs: where that one is a proposed reading, the ruling is too.
        """
        borrowed = None if also is None else also.proposed
        key = (rule, part, borrowed)
        if key not in self._bases:
            self._bases[key] = self._based(rule, part, borrowed)
        return self._bases[key]

    def _based(self, rule: str, part: str, borrowed: str | None) -> Basis:
        assert rule in VALUES, rule
        row = self.rules.get(rule)
        if row is None:
            return UNWRITTEN
        proposed = borrowed or row.proposed.get(part) or row.proposed.get("all")
        quote = row.quotes.get(part, row.quote)
        return Basis(rule, quote, proposed, row.quoted_from, row.restored and quote == row.quote, row.chosen)


@cache
def names() -> tuple[str, ...]:
    """The printed rulesets, sorted."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _DATA.iterdir() if file.name.endswith(".toml")))


@cache
def printed(name: str) -> RuleSet:
    """The printed ruleset ``name``.

    Raises:
        BadRuleSet: there is no such ruleset, or its file says what no ruleset can.
    """
    if name not in names():
        raise BadRuleSet(f"unknown ruleset {name!r}: {did_you_mean(name, names())}expected one of {', '.join(names())}")
    return parse(name, (_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def parse(name: str, text: str) -> RuleSet:
    """A ruleset from the text of its file (TOML: title, document, language, deck, and one table for each rule id).

    Raises:
        BadRuleSet: with the rule and what was expected.
    """
    try:
        data = tomllib.loads(text)
        head = {key: data.pop(key) for key in ("title", "document", "language", "deck")}
    except (tomllib.TOMLDecodeError, KeyError) as err:
        raise BadRuleSet(f"ruleset {name}: {err}") from err
    if head["deck"] not in DECKS:
        raise BadRuleSet(f"ruleset {name}: deck {head['deck']!r}: expected one of {', '.join(DECKS)}")
    rules = RuleSet(name=name, rules={rule: _rule(name, rule, row) for rule, row in data.items()}, **head)
    size = sum(DECKS[rules.deck].values())
    if rules.value("deck.size") != size:
        raise BadRuleSet(
            f"ruleset {name}: deck.size {rules.value('deck.size')}: the deck {rules.deck} has {size} cards"
        )
    return rules


def _rule(name: str, rule: str, row: dict[str, Any]) -> Rule:
    where = f"ruleset {name}: {rule}"
    if rule not in VALUES:
        raise BadRuleSet(f"{where}: unknown rule id")
    if not row.keys() <= _FIELDS:
        raise BadRuleSet(f"{where}: unknown field {', '.join(sorted(row.keys() - _FIELDS))}")
    if row.get("value") not in VALUES[rule]:
        raise BadRuleSet(f"{where}: value {row.get('value')!r}: expected one of {VALUES[rule]}")
    return Rule(**row)


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
    base, *given = name.split("+")
    choices: dict[str, object] = {}
    for choice in given:
        rule, equals, value = choice.partition("=")
        if not equals or rule in choices:
            raise BadRuleSet(f"ruleset {name!r}: {choice!r}: expected a choice RULE=VALUE, each rule once")
        choices[rule] = value
    try:
        return choose(printed(base), choices)
    except BadRuleSet as err:
        raise BadRuleSet(f"ruleset {name!r}: {err}" if given else str(err)) from err


def choose(base: RuleSet, choices: Mapping[str, object]) -> RuleSet:
    """What ``base`` says, but for ``choices``: values of the catalogue by rule id.

    A choice that the sheet itself makes in so many words is no choice: the sentence stands.

    Raises:
        BadRuleSet: no such rule, or not a value that it may have; with what was expected.
    """
    chosen = {rule: _value(rule, given) for rule, given in choices.items()}
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


def _value(rule: str, given: object) -> Value:
    if rule not in VALUES:
        hint = did_you_mean(rule, VALUES)
        raise BadRuleSet(f"unknown rule id {rule!r}: {hint}expected one that `croupier rules show g7942-en` lists")
    if rule in OF_THE_CARDS:
        raise BadRuleSet(f"{rule}: comes with the cards of a deck: expected a base that has them, not a choice")
    for value in VALUES[rule]:
        if str(value) == str(given):
            return value
    raise BadRuleSet(f"{rule}: value {given!r}: expected {' or '.join(map(str, VALUES[rule]))}")


def _is_said(base: RuleSet, rule: str, value: Value) -> bool:
    row = base.rules.get(rule)
    return base.value(rule) == value and (row is None or "all" not in row.proposed)


def _row(base: RuleSet, rule: str, value: Value) -> Rule:
    """What the choice leaves open stays a proposed reading: who deals after a tie, say."""
    row = base.rules.get(rule)
    parts = {} if row is None else {part: text for part, text in row.proposed.items() if part != "all"}
    return Rule(value, proposed=parts, chosen=True)
