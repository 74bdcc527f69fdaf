"""The deck files: what they say is complete, and is what the tables of the referee have."""

from __future__ import annotations

import pytest

from croupier.errors import BadRuleSet
from croupier.i18n import LANGUAGES
from croupier_rules.cards import CARDS, COLOR_SIGNS, COLORS, DECKS, FACES, KIND, LEARNED, OWN_SYMBOLS, STARRED
from croupier_rules.rules import load, names
from croupier_rules.rules.card_tables import AS_WRITTEN, card_tables, effect_of
from tools.lock import ROOT


def test_no_mercy_has_its_168_cards() -> None:
    deck = DECKS["no-mercy"]
    assert sum(deck.values()) == 168
    assert (
        sum(n for face, n in deck.items() if face[-1].isdigit() and not face.startswith("wild")) == 80 + 12 + 8
    )  # numbers, Draw Two, Draw Four
    assert {face: n for face, n in deck.items() if face.startswith("wild")} == {
        "wild-reverse-draw4": 8, "wild-draw6": 4, "wild-draw10": 4, "wild-roulette": 8,
    }  # fmt: skip
    assert {
        deck[f"{color}-{symbol}"] for color in COLORS for symbol in ("skip", "reverse", "draw2", "discard-all")
    } == {3}
    assert "wild" not in deck


def test_a_new_box_is_at_most_250_lines_of_data() -> None:
    files = (
        "host/croupier-rules/croupier_rules/decks/no-mercy.toml",
        "host/croupier-rules/croupier_rules/rules/data/no-mercy-en.toml",
    )
    assert sum(len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in files) <= 250


@pytest.mark.parametrize("symbol", OWN_SYMBOLS)
def test_a_card_of_a_deck_file_is_described_whole(symbol: str) -> None:
    card = CARDS[symbol]
    assert set(card) == {"points", "effect", "sign", "drawing", "names"}
    assert set(card["names"]) == set(LANGUAGES)
    quoted = {
        part for name in names() if "card.own" in load(name).rules for part in load(name).rules["card.own"].quotes
    }
    assert not card["effect"] or symbol in quoted


@pytest.mark.parametrize("color", COLOR_SIGNS)
def test_a_color_of_a_deck_file_is_described_whole(color: str) -> None:
    said = COLOR_SIGNS[color]
    assert set(said) == {"shape", "key", "rgb", "names", "cards"}
    assert said["key"] in COLORS
    assert set(said["names"]) == set(said["cards"]) == set(LANGUAGES)
    assert all("{symbol}" in card for card in said["cards"].values())


@pytest.mark.parametrize("name", names())
def test_each_card_with_an_effect_that_only_its_deck_knows_has_a_sentence(name: str) -> None:
    rules = load(name)
    tables = card_tables(rules.deck)
    own = {tables.effects[effect].symbol for effect in tables.held if effect > AS_WRITTEN}
    assert own == (rules.rules["card.own"].quotes.keys() if "card.own" in rules.rules else set())


def test_what_a_rank_does_is_said_by_its_deck() -> None:
    eight = KIND["hearts-8"]
    mau_mau, crazy = card_tables("mau-mau"), card_tables("crazy-eights")
    assert mau_mau.effects[mau_mau.effect_of[eight]].skips == 1
    assert crazy.effects[crazy.effect_of[eight]].wild
    assert (mau_mau.points_of[eight], crazy.points_of[eight]) == (8, 50)
    assert mau_mau.colors == crazy.colors == ("clubs", "diamonds", "hearts", "spades")


def test_faces_of_deck_files_stand_behind_those_that_the_reader_has_learned() -> None:
    assert FACES[: len(LEARNED) + len(STARRED)] == LEARNED + STARRED
    assert {face for deck in DECKS.values() for face in deck} <= set(FACES)


def test_the_tables_have_what_the_file_says() -> None:
    cards, kind = card_tables("no-mercy"), KIND["wild-reverse-draw4"]
    effect = cards.effects[cards.effect_of[kind]]
    points, is_wild = cards.points_of[kind], cards.is_wild[kind]
    assert (effect.draw, effect.reverse, effect.wild, points, is_wild) == (4, True, True, 50, True)
    assert cards.draws[cards.effect_of[KIND["wild-draw10"]]] == 10
    assert (cards.color_of[KIND["blue-discard-all"]], cards.color_of[kind]) == (COLORS.index("blue"), cards.no_color)


def test_an_effect_that_nobody_knows_is_refused() -> None:
    with pytest.raises(BadRuleSet, match="glow: effect shine: expected discard, draw"):
        effect_of("glow", {"shine": True})
