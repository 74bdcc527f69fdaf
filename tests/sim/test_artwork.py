"""The drawn cards: every face a picture of its own, alike from both ends where real cards are."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from croupier_rules.cards import DECKS, FACES
from croupier_sim.drawing import STYLES, Style, card_mask, draw_back
from croupier_sim.playing_cards import draw_face
from croupier_sim.shapes import FAMILIES
from tests.longer import some

PRINTED = sorted({face for deck in DECKS.values() for face in deck})


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Share of the pixels that differ clearly."""
    return 1 - float((cv2.inRange(cv2.absdiff(a, b), (0, 0, 0), (60, 60, 60)) > 0).mean())


@pytest.mark.long
@pytest.mark.parametrize("style", some([pytest.param(style, id=name) for name, style in STYLES.items()], 2))
def test_every_face_looks_different_from_every_other(style: Style) -> None:
    drawn = {face: draw_face(face, style, width_px=96) for face in PRINTED}
    alike = [pair for pair in combinations(PRINTED, 2) if difference(drawn[pair[0]], drawn[pair[1]]) < 0.01]
    assert alike == []


@pytest.mark.parametrize("family", FAMILIES)
def test_digits_are_distinguished_by_shape_in_every_family(family: str) -> None:
    style = replace(STYLES["modern"], family=family)
    drawn = [draw_face(f"red-{digit}", style, width_px=96) for digit in range(10)]
    assert min(difference(a, b) for a, b in combinations(drawn, 2)) > 0.01


@pytest.mark.parametrize("face", ["red-6", "green-7", "blue-skip", "yellow-draw2", "wild-draw4"])
def test_corners_read_the_same_from_both_ends(face: str) -> None:
    card = draw_face(face, STYLES["modern"], width_px=240)
    end = card[: card.shape[0] // 4, : card.shape[1] // 3]
    other = np.rot90(card, 2).copy()[: card.shape[0] // 4, : card.shape[1] // 3]
    assert difference(end, other) < 0.02


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_six_turned_round_is_not_nine(style: Style) -> None:
    six, nine = (draw_face(f"blue-{digit}", style, width_px=240) for digit in "69")
    assert difference(np.rot90(six, 2).copy(), nine) > 0.02


@pytest.mark.long
def test_back_is_the_same_from_both_ends_and_is_no_face() -> None:
    for style in STYLES.values():
        back = draw_back(style, width_px=120)
        assert difference(back, np.rot90(back, 2).copy()) < 0.02
        assert min(difference(back, draw_face(face, style, width_px=120)) for face in PRINTED) > 0.1


@pytest.mark.parametrize("color", ["red", "yellow", "green", "blue"])
def test_marks_for_the_color_blind_stand_at_both_short_edges(color: str) -> None:
    plain, marked = (draw_face(f"{color}-5", STYLES[name], width_px=560) for name in ("modern", "modern-symbols"))
    changed = np.abs(plain.astype(int) - marked).max(axis=2) > 60
    rows, columns = np.nonzero(changed)
    middle = (plain.shape[1] - 1) / 2
    assert np.abs(columns - middle).max() < 0.06 * plain.shape[1]  # 10.4 % of the width from tip to tip, at most
    height = plain.shape[0]
    assert {"top" if row < height / 2 else "bottom" for row in rows} == {"top", "bottom"}
    assert (np.minimum(rows, height - rows) < 0.1 * height).all()


def test_marks_differ_by_shape_without_color() -> None:
    gray = [draw_face(f"{color}-5", replace(STYLES["modern-symbols"], red=(90,) * 3, yellow=(90,) * 3, green=(90,) * 3,
                      blue=(90,) * 3), width_px=240) for color in ("red", "yellow", "green", "blue")]  # fmt: skip
    ends = [card[:40, 100:140] for card in gray]
    assert min(difference(a, b) for a, b in combinations(ends, 2)) > 0.01


def test_wilds_carry_no_mark() -> None:
    for face in ("wild", "wild-draw4"):
        assert np.array_equal(draw_face(face, STYLES["modern"]), draw_face(face, STYLES["modern-symbols"]))


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_white_border_runs_all_round(style: Style) -> None:
    card = draw_face("green-3", replace(style, marks=False), width_px=280)
    margin = round(280 / 56 * min(style.border_side, style.border_end) * 0.7)
    edge = np.ones(card.shape[:2], bool)
    edge[margin:-margin, margin:-margin] = False
    assert (np.abs(card[edge].astype(int) - style.white).max(axis=1) < 8).all()


def test_mask_cuts_the_corners_only() -> None:
    mask = card_mask(280)
    assert mask[0, 0] == mask[-1, -1] == 0
    assert mask[0, 140] == mask[220, 0] == mask[220, 140] == 255
    assert 0.98 < (mask > 127).mean() < 1


@pytest.mark.parametrize("face", ["back", "?", "red-10", "", "Red-7"])
def test_what_is_no_face_is_refused(face: str) -> None:
    with pytest.raises(ValueError, match="no such face"):
        draw_face(face, STYLES["modern"])


@pytest.mark.long
def test_starred_numbers_are_drawn_too() -> None:
    starred = [face for face in FACES if face.endswith("*")]
    assert all(difference(draw_face(face, STYLES["modern"], width_px=96),
                          draw_face(face[:-1], STYLES["modern"], width_px=96)) > 0.002 for face in starred)  # fmt: skip
