"""Makes the model that ships, from drawn cards and all photographs: `make model`."""

from __future__ import annotations

import shutil

import cv2

from cardsight.model import FOLDER, NETWORKS
from training import folds
from training.measure import models
from training.measure.sets import photographs
from training.photos import load


def main() -> None:
    """Train on everything; the confidence is calibrated on what the folds' models read of sources unknown to them."""
    cv2.setNumThreads(1)
    photos = load()
    _, _, line = models.calibrated(models.folds(photos), photographs(photos))
    folder = folds.trained("all", folds.for_training(photos))
    folds.with_figures(folder, *line)
    FOLDER.mkdir(exist_ok=True)
    for name in (*(f"{n}.onnx.xz" for n in NETWORKS), "figures.json"):
        shutil.copy(folder / name, FOLDER / name)
        print(f"{FOLDER / name}: {(FOLDER / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
