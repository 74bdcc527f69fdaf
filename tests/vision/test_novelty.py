"""Faces that the networks have never learned are told as ``?``; those that they know are read as before."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardsight.classify import EMBEDDING, SIGNS
from cardsight.corners import CORNER_CLASSES
from cardsight.model import load
from cardsight.reader import Reader
from croupier_rules.cards import DECKS, LEARNED
from croupier_sim.drawing import STYLES
from tests.longer import some
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
@pytest.mark.parametrize("style", some(STYLES, 3))
@pytest.mark.parametrize(
    ("faces", "least"),
    [(None, 12), (DECKS["no-mercy"], 14), (DECKS["g7942"], 10)],
    ids=["any-deck", "no-mercy", "a-deck-without-them"],
)
def test_a_face_that_was_never_learned_is_hardly_ever_taken_for_another(
    reader: Reader, style: str, faces: dict[str, int] | None, least: int
) -> None:
    told: Counter[str] = Counter()
    for begin in range(0, len(NEW), 8):
        told.update(card.face for card in reader.read(laid.picture(rows(NEW[begin : begin + 8], style)), faces).cards)
    assert told.total() == len(NEW)
    assert told["?"] >= least


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("style", some(STYLES, 4))
def test_a_face_that_was_learned_is_read_in_a_deck_with_new_faces_too(reader: Reader, style: str) -> None:
    known = [face for face in LEARNED if face in DECKS["no-mercy"]]
    told: Counter[str] = Counter()
    for begin in range(0, len(known), 8):
        picture = laid.picture(rows(known[begin : begin + 8], style))
        told.update(card.face for card in reader.read(picture, DECKS["no-mercy"]).cards)
    assert told == Counter(known)


@pytest.mark.long
@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), sign=st.integers(0, len(SIGNS) - 1), prior=st.floats(-6, 2))
def test_corners_are_left_out_only_where_they_change_nothing(seed: int, sign: int, prior: float) -> None:
    novelty = load().novelty
    assert novelty is not None
    rng = np.random.default_rng(seed)
    embedding = np.maximum(rng.normal(0, 1, EMBEDDING), 0)
    first, second = (rng.dirichlet(np.full(len(CORNER_CLASSES), 0.05), 1) for _ in range(2))
    is_unlearned = novelty.is_unlearned(embedding, sign, np.concatenate([first, second]), prior)
    for seen in (np.zeros((0, len(CORNER_CLASSES))), first):
        assert novelty.may_be_unlearned(embedding, sign, seen, prior) or not is_unlearned
