"""Training crops: the labels of a crop are what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import cv2
import numpy as np
import pytest

from cardsight.classify import BACK, FACE, INKS, NONE, SIGNS
from cardsight.geometry import CROP_H, CROP_W, IDEAL
from croupier_rules.cards import LEARNED, STARRED
from croupier_sim.drawing import STYLES, draw_face
from training import cards
from training import crops as training_crops
from training.crops import IGNORE, RECTIFIED_H, RECTIFIED_W, Crop, Example, Maker, labels_of
from training.scenes import texture


def example(face: str, source: str) -> Example:
    image = cv2.resize(draw_face(face, STYLES["modern"], width_px=RECTIFIED_W), (RECTIFIED_W, RECTIFIED_H))
    return Example(face, texture(image, cards.mask(RECTIFIED_W), back=False), source=source)


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """One print of each face and a few backgrounds: drawing them takes longer than all crops of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(training_crops, "PRINTS", 1)
        patched.setattr(training_crops, "REAL_FRACTION", 0.6)
        patched.setattr(training_crops, "GROUNDS", 6)
        yield


@pytest.fixture(scope="module")
def crops() -> list[Crop]:
    real = [example(face, "here") for face in ("red-7", "wild")] + [example("blue-2", "there")]
    return list(islice(Maker(np.random.default_rng(3), real), 400))


@pytest.mark.parametrize("face", LEARNED + STARRED)
def test_every_face_has_its_own_truth(face: str) -> None:
    kind, ink, sign, icon = labels_of(example(face, ""), gray=False)
    assert kind == FACE
    name = SIGNS[sign] if INKS[ink] == "black" else f"{INKS[ink]}-{SIGNS[sign]}"
    assert name + "*" * icon == face


def test_a_gray_card_teaches_no_color_but_its_symbol() -> None:
    assert labels_of(example("green-6", ""), gray=True) == (FACE, IGNORE, SIGNS.index("6"), 0)
    assert labels_of(example("wild", ""), gray=True)[1] == INKS.index("black")


@pytest.mark.long
def test_what_misses_a_card_is_said_to_hold_none(crops: list[Crop]) -> None:
    kinds = [crop.labels[0] for crop in crops]
    assert {FACE, BACK, NONE} == set(kinds)
    assert all((crop.labels[1:] == (IGNORE,) * 3) == (crop.labels[0] != FACE) for crop in crops)
    assert not any(crop.exact for crop in crops if crop.labels[0] == NONE)


def test_corners_lie_near_the_place_they_are_cut_out_for(crops: list[Crop]) -> None:
    for crop in crops:
        if crop.exact:
            corners = IDEAL + crop.corners.reshape(4, 2) * (CROP_W, CROP_H)
            assert cv2.isContourConvex(corners.astype(np.float32))
            assert np.abs(crop.corners).max() < 0.4
            assert np.linalg.norm(corners[0] - IDEAL[0]) <= np.linalg.norm(corners[0] - IDEAL[2])


def test_photographs_are_marked_with_their_source_and_the_drawn_with_none(crops: list[Crop]) -> None:
    inks: dict[str, set[int]] = {"here": set(), "there": set()}
    for crop in crops:
        if crop.source and crop.labels[1] != IGNORE:
            inks[crop.source].add(crop.labels[1])
    assert inks == {"here": {INKS.index("red"), INKS.index("black")}, "there": {INKS.index("blue")}}
    assert sum(crop.source == "" for crop in crops) > 200


@pytest.mark.long
def test_the_same_seed_makes_the_same_cut_outs() -> None:
    one, other = (list(islice(Maker(np.random.default_rng(5), []), 8)) for _ in range(2))
    assert all((a.image == b.image).all() and a.labels == b.labels for a, b in zip(one, other, strict=True))
