"""How alike two cards look, by two measures that do not depend on their names.

The **traits** are what the reader network has made of a card before it names it: its embedding, which tells apart
what it has learned to, and the features before it, still laid out as on the card, which tell apart what it has not. The
**print** is the straightened card itself, without its color and a little blurred: it tells one printer's card from
another's of the same face. Of both, the cosine is the likeness (-1…1).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import NONE, judged, prepared
from cardsight.rectify import CUT_H, CUT_W, Image

Vector = NDArray[np.float32]

BLUR: Final = 0.025
"""Blur of a print in card widths: what a soft lens or a corner a millimeter off takes away is taken from all alike."""


class Look(NamedTuple):
    """What a straightened card looks like: traits and print, of length 1; and what the network says: the probability
    of each of `classify.FACES`, and that it is a well placed card at all (0…1)."""

    traits: Vector
    print: Vector
    said: Vector
    is_card: float


def look(net: cv2.dnn.Net, cut: Image) -> Look:
    """The look of one cut-out (`rectify.cut`), as `cardsight.model.Model.reader` sees it."""
    (said,) = judged(net, [cut])
    net.setInput(prepared(cut))
    inner = np.asarray(net.forward(_body(net)), np.float32).ravel()
    traits = _unit(np.concatenate([_unit(said.embedding), _unit(inner)]))
    return Look(traits, print_of(cut), said.faces, 1 - float(said.kinds[NONE]))


def upside_down(cut: Image) -> Image:
    """The same cut-out turned by half: an outline may begin at either top-left corner."""
    return np.ascontiguousarray(cut[::-1, ::-1])


def most_alike(vector: Vector, others: Vector) -> Vector:
    """The likeness of ``vector`` to each of ``others`` (N, 2, D), upright or turned, whichever is more: (N,)."""
    return np.asarray((others @ vector).max(axis=1), np.float32)


def stacked(vectors: Sequence[Vector]) -> Vector:
    """Vectors of upright and turned cards, in turn, as `most_alike` wants them: (N, 2, D)."""
    return np.asarray(vectors, np.float32).reshape(len(vectors) // 2, 2, -1)


def print_of(cut: Image) -> Vector:
    """The print of one cut-out: the card without its outermost rim, at half size, how white it is at each point. The
    weakest channel tells that of all colors alike: in gray, yellow would be as good as white."""
    white = prepared(cut)[0].min(axis=0)
    soft = cv2.GaussianBlur(white, (0, 0), BLUR * CUT_W)
    y, x = CUT_H // 10, CUT_W // 9
    inner = soft[y:-y:2, x:-x:2].ravel()
    return _unit(inner - inner.mean())


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / (np.linalg.norm(vector) + 1e-9), np.float32)


@cache
def _body(net: cv2.dnn.Net) -> str:
    """The name of the network's last ReLU layer before that of the embedding."""
    names = [str(name) for name in net.getLayerNames()]
    return [name for name in names if net.getLayer(net.getLayerId(name)).type == "ReLU"][-2]
