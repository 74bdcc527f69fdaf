"""Makes the model that ships, from drawn cards and all photographs: `make model`."""

from __future__ import annotations

import shutil

import cv2

from cardsight.model import FOLDER, NETWORKS
from cardsight.reader import Reader
from training import folds
from training.photos import FOLDS, load
from training.report import calibration


def main() -> None:
    """Train on everything; the confidence is calibrated on what the folds' models read of sources unknown to them."""
    cv2.setNumThreads(1)
    photos = load()
    held_out = []
    for number, sources in enumerate(FOLDS):
        reader = Reader(folds.with_figures(folds.fold(number, photos), 1.0, 0.0))
        held_out += [(p, reader.read(p.picture())) for p in photos if p.source in sources]
    folder = folds.trained("all", folds.for_training(photos))
    folds.with_figures(folder, *calibration(held_out))
    FOLDER.mkdir(exist_ok=True)
    for name in (*(f"{n}.onnx.xz" for n in NETWORKS), "figures.json"):
        shutil.copy(folder / name, FOLDER / name)
        print(f"{FOLDER / name}: {(FOLDER / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
