"""The deck files: what they say is complete, and is what the tables of the referee have."""

from __future__ import annotations

import pytest

from croupier.errors import BadRuleSet
from croupier.i18n import LANGUAGES
from croupier_rules.cards import CARDS, COLORS, DECKS, FACES, KIND, LEARNED, OWN_SYMBOLS, STARRED
from croupier_rules.rules import card_tables, load, names
from croupier_rules.rules.card_tables import CARDS_OF, COLOR_OF, EFFECT, EFFECT_OF, IS_WILD, NO_COLOR, POINTS_OF
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
    assert any(symbol in load(name).rules["card.own"].quotes for name in names() if "card.own" in load(name).rules)


def test_faces_of_deck_files_stand_behind_those_that_the_reader_has_learned() -> None:
    assert FACES[: len(LEARNED) + len(STARRED)] == LEARNED + STARRED
    assert {face for deck in DECKS.values() for face in deck} <= set(FACES)


def test_the_tables_have_what_the_file_says() -> None:
    kind = KIND["wild-reverse-draw4"]
    effect = EFFECT[EFFECT_OF[kind]]
    assert (effect.draw, effect.reverse, effect.wild, POINTS_OF[kind], IS_WILD[kind]) == (4, True, True, 50, True)
    assert CARDS_OF[EFFECT_OF[KIND["wild-draw10"]]] == 10
    assert (COLOR_OF[KIND["blue-discard-all"]], COLOR_OF[kind]) == (COLORS.index("blue"), NO_COLOR)


def test_an_effect_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_tables, "CARDS", {"flip": {"points": 20, "effect": {"flip": True}}})
    with pytest.raises(BadRuleSet, match="flip: effect flip: expected discard, draw"):
        card_tables._effect("flip")
