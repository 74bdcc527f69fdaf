"""Evidence fusion: the face of a card from its whole print, its printed corners, and its mark for the color-blind.

The reader network gives the probability of each face. The corner network names the symbols in the corners of cards that
are hard to read. The mark network names the printed mark, if there is one. The three are combined by Bayes' rule
(1763): each face is weighted by the likelihood of the observed corners and mark.

- Color and mark that agree raise the confidence above that of either.
- Color and mark that contradict each other are both limited by an error rate (`COLOR_DOUBT`, `MARK_DOUBT`). Neither
  color then reaches the decision threshold: the card is ``?`` with both as candidates.
- A picture without color, from a gray camera or a lamp of one color, makes the four colors equally likely. The mark
  decides; without a mark the card is ``?`` with the four colors.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardsight.classify import MARKS, SIGN_OF, SIGNS, Mark, Probabilities
from croupier_rules.cards import COLORS, SYMBOLS

PRINTED: Final = 0.4
"""Prior probability of a printed mark. Its influence is small: a mark is seen, or it is not."""
COLOR_DOUBT: Final = 0.025
MARK_DOUBT: Final = 0.05
"""Minimum error rates of color and of mark when they contradict each other, however sure the networks are. Two sure
observations then weigh about the same."""
CLEAR_PX: Final = 12.0
FAINT_PX: Final = 7.0
"""Size (px) of a mark from which it is read at full reliability, and the size at or below which it carries no
evidence."""
NO_COLOR: Final = 0.02
SOME_COLOR: Final = 0.05
"""`light.colorfulness` up to which a card shows no color, and from which its color counts in full. Gray pictures with
noise reach the first; photographs under strongly tinted lamps stay above the second."""
CORNER_DOUBT: Final = 0.02
"""Error rate of a sure corner: the symbol may be that of a card above."""
_COLORED: Final = len(COLORS) * len(SYMBOLS)
_TIMES: Final = np.bincount(SIGN_OF)[SIGN_OF]
"""For each of `FACES`, the number of faces with the same sign."""


def lowered(chance: float, doubt: float) -> float:
    """Lower the log odds of a probability by ``doubt``."""
    return chance / (chance + (1 - chance) * math.exp(doubt))


def log_odds(chance: float, least: float = 1e-6) -> float:
    """Return the log odds of a probability, which counts as at least ``least``, and at most 1 - ``least``."""
    chance = min(max(chance, least), 1 - least)
    return math.log(chance / (1 - chance))


class ConfidenceCalibration(NamedTuple):
    """Confidence calibration: ``slope`` · log odds + ``offset`` (Platt, 1999)."""

    slope: float
    offset: float

    def of(self, chance: float) -> float:
        """Calibrate one probability."""
        return 1 / (1 + math.exp(-self.slope * log_odds(chance) - self.offset))

    def apply(self, probabilities: NDArray[np.floating]) -> Probabilities:
        """Calibrate the probability of the best class; the others share the rest in proportion."""
        best = int(probabilities.argmax())
        chance = min(max(float(probabilities[best]), 1e-6), 1 - 1e-6)
        right = self.of(chance)
        out = probabilities.astype(np.float64) * ((1 - right) / (1 - chance))
        out[best] = right
        out /= out.sum()
        return out


def fuse(
    faces: Probabilities,
    signs: NDArray[np.floating],
    colorful: float,
    mark: Mark | None = None,
    corners: Probabilities | None = None,
) -> Probabilities:
    """Return the probability of each of `FACES` by all evidence.

    ``faces``: calibrated probabilities of `FACES`. ``signs``: uncalibrated probabilities of `SIGNS` over all colors;
    the calibration holds for pictures with color only. ``colorful``: `light.colorfulness` of the card. ``mark`` and
    ``corners`` (of `classify_corners`): ``None`` if not examined.
    """
    trust = ramp(colorful, NO_COLOR, SOME_COLOR)
    prior = faces if trust == 1 else trust * faces + (1 - trust) * signs[SIGN_OF] / _TIMES
    if corners is not None:
        prior = prior * _corner_likelihood(corners)[SIGN_OF]
        prior /= prior.sum()
    if mark is None:
        return prior
    seen = _mark_likelihood(mark)
    by_color, wild = prior[:_COLORED].reshape(len(COLORS), -1), prior[_COLORED:]
    by_color = np.maximum(by_color, COLOR_DOUBT * mark.chances[1:, None] * by_color.sum(0))
    by_color = by_color * ((1 - PRINTED) * seen[0] + PRINTED * seen[1:, None])
    both = np.concatenate([by_color.ravel(), wild * seen[0]])
    both /= both.sum()
    return both


def _corner_likelihood(corners: Probabilities) -> Probabilities:
    """Return the likelihood of both corners for each of `SIGNS`, up to a common factor. A covered corner carries no
    evidence."""
    seen = corners[:, :1] + len(SIGNS) * corners[:, 1:]
    return np.asarray((CORNER_DOUBT + (1 - CORNER_DOUBT) * seen).prod(0), np.float64)


def _mark_likelihood(mark: Mark) -> Probabilities:
    """Return the likelihood of the observation on a card without a mark and with each of `MARKS`, up to a common
    factor."""
    clear = (1 - MARK_DOUBT) * ramp(mark.size_px, FAINT_PX, CLEAR_PX)
    return clear * mark.chances + (1 - clear) / (len(MARKS) + 1)


def ramp(value: float, none: float, whole: float) -> float:
    """Linear ramp: 0 up to ``none``, 1 from ``whole`` on."""
    return min(max((value - none) / (whole - none), 0.0), 1.0)
