"""What a card is, by three witnesses: its print as a whole, its corners, and the mark for the color-blind.

The reader network says how likely each face is by what it sees; the corner network names the symbols in the corners of
cards that are not plain to see; the mark network says which mark is printed, if any. They are brought together as Bayes
would (1763): a face becomes as much more likely as that corner and that mark are likelier to be on it.

- Where color and mark agree, the face is surer than by either.
- Where these two contradict each other, neither is believed without a limit (`COLOR_DOUBT`, `MARK_DOUBT`), so that
  neither color stays likely enough to be told: the face is ``?``, with both as candidates.
- Where the picture holds no color, because the camera is gray or the lamp has one color only, the four colors are
  equally likely at first and the mark decides between them; without a mark the face is ``?`` with the four colors.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardsight.classify import MARKS, SIGN_OF, SIGNS, Mark, Probabilities
from croupier.cards import COLORS, SYMBOLS

PRINTED: Final = 0.4
"""Part of the cards in use that have marks: a guess that hardly counts, since a mark is seen or it is not."""
COLOR_DOUBT: Final = 0.025
MARK_DOUBT: Final = 0.05
"""How often color and mark are wrong at the least where they contradict each other, however sure a network is: chosen
so that two sure witnesses weigh about the same."""
CLEAR_PX: Final = 12.0
FAINT_PX: Final = 7.0
"""A mark this large is told as well as it ever is; one that is so small or smaller says nothing."""
NO_COLOR: Final = 0.02
SOME_COLOR: Final = 0.05
"""A card whose `light.colorfulness` is at most the first shows no color; from the second on its color counts in
full. Gray pictures with grain reach the first, photographed cards under strongly tinted lamps stay above the second."""
CORNER_DOUBT: Final = 0.02
"""How often a corner that is sure shows another symbol than the card has: that of a card above it, for one."""
_COLORED: Final = len(COLORS) * len(SYMBOLS)
_TIMES: Final = np.bincount(SIGN_OF)[SIGN_OF]
"""How many faces have the sign of each of `FACES`."""


def lowered(chance: float, doubt: float) -> float:
    """The probability with its log odds lower by ``doubt``."""
    return chance / (chance + (1 - chance) * math.exp(doubt))


class ConfidenceCalibration(NamedTuple):
    """Turns log odds of a network into calibrated ones: ``slope`` · log odds + ``offset`` (Platt, 1999)."""

    slope: float
    offset: float

    def apply(self, probabilities: NDArray[np.floating]) -> Probabilities:
        """Calibrate the probability of the best class; the others share the rest."""
        best = int(probabilities.argmax())
        chance = min(max(float(probabilities[best]), 1e-6), 1 - 1e-6)
        right = 1 / (1 + math.exp(-self.slope * math.log(chance / (1 - chance)) - self.offset))
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
    """The probability of each of `FACES` by all that is known.

    ``faces`` are the `calibrated` probabilities of `FACES`; ``signs`` those of `SIGNS`, whatever the color, as the
    network says them, since it is calibrated on pictures with color; ``colorful`` is the card's `light.colorfulness`;
    ``mark`` what is printed at its short edges, and ``corners`` what its printed corners show (`classify_corners`),
    each ``None`` where nobody looked.
    """
    trust = ramp(colorful, NO_COLOR, SOME_COLOR)
    known = faces if trust == 1 else trust * faces + (1 - trust) * signs[SIGN_OF] / _TIMES
    if corners is not None:
        known = known * _shown(corners)[SIGN_OF]
        known /= known.sum()
    if mark is None:
        return known
    seen = _likelihood(mark)
    by_color, wild = known[:_COLORED].reshape(len(COLORS), -1), known[_COLORED:]
    by_color = np.maximum(by_color, COLOR_DOUBT * mark.chances[1:, None] * by_color.sum(0))
    by_color = by_color * ((1 - PRINTED) * seen[0] + PRINTED * seen[1:, None])
    both = np.concatenate([by_color.ravel(), wild * seen[0]])
    both /= both.sum()
    return both


def _shown(corners: Probabilities) -> Probabilities:
    """How likely what both corners show is on a card with each of `SIGNS`, but for a common factor. A corner that is
    covered says nothing."""
    seen = corners[:, :1] + len(SIGNS) * corners[:, 1:]
    return np.asarray((CORNER_DOUBT + (1 - CORNER_DOUBT) * seen).prod(0), np.float64)


def _likelihood(mark: Mark) -> Probabilities:
    """How likely what was seen is on a card without a mark and on one with each of `MARKS`, but for a common factor."""
    clear = (1 - MARK_DOUBT) * ramp(mark.size_px, FAINT_PX, CLEAR_PX)
    return clear * mark.chances + (1 - clear) / (len(MARKS) + 1)


def ramp(value: float, none: float, whole: float) -> float:
    """How far the value is on its way between the two, 0…1."""
    return min(max((value - none) / (whole - none), 0.0), 1.0)
