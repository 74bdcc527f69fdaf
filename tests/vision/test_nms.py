"""Non-maximum suppression: which outlines are one card, and which are overlapping cards."""

from __future__ import annotations

import numpy as np
import pytest

from cardsight.classify import EMBEDDING, FACES, SIGNS, Classification
from cardsight.fusion import ConfidenceCalibration
from cardsight.geometry import IDEAL, rectangle
from cardsight.nms import Card, suppress
from cardsight.occlusion import ICON_DOUBT, MISFIT, Trust, face_up, trust_in, unread

LONG, SHORT = 157.0, 100.0


def card(
    face: str, chance: float, x: float, y: float, turn: float = 0.0, size: float = 1.0, score: float = 0.9
) -> Card:
    """A reading of ``face`` with a probability, in an outline whose middle lies there, turned by ``turn`` degrees."""
    faces = np.full(len(FACES), (1 - chance) / (len(FACES) - 1), np.float32)
    faces[FACES.index(face)] = chance
    signs = np.full(len(SIGNS), 1 / len(SIGNS), np.float32)
    kinds = np.array([0.99, 0.0, 0.01], np.float32)
    classification = Classification(kinds, faces, signs, 0.0, IDEAL, 1.0, np.zeros(EMBEDDING, np.float32))
    quad = rectangle(x, y, size * LONG, size * SHORT, np.radians(turn + 90))
    return Card(quad, classification, score)


def fan(*faces: tuple[str, float]) -> list[Card]:
    """Cards laid down as a close hand: each covers more than half of the next."""
    turns = [12.0 * place for place in range(len(faces))]
    return [
        card(*face, 300 + 160 * np.sin(np.radians(turn)), 400 - 160 * np.cos(np.radians(turn)), turn)
        for face, turn in zip(faces, turns, strict=True)
    ]


def test_two_faces_read_for_certain_in_a_close_fan_are_two_cards() -> None:
    cards = fan(("red-7", 0.95), ("blue-2", 0.96))
    assert cards[0].overlap(cards[1]) > 0.55
    assert len(suppress(cards)) == 2


@pytest.mark.parametrize("other", [("red-7", 0.95), ("blue-2", 0.5)], ids=["the same face", "hardly read"])
def test_otherwise_the_surer_one_stays(other: tuple[str, float]) -> None:
    first, second = fan(("red-7", 0.97), other)
    assert suppress([second, first]) == [first]


def test_two_readings_in_one_place_are_one_card_whatever_they_say() -> None:
    best, worse = card("red-7", 0.97, 300, 300), card("red-1", 0.9, 303, 302, 2)
    assert suppress([worse, best]) == [best]


def test_hardly_read_cards_of_a_fan_are_asked_for_one_by_one() -> None:
    top, *below = fan(("red-7", 0.97), ("blue-2", 0.3), ("blue-3", 0.2), ("blue-4", 0.25))
    x, y = below[0].middle
    again = card("blue-6", 0.2, x, y, 14, score=0.3)
    assert set(unread(face_up([again, *below, top]), [top])) == set(below)


def test_parts_of_cards_side_by_side_are_no_card_under_them() -> None:
    rows = [card(FACES[n], 0.97, 100 + 102 * (n % 4), 100 + 160 * (n // 4)) for n in range(8)]
    between = card("wild", 0.2, 151, 180)
    assert unread([between], rows) == []
    assert unread([between], rows[:1]) == [between]


def test_nothing_is_asked_for_where_no_card_is_certain() -> None:
    assert unread(fan(("red-7", 0.3), ("blue-2", 0.3)), []) == []


def test_a_card_is_believed_less_the_worse_its_outline_fits_the_cards_it_crosses() -> None:
    top = card("red-7", 0.97, 300, 300)
    under, small = card("blue-2", 0.9, 350, 330, 30), card("blue-2", 0.9, 350, 330, 30, size=0.7)
    free = card("blue-2", 0.9, 600, 300, size=0.7)
    plain, occluded = ConfidenceCalibration(2.0, 0.5), ConfidenceCalibration(1.0, 0.1)
    free_trust = Trust(plain, is_free=True)
    trusts = [trust_in(one, [top, one], free_trust, occluded) for one in (top, free, under)]
    assert trusts == [free_trust, free_trust, Trust(occluded, ICON_DOUBT)]
    misfit = ConfidenceCalibration(2.0, 0.5 - MISFIT)
    assert trust_in(small, [top, small], free_trust, occluded) == Trust(misfit, MISFIT)
