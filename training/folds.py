"""Which network has seen which photographs: models trained without some sources, to be measured on just those.

The finder is trained on drawn scenes only, so one serves all. Reader and mark network are trained anew for each fold.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from cardsight import model as models
from cardsight.classify import OUTPUTS
from training import train_finder, train_mark, train_reader
from training.nets import Mark, Reader, export
from training.photos import DRAWN_ON, FOLDS, ROOT, Photo

WORK = ROOT / "out" / "training"
"""Weights of networks on the way; deleted without harm, made anew in an hour or two."""

FINDER_STEPS, BASE_STEPS, READER_STEPS = 3600, 2400, 700


def finder() -> Path:
    """The finder's weights, trained if they are not there."""
    path = WORK / "finder.pt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print("training the finder on drawn scenes", flush=True)
        train_finder.train(path, FINDER_STEPS)
    return path


def base() -> Path:
    """A reader that has seen drawn cards only; all others start from it."""
    path = WORK / "reader-base.pt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print("training the reader on drawn cards", flush=True)
        train_reader.train(path, BASE_STEPS, rate=3e-3)
    return path


def trained(name: str, photos: Sequence[Photo]) -> Path:
    """A folder with the networks (without figures) trained on the given photographs; made if it is not there."""
    folder = WORK / name
    if not (folder / "mark.onnx.xz").exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"training {name} on {len({p.source for p in photos})} sources", flush=True)
        net = train_finder.Finder()
        net.load_state_dict(torch.load(finder()))
        export(net, (1, 3, 384, 512), folder / "finder.onnx.xz")
        examples = [e for photo in photos for e in train_reader.straightened(photo)]
        weights = folder / "reader.pt"
        train_reader.train(weights, READER_STEPS, examples, rate=2e-3, start=base())
        reader = Reader(OUTPUTS)
        reader.load_state_dict(torch.load(weights))
        export(reader, (1, 3, 120, 80), folder / "reader.onnx.xz")
        mark: Mark = train_mark.train(photos)
        export(mark, (1, 1, 24, 24), folder / "mark.onnx.xz")
    return folder


def for_training(photos: Sequence[Photo], without: Sequence[str] = ()) -> list[Photo]:
    """The photographs that a model may learn from when the sources ``without`` are to be reported on."""
    return [p for p in photos if p.source not in without and p.source not in DRAWN_ON]


def fold(number: int, photos: Sequence[Photo]) -> Path:
    """The model that has seen no photograph of fold ``number``."""
    return trained(f"fold-{number}", for_training(photos, FOLDS[number]))


def calibrated(odds: np.ndarray, right: np.ndarray) -> tuple[float, float]:  # type: ignore[type-arg]
    """Slope and offset that turn log odds of the best face into those of its being right (Platt, 1999).

    Two made-up readings, one right and one wrong at odds of nothing, keep the fit in bounds where nothing was misread.
    """
    x = torch.tensor(np.concatenate([odds, [0.0, 0.0]]), dtype=torch.float64)
    y = torch.tensor(np.concatenate([right, [1.0, 0.0]]), dtype=torch.float64)
    line = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([line], max_iter=200)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(line[0] * x + line[1], y, reduction="sum")
        loss.backward()
        return loss

    optimizer.step(closure)
    slope, offset = line.detach().tolist()
    return max(slope, 0.05), offset


def with_figures(folder: Path, slope: float, offset: float) -> models.Model:
    """Write the figures that belong to the networks of a folder, and load it."""
    figures = {"slope": round(slope, 4), "offset": round(offset, 4)}
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return models.load(folder)
