"""Makes the shipped model from drawn cards and the licensed photographs, then what its layout uses
(`training.layout_course`): `make train`.

All randomness is seeded. An interrupted run resumes from what it has left in its folder. The model of seed 1 ships; of
other seeds only the figures are written into the card. Photographs of other sources, if they are there, measure the
model; it does not learn from them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from cardsight import model
from cardsight.classify import classify_crops, normalize_crops
from cardsight.geometry import CROP_H, CROP_W
from training import beliefs, card, layout_course, recipe
from training.classifiers import Reader
from training.course import Course
from training.layout_course import LayoutCourse
from training.parallel import on_one_core
from training.photos import LICENSED, WORK, load

MOST_BYTES = 2_000_000
MOST_APART = 0.01
"""Maximum difference between the probabilities of OpenCV and PyTorch: that of rounding to a mantissa of 10 bits."""
SHIPS = 1
"""Seed of the model that ships."""


def main() -> int:
    """Train, fit, check, measure, and install the model and its card."""
    parser = argparse.ArgumentParser(prog="python -m training.train", description=__doc__)
    parser.add_argument("--seed", type=int, default=SHIPS, help="of all random numbers")
    parser.add_argument("--work", type=Path, default=WORK, metavar="FOLDER", help="where to train, and to resume")
    parser.add_argument("--again", action="store_true", help="train also what an earlier run has left")
    parser.add_argument(
        "--trial", type=float, metavar="SHARE",
        help="only so much of it (0.05 is a twentieth), to see that all runs through; its model does not ship",
    )  # fmt: skip
    args = parser.parse_args()
    photos = load()
    licensed = [photo for photo in photos if photo.source in LICENSED]
    course = Course(licensed, args.seed, args.work / f"seed-{args.seed}")
    course = course.shortened(args.trial) if args.trial else course
    layout = LayoutCourse(course).shortened(args.trial or 1.0)
    if args.again:
        shutil.rmtree(course.work, ignore_errors=True)
    began = time.monotonic()
    course.make()
    on_one_core()
    folder = course.model()
    if not (folder / card.RECORD).exists():
        without = {source: course.without(source) for source in course.sources}
        beliefs.fit(folder, beliefs.known(folder, without, licensed), args.seed)
        check(folder, course.reader(*course.sources))
    rows = card.measured(folder, course.sources, photos)
    made = card.Record(
        recipe.of_code(), recipe.commit(), recipe.of_photographs(licensed), args.seed, course.numbers, course.sources,
        card.hashes(folder), rows, {str(args.seed): card.totals(rows)},
    )  # fmt: skip
    made.save(folder)
    print(card.text(folder))
    print(f"{folder}: {model.fingerprint(folder)}, made in {time.monotonic() - began:.0f} s")
    if not args.trial:
        install(folder, made)
    explains = layout.make(licensed)
    print(f"{explains}: made in {time.monotonic() - began:.0f} s")
    if not args.trial and args.seed == SHIPS:
        layout_course.install(explains)
    return 0


def check(folder: Path, weights: Path) -> None:
    """Check that OpenCV computes what PyTorch was trained to. Raises `SystemExit` if not."""
    loaded = model.load(folder)
    size = sum((folder / name).stat().st_size for name in card.FILES)
    if size > MOST_BYTES:
        raise SystemExit(f"{folder}: {size} bytes; a model of more than {MOST_BYTES} does not ship")
    net = Reader().eval()
    net.load_state_dict(torch.load(weights))
    crop = np.random.default_rng(1).integers(0, 256, (CROP_H, CROP_W, 3), np.uint8)
    by_opencv = classify_crops(loaded.reader, [crop])[0]
    with torch.no_grad():
        by_torch = net(torch.from_numpy(normalize_crops(crop)))[0][0, :3].softmax(0).numpy()
    if (difference := float(np.abs(by_opencv.kinds - by_torch).max())) > MOST_APART:
        raise SystemExit(f"{weights}: OpenCV's probabilities are {difference:.3f} off PyTorch's; the export is broken")


def install(folder: Path, made: card.Record, to: Path = model.FOLDER) -> None:
    """Ship the model, or, if it is of another seed, add its figures to the card of the one that ships."""
    known = card.record(to) if (to / card.RECORD).exists() else made
    spread = made.spread if known.recipe != made.recipe else {**known.spread, **made.spread}
    if made.seed == SHIPS:
        to.mkdir(exist_ok=True)
        for name in card.FILES:
            shutil.copy(folder / name, to / name)
        known = made
    if known.recipe == made.recipe:
        replace(known, spread=spread).save(to)


if __name__ == "__main__":
    sys.exit(main())
