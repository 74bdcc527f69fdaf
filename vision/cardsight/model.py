"""The shipped model, in the folder ``model``: four networks, and what is fitted when they are done: the calibrations,
the novelty detector."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cardsight import novelty
from cardsight.fusion import ConfidenceCalibration
from cardsight.networks import Network
from cardsight.novelty import NoveltyDetector

FOLDER: Final = Path(__file__).parent / "model"
NETWORKS: Final = ("finder", "reader", "mark", "corner")
FIGURES: Final = "figures.json"
"""File of the confidence calibrations and of the weights."""
CALIBRATIONS: Final = ("free", "occluded")
WEIGHTS: Final = ("poor",)
"""Their names in the file."""


@dataclass(frozen=True, slots=True)
class Model:
    """The networks, and the calibrations for free and for ``occluded`` cards.

    ``corner``: ``None`` turns off the reading of printed corners. ``novelty``: ``None`` turns off the detection of
    faces that were never learned. ``poor``: by each of `doubts.POOR`, how much it lowers the log odds of a free card.
    """

    detector: Network
    reader: Network
    mark: Network
    corner: Network | None
    calibration: ConfidenceCalibration
    occluded: ConfidenceCalibration
    novelty: NoveltyDetector | None = None
    poor: Mapping[str, float] = field(default_factory=dict)


def load(folder: Path = FOLDER) -> Model:
    """Load the model in a folder. Raises `FileNotFoundError` if a part is missing."""
    figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    files = ((folder / f"{name}.onnx.gz").read_bytes() for name in NETWORKS)
    detector, reader, mark, corner = (Network(gzip.decompress(file)) for file in files)
    free, occluded = (ConfidenceCalibration(**figures[name]) for name in CALIBRATIONS)
    weights = [figures[name] for name in WEIGHTS]
    has_detector = (folder / novelty.FILE).exists()  # it is fitted when the networks are done
    detector_of_novelty = novelty.load(folder) if has_detector else None
    return Model(detector, reader, mark, corner, free, occluded, detector_of_novelty, *weights)


def save_figures(
    folder: Path, calibrations: Sequence[ConfidenceCalibration], weights: Sequence[Mapping[str, float]] = ()
) -> None:
    """Write the calibrations and the weights, in the order of `CALIBRATIONS` and `WEIGHTS`, into the folder of the
    networks. Missing weights become an empty array."""
    names, found = (*CALIBRATIONS, *WEIGHTS), (*(one._asdict() for one in calibrations), *weights)
    parts: dict[str, Mapping[str, float]] = {name: {} for name in names} | dict(zip(names, found, strict=False))
    figures = {name: {field: round(value, 4) for field, value in part.items()} for name, part in parts.items()}
    temporary = folder / f"new-{FIGURES}"  # another process may read the file
    temporary.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    temporary.replace(folder / FIGURES)


def fingerprint(folder: Path = FOLDER) -> str:
    """Return the hash of the reader network. A deck profile is valid for one network only."""
    return hashlib.sha256((folder / "reader.onnx.gz").read_bytes()).hexdigest()[:16]
