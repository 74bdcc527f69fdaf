"""The table's own choices: what the example beside the documentation plays, and what choices may be."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from croupier.config import house
from croupier.errors import BadConfig, BadLog, BadRuleSet
from croupier.i18n.rules import GROUPS
from croupier.log_replay import Record, replay_lines
from croupier_bench.conformance.cases import Case, cases, log_lines, rulesets_of
from croupier_rules.referee import Explainer, Header, parse_header
from croupier_rules.referee.rulings import MayStack, Ruling
from croupier_rules.rules import RuleSet, load, names
from croupier_rules.rules.card_tables import DRAW2
from croupier_rules.rules.catalogue import FOR_PEOPLE, OF_THE_CARDS, VALUES, Value
from croupier_rules.rules.own_rules import OwnRules
from croupier_rules.rules.ruleset import choose, presets
from tests.longer import some
from tools.lock import ROOT

HOUSE = house(ROOT / "docs/croupier.toml")
SHEET = load("g7942-en")

TABLE = {"log": "croupier/1", "seats": ["Ann", "Ben", "Cat"], "dealer": 2}
SITUATIONS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "draw.voluntary": (
        {"top": "red-7", "known": {"0": ["red-1"]}},
        [{"obs": "drew", "seat": 0, "n": 1}],
    ),
    "uno.catch.closes": (
        {"top": "red-7", "hands": [2, 7, 7]},
        [
            {"obs": "play", "seat": 0, "card": "red-1"},
            {"obs": "lift", "seat": 1},
            {"obs": "uno", "seat": 2},
        ],
    ),
    "start.wild.who_names_color": ({"phase": "upcard"}, [{"obs": "upcard", "card": "wild"}]),
    "penalty.hint": ({"top": "red-7"}, [{"obs": "hint", "seat": 1}]),
}
"""By choice of the example: where the table is, and what is reported there."""

OTHERWISE = {
    "draw.voluntary": ({"ruling": "warn", "seat": 0, "why": "playable-card-held"}, None),
    "uno.catch.closes": (
        {"ruling": "caught", "seat": 0, "by": 2},
        {"ruling": "void", "seat": 2, "why": "too-late"},
    ),
    "start.wild.who_names_color": (
        {"ruling": "return_card", "card": "wild", "to": "deck"},
        {"ruling": "choose_color", "seat": 0},
    ),
    "penalty.hint": (
        {"ruling": "draw", "seat": 1, "n": 2, "why": "hint"},
        {"ruling": "void", "seat": 1, "why": "not-in-document"},
    ),
}
"""By choice of the example: a ruling of the house that the sheet does not make, and one that only the sheet makes."""


POINTS = {point.rule: point for group in GROUPS.values() for point in group}
CHOOSABLE = [rule for rule in VALUES if rule not in OF_THE_CARDS]
CHOICES = st.fixed_dictionaries({}, optional={rule: st.sampled_from(VALUES[rule]) for rule in CHOOSABLE})
WITH: dict[str, dict[str, Value]] = {
    "wd4.challenge.shown_to": {"wd4.challenge.who": "any"},
    "stack.limit": {"stack.draw2": "draw2"},
    "draw.most": {"turn.must_draw": "until-it-fits"},
    "score.values": {"score.target": 3},
}
"""What must be chosen too, for a difference to show, or for the choice to be one."""


FEW: dict[str, tuple[Value, ...]] = {
    "deal.hand": (3, 7, 10),
    "two.hand": ("none", 3, 10),
    "hand.limit": ("none", 15, 25),
    "uno.penalty": (1, 2, 4),
    "score.target": (1, 500, 5000),
    "stack.limit": ("none", 4),
    "draw.most": ("none", 3),
}
"""Of rules with a range of numbers, some."""


def chosen(base: str, choices: dict[str, Value]) -> RuleSet:
    """A sheet with choices; choices that cannot be combined are no example."""
    try:
        return choose(load(base), choices)
    except BadRuleSet as err:
        assume(all(why not in str(err) for why in ("cannot be combined", "nothing could be stacked", "has no effect")))
        raise


PART_OF = {"partners.score": "partners.seating", "elim.final": "elim.out"}
"""Rules that are not played alone: where nobody has partners, nothing is scored for them."""


def bases(case: Case) -> list[str]:
    """The sheets of a case, without the table's own rules; English where it is written for it too."""
    bases = [ruleset.partition("+")[0] for ruleset in rulesets_of(case)]
    return ["g7942-en"] if "g7942-en" in bases else [*dict.fromkeys(bases)]


def can_begin(case: Case) -> bool:
    """Whether its position is one of every table, not of one with rules of its own."""
    given: dict[str, Any] = case.get("given", {})
    return given.get("phase") != "stack"


RUNS = [(case, base) for case in cases() if can_begin(case) for base in bases(case) if base in names()]
"""Every conformance case, in English where it is written for it too."""


