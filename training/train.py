"""Makes the model that ships, from drawn cards and the photographs that are there: `make train`.

Everything comes from seeds. The confidence is calibrated on what models that do not know a source read of it. Of two
models, one that has learned from all photographs and one that has learned only from those under a free license, the
second ships if it reaches the goals.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

import cv2
import numpy as np
import torch

from cardsight import model
from cardsight.classify import judged, prepared
from cardsight.rectify import CUT_H, CUT_W
from training import card, folds
from training.measure import models
from training.measure.sets import photographs
from training.nets import Reader
from training.photos import DRAWN_ON, load

MOST_BYTES = 2_000_000
MOST_APART = 0.01
"""How far OpenCV's probabilities may be from PyTorch's: rounding to 10 bits of mantissa is all that may be seen."""


def main() -> None:
    """Train, check, and put the model and its card where the card reader looks for them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="train also what an earlier run has left")
    if parser.parse_args().again:
        shutil.rmtree(folds.WORK, ignore_errors=True)
    began = time.monotonic()
    cv2.setNumThreads(1)
    photos = load()
    free, scenes = folds.licensed(photos), photographs([p for p in photos if p.source not in DRAWN_ON])
    line, by_all = card.read(models.folds(photos), scenes) if photos else ((1.0, 0.0), [])
    free_line, by_free = card.read(models.one(f"{free}:{','.join(folds.LICENSED)}"), scenes)
    ships_free = card.reaches_goals(by_free)
    folder = free if ships_free else folds.everything(photos)
    folds.with_figures(folder, *(free_line if ships_free else line))
    check(folder)
    model.FOLDER.mkdir(exist_ok=True)
    for name in (*(f"{network}.onnx.xz" for network in model.NETWORKS), "figures.json"):
        shutil.copy(folder / name, model.FOLDER / name)
    text = card.text(by_all, by_free, ships_free=ships_free)
    (model.FOLDER / "card.md").write_text(text, encoding="utf-8")
    print(text)
    size = sum(path.stat().st_size for path in model.FOLDER.iterdir())
    print(f"{model.FOLDER}: {size} bytes, made in {time.monotonic() - began:.0f} s")


def check(folder: Path) -> None:
    """Whether OpenCV reads out of the files what PyTorch has put in. Raises `SystemExit` where it does not."""
    loaded = model.load(folder)
    size = sum((folder / f"{network}.onnx.xz").stat().st_size for network in model.NETWORKS)
    if size > MOST_BYTES:
        raise SystemExit(f"{folder}: {size} bytes; a model of more than {MOST_BYTES} does not ship")
    weights = folder / "reader.pt"
    net = Reader().eval()
    net.load_state_dict(torch.load(weights))
    cut = np.random.default_rng(1).integers(0, 256, (CUT_H, CUT_W, 3), np.uint8)
    ours = judged(loaded.reader, [cut])[0]
    with torch.no_grad():
        theirs = net(torch.from_numpy(prepared(cut)))[0][0, :3].softmax(0).numpy()
    if (apart := float(np.abs(ours.kinds - theirs).max())) > MOST_APART:
        raise SystemExit(f"{weights}: OpenCV's probabilities are {apart:.3f} beside PyTorch's; the export is broken")


if __name__ == "__main__":
    main()
