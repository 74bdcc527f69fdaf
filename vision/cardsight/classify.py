"""What a crop shows: the reader network looks at straightened cards, one by one.

For each it answers with `OUTPUTS` numbers: log odds that the crop holds a card face up, a back, or nothing that is
well placed; of the five inks; of the thirteen symbols and five wilds; of the Add-a-Rule icon; and where the corners
really are, as parts of the crop's width and height from their ideal places. Its last but one layer, the
embedding, is what a user's own deck is learned by.

The symbol in a card's printed corners, seen three times as large as the reader network sees it.

Of a card that lies under others often nothing else is left: in its crop the corner is ten px wide. So the corners of
cards that are not plain to see are cut out by themselves, from the outline that was read, and named by a small network.

The marks for the color-blind: a small white shape at the middle of both short edges.

Measured on a print that has them: the middle of the mark lies on the line between border and panel, 5 % of the
length from the edge; it is 7 to 10 % of the card's width across, so it can be told only on a card that is seen large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import CROP_H, CROP_W, IDEAL, Image, Quad, close_up, suited
from cardsight.light import colorfulness
from croupier.cards import CARD_MM, COLORED, COLORS, SHAPES, SYMBOLS, WILDS

Probabilities = NDArray[np.floating]

KINDS: Final = ("face", "back", "none")
FACE, BACK, NONE = range(len(KINDS))
INKS: Final = (*COLORS, "black")
SIGNS: Final = (*SYMBOLS, *WILDS)
FACES: Final = (*COLORED, *WILDS)
"""What can be told apart, without the Add-a-Rule icon, which is read by itself."""
EMBEDDING: Final = 128
"""Length of the embedding."""

_SPLIT: Final = np.cumsum([len(KINDS), len(INKS), len(SIGNS), 1])
OUTPUTS: Final = int(_SPLIT[-1]) + 8
LAYERS: Final = ("answer", "embedding")
"""The outputs of the network, by name."""


def sign_of(face: str) -> str:
    """The one of `SIGNS` that a face bears; nothing where it is unread, or a back."""
    return face if face in WILDS else face.rstrip("*").partition("-")[2]


_INK_OF: Final = np.array([INKS.index("black" if f in WILDS else f.split("-")[0]) for f in FACES])
SIGN_OF: Final = np.array([SIGNS.index(sign_of(f)) for f in FACES])
"""The place in `SIGNS` of the sign that each of `FACES` bears."""


@dataclass(frozen=True, slots=True)
class Classification:
    """What one crop shows. Probabilities, 0…1, of each of ``KINDS`` and ``FACES``; of each of ``SIGNS``, whatever
    the color; of the Add-a-Rule icon. The corners in px of the crop, its `light.colorfulness`, and the embedding:
    ``EMBEDDING`` numbers from 0 on."""

    kinds: Probabilities
    faces: Probabilities
    signs: Probabilities
    icon: float
    corners: Quad
    colorful: float
    embedding: Probabilities


def normalize_crops(cuts: Image) -> NDArray[np.float32]:
    """crops, ([n,] H, W, 3), as the network wants them, (n, 3, H, W): each channel over its own white, so that the
    lamp's color and strength drop out. White is what the brightest parts of the card's own area reach: border, oval or
    digit."""
    planes = np.stack([np.stack(cv2.split(one)) for one in cuts.reshape(-1, CROP_H, CROP_W, 3)])
    inner = planes[:, :, CROP_H // 12 : -CROP_H // 12 : 3, CROP_W // 12 : -CROP_W // 12 : 3].reshape(len(planes), 3, -1)
    place = int(inner.shape[2] * 0.96)
    white = np.partition(inner, place, axis=2)[:, :, place].astype(np.float32)
    white = np.maximum(white, np.maximum(24.0, 0.45 * white.max(1, keepdims=True)))
    scaled = np.asarray(planes * (1 / white)[:, :, None, None], np.float32)
    rows = scaled.reshape(-1, CROP_W)
    cv2.threshold(rows, 1.3, 0, cv2.THRESH_TRUNC, dst=rows)
    return scaled


def classify_crops(net: cv2.dnn.Net, cuts: Sequence[Image]) -> list[Classification]:
    """What the network says of the crops, in their order."""
    if not cuts:
        return []
    stack = np.stack(cuts)
    answers, embeddings = np.empty((len(cuts), OUTPUTS), np.float32), np.empty((len(cuts), EMBEDDING), np.float32)
    for n, planes in enumerate(
        normalize_crops(stack)
    ):  # one by one: a network prepares itself anew for each other number
        net.setInput(planes[None])
        answers[n], embeddings[n] = net.forward(LAYERS)
    kinds, inks, signs, icons, corners = np.split(answers, _SPLIT, axis=1)
    kinds, inks, signs = _log_softmax(kinds), _log_softmax(inks), _log_softmax(signs)
    faces = _log_softmax(inks[:, _INK_OF] + signs[:, SIGN_OF])
    quads = IDEAL + corners.reshape(-1, 4, 2) * np.array([CROP_W, CROP_H], np.float32)
    return [
        Classification(*one)
        for one in zip(
            np.exp(kinds), np.exp(faces), np.exp(signs), _sigmoid(icons), quads, colorfulness(stack), embeddings,
            strict=True,
        )
    ]  # fmt: skip


def class_probabilities(net: cv2.dnn.Net, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Run a network that returns log odds of k classes on n inputs. Returns the probabilities (n, k), 0…1."""
    net.setInput(inputs)
    odds = net.forward().astype(np.float64)
    exp = np.exp(odds - odds.max(1, keepdims=True))
    return np.asarray(exp / exp.sum(1, keepdims=True), np.float64)