def rulings(lines: list[str]) -> list[dict[str, Any]]:
    """What is ruled on a log, without what it rests on; a fault that ends it is one of them."""
    told: list[dict[str, Any]] = []
    try:
        for step in replay_lines([line.encode() for line in lines], "log"):
            told.extend(said_of(ruling) for ruling in (step.rulings if isinstance(step, Record) else ()))
    except BadLog:
        told.append({"ruling": "a fault"})
    return told


def said_of(ruling: Ruling) -> dict[str, Any]:
    return {field: said for field, said in ruling.to_json().items() if field not in ("rule", "reading")}


def log(ruleset: str, rule: str) -> list[str]:
    """The log of the situation in which ``rule`` is tried."""
    given, seen = SITUATIONS[rule]
    header = {**TABLE, "ruleset": ruleset, "given": given}
    return [json.dumps(header), *(json.dumps({"t": t, **line}) for t, line in enumerate(seen))]


def test_the_example_chooses_what_is_tried_here() -> None:
    assert {rule for rule, row in HOUSE.rules.items() if row.chosen} == SITUATIONS.keys() == OTHERWISE.keys()


@pytest.mark.parametrize("rule", SITUATIONS)
def test_a_choice_of_the_example_changes_a_ruling(rule: str) -> None:
    by_house, by_sheet = rulings(log(HOUSE.name, rule)), rulings(log("g7942-en", rule))
    only_house, only_sheet = OTHERWISE[rule]
    assert only_house in by_house
    assert only_house not in by_sheet
    assert only_sheet is None or (only_sheet in by_sheet and only_sheet not in by_house)


def test_a_ruling_that_rests_on_a_choice_says_so_and_cites_no_sentence() -> None:
    header, step = replay_lines([line.encode() for line in log(HOUSE.name, "start.wild.who_names_color")], "log")
    assert isinstance(step, Record)
    assert isinstance(header, Header)
    (back,) = step.rulings
    assert back.basis.chosen
    assert "reading" not in back.to_json()
    assert Explainer(header).explain(back).source == "The table's own choice (start.wild.who_names_color)."


def test_what_a_choice_leaves_open_stays_a_proposed_reading() -> None:
    rules = choose(SHEET, {"dealer.pick": "highest-actions-not-counted"})
    assert rules.basis("dealer.pick").proposed is None
    assert rules.basis("dealer.pick", "tie").proposed == SHEET.basis("dealer.pick", "tie").proposed != ""


def test_a_choice_that_the_sheet_makes_itself_is_none() -> None:
    assert choose(SHEET, {"draw.voluntary": "yes", "penalty.hint": "none"}) is SHEET


def test_a_choice_of_what_was_only_proposed_settles_it() -> None:
    rules = choose(SHEET, {"wd4.challenge.who": "next"})
    assert SHEET.basis("wd4.challenge.who").proposed
    assert rules.basis("wd4.challenge.who").proposed is None
    assert rules.basis("wd4.challenge.who").chosen


NO_STACKING: Final = ("no-mercy-en", "mau-mau-en", "crazy-eights-en", "all-wild-en")
"""Sheets that stack draw cards by a rule of their own, or whose deck has none."""


@pytest.mark.parametrize("sheet", names())
@pytest.mark.parametrize("preset", presets())
def test_house_rules_of_a_name_are_played_with_every_sheet(preset: str, sheet: str) -> None:
    rules = load(f"{sheet}+{preset}")
    given = presets()[preset].rules
    if sheet in NO_STACKING:
        given = {rule: value for rule, value in given.items() if rule not in ("stack.draw2", "stack.wd4")}
    assert {rule: rules.value(rule) for rule in given} == given
    assert load(rules.name).rules == rules.rules


def test_a_choice_goes_before_house_rules_of_a_name() -> None:
    assert load("g7942-en+party+seven=plain").value("seven") == "plain"
    assert load("g7942-en+seven=plain+party").value("seven") == "plain"
    assert load("g7942-en+quick+stacking").name == (
        "g7942-en+deal.hand=5+score.values=one-a-round+score.target=3+stack.draw2=draw2+stack.wd4=wild-draw4"
    )


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        pytest.param("stack.limit=8", "expected with it stack.draw2, stack.wd4", id="limit-of-nothing"),
        pytest.param("draw.most=3", "expected with it turn.must_draw=until-it-fits", id="most-draws-of-one"),
        pytest.param("stack.wd4=wild-draw4+stack.limit=7", "expected 8 or more", id="limit-too-low"),
        pytest.param("wd4.challenge.who=nobody+wd4.challenge.shown_to=next", "nobody challenges", id="no-challenge"),
        pytest.param("turn.force_play=always+draw.voluntary=warn", "who can play may not draw", id="must-play"),
        pytest.param("turn.force_play=drawn+draw.voluntary.then_play=none", "must be played", id="must-play-drawn"),
        pytest.param("score.values=one-a-round+score.alt_lowest=played", "rounds are counted", id="rounds"),
    ],
)
def test_choices_that_cannot_be_combined_are_refused_with_the_reason(choices: str, why: str) -> None:
    with pytest.raises(BadRuleSet) as fault:
        load(f"g7942-pt+{choices}")
    assert why in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ("stack.draw2=draw2", "stack.draw2=draw2: has no effect: no-mercy-en has its own rule"),
        ("stack.wd4=any+jump_in=identical", "stack.wd4=any: has no effect: no-mercy-en has its own rule"),
        ("party+stack.draw2=any", "stack.draw2=any: has no effect"),
    ],
)
def test_a_choice_that_a_sheet_leaves_without_effect_is_refused(choices: str, why: str) -> None:
    with pytest.raises(BadRuleSet) as fault:
        load(f"no-mercy-en+{choices}")
    assert why in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_sheet_that_stacks_may_be_played_with_a_limit() -> None:
    own = OwnRules(load("no-mercy-en+stack.limit=12"))
    assert (own.limit, own.stack_rule[DRAW2]) == (12, "stack.cards")


