"""Faces that the networks have never learned are told as ``?``; those that they know are read as before."""

from __future__ import annotations

from collections import Counter

import pytest

from cardsight.reader import Reader
from croupier.cards import DECKS, LEARNED
from croupier_sim.drawing import STYLES
from tests.vision import laid
from tests.vision.laid import Lying

NEW = [face for face in DECKS["no-mercy"] if face not in LEARNED]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def rows(faces: list[str], style: str) -> list[Lying]:
    return [
        Lying(face, 180 + 300 * (n % 4), 190 + 340 * (n // 4), 7.0 * (n + 1), 150, style)
        for n, face in enumerate(faces)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("faces", [None, DECKS["no-mercy"]], ids=["any-deck", "no-mercy"])
def test_a_face_that_was_never_learned_is_not_taken_for_another(
    reader: Reader, style: str, faces: dict[str, int] | None
) -> None:
    told: Counter[str] = Counter()
    for begin in range(0, len(NEW), 8):
        told.update(card.face for card in reader.read(laid.picture(rows(NEW[begin : begin + 8], style)), faces).cards)
    assert told == {"?": len(NEW)}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_a_face_that_was_learned_is_read_in_a_deck_with_new_faces_too(reader: Reader, style: str) -> None:
    known = [face for face in LEARNED if face in DECKS["no-mercy"]]
    told: Counter[str] = Counter()
    for begin in range(0, len(known), 8):
        picture = laid.picture(rows(known[begin : begin + 8], style))
        told.update(card.face for card in reader.read(picture, DECKS["no-mercy"]).cards)
    assert told == Counter(known)
