"""Rulesets: the rules of one printed document in one language, and the choices of the table on top of them.

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
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from croupier_rules.cards import DECKS, shown_by
from croupier_rules.errors import BadRuleSet, did_you_mean, marked
from croupier_rules.rules.card_tables import DRAW2, REVERSE, WILD_DRAW4, card_tables
from croupier_rules.rules.catalogue import EXCLUDES, OF_THE_CARDS, USUAL, VALUES, Choice, Value

_DATA: Final = resources.files(__package__) / "data"
WHOLE: Final = "all"
"""The part of a rule that holds where no other decides."""
_ALSO: Final = "+"
_OF: Final = "/"
"""In `Basis.part`: before the second row that a ruling needs, and between that row and its part."""

_FIELDS: Final = frozenset({"value", "quote", "quotes", "quoted_from", "restored", "proposed"})


@dataclass(frozen=True, slots=True)
class Basis:
    """The basis of a ruling: a rule id (``None`` if no document covers it), its sentence, and the proposed reading.

    ``quote`` is empty where the document is silent; ``quoted_from`` names the ruleset the sentence is borrowed from.
    ``proposed`` is the reading, in the language of the ruleset, where the document does not settle the case.
    ``restored``: letters that are lost in the copy of the document are restored in the sentence.
    ``chosen``: the value that the table chose; no document speaks then. ``None``: the table chose nothing here.
    ``own_words``: the sentence is ours, since no document was at hand. ``part``: the part of the rule that decides, as
    `RuleSet.cited` takes it. ``led_by``: of a ruling without a rule, the basis of an earlier one that led to it.
    """

    rule: str | None
    quote: str = ""
    proposed: str | None = None
    quoted_from: str | None = None
    restored: bool = False
    chosen: Value | None = None
    own_words: bool = False
    part: str = WHOLE
    led_by: Basis | None = None


UNWRITTEN: Final = Basis(None)
"""The basis of a ruling on which no document speaks: not your turn, wrong phase, mismatch."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of a ruleset. ``quotes`` and ``proposed`` by part: ``all`` for every ruling, else for the part named.

    ``restored`` as in `Basis`; ``chosen``: the table chose the value itself.
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
    """One document in one language. ``deck`` is a name of `croupier_rules.cards.DECKS`, ``document`` names the sheet.

    ``own_words``: no document was at hand, and its sentences are ours.
    """

    name: str
    title: str
    document: str
    language: str
    deck: str
    rules: Mapping[str, Rule]
    own_words: bool = False
    _bases: dict[tuple[str, str, Basis | None], Basis] = field(default_factory=dict, repr=False)

    def value(self, rule: str) -> Value:
        """Return the document's value of ``rule`` (a rule id); without such a rule ``"none"``, or the value in
        `USUAL`."""
        assert rule in VALUES, rule
        row = self.rules.get(rule)
        return USUAL.get(rule, "none") if row is None else row.value

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

    def hand_size(self, seats: int) -> int:
        """The number of cards that each of so many seats is dealt."""
        is_two = seats == 2 and self.value("two.hand") != "none" and not self.is_chosen("deal.hand")
        return self.number("two.hand" if is_two else "deal.hand")

    @property
    def most_house_rules(self) -> int:
        """How many house rules may be in play at once (``house.max``); 0 where the document plays none."""
        return 0 if self.value("house.max") == "none" else self.number("house.max")

    @property
    def cards(self) -> Mapping[str, int]:
        """Faces of its cards, each with the greatest number of cards: the faces of its deck; where house rules are
        played, numbers with the icon, too."""
        return shown_by(self.deck, icons=self.most_house_rules > 0)

    @property
    def faces(self) -> frozenset[str]:
        """Faces of its cards."""
        return frozenset(self.cards)

    def basis(self, rule: str, part: str = WHOLE, also: Basis | None = None) -> Basis:
        """Return the basis that a ruling on ``rule`` cites, if ``part`` of the rule decides.

        ``also`` is a second row that the ruling needs: where that one is a proposed reading, the ruling is too.
        """
        is_borrowed = also is not None and also.proposed is not None
        basis = self._bases.get((rule, part, also if is_borrowed else None))
        if basis is None:
            basis = self._based(rule, part, also if is_borrowed else None)
            self._bases[rule, part, also if is_borrowed else None] = basis
        return basis

    def cited(self, rule: str | None, part: str = WHOLE) -> Basis:
        """The `basis` of a ruling by its rule id and `Basis.part`, as a table log names them.

        Raises:
            KeyError: this ruleset has no such rule.
        """
        own, _plus, also = part.partition(_ALSO)
        if rule is None:
            return self.led_by(self.cited(*also.split(_OF, 1))) if also else UNWRITTEN
        if rule not in self.rules:
            raise KeyError(rule)
        return self.basis(rule, own, self.cited(*also.split(_OF, 1)) if also else None)

    def led_by(self, basis: Basis) -> Basis:
        """Return the basis of a ruling that no document speaks on, and that ``basis`` led to."""
        part = f"{_ALSO}{basis.rule}{_OF}{basis.part}"
        return UNWRITTEN if basis.rule is None else Basis(None, part=part, led_by=basis)

    def _based(self, rule: str, part: str, also: Basis | None) -> Basis:
        assert rule in VALUES, rule
        row = self.rules.get(rule)
        if row is None:
            return UNWRITTEN
        borrowed = None if also is None else also.proposed
        # A reading of the row itself decides the case, so that it is said before that of the second row.
        readings = (row.proposed.get(part) or row.proposed.get(WHOLE), borrowed)
        proposed = " ".join(reading for reading in readings if reading) or None
        quote = row.quotes.get(part, row.quote)
        chosen = row.value if row.chosen else None
        is_restored = row.restored and quote == row.quote
        full = part if also is None else f"{part}{_ALSO}{also.rule}{_OF}{also.part}"
        quoted_from = row.quoted_from if quote == row.quote else None
        is_ours = self.own_words and quote != "" and quoted_from is None
        return Basis(rule, quote, proposed, quoted_from, is_restored, chosen, is_ours, full)


