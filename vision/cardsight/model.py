"""The shipped model: four networks, their calibration and the novelty detector, in the folder ``model``."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2

from cardsight import novelty
from cardsight.detector import Detectors, load_network
from cardsight.fusion import ConfidenceCalibration
from cardsight.novelty import NoveltyDetector

FOLDER: Final = Path(__file__).parent / "model"
NETWORKS: Final = ("finder", "reader", "mark", "corner")
FIGURES: Final = "figures.json"
"""File of the two confidence calibrations."""


@dataclass(frozen=True, slots=True)
class Model:
    """The networks, and the calibrations for free and for ``occluded`` cards.

    ``corner``: ``None`` turns off the reading of printed corners. ``novelty``: ``None`` turns off the detection of
    faces that were never learned.
    """

    detectors: Detectors
    reader: cv2.dnn.Net
    mark: cv2.dnn.Net
    corner: cv2.dnn.Net | None
    calibration: ConfidenceCalibration
    occluded: ConfidenceCalibration
    novelty: NoveltyDetector | None = None


def load(folder: Path = FOLDER) -> Model:
    """Load the model in a folder. Raises `FileNotFoundError` if a part is missing."""
    figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    detector, *others = (gzip.decompress((folder / f"{name}.onnx.gz").read_bytes()) for name in NETWORKS)
    reader, mark, corner = map(load_network, others)
    free, occluded = (ConfidenceCalibration(**figures[name]) for name in ("free", "occluded"))
    has_detector = (folder / novelty.FILE).exists()  # it is fitted when the networks are done
    detector_of_novelty = novelty.load(folder) if has_detector else None
    return Model(Detectors(detector), reader, mark, corner, free, occluded, detector_of_novelty)


def save_calibrations(folder: Path, free: ConfidenceCalibration, occluded: ConfidenceCalibration) -> None:
    """Write the calibrations into the folder of the networks."""
    figures = {
        name: {field: round(value, 4) for field, value in calibration._asdict().items()}
        for name, calibration in (("free", free), ("occluded", occluded))
    }
    (folder / FIGURES).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def fingerprint(folder: Path = FOLDER) -> str:
    """Return the hash of the reader network. A deck profile is valid for one network only."""
    return hashlib.sha256((folder / "reader.onnx.gz").read_bytes()).hexdigest()[:16]
