"""What the card reader learns from: what is said of a cut-out is what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import cv2
import numpy as np
import pytest

from cardsight.classify import BACK, FACE, INKS, NONE, SIGNS
from cardsight.geometry import CROP_H, CROP_W, IDEAL
from croupier.cards import FACES
from croupier_sim.drawing import STYLES, draw_face
from training import cards, cutouts
from training.cutouts import IGNORE, STRAIGHT_H, STRAIGHT_W, Cut, Example, Maker, truth
from training.scenes import texture


def example(face: str, source: str) -> Example:
    image = cv2.resize(draw_face(face, STYLES["modern"], width_px=STRAIGHT_W), (STRAIGHT_W, STRAIGHT_H))
    return Example(face, texture(image, cards.mask(STRAIGHT_W), back=False), source=source)


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """One print of each face and a few grounds: to draw them takes longer than all cut-outs of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cutouts, "PRINTS", 1)
        patched.setattr(cutouts, "GROUNDS", 6)
        yield


@pytest.fixture(scope="module")
def cuts() -> list[Cut]:
    real = [example(face, "here") for face in ("red-7", "wild")] + [example("blue-2", "there")]
    return list(islice(Maker(np.random.default_rng(3), real), 400))


@pytest.mark.parametrize("face", FACES)
def test_every_face_has_its_own_truth(face: str) -> None:
    kind, ink, sign, icon = truth(example(face, ""), gray=False)
    assert kind == FACE
    name = SIGNS[sign] if INKS[ink] == "black" else f"{INKS[ink]}-{SIGNS[sign]}"
    assert name + "*" * icon == face


def test_a_gray_card_teaches_no_color_but_its_symbol() -> None:
    assert truth(example("green-6", ""), gray=True) == (FACE, IGNORE, SIGNS.index("6"), 0)
    assert truth(example("wild", ""), gray=True)[1] == INKS.index("black")


def test_what_misses_a_card_is_said_to_hold_none(cuts: list[Cut]) -> None:
    kinds = [cut.told[0] for cut in cuts]
    assert {FACE, BACK, NONE} == set(kinds)
    assert all((cut.told[1:] == (IGNORE,) * 3) == (cut.told[0] != FACE) for cut in cuts)
    assert not any(cut.exact for cut in cuts if cut.told[0] == NONE)


def test_corners_lie_near_the_place_they_are_cut_out_for(cuts: list[Cut]) -> None:
    for cut in cuts:
        if cut.exact:
            corners = IDEAL + cut.corners.reshape(4, 2) * (CROP_W, CROP_H)
            assert cv2.isContourConvex(corners.astype(np.float32))
            assert np.abs(cut.corners).max() < 0.4
            assert np.linalg.norm(corners[0] - IDEAL[0]) <= np.linalg.norm(corners[0] - IDEAL[2])


def test_photographs_are_marked_with_their_source_and_the_drawn_with_none(cuts: list[Cut]) -> None:
    inks: dict[str, set[int]] = {"here": set(), "there": set()}
    for cut in cuts:
        if cut.source and cut.told[1] != IGNORE:
            inks[cut.source].add(cut.told[1])
    assert inks == {"here": {INKS.index("red"), INKS.index("black")}, "there": {INKS.index("blue")}}
    assert sum(cut.source == "" for cut in cuts) > 200


def test_the_same_seed_makes_the_same_cut_outs() -> None:
    one, other = (list(islice(Maker(np.random.default_rng(5), []), 8)) for _ in range(2))
    assert all((a.image == b.image).all() and a.told == b.told for a, b in zip(one, other, strict=True))