@pytest.mark.parametrize("sheet", names())
def test_a_ruling_on_a_rule_that_no_sheet_has_says_the_rule_in_the_language_of_the_sheet(sheet: str) -> None:
    none = dict.fromkeys(("crazy-eights-en", "all-wild-en"), "jump_in=identical+zero=pass-on")
    stacks = none.get(sheet, "jump_in=identical+stack.limit=6")
    stacks = stacks if sheet in NO_STACKING else "stack.draw2=draw2+stack.limit=6"
    rules = load(f"{sheet}+{stacks}+uno.penalty=4+deal.hand=6")
    explainer = Explainer(Header(ruleset=rules, seats=("Ann", "Ben")))
    chosen = filter(rules.is_chosen, rules.rules)
    told = {rule: explainer.explain(MayStack(rules.basis(rule), 0, 4)).source for rule in chosen}
    assert len(set(told.values())) == len(told) == 4
    for rule, source in told.items():
        assert f"({rule})" in source
        assert rules.name not in source
    assert all(n in told[rule] for rule, n in (("uno.penalty", "4"), ("deal.hand", "6")))
    assert "stack.limit" not in told or "6" in told["stack.limit"]


@given(st.sampled_from(names()), CHOICES)
def test_the_name_says_all(base: str, choices: dict[str, Value]) -> None:
    rules = chosen(base, choices)
    assert load(rules.name).rules == rules.rules
    assert load(rules.name).name == rules.name
    header = parse_header({**TABLE, "ruleset": rules.name, "options": {"target": 3}})
    assert parse_header(header.to_json()).ruleset is header.ruleset


@given(st.sampled_from(RUNS), CHOICES)
def test_whatever_is_chosen_can_be_played_and_replayed(run: tuple[Case, str], choices: dict[str, Value]) -> None:
    case, base = run
    lines = log_lines(case, chosen(base, choices).name)
    assert rulings(lines) == rulings(lines)


@pytest.mark.parametrize("rule", some([rule for rule in CHOOSABLE if rule not in FOR_PEOPLE | PART_OF.keys()], 3))
def test_values_count_as_different_where_some_ruling_is(rule: str) -> None:
    point = POINTS[rule]
    for a, b in combinations(FEW.get(rule, VALUES[rule]), 2):
        logs = [
            [log_lines(case, choose(load(base), {**WITH.get(rule, {}), rule: value}).name) for value in (a, b)]
            for case, base in RUNS
            if not rule.startswith("stack.") or base not in NO_STACKING
        ]
        assert any(rulings(one) != rulings(other) for one, other in logs) == point.differ(a, b), (a, b)


def test_a_table_whose_file_says_nothing_of_rules_has_none_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text("", encoding="utf-8")
    expected = r"the section \[rules\] is missing: expected one with base and the table's choices"
    with pytest.raises(BadConfig, match=expected):
        house(file)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("house", "it stands in the croupier.toml of a table, not here", id="house"),
        pytest.param("g7942-en+", "'': expected a choice RULE=VALUE", id="no-choice"),
        pytest.param("g7942-en+draw.voluntary", "expected a choice RULE=VALUE", id="no-value"),
        pytest.param("g7942-en+penalty.hint=2+penalty.hint=none", "each rule once", id="twice"),
        pytest.param("g7942-xx+penalty.hint=2", "unknown ruleset 'g7942-xx': expected one of", id="base"),
        pytest.param("g7942-en+penalty.hnt=2", "did you mean penalty.hint?", id="rule"),
        pytest.param("g7942-en+\n\x1b[31m=2", r"unknown rule id '\n\x1b[31m'", id="steers-the-terminal"),
    ],
)
def test_a_name_that_is_none_is_refused(name: str, told: str) -> None:
    with pytest.raises(BadRuleSet) as fault:
        load(name)
    assert told in str(fault.value)
    assert str(fault.value).isprintable()
