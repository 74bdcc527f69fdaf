"""How well the probabilities of the layout's hypotheses agree with the truth, on scenes that its weights are not fitted
to: ``python -m training.measure.doubt``.

The scenes are those of `training.measure.evidence`: of drawn cards, and of the licensed sources, on which limits are
chosen. The report's sources stay out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from cardsight import layout, model
from cardsight.reader import Reader
from training.measure import evidence
from training.measure.calibration import expected_error, reliability
from training.train_layout import samples

EDGES: Final = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0)
"""Limits of the ranges of probability that are counted apart."""


def main() -> int:
    """Print, for each range of probability, how many hypotheses there are, and which fraction of them are cards."""
    parser = argparse.ArgumentParser(prog="python -m training.measure.doubt", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="fraction of the scenes")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    told = list(judged(args.share))
    for row in reliability(told, EDGES):
        print(", ".join(f"{name} {value}" for name, value in row.items()))
    print(f"expected error {expected_error(told, EDGES):.3f}")
    return 0


def judged(share: float) -> Iterator[tuple[float, bool]]:
    """Yield the probability of each hypothesis of the scenes, and whether it is a card."""
    known, fitted = replace(model.load(), novelty=None), layout.load()
    reader = Reader(known)
    for _source, scene in evidence.scenes(share):
        for one in samples(scene, reader.read(scene.picture()), known, fitted.evidence):
            if one.is_card is not None:
                odds = np.clip(layout.odds_of(one.hypothesis, fitted.layout), -30, 30)
                yield float(1 / (1 + np.exp(-odds))), one.is_card


if __name__ == "__main__":
    sys.exit(main())
