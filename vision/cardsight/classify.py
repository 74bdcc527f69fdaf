"""What a cut-out shows: the reader network looks at one straightened card.

It answers with 33 numbers: log odds that the cut-out holds a card face up, a back, or nothing that is well placed; of
the five colors; of the thirteen symbols and four wilds; and where the corners really are, as parts of the
cut-out's width and height from their ideal places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.light import colorfulness
from cardsight.rectify import CUT_H, CUT_W, IDEAL, Image, Quad
from croupier.cards import COLORS, SYMBOLS, WILDS

KINDS: Final = ("face", "back", "none")
INKS: Final = (*COLORS, "black")
SIGNS: Final = (*SYMBOLS, *WILDS[:4])
FACES: Final = tuple(f"{color}-{symbol}" for color in COLORS for symbol in SYMBOLS) + WILDS[:4]
"""What can be told apart; the wild of the Polish deck has never been photographed for us and is read as a wild."""

_SPLIT: Final = np.cumsum([len(KINDS), len(INKS), len(SIGNS)])
OUTPUTS: Final = int(_SPLIT[-1]) + 8
_INK_OF: Final = np.array([INKS.index("black" if f in WILDS else f.split("-")[0]) for f in FACES])
_SIGN_OF: Final = np.array([SIGNS.index(f if f in WILDS else f.split("-")[1]) for f in FACES])


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities (0…1) of the three kinds, of each of ``FACES`` and, whatever the color, of each of ``SIGNS``; the
    corners in px of the cut-out, and its `light.colorfulness`."""

    kinds: NDArray[np.float32]
    faces: NDArray[np.float32]
    signs: NDArray[np.float32]
    corners: Quad
    colorful: float


def prepared(cut: Image) -> NDArray[np.float32]:
    """The cut-out as the network wants it, (1, 3, H, W): each channel over its own white, so that the lamp's color and
    strength drop out. White is what the brightest parts of the card's own area reach: border, oval or digit."""
    inner = cut[CUT_H // 12 : -CUT_H // 12 : 3, CUT_W // 12 : -CUT_W // 12 : 3].reshape(-1, 3)
    place = int(len(inner) * 0.96)
    white = np.partition(inner, place, axis=0)[place].astype(np.float32)
    white = np.maximum(white, max(24.0, 0.45 * float(white.max())))
    scaled = np.minimum(cut * (1 / white), np.float32(1.3))
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None], dtype=np.float32)


def judged(net: cv2.dnn.Net, cut: Image) -> Verdict:
    """What the network says of one cut-out."""
    net.setInput(prepared(cut))
    kinds, inks, signs, corners = np.split(net.forward()[0], _SPLIT)
    signs = _log_softmax(signs)
    faces = _log_softmax(_log_softmax(inks)[_INK_OF] + signs[_SIGN_OF])
    apart = corners.reshape(4, 2) * np.array([CUT_W, CUT_H], np.float32)
    corners = (IDEAL + apart).astype(np.float32)
    return Verdict(np.exp(_log_softmax(kinds)), np.exp(faces), np.exp(signs), corners, colorfulness(cut))


def _log_softmax(x: NDArray[np.float32]) -> NDArray[np.float32]:
    x = x - x.max()
    return np.asarray(x - np.log(np.exp(x).sum()), np.float32)
