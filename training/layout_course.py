"""Making of what `cardsight.layout` uses, the last part of `make train`: the evidence network, and the weights that are
fitted to its answers."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from cardsight.layout import FIGURES, FOLDER, NETWORK, load_evidence, save_weights
from cardsight.networks import Network
from training import beliefs, card, recipe, train_evidence, train_layout
from training.course import PARTS, Course
from training.photos import Photo

FILES = (NETWORK, FIGURES)
"""The files that are made."""
MADE_BY = "training.train_evidence"
"""The module that makes the network. Its recipe is apart from that of the other networks (`recipe.MADE_BY`)."""
MOST_BYTES = 1_000_000
MOST_APART = 0.1
"""Maximum size, and maximum difference between the log odds of OpenCV and PyTorch: that of rounding to a mantissa of
10 bits."""


@dataclass(frozen=True)
class LayoutCourse:
    """A resumable course: what is in the folder of ``course`` and of the same recipe is not made again. ``steps``: of
    the evidence network."""

    course: Course
    steps: int = train_evidence.STEPS

    def shortened(self, share: float) -> LayoutCourse:
        """Return a trial with a fraction ``share`` (0…1) of the steps."""
        return replace(self, steps=max(1, round(share * self.steps)))

    def evidence(self) -> Path:
        """Return the weights of the evidence network."""
        finder = self.course.finder()
        made_of = f"{recipe.of_code(MADE_BY)} {finder.name} {self.course.seed} {self.steps}"
        path = self.course.work / f"evidence-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}.pt"
        if not path.exists():
            print("training the evidence network on drawn scenes", flush=True)
            train_evidence.train(path, self.steps, start=finder, seed=self.course.seed)
        return path

    def make(self, photos: Sequence[Photo]) -> Path:
        """Make what is missing; return the folder of it. ``photos``: the licensed ones, to which the weights are fitted
        beside drawn cards."""
        weights, model = self.evidence(), self.course.model()
        folder, made_of = self.course.work / "layout", f"{weights.name} {(model / PARTS).read_text()}"
        if not (folder / PARTS).exists() or (folder / PARTS).read_text() != made_of:
            shutil.rmtree(folder, ignore_errors=True)
            train_evidence.write(weights, folder / NETWORK)
            check(folder / NETWORK, weights)
            without = {source: self.course.without(source) for source in self.course.sources}
            shown = beliefs.known(model, without, photos)
            save_weights(folder, *train_layout.fit(shown, load_evidence(folder)))
            self.record(folder, photos).write(folder)
            (folder / PARTS).write_text(made_of)
        return folder

    def record(self, folder: Path, photos: Sequence[Photo]) -> card.Record:
        """Return what is known of the files in a folder."""
        return card.Record(
            recipe.of_code(MADE_BY), recipe.commit(MADE_BY), recipe.of_photographs(photos), self.course.seed,
            {"evidence_steps": self.steps}, self.course.sources, card.hashes(folder, FILES),
        )  # fmt: skip


def check(network: Path, weights: Path) -> None:
    """Check that OpenCV computes what PyTorch was trained to. Raises `SystemExit` if not."""
    if (size := network.stat().st_size) > MOST_BYTES:
        raise SystemExit(f"{network}: {size} bytes; one of more than {MOST_BYTES} does not ship")
    net = train_evidence.Evidence().eval()
    net.load_state_dict(torch.load(weights))
    picture = np.random.default_rng(1).integers(0, 256, (128, 160, 3), np.uint8)
    by_opencv = Network(gzip.decompress(network.read_bytes())).run_picture(picture)
    with torch.no_grad():
        by_torch = net(torch.from_numpy(picture.transpose(2, 0, 1)[None].astype(np.float32) / 255))[0].numpy()
    if (difference := float(np.abs(by_opencv - by_torch).max())) > MOST_APART:
        raise SystemExit(f"{weights}: OpenCV's answers are {difference:.3f} off PyTorch's; the export is broken")


def install(folder: Path, to: Path = FOLDER) -> None:
    """Ship what was made."""
    to.mkdir(exist_ok=True)
    for name in (*FILES, card.RECORD):
        shutil.copy(folder / name, to / name)
