"""Training of all networks of one model, from drawn cards and the licensed photographs.

The detector learns from drawn scenes only. The reader learns from drawn cards first; copies of it then continue on
photographs: of all licensed sources for the model, and of all but one of them to calibrate it (`training.beliefs`).
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import torch

from cardsight.classify import LAYERS, MARK_PX
from cardsight.corners import CORNER_PX
from cardsight.geometry import CROP_H, CROP_W
from training import crops, recipe, train_corner, train_finder, train_mark, train_reader
from training.classifiers import Corner, Mark, Reader, in_opencv
from training.nets import Finder, export
from training.parallel import run_parallel
from training.photos import LICENSED, WORK, Photo

Parts = TypeVar("Parts", bound=NamedTuple)

PARTS = "parts"
"""File that names what the networks in a folder were made of."""


@dataclass(frozen=True)
class Course:
    """A resumable course of training: what is in ``work`` and of the same recipe is not made again.

    ``photos``: the licensed ones; empty for a model of drawn cards only. ``crops_made``: number of crops that the
    readers share, about half as many as one of them is shown. ``corners_made``: the same for the corner network.
    """

    photos: Sequence[Photo] = ()
    seed: int = 1
    work: Path = WORK
    finder_steps: int = 8000
    base_steps: int = 4000
    reader_steps: int = 900
    mark_steps: int = 1500
    corner_steps: int = 6000
    crops_made: int = 36_000
    corners_made: int = 60_000

    @property
    def numbers(self) -> dict[str, int]:
        """Number of steps, crops and corners."""
        return {name: value for name, value in vars(self).items() if name.endswith(("_steps", "_made"))}

    def shortened(self, share: float) -> Course:
        """Return a trial course with a fraction ``share`` (0…1) of all steps, in a folder of its own."""
        fewer = {name: max(1, round(share * number)) for name, number in self.numbers.items()}
        return replace(self, work=self.work.with_name(f"{self.work.name}-{share:g}"), **fewer)  # type: ignore[arg-type]

    def make(self) -> None:
        """Train all that is missing. Takes 3 GB of memory."""
        run_parallel([self.finder, self.base, self.crops, self.corners, self.marks])
        self.model()
        run_parallel([partial(self.without, source) for source in self.sources])

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the photographs."""
        return tuple(source for source in LICENSED if any(photo.source == source for photo in self.photos))

    def finder(self) -> Path:
        """Return the detector's weights."""
        path = self._path("finder", "training.train_finder", self.finder_steps)
        if not path.exists():
            print("training the finder on drawn scenes", flush=True)
            train_finder.train(path, self.finder_steps, seed=self.seed)
        return path

    def base(self) -> Path:
        """Return the weights of a reader trained on drawn cards only, from which the others start."""
        path = self._path("reader-base", "training.train_reader", self.base_steps)
        if not path.exists():
            print("training the reader on drawn cards", flush=True)
            shown = partial(train_reader.Drawn, self.seed)
            train_reader.train(path, shown, self.base_steps, rate=train_reader.BASE_RATE, seed=self.seed)
        return path

    def crops(self) -> Path:
        """Return the crops of drawn and photographed cards (`train_reader.Pool`)."""
        path = self._path("crops", "training.train_reader", self.crops_made).with_suffix(".npz")
        if not path.exists():
            print(f"making {self.crops_made} crops", flush=True)
            _save(path, train_reader.pool(self._rectified(), self.crops_made, seed=self.seed))
        return path

    def marks(self) -> Path:
        """Return the weights of the mark network."""
        path = self._path("mark", "training.train_mark", self.mark_steps)
        if not path.exists():
            patches = train_mark.pool(self.photos, seed=self.seed)
            net = train_mark.train(patches, self.sources, self.mark_steps, seed=self.seed)
            torch.save(net.state_dict(), path)
        return path

    def corners(self) -> Path:
        """Return the weights of the corner network."""
        path = self._path("corner", "training.train_corner", self.corners_made, self.corner_steps)
        if not path.exists():
            print(f"making {self.corners_made} corners", flush=True)
            patches = train_corner.pool(self._rectified(), self.corners_made, seed=self.seed)
            net = train_corner.train(patches, self.sources, self.corner_steps, seed=self.seed)
            torch.save(net.state_dict(), path)
        return path

    def reader(self, *sources: str) -> Path:
        """Return the weights of the reader that has learned from the photographs of ``sources``."""
        numbers = (self.base_steps, self.crops_made, self.reader_steps)
        path = self._path("-".join(("reader", *sources)), "training.train_reader", *numbers)
        if not path.exists():
            print(f"training the reader on photographs of {', '.join(sources) or 'no source'}", flush=True)
            shown = partial(train_reader.Pooled, _load(train_reader.Pool, self.crops()), sources, self.seed)
            rate = train_reader.RATE
            train_reader.train(path, shown, self.reader_steps, rate=rate, start=self.base(), seed=self.seed)
        return path

    def model(self) -> Path:
        """Return the folder of the model's networks."""
        return self._written("model", self.sources)

    def without(self, source: str) -> Path:
        """Return the folder of the networks whose reader has not learned from ``source``."""
        return self._written(f"without-{source}", [other for other in self.sources if other != source])

    def _written(self, name: str, sources: Collection[str]) -> Path:
        parts = (self.finder(), self.reader(*sources), self.marks(), self.corners())
        folder, made_of = self.work / name, " ".join(path.name for path in parts)
        if not (folder / PARTS).exists() or (folder / PARTS).read_text() != made_of:
            shutil.rmtree(folder, ignore_errors=True)
            write_networks(folder, *parts)
            (folder / PARTS).write_text(made_of)
        return folder

    def _path(self, name: str, module: str, *numbers: int) -> Path:
        """Return the file of a part; its name has a hash of everything it was made of."""
        made_of = f"{recipe.of_code(module)} {recipe.of_photographs(self.photos)} {self.seed} {numbers}"
        return self.work / f"{name}-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}.pt"

    def _rectified(self) -> list[crops.Example]:
        return [example for photo in self.photos for example in crops.rectify_all(photo)]


def _save(path: Path, parts: NamedTuple) -> None:
    """Write atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"new-{path.name}")
    np.savez(temporary, **parts._asdict())
    temporary.replace(path)


def _load(kind: type[Parts], path: Path) -> Parts:
    with np.load(path) as parts:
        return kind(**parts)


def write_networks(folder: Path, finder: Path, reader: Path, mark: Path, corner: Path) -> None:
    """Write the networks with these weights as the card reader loads them."""
    nets = (Finder(), Reader(), Mark(), Corner())
    for net, weights in zip(nets, (finder, reader, mark, corner), strict=True):
        net.load_state_dict(torch.load(weights))
    finder_net, reader_net, mark_net, corner_net = nets
    export(finder_net, (1, 3, 224, 384), folder / "finder.onnx.gz", ["planes"])
    export(in_opencv(reader_net), (1, 3, CROP_H, CROP_W), folder / "reader.onnx.gz", LAYERS)
    export(mark_net, (1, 1, MARK_PX, MARK_PX), folder / "mark.onnx.gz", ["odds"])
    export(corner_net, (1, 3, CORNER_PX, CORNER_PX), folder / "corner.onnx.gz", ["odds"])
