"""Which network has seen which photographs: models trained without some sources, to be measured on just those.

The finder is trained on drawn scenes only, so one serves all. Reader and mark network are trained anew for each fold.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import torch

from cardsight import model as models
from cardsight.classify import LAYERS
from cardsight.marks import PATCH_PX
from cardsight.rectify import CUT_H, CUT_W
from training import cutouts, train_finder, train_mark, train_reader
from training.nets import Finder, Mark, Reader, export
from training.photos import DRAWN_ON, FOLDS, ROOT, Photo

WORK = ROOT / "out" / "training"
"""Weights of networks on the way; deleted without harm, made anew in an hour or two."""

FINDER_STEPS, BASE_STEPS, READER_STEPS = 4100, 1900, 500
POOL = 48_000
"""Cut-outs that all readers learn photographs from: about as many as one of them is shown."""
LICENSED = ("set-f", "set-l")
"""Sources that anybody may train on (MIT); ``set-n`` is a third, but somebody drew on it."""


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
        train_reader.train(path, train_reader.Drawn(seed=1), BASE_STEPS, rate=3e-3)
    return path


def pool(photos: Sequence[Photo]) -> train_reader.Pool:
    """Cut-outs of drawn cards and of all photographed ones, made if they are not there."""
    path = WORK / "pool.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(f"making {POOL} cut-outs", flush=True)
        real = [e for photo in photos if photo.source not in DRAWN_ON for e in cutouts.straightened(photo)]
        np.savez(path, **train_reader.pool(real, POOL, seed=1)._asdict())
    with np.load(path) as parts:
        return train_reader.Pool(**parts)


def patches(photos: Sequence[Photo]) -> train_mark.Patches:
    """Patches of drawn cards and of all photographed ones, made if they are not there."""
    path = WORK / "patches.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **train_mark.pool([p for p in photos if p.source not in DRAWN_ON])._asdict())
    with np.load(path) as parts:
        return train_mark.Patches(**parts)


def trained(name: str, photos: Sequence[Photo], sources: Collection[str]) -> Path:
    """A folder with the networks (without figures) trained on the photographs of ``sources``; made if not there."""
    folder = WORK / name
    if not (folder / "mark.onnx.xz").exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"training {name} on {len(sources)} sources", flush=True)
        weights = folder / "reader.pt"
        train_reader.train(
            weights, train_reader.Pooled(pool(photos), sources, seed=1), READER_STEPS, rate=2e-3, start=base()
        )
        written(folder, finder(), weights, train_mark.train(patches(photos), sources))
    return folder


def written(folder: Path, finder_weights: Path, reader_weights: Path, mark: Mark) -> None:
    """The three networks as the card reader loads them."""
    finder_net, reader_net = Finder(), Reader()
    finder_net.load_state_dict(torch.load(finder_weights))
    reader_net.load_state_dict(torch.load(reader_weights))
    export(finder_net, (1, 3, 224, 384), folder / "finder.onnx.xz", ["planes"])
    export(reader_net, (1, 3, CUT_H, CUT_W), folder / "reader.onnx.xz", LAYERS)
    export(mark, (1, 1, PATCH_PX, PATCH_PX), folder / "mark.onnx.xz", ["odds"])


def sources_but(left_out: Collection[str], photos: Sequence[Photo]) -> list[str]:
    """The sources that a model may learn from when those ``left_out`` are to be reported on."""
    return sorted({p.source for p in photos} - {*left_out, *DRAWN_ON})


def fold(number: int, photos: Sequence[Photo]) -> Path:
    """The model that has seen no photograph of fold ``number``."""
    return trained(f"fold-{number}", photos, sources_but(FOLDS[number], photos))


def everything(photos: Sequence[Photo]) -> Path:
    """The model that has seen all photographs."""
    return trained("all", photos, sources_but((), photos))


def licensed(photos: Sequence[Photo]) -> Path:
    """The model that has seen drawn cards and photographs under a free license only."""
    return trained("licensed", photos, LICENSED)


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
