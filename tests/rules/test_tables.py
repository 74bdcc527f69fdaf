"""The tables by kind, against the rules said slowly."""

from __future__ import annotations

import pytest

from croupier_rules.cards import BACK, COLORS, DECKS, FACES, KIND, KIND_SEEN, PLAIN, UNREAD, is_wild
from croupier_rules.rules.card_tables import ANY, DRAW2, NOTHING, REVERSE, SKIP, WILD, WILD_DRAW4, card_tables

TABLES = card_tables("g7942")


WILD_RANKS = {"crazy-eights": "-8", "mau-mau": "-jack"}


def fits(face: str, top: str, color: str, deck: str) -> bool:
    """Whether a face may be laid on an up-card: "either by number, color or symbol", or any wild."""
    wild_rank = WILD_RANKS.get(deck, "-no-such-rank")
    if is_wild(face) or face.rstrip("*").endswith(wild_rank):
        return True
    own, symbol = face.rstrip("*").split("-", 1)
    is_like = symbol == top.rstrip("*").split("-", 1)[-1]
    return own == color or (not is_wild(top) and not top.endswith(wild_rank) and is_like)


@pytest.mark.parametrize(("deck", "color"), [(deck, color) for deck in DECKS for color in card_tables(deck).colors])
def test_what_may_be_laid(deck: str, color: str) -> None:
    tables = card_tables(deck)
    for top in (FACES[kind] for kind in tables.kinds):
        up = tables.up_cards[KIND[top]][tables.colors.index(color)]
        fitting = [face for face in FACES if fits(face, top, color, deck)]
        assert [face for face in FACES if up.playable[KIND[face]]] == fitting, top
        assert len(up.laid) == len(FACES) + 1
        assert {face: laid for face, laid in zip(FACES, up.laid, strict=False) if laid is not None} == {
            face: tables.laid[KIND[face]] for face in fitting
        }


def test_a_card_is_laid_in_its_own_color_and_a_wild_in_none() -> None:
    assert TABLES.laid[KIND["blue-skip"]].color == COLORS.index("blue")
    assert all(
        TABLES.laid[KIND[wild]].color == TABLES.no_color and TABLES.laid[KIND[wild]].playable == ANY
        for wild in filter(is_wild, FACES)
    )
    assert not ANY[-1]
    assert TABLES.laid[KIND["wild"]].laid[KIND_SEEN[BACK]] is TABLES.laid[KIND["wild"]].laid[KIND_SEEN[UNREAD]] is None


@pytest.mark.parametrize(
    ("face", "effect"),
    [
        ("red-0", NOTHING),
        ("red-9*", NOTHING),
        ("green-skip", SKIP),
        ("blue-reverse", REVERSE),
        ("yellow-draw2", DRAW2),
        ("wild", WILD),
        ("wild-draw4", WILD_DRAW4),
    ],
)
def test_what_a_card_does(face: str, effect: int) -> None:
    assert TABLES.effect_of[KIND[face]] == effect


def test_what_the_cards_of_a_deck_count_together() -> None:
    # Per color 2 * (1 + … + 9) and six action cards at 20; eight wilds at 50.
    assert TABLES.points(KIND[face] for face, n in DECKS["g7942"].items() for _ in range(n)) == 4 * (90 + 120) + 400


def test_a_starred_card_is_counted_as_its_plain_face() -> None:
    assert FACES[PLAIN[KIND["red-2*"]]] == "red-2"
    assert TABLES.points([KIND["red-2*"]]) == 2
