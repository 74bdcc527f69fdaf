"""Makes the shipped model from drawn cards and the available photographs: `make train`.

All randomness is seeded. The confidence is calibrated on readings of sources that a model was not trained on. Two
models are trained, one on all photographs and one on freely licensed ones only; the second ships if it reaches the
goals. An interrupted run resumes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import torch

from cardsight import model
from cardsight.classify import classify_crops, normalize_crops
from cardsight.geometry import CROP_H, CROP_W
from training import card, folds, train_novelty
from training.measure import models
from training.measure.sets import heaps, photographs
from training.nets import Reader
from training.parallel import on_one_core
from training.photos import DRAWN_ON, LICENSED, load

MOST_BYTES = 2_000_000
MOST_APART = 0.01
"""Maximum difference between the probabilities of OpenCV and PyTorch: that of rounding to a mantissa of 10 bits."""


def main() -> int:
    """Train, check, and install the model and its card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="train also what an earlier run has left")
    parser.add_argument(
        "--trial", type=float, metavar="SHARE",
        help="only so much of it (0.05 is a twentieth), to see that all runs through; its model does not ship",
    )  # fmt: skip
    args = parser.parse_args()
    course = folds.Course().shortened(args.trial) if args.trial else folds.Course()
    if args.again:
        shutil.rmtree(course.work, ignore_errors=True)
    try:
        course.begin()
    except FileExistsError as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    began = time.monotonic()
    photos = load()
    course.make(photos)
    on_one_core()
    free, scenes = course.licensed(photos), photographs([p for p in photos if p.source not in DRAWN_ON])
    occluded = list(heaps(photos))
    fitted, by_all = card.read(models.folds(course.work), scenes, occluded) if photos else (models.PLAIN, [])
    fitted_free, by_free = card.read(models.one(f"{free}:{','.join(LICENSED)}"), scenes, occluded)
    ships_free = card.reaches_goals(by_free)
    folder = free if ships_free else course.everything(photos)
    model.save_calibrations(folder, *(fitted_free if ships_free else fitted))
    check(folder)
    steps = (course.finder_steps, course.base_steps, course.reader_steps)
    record = card.Record(*steps, ships_free=ships_free, by_all=by_all, by_free=by_free)
    record.save(folder)
    print(card.text(folder))
    names = (*(f"{network}.onnx.gz" for network in model.NETWORKS), model.FIGURES, card.MEASURED, "card.md")
    parts = [folder / name for name in names]
    size = sum(part.stat().st_size for part in parts)
    print(f"{folder}: {size} bytes ({model.fingerprint(folder)}), made in {time.monotonic() - began:.0f} s")
    if not args.trial:
        model.FOLDER.mkdir(exist_ok=True)
        for part in parts:
            shutil.copy(part, model.FOLDER / part.name)
        train_novelty.main()
    return 0


def check(folder: Path) -> None:
    """Check that OpenCV computes what PyTorch was trained to. Raises `SystemExit` if not."""
    loaded = model.load(folder)
    size = sum((folder / f"{network}.onnx.gz").stat().st_size for network in model.NETWORKS)
    if size > MOST_BYTES:
        raise SystemExit(f"{folder}: {size} bytes; a model of more than {MOST_BYTES} does not ship")
    weights = folder / "reader.pt"
    net = Reader().eval()
    net.load_state_dict(torch.load(weights))
    crop = np.random.default_rng(1).integers(0, 256, (CROP_H, CROP_W, 3), np.uint8)
    by_opencv = classify_crops(loaded.reader, [crop])[0]
    with torch.no_grad():
        by_torch = net(torch.from_numpy(normalize_crops(crop)))[0][0, :3].softmax(0).numpy()
    if (difference := float(np.abs(by_opencv.kinds - by_torch).max())) > MOST_APART:
        raise SystemExit(f"{weights}: OpenCV's probabilities are {difference:.3f} off PyTorch's; the export is broken")


if __name__ == "__main__":
    sys.exit(main())
