"""The symbol in a printed corner: seen by itself, and as a witness of a card of which little else shows."""

from __future__ import annotations

import numpy as np
import pytest

from cardsight.classify import FACES, INK_OF, INKS, SIGNS, Probabilities, sign_of
from cardsight.corners import CORNER_CLASSES, classify_corners, corner_patches, see_corners
from cardsight.decision import SURE
from cardsight.fusion import fuse
from cardsight.geometry import pyramid
from cardsight.model import load
from croupier_rules.cards import CARD_MM, COLORED, COLORS
from tests.vision.chances import belief, signs_of
from tests.vision.laid import Image, Lying, picture

IN_COLOR = 0.2


@pytest.fixture(scope="module")
def net() -> object:
    return load().corner


def seen(net: object, image: Image, card: Lying) -> Probabilities:
    return classify_corners(net, pyramid(image), [card.quad()])[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("style", ["classic", "modern"])
def test_both_corners_of_a_card_name_its_symbol(net: object, style: str) -> None:
    cards = [
        Lying(face, 90 + 122 * (n % 10), 110 + 170 * (n // 10), 7.0 * n - 15, 80, style)
        for n, face in enumerate(COLORED[::2])
    ]
    image = picture(cards, size=(1280, 720))
    named = [[CORNER_CLASSES[int(i)] for i in seen(net, image, card).argmax(1)] for card in cards]
    right = sum(name == sign_of(card.face) for card, both in zip(cards, named, strict=True) for name in both)
    assert right >= 2 * len(cards) - 2


@pytest.mark.parametrize("face", ["red-7", "yellow-2", "green-skip", "blue-5", "wild-draw4"])
def test_a_corner_tells_the_color_around_its_symbol(net: object, face: str) -> None:
    card = Lying(face, 400, 360, 20, 130)
    inks = see_corners(net, corner_patches(pyramid(picture([card])), card.quad())).inks  # type: ignore[arg-type]
    assert [INKS[int(ink)] for ink in inks.argmax(1)] == [INKS[INK_OF[FACES.index(face)]]] * 2


def test_a_look_beside_a_symbol_tells_how_far_it_is(net: object) -> None:
    """Of a place that is only guessed, for either end of the card."""
    off, far = np.array([3.0, -2.0]), []
    for face in ("red-7", "blue-2", "green-skip", "yellow-8", "red-draw2", "green-0"):
        card, shift = Lying(face, 400, 360, 0, 130), np.asarray(off * 130 / CARD_MM[0], np.float32)
        image = pyramid(picture([card]))
        right, beside = (
            see_corners(net, corner_patches(image, quad))  # type: ignore[arg-type]
            for quad in (card.quad(), np.asarray(card.quad() + shift, np.float32))
        )
        far += ((right.places - beside.places) * [[1], [-1]] - off).tolist()
        assert {SIGNS[int(one.argmax()) - 1] for one in beside.shown} == {sign_of(face)}
    assert np.median(np.abs(far)) < 1.5


def test_wilds_with_one_sign_are_not_distinguished_by_their_corners(net: object) -> None:
    card = Lying("wild", 400, 360, 10, 130)
    for corner in seen(net, picture([card]), card):
        chances = dict(zip(CORNER_CLASSES, corner.tolist(), strict=True))
        assert chances["wild"] == chances["wild-shuffle"] == chances["wild-blank"] > 10 * chances["wild-draw4"]


def test_a_corner_under_another_card_says_nothing(net: object) -> None:
    below = Lying("red-7", 400, 360, 0, 130)
    above = Lying("blue-2", 330, 290, 50, 130)
    covered, shown = seen(net, picture([below, above]), below)
    assert CORNER_CLASSES[int(covered.argmax())] is None
    assert CORNER_CLASSES[int(shown.argmax())] == "7"


def test_a_back_and_a_bare_table_show_no_symbol(net: object) -> None:
    back = Lying("back", 400, 360, 20, 120)
    bare = Lying("red-7", 900, 360, 0, 120)
    image = picture([back], "paper")
    assert all(CORNER_CLASSES[int(i)] is None for card in (back, bare) for i in seen(net, image, card).argmax(1))


def corners(*shown: str | None) -> Probabilities:
    """Two corners that show this for certain; ``None``: no symbol."""
    chances = np.full((2, len(CORNER_CLASSES)), 0.02 / (len(CORNER_CLASSES) - 1))
    chances[[0, 1], [CORNER_CLASSES.index(one) for one in shown]] = 0.98
    return chances


def told(faces: Probabilities, shown: Probabilities | None, colorful: float = IN_COLOR) -> tuple[str, float]:
    both = fuse(faces, signs_of(faces), colorful, None, shown)
    assert both.sum() == pytest.approx(1)
    return FACES[int(both.argmax())], float(both.max())


@pytest.mark.parametrize(
    ("shown", "face", "sure"),
    [
        pytest.param((None, None), "red-8", False, id="covered"),
        pytest.param(("8", None), "red-8", True, id="one agrees"),
        pytest.param(("3", None), "red-3", True, id="one knows better"),
        pytest.param(("3", "3"), "red-3", True, id="both know better"),
        pytest.param(("3", "8"), "red-8", False, id="they contradict each other"),
        pytest.param(("skip", None), "red-skip", False, id="what the card hardly can be"),
    ],
)
def test_a_corner_that_is_seen_names_what_the_card_leaves_open(
    shown: tuple[str | None, str | None], face: str, sure: bool
) -> None:
    best, confidence = told(belief(red_8=0.5, red_3=0.4), corners(*shown))
    assert best == face
    assert (confidence >= SURE) is sure


@pytest.mark.parametrize("chance", [0.99, 0.999])
def test_a_corner_does_not_outvote_a_card_that_is_plain_to_see(chance: float) -> None:
    best, confidence = told(belief(red_8=chance), corners("3", None))
    assert best == "red-8" or confidence < SURE


def test_without_color_a_corner_names_the_symbol_of_every_color() -> None:
    both = fuse(belief(red_8=0.5, red_3=0.4), np.full(len(SIGNS), 1 / len(SIGNS)), 0.0, None, corners("3", None))
    assert {FACES[i] for i in np.argsort(-both)[:4]} == {f"{color}-3" for color in COLORS}
