"""The model that ships: four networks and their calibration, in the folder ``model`` beside this file."""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2

from cardsight.detector import Detectors, load_network
from cardsight.fusion import ConfidenceCalibration

FOLDER: Final = Path(__file__).parent / "model"
NETWORKS: Final = ("finder", "reader", "mark", "corner")
FIGURES: Final = "figures.json"
"""What training fits besides the weights: the two calibrations of the confidence."""


@dataclass(frozen=True, slots=True)
class Model:
    """The networks and their calibrations, for cards that lie free and for ``occluded`` cards.

    Without a ``corner`` network the printed corners are not looked at.
    """

    detectors: Detectors
    reader: cv2.dnn.Net
    mark: cv2.dnn.Net
    corner: cv2.dnn.Net | None
    calibration: ConfidenceCalibration
    occluded: ConfidenceCalibration


def load(folder: Path = FOLDER) -> Model:
    """Load the model in a folder. Raises `FileNotFoundError` if a part of it is missing."""
    figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    detector, *others = (lzma.decompress((folder / f"{name}.onnx.xz").read_bytes()) for name in NETWORKS)
    reader, mark, corner = map(load_network, others)
    calibrations = (ConfidenceCalibration(**figures[name]) for name in ("free", "occluded"))
    return Model(Detectors(detector), reader, mark, corner, *calibrations)


def save_calibrations(folder: Path, free: ConfidenceCalibration, occluded: ConfidenceCalibration) -> None:
    """Write the calibrations beside the networks of a folder."""
    figures = {
        name: {field: round(value, 4) for field, value in calibration._asdict().items()}
        for name, calibration in (("free", free), ("occluded", occluded))
    }
    (folder / FIGURES).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def fingerprint(folder: Path = FOLDER) -> str:
    """Return the hash of the reader network: a deck profile is valid for one network only."""
    return hashlib.sha256((folder / "reader.onnx.xz").read_bytes()).hexdigest()[:16]
