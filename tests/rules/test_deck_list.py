"""Deck lists: what a deck file may say, and what is told of one that cannot be."""

from __future__ import annotations

import tomllib

import pytest

from croupier_rules.cards import DECKS, KIND, shown_by
from croupier_rules.deck_list import DeckList
from croupier_rules.errors import BadDeck
from croupier_rules.rules.card_tables import card_tables

TWO_SIDED = """
colored = { 1-9 = 2, draw1 = 2, reverse = 2, skip = 2, flip = 2 }
wilds = { wild = 4, wild-draw2 = 4 }

[side.dark]
colors = ["orange", "pink", "purple", "teal"]
colored = { 1-9 = 2, draw5 = 2, reverse = 2, skip-all = 2, flip = 2 }
wilds = { wild-dark = 4, wild-draw-color = 4 }

[card]
draw1.points = 10
draw5.points = 20
flip.points = 20
skip-all.points = 30
wild.points = 40
wild-dark.points = 40
wild-draw2.points = 50
wild-draw-color.points = 60
"""


def parsed(text: str) -> DeckList:
    return DeckList.parse(tomllib.loads(text), "own.toml")


@pytest.mark.parametrize("name", DECKS)
def test_a_deck_that_ships_is_listed_with_the_points_of_the_referee(name: str) -> None:
    deck = DeckList.shipped(name)
    assert (deck.cards, deck.shown, deck.own) == (DECKS[name], shown_by(name), ())
    assert all(deck.points[face] == card_tables(name).points_of[KIND[face]] for face in deck.shown)


@pytest.mark.parametrize("name", DECKS)
def test_a_deck_like_another_counts_as_that_one(name: str) -> None:
    """``8`` counts 50 in one of them and 8 in others, ``wild`` 20 and 50."""
    assert parsed(f'like = "{name}"').points == DeckList.shipped(name).points
    own = parsed(f'like = "{name}"\nwilds = {{ swap = 2 }}\n[card]\nswap = {{ points = 7 }}')
    assert own.points == {**DeckList.shipped(name).points, "swap": 7}


def test_a_number_counts_itself_where_only_a_deck_that_the_file_does_not_name_counts_it_otherwise() -> None:
    assert parsed("colored = { 8 = 2, king = 1 }").points["red-8"] == 8


def test_a_deck_with_two_sides_has_faces_of_its_own() -> None:
    deck = parsed(TWO_SIDED)
    assert [sum(side.values()) for side in deck.sides] == [112, 112]
    assert (deck.cards["orange-3"], deck.cards["red-3"], deck.cards["wild-dark"]) == (2, 2, 4)
    faces = "orange-3", "pink-skip-all", "red-skip", "teal-flip", "wild", "wild-draw-color"
    assert [deck.points[face] for face in faces] == [3, 30, 20, 20, 40, 60]
    assert {"orange-3", "blue-flip", "wild-draw-color"} <= set(deck.own)
    assert not {"red-3", "wild", "blue-skip"} & set(deck.own)


def test_only_the_sides_count_that_were_shown() -> None:
    light, dark = parsed(TWO_SIDED).sides
    deck = parsed(TWO_SIDED)
    assert deck.seen({"pink-2", "?"}) == dark
    assert deck.seen({"red-2"}) == light
    assert deck.seen({"?"}) == deck.seen({"red-2", "pink-2"}) == deck.cards


def test_a_deck_of_its_own_names_only_its_cards_and_another_all_common_ones() -> None:
    own, usual = parsed(TWO_SIDED), DeckList.shipped("g7942")
    assert [own.names(face) for face in ("orange-3", "back", "wild-shuffle", "orange-0")] == [True, True, False, False]
    assert [usual.names(face) for face in ("orange-3", "back", "wild-shuffle")] == [False, True, True]


def test_like_another_deck_with_fewer_and_other_cards() -> None:
    deck = parsed('like = "g7942"\nwilds = { wild-draw4 = 0, swap = 2 }\n[card]\nswap = { points = 50 }')
    assert (deck.cards["swap"], deck.cards["red-9"], deck.points["swap"]) == (2, 2, 50)
    assert "wild-draw4" not in deck.cards
    assert deck.own == ("swap",)


def test_cards_with_the_icon_count_as_those_without() -> None:
    deck = parsed("icons = true\ncolored = { 1-3 = 2 }")
    assert (deck.shown["red-2*"], deck.points["red-2*"]) == (2, 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "no cards; expected such as", id="empty"),
        pytest.param("coloured = {}", "coloured: unknown; did you mean colored?", id="key"),
        pytest.param('like = "x"', "like = 'x': unknown; expected one of g7942", id="like"),
        pytest.param("icons = 1\nwilds = {wild = 1}", "icons = 1: expected such as icons = true", id="icons"),
        pytest.param("colored = 3", "colored = 3: expected such as colored", id="no table"),
        pytest.param("colored = { 9-1 = 2 }", "colored.9-1: expected a range such as 1-9", id="range"),
        pytest.param("colored = { 1-99999999 = 2 }", "expected a range such as 1-9", id="endless range"),
        pytest.param("colored = { 3 = true }", "colored.3 = True: expected such as 3 = 2", id="number"),
        pytest.param("colored = { 3 = -1 }", "colored.3 = -1: expected such as 3 = 2", id="negative"),
        pytest.param("wilds = { Wild = 1 }", "wilds.Wild: a name has small letters", id="name"),
        pytest.param("wilds = { back = 1 }", "wilds.back: a name has small letters", id="back"),
        pytest.param('colors = ["wild"]', "colors: 'wild': a name has", id="color"),
        pytest.param('colors = "red"', "colors = 'red': expected such as colors = [", id="colors"),
        pytest.param("side = 3", "side = 3: expected such as [side]", id="side"),
        pytest.param("[side.dark]\nlike = 3", "[side.dark] like: unknown", id="key of a side"),
        pytest.param("colored = { flip = 2 }", "[card.flip] points: missing", id="no points"),
        pytest.param("wilds = { swap = 2 }\n[card.swap]\nnames = {}", "[card.swap] points: missing", id="no points 2"),
        pytest.param("wilds = { swap = 2 }\n[card.swap]\npoints = 2.5", "points = 2.5: expected", id="half points"),
        pytest.param("wilds = { wild = 2 }\n[card.swap]\npoints = 5", "[card.swap]: the deck has no such", id="card"),
        pytest.param("colored = { 1-99 = 1, 100-199 = 1 }", "796 faces; expected at most 500", id="too many"),
    ],
)
def test_a_deck_file_that_cannot_be_is_told_with_its_key(text: str, why: str) -> None:
    with pytest.raises(BadDeck) as told:
        parsed(text)
    assert why in str(told.value)