def _log_softmax(x: Probabilities) -> Probabilities:
    x = x - x.max(1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(1, keepdims=True)), np.float32)


def _sigmoid(x: Probabilities) -> list[float]:
    return [1 / (1 + math.exp(-min(max(odds, -50), 50))) for odds in x.ravel().tolist()]


CORNER_PX: Final = 32
CORNER_PART: Final = 22.0 / np.array(CARD_MM)
"""Width and height of the patch, as parts of the card's: a square of 22 mm, more than the largest corner symbol takes,
since the outlines of covered cards are off by some millimeters."""
CORNER_MIDDLE: Final = np.array((10.0, 12.4)) / CARD_MM
"""The middle of the patch from the card's own corner: that of the symbol, in the mean of the prints."""
CORNER_CERTAIN: Final = 0.9
"""Probability from which a corner names a card by itself."""
SHOWS: Final = (None, *SIGNS)
"""What a corner can show: no symbol in its place, or one of them."""
_ALIKE: Final = [SHOWS.index(wild) for wild in WILDS if wild != "wild-draw4"]
"""These wilds have one and the same sign in their corners: what is seen of it speaks for each of them."""

_CORNER_LOW: Final = CORNER_MIDDLE - CORNER_PART / 2
_CORNER_PLACE: Final = np.array(
    [[CORNER_PART[0] / CORNER_PX, 0, _CORNER_LOW[0]], [0, CORNER_PART[1] / CORNER_PX, _CORNER_LOW[1]], [0, 0, 1]]
) @ np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
"""From px of the patch to the card of width and height 1."""


def classify_corners(net: cv2.dnn.Net, levels: list[Image], quads: Sequence[Quad]) -> list[Probabilities]:
    """For each card what its two printed corners show: the probabilities (2, 19) of `SHOWS`.

    ``levels`` is the picture as a `pyramid`.
    """
    if not quads:
        return []
    shown = class_probabilities(net, normalize_corners([corner for quad in quads for corner in patches(levels, quad)]))
    shown[:, _ALIKE] = shown[:, _ALIKE].mean(1, keepdims=True)
    return list(shown.reshape(len(quads), 2, -1))


def named(corners: Probabilities) -> str | None:
    """The one of `SIGNS` that a corner shows for certain and the other does not contradict, if any."""
    shown = {SHOWS[int(corner.argmax())] for corner in corners if corner.max() >= CORNER_CERTAIN} - {None}
    return shown.pop() if len(shown) == 1 else None


