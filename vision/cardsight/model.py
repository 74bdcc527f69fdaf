"""The model that ships: two networks and the figures that belong to them, in the folder ``model`` beside this file."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

FOLDER: Final = Path(__file__).parent / "model"
NETWORKS: Final = ("finder", "reader", "mark")


@dataclass(frozen=True, slots=True)
class Model:
    """The networks, and how the reader's odds become a confidence: ``slope`` · log odds + ``offset``, as log odds."""

    finder: cv2.dnn.Net
    reader: cv2.dnn.Net
    mark: cv2.dnn.Net
    slope: float
    offset: float


def load(folder: Path = FOLDER) -> Model:
    """The model in a folder. Raises `FileNotFoundError` where a part of it is missing."""
    figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    finder, reader, mark = (_network(folder / f"{name}.onnx.xz") for name in NETWORKS)
    return Model(finder, reader, mark, float(figures["slope"]), float(figures["offset"]))


def _network(path: Path) -> cv2.dnn.Net:
    data = lzma.decompress(path.read_bytes())
    net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    return net
