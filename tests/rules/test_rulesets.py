"""The rulesets are data: what their files say is complete, allowed, used, and stands in the documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier.errors import BadRuleSet
from croupier_rules.cards import DECKS
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.rulings import Skip
from croupier_rules.rules import RuleSet, load, names
from croupier_rules.rules.catalogue import FOR_PEOPLE, OWN_CARDS, PARTS, VALUES
from croupier_rules.rules.ruleset import parse
from tools.lock import ROOT
from tools.quotes import RECORD, digests, missing, quotes

DIFFERS = {
    "g7942-fr": {"uno.call.when": "at-the-touch", "wd4.challenge.defined": "yes", "uno.catch.who": "opponents"},
    "g7942-de": {"dealer.pick": "highest-actions-not-counted"},
    "g7942-nl": {"uno.catch.closes": "play"},
    "g7942-sv": {},
    "g7942-it": {"draw.forced.then_play": "must"},
    "g7942-es": {
        "dealer.pick": "highest-actions-not-counted",
        "start.first_player": "right",
        "start.direction": "right",
    },
    "g7942-pt": {"draw.voluntary.then_play": "must"},
    "g7942-el": {"uno.catch.closes": "play"},
}
"""Where the other languages of the sheet G7942 say something else than the English one."""

CODE = "".join(
    file.read_text(encoding="utf-8")
    for part in ("rules", "referee")
    for file in Path(ROOT / "host/croupier-rules/croupier_rules" / part).glob("*.py")
    if file.name != "catalogue.py"
)
"""All of the referee that may ask for a rule."""

HEAD = 'title = "A sheet"\ndocument = "g7942"\nlanguage = "en"\ndeck = "g7942"\n'


@pytest.fixture(params=names())
def rules(request: pytest.FixtureRequest) -> RuleSet:
    return load(request.param)


def test_every_quoted_sentence_was_found_in_its_document(rules: RuleSet) -> None:
    compared = json.loads(RECORD.read_text(encoding="utf-8"))
    assert rules.own_words == (rules.name not in compared)
    if rules.own_words:
        return
    assert digests(rules) == compared[rules.name], "compare it with the document: python -m tools.quotes FOLDER"


def test_a_sentence_that_does_not_stand_in_the_document_is_found() -> None:
    rules = load("g7942-en")
    text = " ".join(quote for _, quote, _ in quotes(rules))
    assert missing(rules, text) == []
    (rule, quote), *more = missing(rules, text.replace("cards", "cads", 1))
    assert "cards" in quote
    assert rule in rules.rules
    assert all("cards" in other for _, other in more)


def test_a_sentence_with_restored_letters_says_so() -> None:
    """Nine sentences stand in garbled lines of the Greek sheet; the tool that compares them knows what was lost."""
    restored = {(rules.name, rule) for rules in map(load, names()) for rule, row in rules.rules.items() if row.restored}
    assert {name for name, _ in restored} == {"g7942-el"}
    assert len(restored) == 9
    rules = load("g7942-el")
    header = Header(ruleset=rules, seats=("Ann", "Ben"))
    for rule, count in (("two.skip", 1), ("uno.penalty", 0)):
        source = Explainer(header, "en").explain(Skip(rules.basis(rule), 0)).source
        assert source.count("Letters lost in the copy of the sheet are restored") == count


def test_a_sentence_that_a_column_tears_is_joined_of_pieces_that_stand_there() -> None:
    torn = load("g7942-en")
    text = " ".join(quote for _, quote, _ in quotes(torn)).replace("must draw 2 cards", "must draw 2 Reverse cards")
    assert missing(torn, text) == []
    assert missing(load("g7942-en"), text.replace("and miss his", "and mist his")) != []


def test_a_borrowed_sentence_is_the_one_of_the_sheet_it_is_borrowed_from(rules: RuleSet) -> None:
    borrowed = {rule: row for rule, row in rules.rules.items() if row.quoted_from is not None}
    if rules.name == "no-mercy-en":  # where we have words of our own, one sentence is printed on the box's own sheet
        printed = "Set aside their hand of cards until the deck runs out and needs to be reshuffled."
        assert {rule: (row.quoted_from, row.quote) for rule, row in borrowed.items()} == {
            "hand.limit": ("HWV18", printed)
        }
        return
    for rule, row in borrowed.items():
        assert row.quote == load(str(row.quoted_from)).rules[rule].quote, rule
        assert row.proposed, f"{rule}: what is borrowed is a proposed reading"


@pytest.mark.parametrize("name", sorted(DIFFERS))
def test_the_languages_of_one_sheet_differ_where_their_words_do(name: str) -> None:
    english, other = load("g7942-en").rules, load(name).rules
    assert other.keys() == english.keys()
    assert {rule: row.value for rule, row in other.items() if row.value != english[rule].value} == DIFFERS[name]


def test_a_rule_without_a_sentence_says_so_by_a_reading_or_a_no(rules: RuleSet) -> None:
    silent = [
        rule for rule, row in rules.rules.items() if not (row.quote or row.quotes or row.proposed) and row.value != "no"
    ]
    assert silent == []


def test_the_deck_has_the_size_that_the_document_says(rules: RuleSet) -> None:
    assert sum(DECKS[rules.deck].values()) == rules.value("deck.size")


def test_there_are_texts_in_the_language_of_each_ruleset(rules: RuleSet) -> None:
    assert Explainer(Header(ruleset=rules, seats=("Ann", "Ben"))).card("red-7")


def test_every_rule_is_asked_for_by_the_code_or_marked_as_for_people() -> None:
    asked = {rule for rule in VALUES if f'"{rule}"' in CODE}
    assert VALUES.keys() - asked == FOR_PEOPLE


NOT_RULED = {("match.basic", "symbol"), ("elim.final", "again")}
"""Parts that decide no ruling, but what is not ruled."""


def test_every_part_of_a_rule_is_asked_for_by_the_code_or_marked_as_for_people() -> None:
    parts = {(rule, part) for rule, words in PARTS.items() for part in words if rule != OWN_CARDS}
    assert {(rule, part) for rule, part in parts if f'"{part}"' not in CODE} <= NOT_RULED <= parts


def test_sentences_and_readings_belong_to_parts_that_the_rule_has(rules: RuleSet) -> None:
    for rule, row in rules.rules.items():
        assert row.quotes.keys() <= PARTS.get(rule, {}).keys(), rule
        assert row.proposed.keys() <= {"all", *PARTS.get(rule, {})}, rule


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


def test_a_reading_of_the_row_that_decides_is_said_beside_that_of_the_second_row() -> None:
    """Who is guilty by an action card of the color reads why, not only that the French text is applied."""
    sheet = load("g7942-en")
    own = sheet.basis("wd4.other_cards_held", "action").proposed or ""
    second = sheet.basis("wd4.challenge.defined")
    both = sheet.basis("wd4.other_cards_held", "action", also=second).proposed or ""
    assert own == "An action card of the color is a card of that color."
    assert both == f"{own} {second.proposed}"
