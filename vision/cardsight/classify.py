"""Classifiers of crops: the reader network for whole cards, and the mark network.

The reader network returns `OUTPUTS` values for each crop: log odds of the kinds (face, back, no well placed card), of
five inks, of thirteen symbols and five wilds, and of the Add-a-Rule icon; and the offsets of the four corners from
their ideal places, as fractions of the crop's sides. Its penultimate layer is the embedding, by which a user's own deck
is learned.

The mark network names the white mark for the color-blind at the middle of both short edges. On a measured print its
center lies on the line between border and panel, 5 % of the card's length from the edge; it is 7 to 10 % of the card's
width across. It is therefore readable only on a large card.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import CROP_H, CROP_W, IDEAL, Image, Quad, warp_patch
from cardsight.light import colorfulness
from cardsight.networks import Network
from croupier_rules.cards import COLORED, COLORS, SHAPES, SYMBOLS, WILDS

Probabilities = NDArray[np.floating]

KINDS: Final = ("face", "back", "none")
FACE, BACK, NONE = range(len(KINDS))
INKS: Final = (*COLORS, "black")
SIGNS: Final = (*SYMBOLS, *WILDS)
FACES: Final = (*COLORED, *WILDS)
"""All faces without the Add-a-Rule icon, which is an output of its own."""
EMBEDDING: Final = 128
"""Length of the embedding."""

_SPLIT: Final = np.cumsum([len(KINDS), len(INKS), len(SIGNS), 1])
OUTPUTS: Final = int(_SPLIT[-1]) + 8
LAYERS: Final = ("answer", "embedding")
"""Names of the network's outputs."""


def sign_of(face: str) -> str:
    """Return the one of `SIGNS` on a face; empty for ``?`` and ``back``."""
    return face if face in WILDS else face.rstrip("*").partition("-")[2]


INK_OF: Final = np.array([INKS.index("black" if f in WILDS else f.split("-")[0]) for f in FACES])
"""Index in `INKS` of the ink of each of `FACES`."""
SIGN_OF: Final = np.array([SIGNS.index(sign_of(f)) for f in FACES])
"""Index in `SIGNS` of the sign of each of `FACES`."""


@dataclass(frozen=True, slots=True)
class Classification:
    """Classification of one crop. All probabilities are 0…1.

    ``kinds``: of each of ``KINDS``. ``faces``: of each of ``FACES``. ``signs``: of each of ``SIGNS``, over all colors.
    ``icon``: of the Add-a-Rule icon. ``corners``: px of the crop. ``colorful``: `light.colorfulness`. ``embedding``:
    ``EMBEDDING`` values of 0 or more.
    """

    kinds: Probabilities
    faces: Probabilities
    signs: Probabilities
    icon: float
    corners: Quad
    colorful: float
    embedding: Probabilities


