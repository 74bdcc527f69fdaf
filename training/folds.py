"""Cross-validation: models trained without some sources, and measured on these.

The detector is trained on drawn scenes only, so one serves all folds. The other networks are trained for each fold.
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
from training import crops, train_corner, train_finder, train_mark, train_reader
from training.measure.models import WORK, is_there
from training.nets import Corner, Finder, Mark, Reader, export, in_opencv
from training.parallel import run_parallel
from training.photos import DRAWN_ON, FOLDS, LICENSED, OUTLINES, PHOTOS, Photo

Parts = TypeVar("Parts", bound=NamedTuple)


@dataclass(frozen=True)
class Course:
    """A resumable course of training: results in ``work``, intermediate weights included, are not made again.

    ``pool_size``: number of crops that all readers share, about as many as one of them is shown. ``corners_size``: the
    same for the corner networks.
    """

    work: Path = WORK
    finder_steps: int = 8000
    base_steps: int = 4000
    reader_steps: int = 900
    pool_size: int = 72_000
    corners_size: int = 60_000

    def shortened(self, share: float) -> Course:
        """Return a trial course with a fraction ``share`` (0…1) of all steps, in a folder of its own."""
        numbers = (self.finder_steps, self.base_steps, self.reader_steps, self.pool_size, self.corners_size)
        fewer = [max(1, round(share * number)) for number in numbers]
        return Course(self.work.with_name(f"training-{share:g}"), *fewer)

    def begin(self) -> None:
        """Begin or resume. Raises `FileExistsError` if the folder was made by another recipe."""
        path, recipe = self.work / "recipe", _recipe()
        if path.exists() and path.read_text() != recipe:
            raise FileExistsError(
                f"{self.work} was begun with other outlines, drawings or settings; begin anew: --again (it is deleted)"
            )
        self.work.mkdir(parents=True, exist_ok=True)
        path.write_text(recipe)

    def make(self, photos: Sequence[Photo]) -> None:
        """Train all missing models, without calibrations. Takes 4 GB of memory.

        Without photographs there are no folds, and the model of all photographs is that of the licensed ones.
        """
        shown = [partial(make, photos) for make in (self.pool, self.corners, self.marks)]
        run_parallel([self.base, self.finder, *shown])
        by_photos = [self.everything, *(partial(self.fold, number) for number in range(len(FOLDS)))]
        run_parallel([partial(make, photos) for make in (self.licensed, *(by_photos if photos else ()))])

    def finder(self) -> Path:
        """Return the detector's weights; train them if they are missing."""
        path = self.work / "finder.pt"
        if not path.exists():
            print("training the finder on drawn scenes", flush=True)
            train_finder.train(path, self.finder_steps)
        return path

    def base(self) -> Path:
        """Return the weights of a reader trained on drawn cards only, from which all others start; train them if
        missing."""
        path = self.work / "reader-base.pt"
        if not path.exists():
            print("training the reader on drawn cards", flush=True)
            train_reader.train(path, partial(train_reader.Drawn, 1), self.base_steps, rate=3e-3)
        return path

    def pool(self, photos: Sequence[Photo]) -> Path:
        """Return the crops of drawn and of all photographed cards (`train_reader.Pool`); make them if missing."""
        path = self.work / "pool.npz"
        if not path.exists():
            print(f"making {self.pool_size} crops", flush=True)
            _save(path, train_reader.pool(_rectified(photos), self.pool_size, seed=1))
        return path

    def marks(self, photos: Sequence[Photo]) -> Path:
        """Return short edges of drawn and of all photographed cards (`train_mark.Patches`); make them if missing."""
        path = self.work / "marks.npz"
        if not path.exists():
            _save(path, train_mark.pool([p for p in photos if p.source not in DRAWN_ON]))
        return path

    def corners(self, photos: Sequence[Photo]) -> Path:
        """Return corners of drawn and of all photographed cards (`train_corner.Patches`); make them if missing."""
        path = self.work / "corners.npz"
        if not path.exists():
            print(f"making {self.corners_size} corners", flush=True)
            _save(path, train_corner.pool(_rectified(photos), self.corners_size))
        return path

    def trained(self, name: str, photos: Sequence[Photo], sources: Collection[str]) -> Path:
        """Return the folder of the networks, without calibrations, of the photographs of ``sources``; train them if
        missing."""
        folder = self.work / name
        if not is_there(folder):
            print(f"training {name} on {len(sources)} sources", flush=True)
            weights = folder / "reader.pt"
            if not weights.exists():
                shown = partial(train_reader.Pooled, _load(train_reader.Pool, self.pool(photos)), sources, 1)
                train_reader.train(weights, shown, self.reader_steps, rate=2e-3, start=self.base())
            mark = train_mark.train(_load(train_mark.Patches, self.marks(photos)), sources)
            corner = train_corner.train(_load(train_corner.Patches, self.corners(photos)), sources)
            write_networks(folder, self.finder(), weights, mark, corner)
        return folder

    def fold(self, number: int, photos: Sequence[Photo]) -> Path:
        """Return the model trained without the photographs of fold ``number``."""
        return self.trained(f"fold-{number}", photos, sources_but(FOLDS[number], photos))

    def everything(self, photos: Sequence[Photo]) -> Path:
        """Return the model trained on all photographs."""
        return self.trained("all", photos, sources_but((), photos))

    def licensed(self, photos: Sequence[Photo]) -> Path:
        """Return the model trained on drawn cards and on freely licensed photographs only."""
        return self.trained("licensed", photos, LICENSED)


def _recipe() -> str:
    """Return a hash of what determines the networks: this folder's code, and the outlines of the photographs."""
    made_by = sorted(path for path in Path(__file__).parent.glob("*.py") if path.name not in ("report.py", "card.py"))
    outlines = [path for path in (OUTLINES, PHOTOS / "quads.csv", PHOTOS / "labels.csv") if path.exists()]
    return hashlib.sha256(b"".join(path.read_bytes() for path in (*made_by, *outlines))).hexdigest()


def _rectified(photos: Sequence[Photo]) -> list[crops.Example]:
    return [e for photo in photos if photo.source not in DRAWN_ON for e in crops.rectify_all(photo)]


def _save(path: Path, parts: NamedTuple) -> None:
    """Write atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"new-{path.name}")
    np.savez(temporary, **parts._asdict())
    temporary.replace(path)


def _load(kind: type[Parts], path: Path) -> Parts:
    with np.load(path) as parts:
        return kind(**parts)


def write_networks(folder: Path, finder_weights: Path, reader_weights: Path, mark: Mark, corner: Corner) -> None:
    """Write the four networks as the card reader loads them."""
    finder_net, reader_net = Finder(), Reader()
    finder_net.load_state_dict(torch.load(finder_weights))
    reader_net.load_state_dict(torch.load(reader_weights))
    export(finder_net, (1, 3, 224, 384), folder / "finder.onnx.gz", ["planes"])
    export(in_opencv(reader_net), (1, 3, CROP_H, CROP_W), folder / "reader.onnx.gz", LAYERS)
    export(mark, (1, 1, MARK_PX, MARK_PX), folder / "mark.onnx.gz", ["odds"])
    export(corner, (1, 3, CORNER_PX, CORNER_PX), folder / "corner.onnx.gz", ["odds"])


def sources_but(left_out: Collection[str], photos: Sequence[Photo]) -> list[str]:
    """Return the sources for training when the sources ``left_out`` are for measurement."""
    return sorted({p.source for p in photos} - {*left_out, *DRAWN_ON})