@cache
def names() -> tuple[str, ...]:
    """The printed rulesets, sorted."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _DATA.iterdir() if file.name.endswith(".toml")))


@cache
def printed(name: str) -> RuleSet:
    """The printed ruleset ``name``.

    Raises:
        BadRuleSet: there is no such ruleset, or its file has a value that no ruleset can have.
    """
    if name not in names():
        raise BadRuleSet(f"unknown ruleset {name!r}: {did_you_mean(name, names())}expected one of {', '.join(names())}")
    return parse(name, (_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def parse(name: str, text: str) -> RuleSet:
    """A ruleset from the text of its file.

    TOML: title, document, language, deck, ``own_words = true`` where no document was at hand, and one table for each
    rule id.

    Raises:
        BadRuleSet: with the rule and what was expected.
    """
    try:
        data = tomllib.loads(text)
        head = {key: data.pop(key) for key in ("title", "document", "language", "deck")}
        head["own_words"] = data.pop("own_words", False)
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
"""Name that people give to the choices of their table, if its `croupier.toml` is at hand."""


@cache
def load(name: str) -> RuleSet:
    """The ruleset ``name``: a printed one, or one with the table's choices, ``BASE+RULE=VALUE+…``.

    In place of a choice may stand the name of a preset (`presets`); a choice beside it goes before the preset's.

    Raises:
        BadRuleSet: there is no such ruleset, preset or rule, or the rule cannot have that value; with the reason.
    """
    if name == HOUSE:
        raise BadRuleSet(
            "ruleset house: it stands in the croupier.toml of a table, not here:"
            " expected its full name, as `croupier rules show house` tells it there"
        )
    base, *given = name.split("+")
    choices: dict[str, object] = {}
    house: list[str] = []
    for choice in given:
        rule, equals, value = choice.partition("=")
        if not equals and rule in presets():
            house.append(rule)
        elif not equals or rule in choices:
            raise BadRuleSet(
                f"ruleset {name!r}: {choice!r}: expected a choice RULE=VALUE, each rule once, or a preset: "
                f"{', '.join(presets())}"
            )
        else:
            choices[rule] = value
    try:
        return choose(printed(base), choices, house)
    except BadRuleSet as err:
        raise BadRuleSet(f"ruleset {name!r}: {err}" if given else str(err)) from err


def choose(base: RuleSet, choices: Mapping[str, object], house: Iterable[str] = ()) -> RuleSet:
    """What ``base`` says, but for ``choices``: values of the catalogue by rule id, which go before those of the presets
    named in ``house``.

    A choice that the sheet itself makes in so many words is no choice: the sentence stands. What a preset chooses of
    `_without_effect` is left out.

    Raises:
        BadRuleSet: no such preset or rule, not a value that it may have, or choices that cannot be combined or have no
            effect; with the reason.
    """
    usual = {rule: value for name in house for rule, value in preset(name).rules.items()}
    choices = {rule: value for rule, value in usual.items() if rule not in _without_effect(base)} | dict(choices)
    chosen = {rule: value_of(rule, given) for rule, given in choices.items()}
    own = {rule: chosen[rule] for rule in VALUES if rule in chosen and not _is_said(base, rule, chosen[rule])}
    if not own:
        return base
    _combine(base, own)
    rows = {rule: _row(base, rule, value) for rule, value in own.items()}
    return RuleSet(
        name="+".join([base.name, *(f"{rule}={value}" for rule, value in own.items())]),
        title=f"{base.title} ({HOUSE})",
        document=base.document,
        language=base.language,
        deck=base.deck,
        own_words=base.own_words,
        rules={**base.rules, **rows},
    )


def value_of(rule: str, given: object) -> Value:
    """The value of ``rule`` that is ``given``, as it stands in a name or a file.

    Raises:
        BadRuleSet: no such rule, or not a value that it may have; with what was expected.
    """
    if rule not in VALUES:
        hint = did_you_mean(rule, VALUES)
        raise BadRuleSet(f"unknown rule id {rule!r}: {hint}expected one that `croupier rules show g7942-en` lists")
    if rule in OF_THE_CARDS:
        raise BadRuleSet(f"{rule}: comes with the cards of a deck: expected a base that has them, not a choice")
    for value in VALUES[rule]:
        if str(value) == str(given):
            return value
    raise BadRuleSet(f"{rule}: value {given!r}: expected {expected(rule)}")


def expected(rule: str) -> str:
    """The values of a rule, for an error: ``no or draw2``, ``none or 4 to 100``."""
    words = [str(value) for value in VALUES[rule] if isinstance(value, str)]
    numbers = [value for value in VALUES[rule] if isinstance(value, int)]
    if numbers:
        words.append(str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}")
    return " or ".join(words)


def _combine(base: RuleSet, own: Mapping[str, Value]) -> None:
    """Raise `BadRuleSet` where the choices of a table cannot be combined with each other or with the sheet."""
    if idle := [rule for rule in own if rule in _without_effect(base)]:
        if base.value("stack.cards") == "none":
            raise BadRuleSet(marked("{first}: has no effect: the deck of {sheet} has no such card"),
                             first=f"{idle[0]}={own[idle[0]]}", sheet=base.name)  # fmt: skip
        raise BadRuleSet(marked("{first}: has no effect: {sheet} has its own rule of stacking ({rule})"),
                         first=f"{idle[0]}={own[idle[0]]}", sheet=base.name, rule="stack.cards")  # fmt: skip
    for (rule, values), (other, others), why in EXCLUDES:
        if _is_among(own, (rule, values)) and _is_among(own, (other, others)):
            raise BadRuleSet(why, first=f"{rule}={own[rule]}", second=f"{other}={own[other]}")
    if own.get("draw.most", "none") != "none" and (own.get("turn.must_draw") or base.value("turn.must_draw")) == 1:
        raise BadRuleSet(marked("{first}: has no effect: expected with it {other}"),
                         first=f"draw.most={own['draw.most']}", other="turn.must_draw=until-it-fits")  # fmt: skip
    limit = own.get("stack.limit")
    draws = card_tables(base.deck).draws
    sums = [sum(draws.get(effect, 0) for effect in pair) for choice, *pair in _LEAST_STACKS if _is_among(own, choice)]
    sums += [2 * min(draws.values())] if base.value("stack.cards") != "none" else []
    if isinstance(limit, int) and limit < min(sums, default=limit + 1):
        if not sums:
            raise BadRuleSet(marked("{first}: nothing could be stacked: expected with it {other}"),
                             first=f"stack.limit={limit}", other="stack.draw2, stack.wd4")  # fmt: skip
        raise BadRuleSet(marked("{first}: nothing could be stacked: expected {n} or more"),
                         first=f"stack.limit={limit}", n=min(sums))  # fmt: skip


def _without_effect(base: RuleSet) -> Collection[str]:
    """Return the rules whose choice would change nothing, because the sheet stacks by a rule of its own, or the deck
    has no such card."""
    if base.value("stack.cards") != "none":
        return ("stack.draw2", "stack.wd4", "stack.bounce")
    held = card_tables(base.deck).held
    needs = {"stack.draw2": (DRAW2,), "stack.wd4": (WILD_DRAW4,), "stack.bounce": (DRAW2, REVERSE)}
    return tuple(rule for rule, effects in needs.items() if not held.issuperset(effects))


_LEAST_STACKS: Final[tuple[tuple[Choice, int, int], ...]] = (
    (("stack.draw2", ("draw2", "any")), DRAW2, DRAW2),
    (("stack.wd4", ("wild-draw4",)), WILD_DRAW4, WILD_DRAW4),
    (("stack.wd4", ("any",)), WILD_DRAW4, DRAW2),
)
"""The smallest stack that each choice allows."""


def _is_among(own: Mapping[str, Value], choice: Choice) -> bool:
    rule, values = choice
    return rule in own and (not values or own[rule] in values)


@dataclass(frozen=True, slots=True)
class Preset:
    """Choices that people know under one name: ``title`` and ``about`` say them, ``rules`` are their values."""

    title: str
    about: str
    rules: Mapping[str, Value]


@cache
def presets() -> Mapping[str, Preset]:
    """The presets by name (``presets.toml``), in the order of the file."""
    data = tomllib.loads((resources.files(__package__) / "presets.toml").read_text(encoding="utf-8"))
    return {
        name: Preset(row["title"], row["about"], {rule: value_of(rule, value) for rule, value in row["rules"].items()})
        for name, row in data.items()
    }


def parts_of(name: str) -> tuple[str, str | None, dict[str, str]]:
    """The base of a ruleset, the name of the preset that it is, and without one the table's choices.

    ``name``: of a ruleset that was loaded.
    """
    base, *chosen = name.split("+")
    house = next((known for known in presets() if _is_preset(name, base, known)), None) if chosen else None
    return base, house, {} if house is not None else dict(choice.split("=", 1) for choice in chosen)


def _is_preset(name: str, base: str, known: str) -> bool:
    try:
        return load(f"{base}+{known}").name == name
    except BadRuleSet:  # the two cannot be combined
        return False


def preset(name: str) -> Preset:
    """The preset ``name``.

    Raises:
        BadRuleSet: there is no preset of this name; the text lists those that exist.
    """
    if name not in presets():
        hint = did_you_mean(name, presets())
        raise BadRuleSet(f"unknown house rules {name!r}: {hint}expected one of {', '.join(presets())}")
    return presets()[name]


def _is_said(base: RuleSet, rule: str, value: Value) -> bool:
    row = base.rules.get(rule)
    return base.value(rule) == value and (row is None or "all" not in row.proposed)


def _row(base: RuleSet, rule: str, value: Value) -> Rule:
    """What the choice leaves open stays a proposed reading: who deals after a tie, say."""
    row = base.rules.get(rule)
    parts = {} if row is None else {part: text for part, text in row.proposed.items() if part != "all"}
    return Rule(value, proposed=parts, chosen=True)
