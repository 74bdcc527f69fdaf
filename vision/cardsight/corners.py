"""Corner network: it names the symbol in a printed corner and the color around it.

Of a card under others often nothing else is visible. The network sees a patch of `CORNER_PART`, in three times the
resolution of a crop, and returns `OUTPUTS` values: log odds of `CORNER_CLASSES` and of `classify.INKS`, and how far the
symbol is displaced and turned in the patch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardsight.classify import INKS, SIGNS, Probabilities, softmax
from cardsight.geometry import Image, Quad, level_for, warp_patch
from cardsight.networks import Network
from croupier_rules.cards import CARD_MM, WILDS

CORNER_PX: Final = 32
CORNER_MM: Final = 22.0
"""Side of a patch. It is larger than any corner symbol, since outlines of occluded cards are off by some
millimeters."""
CORNER_PART: Final = CORNER_MM / np.array(CARD_MM)
"""Width and height of a patch, as fractions of the card."""
CORNER_MIDDLE: Final = np.array((10.0, 12.4)) / CARD_MM
"""Center of the corner patch from the card's corner, as fractions of the card: the mean place of the symbol in the
prints."""
CORNER_CERTAIN: Final = 0.9
"""Probability from which a corner names a card by itself."""
CORNER_CLASSES: Final = (None, *SIGNS)
"""Classes of a corner: no symbol in its place, or one of `SIGNS`."""
ALIKE: Final = [CORNER_CLASSES.index(wild) for wild in WILDS if wild != "wild-draw4"]
"""Wilds with the same sign in their corners: the evidence counts for each of them."""
_SPLIT: Final = np.cumsum([len(CORNER_CLASSES), len(INKS)])
OUTPUTS: Final = int(_SPLIT[-1]) + 3
MOST: Final = 64
"""Number of patches that are in memory at once."""
_LEAST_RANGE: Final = 20.0
"""Range (gray levels) of a patch that is stretched in full: more would stretch noise."""
_LEAST_WHITE: Final = 0.45
"""Least ratio of the brightest blue, green or red to the brightest of the three: no lamp is more colored."""

_CORNER_LOW: Final = CORNER_MIDDLE - CORNER_PART / 2
_CORNER_PLACE: Final = np.array(
    [[CORNER_PART[0] / CORNER_PX, 0, _CORNER_LOW[0]], [0, CORNER_PART[1] / CORNER_PX, _CORNER_LOW[1]], [0, 0, 1]]
) @ np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
"""Matrix from px of the corner patch to a card of width and height 1."""


class Seen(NamedTuple):
    """Content of patches: the probabilities (n, 19) of `CORNER_CLASSES` and (n, 5) of `classify.INKS`, and of a symbol
    its place (n, 2; mm from the middle of the patch) and direction (n; rad, clockwise)."""

    shown: NDArray[np.float64]
    inks: NDArray[np.float64]
    places: NDArray[np.float64]
    angles: NDArray[np.float64]


def see_corners(net: Network, patches: Sequence[Image]) -> Seen:
    """Run the corner network on patches, each (CORNER_PX, CORNER_PX, 3)."""
    groups = (patches[first : first + MOST] for first in range(0, len(patches), MOST))
    parts = [part for group in groups for part in net.run_each(normalize_corners(group))]
    odds, inks, places = np.split(np.concatenate(parts).astype(np.float64), _SPLIT, axis=1)
    shown = softmax(odds)
    shown[:, ALIKE] = shown[:, ALIKE].mean(1, keepdims=True)
    return Seen(shown, softmax(inks), places[:, :2] * CORNER_MM, places[:, 2])


def classify_corners(
    net: Network, levels: list[Image], quads: Sequence[Quad], ends: slice = slice(None)
) -> list[Probabilities]:
    """Return, for each card, the probabilities (2, 19) of `CORNER_CLASSES` in its two printed corners, or in some
    ``ends`` of the card.

    ``levels``: the picture as a `pyramid`.
    """
    if not quads:
        return []
    shown = see_corners(net, [corner for quad in quads for corner in corner_patches(levels, quad)[ends]]).shown
    return list(shown.reshape(len(quads), -1, len(CORNER_CLASSES)))


def corner_sign(corners: Probabilities) -> str | None:
    """Return the one of `SIGNS` that a corner shows with certainty and the other does not contradict, if any."""
    shown = {CORNER_CLASSES[int(corner.argmax())] for corner in corners if corner.max() >= CORNER_CERTAIN} - {None}
    return shown.pop() if len(shown) == 1 else None


def corner_patches(levels: list[Image], quad: Quad) -> list[Image]:
    """Return the two printed corners of a card, upright, each (CORNER_PX, CORNER_PX, 3)."""
    level, shrunk = level_for(levels, quad, CORNER_PX / float(CORNER_PART[0]))
    return [warp_patch(level, one, _CORNER_PLACE, CORNER_PX) for one in (shrunk, shrunk[[2, 3, 0, 1]])]


def normalize_corners(patches: Sequence[Image]) -> NDArray[np.float32]:
    """Normalize corners for the network: (n, 3, CORNER_PX, CORNER_PX), 0…1.

    Each channel is divided by its brightest value, which removes most of the lamp's color; then all three are stretched
    alike, so that the colors of the print stay.
    """
    planes = np.ascontiguousarray(np.stack(patches).transpose(0, 3, 1, 2), np.float32)
    high = planes.max((2, 3), keepdims=True)
    white = np.maximum(high, np.maximum(1.0, _LEAST_WHITE * high.max(1, keepdims=True)))
    planes /= white
    low = planes.min((1, 2, 3), keepdims=True)
    return np.asarray((planes - low) / np.maximum(1 - low, _LEAST_RANGE / white), np.float32)