def normalize_crops(cuts: Image) -> NDArray[np.float32]:
    """Normalize crops ([n,] H, W, 3) for the network: (n, 3, H, W), each channel divided by its own white.

    This removes the color and strength of the lamp. White is the level of the brightest parts of the card's own area:
    border, oval or digit.
    """
    planes = np.stack([np.stack(cv2.split(one)) for one in cuts.reshape(-1, CROP_H, CROP_W, 3)])
    inner = planes[:, :, CROP_H // 12 : -CROP_H // 12 : 3, CROP_W // 12 : -CROP_W // 12 : 3].reshape(len(planes), 3, -1)
    place = int(inner.shape[2] * 0.96)
    white = np.partition(inner, place, axis=2)[:, :, place].astype(np.float32)
    white = np.maximum(white, np.maximum(24.0, 0.45 * white.max(1, keepdims=True)))
    scaled = np.asarray(planes * (1 / white)[:, :, None, None], np.float32)
    rows = scaled.reshape(-1, CROP_W)
    cv2.threshold(rows, 1.3, 0, cv2.THRESH_TRUNC, dst=rows)
    return scaled


def classify_crops(net: Network, cuts: Sequence[Image]) -> list[Classification]:
    """Classify the crops, in their order."""
    if not cuts:
        return []
    stack = np.stack(cuts)
    answers, embeddings = net.run_each(normalize_crops(stack), LAYERS)
    kinds, inks, signs, icons, corners = np.split(answers, _SPLIT, axis=1)
    kinds, inks, signs = _log_softmax(kinds), _log_softmax(inks), _log_softmax(signs)
    faces = _log_softmax(inks[:, INK_OF] + signs[:, SIGN_OF])
    quads = IDEAL + corners.reshape(-1, 4, 2) * np.array([CROP_W, CROP_H], np.float32)
    return [
        Classification(*one)
        for one in zip(
            np.exp(kinds), np.exp(faces), np.exp(signs), _sigmoid(icons), quads, colorfulness(stack), embeddings,
            strict=True,
        )
    ]  # fmt: skip


def class_probabilities(net: Network, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Run a network that returns log odds of k classes on n inputs. Returns the probabilities (n, k), 0…1."""
    return softmax(*net.run_each(inputs))


def softmax(odds: NDArray[np.floating | np.integer]) -> NDArray[np.float64]:
    """Return the probabilities (n, k) of log odds of k classes."""
    exp = np.exp(odds.astype(np.float64) - odds.max(1, keepdims=True))
    return np.asarray(exp / exp.sum(1, keepdims=True), np.float64)


def _log_softmax(x: Probabilities) -> Probabilities:
    x = x - x.max(1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(1, keepdims=True)), np.float32)


def _sigmoid(x: Probabilities) -> list[float]:
    return [1 / (1 + math.exp(-min(max(odds, -50), 50))) for odds in x.ravel().tolist()]


MARKS: Final = tuple(SHAPES.values())
"""The marks of red, yellow, green and blue cards."""
MARK_PX: Final = 24
MARK_PART: Final = (0.2, 0.127)
"""Width and height of the mark patch, as fractions of the card: a square of 11 mm."""
LEAST_WIDTH_PX: Final = 100.0
"""Minimum width (px) of a card: the mark of a narrower one has less than 8 px, too few to distinguish the shapes."""
MARK_SIZE: Final = 0.073
"""Width of a mark, as a fraction of the card's width."""
MARK_SURE: Final = 0.9
"""Probability from which a mark is reported."""


class Mark(NamedTuple):
    """The mark at both short edges of a card. ``chances``: probabilities (0…1) of no mark and of each of `MARKS`.
    ``size_px``: width of a mark of this card in the picture."""

    chances: NDArray[np.float64]
    size_px: float

    @property
    def shape(self) -> str | None:
        """One of `MARKS`; ``None`` if none is printed or none is certain."""
        best = int(self.chances.argmax())
        return MARKS[best - 1] if best > 0 and self.chances[best] >= MARK_SURE else None


def mark_width(quad: Quad) -> float:
    """Return the width (px) of the card's narrower edge, as far as its marks are concerned."""
    return min(math.dist(*quad[:2].tolist()), math.dist(*quad[2:].tolist()))


def classify_marks(net: Network, image: Image, quads: Sequence[Quad]) -> list[Mark | None]:
    """Classify the marks of each card; ``None`` if the card is too small."""
    widths = [mark_width(quad) for quad in quads]
    large = [n for n, width in enumerate(widths) if width >= LEAST_WIDTH_PX]
    marks: list[Mark | None] = [None] * len(quads)
    if large:
        edges = [quad for n in large for quad in (quads[n], quads[n][[2, 3, 0, 1]])]
        seen = class_probabilities(
            net, _mark_patches([warp_patch(image, quad, _MARK_PLACE, MARK_PX) for quad in edges])
        )
        for n, both in zip(large, seen.reshape(len(large), 2, -1).mean(1), strict=True):
            marks[n] = Mark(both, MARK_SIZE * widths[n])
    return marks


_MARK_W, _MARK_H = MARK_PART
_MARK_PLACE: Final = np.array(
    [[_MARK_W / (MARK_PX - 1), 0, 0.5 - _MARK_W / 2], [0, _MARK_H / (MARK_PX - 1), 0.05 - _MARK_H / 2], [0, 0, 1]]
)
"""Matrix from px of the mark patch to a card of width and height 1."""


def mark_patch(image: Image, quad: Quad) -> NDArray[np.float32]:
    """Return the patch at the first short edge, upright, (1, MARK_PX, MARK_PX), 0…1 between its own extremes."""
    return np.asarray(_mark_patches([warp_patch(image, quad, _MARK_PLACE, MARK_PX)])[0], np.float32)


def _mark_patches(seen: Sequence[Image]) -> NDArray[np.float32]:
    """Normalize patches for the network: (n, 1, MARK_PX, MARK_PX)."""
    gray = cv2.cvtColor(np.concatenate(seen), cv2.COLOR_BGR2GRAY).reshape(-1, 1, MARK_PX, MARK_PX).astype(np.float32)
    low, high = gray.min((1, 2, 3), keepdims=True), gray.max((1, 2, 3), keepdims=True)
    return np.asarray((gray - low) / np.maximum(high - low, 20.0), np.float32)
