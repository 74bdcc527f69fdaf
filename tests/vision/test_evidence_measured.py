"""The measure of evidence networks: what is known of composed piles, and what counts as right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cardsight.evidence import Evidence
from cardsight.geometry import length
from training.measure import evidence, sets
from training.measure.evidence import Figures, Truth

pytestmark = [pytest.mark.long, pytest.mark.slow]

CELL = 8.0


@pytest.fixture(scope="module")
def truth() -> Truth:
    return evidence.known(evidence.together(sets.drawn("test of the measure"), 1))


def told(truth: Truth) -> Evidence:
    """What a network would say that knows it all."""
    height, width = truth.cover.shape
    xs, ys = np.meshgrid(np.arange(CELL / 2, width, CELL), np.arange(CELL / 2, height, CELL))
    places = np.stack([xs, ys], -1).astype(np.float32)
    at = np.rint(places).astype(int)
    number = truth.cover[at[..., 1], at[..., 0]]
    centers = np.array([[0, 0], *(quad.mean(0) for quad in truth.quads)], np.float32)[number]
    face, zero = (number > 0).astype(np.float32), np.zeros(number.shape, np.float32)
    blank = Evidence(1 - face, face, zero, places, centers, zero, zero, zero, zero, zero, CELL, zero - 9, zero)
    seams, edges = (plane.astype(np.float32) for plane in evidence.borders(truth, blank))
    return replace(blank, edges=edges, seams=seams)


def rows(found: Evidence, truth: Truth) -> dict[str, str]:
    figures = Figures()
    figures.add(found, truth)
    return figures.rows()


def test_who_knows_it_all_is_right(truth: Truth) -> None:
    judged = rows(told(truth), truth)
    off = [row for name, row in judged.items() if name.endswith(": off")]
    assert len(off) >= 2, "cards that lie free, and cards under others"
    assert set(off) == {"0.000 / 0.000"}
    for name in ("cells of cards that are seen as such", "seams: right of those told on cards",
                 "seams: cells where a card ends upon another, found"):  # fmt: skip
        assert judged[name].startswith("1.000 of "), name
    assert judged["cards seen where none is (area of cards; of pictures)"].startswith("0.000")


def test_what_is_wrong_is_counted(truth: Truth) -> None:
    right = told(truth)
    long = length(truth.quads[0])
    shown = right.none == 1
    wrong = replace(
        right, centers=right.centers + np.array([0.1 * long, 0], np.float32), seams=right.seams * 0,
        none=np.where(shown, 0, right.none).astype(np.float32),
    )  # fmt: skip
    judged = rows(wrong, truth)
    assert judged["seams: cells where a card ends upon another, found"].startswith("0.000 of ")
    assert float(judged["cards seen where none is (area of cards; of pictures)"].split()[0]) > 5
    worst = max(float(row.split()[0]) for name, row in judged.items() if name.endswith(": off"))
    assert 0.08 < worst < 0.16


def test_cards_under_a_hand_are_not_judged() -> None:
    scene = evidence.together(sets.drawn("test of the measure"), 1)
    hidden = replace(scene.cards[0], seen=0.0)
    truth = evidence.known(replace(scene, cards=(hidden, *scene.cards[1:])))
    assert not truth.is_known[truth.cover == 1].any()
    assert truth.is_known[truth.cover == 2].all()
