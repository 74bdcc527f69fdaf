"""The rulesets are data: what their files say is complete, allowed, used, and stands in the documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier.cards import DECKS
from croupier.errors import BadRuleSet
from croupier.referee import Explainer, Header
from croupier.rules import RuleSet, load, names
from croupier.rules.catalogue import FOR_PEOPLE, VALUES
from croupier.rules.ruleset import parse
from tools.lock import ROOT

SEEDS = ROOT.parent / "shared/seeds"
SEED = {"official-el": "000", "g7942": "002", "classic-hu": "003", "house-rules-pl": "004"}
"""By document: how its file begins."""

HEAD = 'title = "A sheet"\ndocument = "g7942"\nlanguage = "en"\ndeck = "g7942"\n'


def letters(text: str) -> str:
    """Text without its white space: the sheets break their lines anywhere."""
    return re.sub(r"\s+", "", text)


@pytest.fixture(params=names())
def rules(request: pytest.FixtureRequest) -> RuleSet:
    return load(request.param)


def test_every_quoted_sentence_stands_in_its_document(rules: RuleSet) -> None:
    if not SEEDS.is_dir():
        pytest.skip("the documents are not part of the repository: expected them in ../shared/seeds")
    (file,) = SEEDS.glob(f"{SEED[rules.document]}_*.txt")
    document = letters(file.read_text(encoding="utf-8"))
    quotes = {rule: [row.quote, *row.quotes.values()] for rule, row in rules.rules.items()}
    assert [(rule, quote) for rule, all_ in quotes.items() for quote in all_ if letters(quote) not in document] == []


def test_a_rule_without_a_sentence_says_so_by_a_reading_or_a_no(rules: RuleSet) -> None:
    silent = [rule for rule, row in rules.rules.items() if not row.quote and not row.proposed and row.value != "no"]
    assert silent == []


def test_the_deck_has_the_size_that_the_document_says(rules: RuleSet) -> None:
    assert sum(DECKS[rules.deck].values()) == rules.value("deck.size")


def test_there_are_texts_in_the_language_of_each_ruleset(rules: RuleSet) -> None:
    assert Explainer(Header(ruleset=rules, seats=("Ann", "Ben"))).card("red-7")


@pytest.mark.parametrize("rule", sorted(load("g7942-en").rules))
def test_every_rule_is_asked_for_by_the_code_or_marked_as_for_people(rule: str) -> None:
    code = "".join(
        file.read_text(encoding="utf-8")
        for part in ("rules", "referee")
        for file in Path(ROOT / "host/croupier" / part).glob("*.py")
        if file.name != "catalogue.py"
    )
    assert (f'"{rule}"' in code) != (rule in FOR_PEOPLE)


def test_rules_for_people_are_rules() -> None:
    assert VALUES.keys() >= FOR_PEOPLE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("title = ", "sheet-xx: ", id="not-toml"),
        pytest.param('title = "A sheet"', "document", id="no-document"),
        pytest.param(HEAD.replace('deck = "g7942"', 'deck = "piquet"'), "piquet.*expected one of", id="no-such-deck"),
        pytest.param(HEAD, "deck.size none: the deck g7942 has 108 cards", id="deck-of-another-size"),
        pytest.param(HEAD + '["start.joker"]\nvalue = "effect"', "start.joker: unknown rule id", id="no-such-rule"),
        pytest.param(HEAD + '["start.skip"]\nvalue = "maybe"', "start.skip: value 'maybe': expected", id="value"),
        pytest.param(HEAD + '["start.skip"]\nquote = "x"', "start.skip: value None", id="no-value"),
        pytest.param(HEAD + '["start.skip"]\nvalue = "effect"\nnote = "x"', "unknown field note", id="field"),
    ],
)
def test_a_file_that_is_no_ruleset_is_refused(text: str, told: str) -> None:
    with pytest.raises(BadRuleSet, match=told):
        parse("sheet-xx", text)


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadRuleSet, match=r"g7942-xx.*g7942-en"):
        load("g7942-xx")
