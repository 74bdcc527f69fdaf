"""What a cut-out shows: the reader network looks at straightened cards, one by one.

For each it answers with `OUTPUTS` numbers: log odds that the cut-out holds a card face up, a back, or nothing that is
well placed; of the five inks; of the thirteen symbols and five wilds; of the Add-a-Rule icon; and where the corners
really are, as parts of the cut-out's width and height from their ideal places. Its last but one layer, the
embedding, is what a user's own deck is learned by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.light import colorfulness
from cardsight.rectify import CUT_H, CUT_W, IDEAL, Image, Quad
from croupier.cards import COLORED, COLORS, SYMBOLS, WILDS

Chances = NDArray[np.float32]

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
class Verdict:
    """What one cut-out shows. Probabilities, 0…1, of each of ``KINDS`` and ``FACES``; of each of ``SIGNS``, whatever
    the color; of the Add-a-Rule icon. The corners in px of the cut-out, its `light.colorfulness`, and the embedding:
    ``EMBEDDING`` numbers from 0 on."""

    kinds: Chances
    faces: Chances
    signs: Chances
    icon: float
    corners: Quad
    colorful: float
    embedding: Chances


def prepared(cuts: Image) -> NDArray[np.float32]:
    """Cut-outs, ([n,] H, W, 3), as the network wants them, (n, 3, H, W): each channel over its own white, so that the
    lamp's color and strength drop out. White is what the brightest parts of the card's own area reach: border, oval or
    digit."""
    planes = np.stack([np.stack(cv2.split(one)) for one in cuts.reshape(-1, CUT_H, CUT_W, 3)])
    inner = planes[:, :, CUT_H // 12 : -CUT_H // 12 : 3, CUT_W // 12 : -CUT_W // 12 : 3].reshape(len(planes), 3, -1)
    place = int(inner.shape[2] * 0.96)
    white = np.partition(inner, place, axis=2)[:, :, place].astype(np.float32)
    white = np.maximum(white, np.maximum(24.0, 0.45 * white.max(1, keepdims=True)))
    scaled = np.asarray(planes * (1 / white)[:, :, None, None], np.float32)
    rows = scaled.reshape(-1, CUT_W)
    cv2.threshold(rows, 1.3, 0, cv2.THRESH_TRUNC, dst=rows)
    return scaled


def judged(net: cv2.dnn.Net, cuts: Sequence[Image]) -> list[Verdict]:
    """What the network says of the cut-outs, in their order."""
    if not cuts:
        return []
    stack = np.stack(cuts)
    answers, embeddings = np.empty((len(cuts), OUTPUTS), np.float32), np.empty((len(cuts), EMBEDDING), np.float32)
    for n, planes in enumerate(prepared(stack)):  # one by one: a network prepares itself anew for each other number
        net.setInput(planes[None])
        answers[n], embeddings[n] = net.forward(LAYERS)
    kinds, inks, signs, icons, corners = np.split(answers, _SPLIT, axis=1)
    kinds, inks, signs = _log_softmax(kinds), _log_softmax(inks), _log_softmax(signs)
    faces = _log_softmax(inks[:, _INK_OF] + signs[:, SIGN_OF])
    quads = IDEAL + corners.reshape(-1, 4, 2) * np.array([CUT_W, CUT_H], np.float32)
    return [
        Verdict(*one)
        for one in zip(
            np.exp(kinds), np.exp(faces), np.exp(signs), _sigmoid(icons), quads, colorfulness(stack), embeddings,
            strict=True,
        )
    ]  # fmt: skip


def _log_softmax(x: Chances) -> Chances:
    x = x - x.max(1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(1, keepdims=True)), np.float32)


def _sigmoid(x: Chances) -> list[float]:
    return [1 / (1 + math.exp(-min(max(odds, -50), 50))) for odds in x.ravel().tolist()]
