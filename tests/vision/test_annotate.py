from __future__ import annotations

import cv2
import numpy as np
import pytest

from cardsight.annotate import annotate, label
from cardsight.sighting import Corners, Reading, Sighting


def card_at(x: float, y: float, width: float = 60, face: str = "red-7") -> Sighting:
    height = width * 1.5
    corners: Corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Sighting(face, 0.9, corners)


def shown(cards: list[Sighting], backs: tuple[Sighting, ...] = (), size: tuple[int, int] = (300, 400)) -> Reading:
    return Reading(size, tuple(cards), backs)


def test_the_outline_and_the_label_are_drawn_and_the_rest_is_left_alone() -> None:
    picture = np.full((400, 300, 3), 90, np.uint8)
    drawn = annotate(picture, shown([card_at(100, 100)]))
    changed = np.any(drawn != picture, axis=2)
    assert changed[100, 100:160].all()
    assert changed[100:190, 100].all()
    assert (drawn[200:220, 110:150] == 255).any()
    assert not changed[110:180, 110:150].any()  # the card itself stays to be seen
    assert not changed[:80].any()
    assert not changed[220:].any()


def test_the_picture_itself_stays_as_it_was() -> None:
    picture = np.full((400, 300, 3), 90, np.uint8)
    annotate(picture, shown([card_at(100, 100)]), caption="one card")
    assert np.all(picture == 90)


def test_cards_differ_by_their_words_and_not_by_color_alone() -> None:
    picture = np.zeros((400, 300, 3), np.uint8)
    gray = [annotate(picture, shown([card_at(100, 100)]), [text]).sum(axis=2) for text in ("red-6", "red-9")]
    assert np.any(gray[0] != gray[1])


def test_backs_are_drawn_too() -> None:
    picture = np.zeros((400, 300, 3), np.uint8)
    assert annotate(picture, shown([], (card_at(20, 20, face="back"),))).any()


@pytest.mark.parametrize("size", [(1, 1), (16, 16), (3000, 20), (20, 3000), (2000, 2000)], ids=str)
@pytest.mark.parametrize("width", [0.0, 2.0, 60.0, 5000.0])
def test_any_size_of_picture_and_card_can_be_drawn(size: tuple[int, int], width: float) -> None:
    picture = np.zeros((size[1], size[0], 3), np.uint8)
    faces = ("red-7", "wild-draw4", "?", "wild", "blue-skip", "yellow-0", "green-2*")
    cards = [card_at(x, x, width, face) for x, face in zip((-1e6, -40, 0, 10, 500, 1e6, 1e12), faces, strict=True)]
    assert annotate(picture, shown(cards, (card_at(3, 3, width, "back"),)), caption="7 cards").shape == picture.shape


def test_words_cover_no_card_as_long_as_there_is_room_beside_it() -> None:
    picture = np.full((400, 300, 3), 90, np.uint8)
    above, below = card_at(100, 30), card_at(100, 270)
    changed = np.any(annotate(picture, shown([above, below])) != picture, axis=2)
    for top in (30, 270):
        assert not changed[top + 10 : top + 80, 110:150].any()
    crowded = [card_at(100, y) for y in (0, 100, 200, 300)]
    changed = np.any(annotate(picture, shown(crowded)) != picture, axis=2)
    assert changed[110:180, 110:150].any()  # between two others it is better written on the card than on another


def test_no_word_covers_another() -> None:
    """Cards that touch, narrower than what is written on them, at the top where the caption stands."""
    ground = np.zeros((400, 600, 3), np.uint8)
    labels = ["green-reverse: 20", "yellow-draw2: 20", "wild-draw4: 50"]
    cards = [card_at(200 + 62 * n, 4) for n in range(len(labels))]
    drawn = annotate(ground, shown(cards), labels, caption="90 points")
    for text in labels:
        alone = annotate(ground, shown([card_at(270, 200)]), [text])
        written = np.any(alone != annotate(ground, shown([card_at(270, 200)]), [""]), axis=2)
        x, y, width, height = cv2.boundingRect(written.astype(np.uint8))
        word = alone[y + 3 : y + height - 3, x + 3 : x + width - 3]
        _, _, (left, top), _ = cv2.minMaxLoc(cv2.matchTemplate(drawn, word, cv2.TM_SQDIFF))
        assert np.array_equal(drawn[top : top + len(word), left : left + word.shape[1]], word), text


def test_a_doubtful_card_is_labelled_with_what_it_may_be() -> None:
    sixes = Sighting("?", 0.6, card_at(0, 0).corners_px, None, (("red-6", 0.6), ("red-9", 0.3), ("red-8", 0.05)))
    assert label(sixes) == "red-6 or red-9?"
    assert label(card_at(0, 0)) == "red-7 90%"
