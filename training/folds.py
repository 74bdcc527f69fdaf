"""Which network has seen which photographs: models trained without some sources, to be measured on just those.

The finder is trained on drawn scenes only, so one serves all. The other networks are trained anew for each fold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import torch

from cardsight.classify import CORNER_PX, LAYERS, MARK_PX
from cardsight.geometry import CROP_H, CROP_W
from training import cutouts, train_corner, train_finder, train_mark, train_reader
from training.crew import side_by_side
from training.measure.models import WORK, is_there
from training.nets import Corner, Finder, Mark, Reader, export, in_opencv
from training.photos import DRAWN_ON, FOLDS, LICENSED, OUTLINES, PHOTOS, Photo

Parts = TypeVar("Parts", bound=NamedTuple)


@dataclass(frozen=True)
class Course:
    """One course of training: what it leaves in ``work`` (weights of networks on the way too) it does not make again.

    ``pool_size``: cut-outs that all readers learn photographs from, about as many as one of them is shown;
    ``corners_size``: the same of the corner networks.
    """

    work: Path = WORK
    finder_steps: int = 8000
    base_steps: int = 4000
    reader_steps: int = 900
    pool_size: int = 72_000
    corners_size: int = 60_000

    def shortened(self, share: float) -> Course:
        """A trial of the whole: ``share`` (0…1) of all steps, in a folder of its own."""
        numbers = (self.finder_steps, self.base_steps, self.reader_steps, self.pool_size, self.corners_size)
        fewer = [max(1, round(share * number)) for number in numbers]
        return Course(self.work.with_name(f"training-{share:g}"), *fewer)

    def begin(self) -> None:
        """Begin, or go on with what is there. Raises `FileExistsError` where that was made in another way."""
        path, recipe = self.work / "recipe", _recipe()
        if path.exists() and path.read_text() != recipe:
            raise FileExistsError(
                f"{self.work} was begun with other outlines, drawings or settings; begin anew: --again (it is deleted)"
            )
        self.work.mkdir(parents=True, exist_ok=True)
        path.write_text(recipe)

    def make(self, photos: Sequence[Photo]) -> None:
        """All models without their figures, as far as they are not there. Takes 4 GB of memory.

        Without photographs there are no folds, and what learns from all of them is what learns from licensed ones.
        """
        shown = [partial(make, photos) for make in (self.pool, self.corners, self.marks)]
        side_by_side([self.base, self.finder, *shown])
        by_photos = [self.everything, *(partial(self.fold, number) for number in range(len(FOLDS)))]
        side_by_side([partial(make, photos) for make in (self.licensed, *(by_photos if photos else ()))])

    def finder(self) -> Path:
        """The finder's weights, trained if they are not there."""
        path = self.work / "finder.pt"
        if not path.exists():
            print("training the finder on drawn scenes", flush=True)
            train_finder.train(path, self.finder_steps)
        return path

    def base(self) -> Path:
        """A reader that has seen drawn cards only; all others start from it."""
        path = self.work / "reader-base.pt"
        if not path.exists():
            print("training the reader on drawn cards", flush=True)
            train_reader.train(path, partial(train_reader.Drawn, 1), self.base_steps, rate=3e-3)
        return path

    def pool(self, photos: Sequence[Photo]) -> Path:
        """Cut-outs of drawn cards and of all photographed ones (`train_reader.Pool`), made if they are not there."""
        path = self.work / "pool.npz"
        if not path.exists():
            print(f"making {self.pool_size} cut-outs", flush=True)
            _saved(path, train_reader.pool(_straightened(photos), self.pool_size, seed=1))
        return path

    def marks(self, photos: Sequence[Photo]) -> Path:
        """Short edges of drawn cards and of all photographed ones (`train_mark.Patches`), made if not there."""
        path = self.work / "marks.npz"
        if not path.exists():
            _saved(path, train_mark.pool([p for p in photos if p.source not in DRAWN_ON]))
        return path

    def corners(self, photos: Sequence[Photo]) -> Path:
        """Corners of drawn cards and of all photographed ones (`train_corner.Patches`), made if they are not there."""
        path = self.work / "corners.npz"
        if not path.exists():
            print(f"making {self.corners_size} corners", flush=True)
            _saved(path, train_corner.pool(_straightened(photos), self.corners_size))
        return path

    def trained(self, name: str, photos: Sequence[Photo], sources: Collection[str]) -> Path:
        """A folder with the networks (without figures) trained on the photographs of ``sources``; made if not there."""
        folder = self.work / name
        if not is_there(folder):
            print(f"training {name} on {len(sources)} sources", flush=True)
            weights = folder / "reader.pt"
            if not weights.exists():
                shown = partial(train_reader.Pooled, _loaded(train_reader.Pool, self.pool(photos)), sources, 1)
                train_reader.train(weights, shown, self.reader_steps, rate=2e-3, start=self.base())
            mark = train_mark.train(_loaded(train_mark.Patches, self.marks(photos)), sources)
            corner = train_corner.train(_loaded(train_corner.Patches, self.corners(photos)), sources)
            written(folder, self.finder(), weights, mark, corner)
        return folder

    def fold(self, number: int, photos: Sequence[Photo]) -> Path:
        """The model that has seen no photograph of fold ``number``."""
        return self.trained(f"fold-{number}", photos, sources_but(FOLDS[number], photos))

    def everything(self, photos: Sequence[Photo]) -> Path:
        """The model that has seen all photographs."""
        return self.trained("all", photos, sources_but((), photos))

    def licensed(self, photos: Sequence[Photo]) -> Path:
        """The model that has seen drawn cards and photographs under a free license only."""
        return self.trained("licensed", photos, LICENSED)


def _recipe() -> str:
    """What the networks are made from: this folder's code, and the outlines of the photographs."""
    made_by = sorted(path for path in Path(__file__).parent.glob("*.py") if path.name not in ("report.py", "card.py"))
    outlines = [path for path in (OUTLINES, PHOTOS / "quads.csv", PHOTOS / "labels.csv") if path.exists()]
    return hashlib.sha256(b"".join(path.read_bytes() for path in (*made_by, *outlines))).hexdigest()


def _straightened(photos: Sequence[Photo]) -> list[cutouts.Example]:
    return [e for photo in photos if photo.source not in DRAWN_ON for e in cutouts.straightened(photo)]


def _saved(path: Path, parts: NamedTuple) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"new-{path.name}")
    np.savez(beside, **parts._asdict())
    beside.replace(path)


def _loaded(kind: type[Parts], path: Path) -> Parts:
    with np.load(path) as parts:
        return kind(**parts)


def written(folder: Path, finder_weights: Path, reader_weights: Path, mark: Mark, corner: Corner) -> None:
    """The four networks as the card reader loads them."""
    finder_net, reader_net = Finder(), Reader()
    finder_net.load_state_dict(torch.load(finder_weights))
    reader_net.load_state_dict(torch.load(reader_weights))
    export(finder_net, (1, 3, 224, 384), folder / "finder.onnx.xz", ["planes"])
    export(in_opencv(reader_net), (1, 3, CROP_H, CROP_W), folder / "reader.onnx.xz", LAYERS)
    export(mark, (1, 1, MARK_PX, MARK_PX), folder / "mark.onnx.xz", ["odds"])
    export(corner, (1, 3, CORNER_PX, CORNER_PX), folder / "corner.onnx.xz", ["odds"])


def sources_but(left_out: Collection[str], photos: Sequence[Photo]) -> list[str]:
    """The sources that a model may learn from when those ``left_out`` are to be reported on."""
    return sorted({p.source for p in photos} - {*left_out, *DRAWN_ON})