def patches(levels: list[Image], quad: Quad) -> list[Image]:
    """The two printed corners of a card, upright, (CORNER_PX, CORNER_PX, 3)."""
    level, shrunk = suited(levels, quad, CORNER_PX / float(CORNER_PART[0]))
    return [close_up(level, one, _CORNER_PLACE, CORNER_PX) for one in (shrunk, shrunk[[2, 3, 0, 1]])]


def normalize_corners(patches: Sequence[Image]) -> NDArray[np.float32]:
    """As the network wants them, (n, 3, CORNER_PX, CORNER_PX): each channel 0…1 between its own extremes, so that the
    lamp's color and strength drop out."""
    planes = np.ascontiguousarray(np.stack(patches).transpose(0, 3, 1, 2), np.float32)
    low, high = planes.min((2, 3), keepdims=True), planes.max((2, 3), keepdims=True)
    return np.ascontiguousarray((planes - low) / np.maximum(high - low, 20.0), np.float32)


MARKS: Final = tuple(SHAPES.values())
"""Printed on red, yellow, green and blue cards."""
MARK_PX: Final = 24
MARK_PART: Final = (0.2, 0.127)
"""Width and height of the mark_patch, as parts of the card's: a square of 11 mm."""
LEAST_WIDTH_PX: Final = 100.0
"""A narrower card shows its mark on less than 8 px: too few to tell the shapes apart."""
MARK_SIZE: Final = 0.073
"""How many of the card's widths a mark is across."""
MARK_SURE: Final = 0.9
"""Probability from which a mark is told."""


class Mark(NamedTuple):
    """What both short edges of a card show: the probabilities (0…1) of no mark and of each of `MARKS`, and how many px
    of the picture a mark of this card is across."""

    chances: NDArray[np.float64]
    size_px: float

    @property
    def shape(self) -> str | None:
        """One of `MARKS`, or ``None`` where none is printed or none is sure."""
        best = int(self.chances.argmax())
        return MARKS[best - 1] if best > 0 and self.chances[best] >= MARK_SURE else None


def classify_marks(net: cv2.dnn.Net, image: Image, quads: Sequence[Quad]) -> list[Mark | None]:
    """The mark at the short edges of each card; ``None`` where the card is too small to see one."""
    widths = [min(math.dist(*q[:2].tolist()), math.dist(*q[2:].tolist())) for q in quads]
    large = [n for n, width in enumerate(widths) if width >= LEAST_WIDTH_PX]
    marks: list[Mark | None] = [None] * len(quads)
    if large:
        edges = [quad for n in large for quad in (quads[n], quads[n][[2, 3, 0, 1]])]
        seen = class_probabilities(net, _mark_patches([close_up(image, quad, _MARK_PLACE, MARK_PX) for quad in edges]))
        for n, both in zip(large, seen.reshape(len(large), 2, -1).mean(1), strict=True):
            marks[n] = Mark(both, MARK_SIZE * widths[n])
    return marks


_MARK_W, _MARK_H = MARK_PART
_MARK_PLACE: Final = np.array(
    [[_MARK_W / (MARK_PX - 1), 0, 0.5 - _MARK_W / 2], [0, _MARK_H / (MARK_PX - 1), 0.05 - _MARK_H / 2], [0, 0, 1]]
)
"""From px of the mark_patch to the card of width and height 1."""


def mark_patch(image: Image, quad: Quad) -> NDArray[np.float32]:
    """The place of the mark at the first short edge, upright, (1, MARK_PX, MARK_PX), 0…1 between its own extremes."""
    return np.asarray(_mark_patches([close_up(image, quad, _MARK_PLACE, MARK_PX)])[0], np.float32)


def _mark_patches(seen: Sequence[Image]) -> NDArray[np.float32]:
    """As the network wants them, (n, 1, MARK_PX, MARK_PX)."""
    gray = cv2.cvtColor(np.concatenate(seen), cv2.COLOR_BGR2GRAY).reshape(-1, 1, MARK_PX, MARK_PX).astype(np.float32)
    low, high = gray.min((1, 2, 3), keepdims=True), gray.max((1, 2, 3), keepdims=True)
    return np.asarray((gray - low) / np.maximum(high - low, 20.0), np.float32)
