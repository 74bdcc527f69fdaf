"""The model that ships: four networks and the figures that belong to them, in the folder ``model`` beside it."""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

FOLDER: Final = Path(__file__).parent / "model"
NETWORKS: Final = ("finder", "reader", "mark", "corner")
SIZES: Final = 12
"""Finders that are kept ready: enough for the looks at a camera's whole frames and at some parts of them."""


class Finders:
    """The finder network, once for each size of small pictures: one that has to change its size from look to look
    prepares itself anew each time, which takes longer than looking."""

    def __init__(self, onnx: bytes) -> None:
        self._onnx = onnx
        self._by_size: dict[tuple[int, int], cv2.dnn.Net] = {}

    def __getitem__(self, size: tuple[int, int]) -> cv2.dnn.Net:
        """The one for small pictures of this height and width, in px; of the sizes asked for the latest are kept."""
        net = self._by_size.pop(size, None) or _network(self._onnx)
        self._by_size[size] = net
        if len(self._by_size) > SIZES:
            del self._by_size[next(iter(self._by_size))]
        return net


@dataclass(frozen=True, slots=True)
class Model:
    """The networks, and how the reader's odds become a confidence: ``slope`` · log odds + ``offset``, as log odds.

    Without a ``corner`` network nobody looks at corners: what is told then is what the reader network says alone.
    """

    finders: Finders
    reader: cv2.dnn.Net
    mark: cv2.dnn.Net
    corner: cv2.dnn.Net | None
    slope: float
    offset: float


def load(folder: Path = FOLDER) -> Model:
    """The model in a folder. Raises `FileNotFoundError` where a part of it is missing."""
    figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    finder, *others = (lzma.decompress((folder / f"{name}.onnx.xz").read_bytes()) for name in NETWORKS)
    reader, mark, corner = map(_network, others)
    return Model(Finders(finder), reader, mark, corner, float(figures["slope"]), float(figures["offset"]))


def _network(onnx: bytes) -> cv2.dnn.Net:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    return net


def chances(net: cv2.dnn.Net, shown: NDArray[np.float32]) -> NDArray[np.float64]:
    """The probabilities (n, k), 0…1, of the k things that a network of log odds tells apart in n pictures."""
    net.setInput(shown)
    odds = net.forward().astype(np.float64)
    known = np.exp(odds - odds.max(1, keepdims=True))
    return np.asarray(known / known.sum(1, keepdims=True), np.float64)


def fingerprint(folder: Path = FOLDER) -> str:
    """What tells one reader network from another: what was learned of a deck with one means nothing to the next."""
    return hashlib.sha256((folder / "reader.onnx.xz").read_bytes()).hexdigest()[:16]
