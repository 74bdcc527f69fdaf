"""The model that reads each source: one that has not been trained on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

from cardsight import Reading
from cardsight import model as models
from cardsight.reader import Reader
from training.measure.calibration import fit
from training.measure.judging import Result, Scene, judge
from training.photometry import Array
from training.photos import DRAWN_ON, FOLDS, ROOT, Photo

WORK = ROOT / "out" / "training"
"""Where `training.folds` leaves its models."""


@dataclass(frozen=True)
class Judged:
    """A model to be measured: its name, and for each source the folder of the one that has not seen it.

    ``folds`` says that confidence is to be calibrated here, for each fold on the others' readings; otherwise the
    model's own figures count.
    """

    name: str
    folder_of: Mapping[str, Path]
    folds: bool

    def readers(self, plain: bool = False) -> dict[Path, Reader]:
        """A reader for each folder, calibrated as the folder says or, where ``plain``, not at all."""
        loaded = {folder: models.load(folder) for folder in sorted(set(self.folder_of.values()))}
        return {f: Reader(replace(m, slope=1.0, offset=0.0) if plain else m) for f, m in loaded.items()}


def folds(photos: Sequence[Photo]) -> Judged:
    """The models of the five folds; those that are not there are trained first."""
    folder_of = {}
    for number, sources in enumerate(FOLDS):
        folder = WORK / f"fold-{number}"
        if not all((folder / f"{name}.onnx.xz").exists() for name in models.NETWORKS):
            from training import folds as training_of_folds  # needs PyTorch, which measuring does not

            training_of_folds.fold(number, photos)
        if not (folder / "figures.json").exists():
            (folder / "figures.json").write_text('{"slope": 1.0, "offset": 0.0}\n', encoding="utf-8")
        folder_of |= dict.fromkeys(sources, folder)
    return Judged("folds", folder_of, True)


def one(spec: str) -> Judged:
    """``FOLDER[:source,source…]``: one model for all sources but those that it was trained on."""
    folder, _, seen = spec.partition(":")
    known = [source for sources in FOLDS for source in sources]
    wrong = sorted(set(filter(None, seen.split(","))) - set(known))
    if wrong:
        raise ValueError(f"{spec}: no such source {', '.join(wrong)}; there are {', '.join(known)}")
    return Judged(Path(folder).name, {s: Path(folder) for s in known if s not in seen.split(",")}, False)


def read(judged: Judged, readers: Mapping[Path, Reader], scenes: Iterable[Scene]) -> list[Result]:
    """What the readers tell of the scenes; those of sources that the model knows are left out."""
    return [
        timed(readers[judged.folder_of[scene.source]].read, scene)
        for scene in scenes
        if scene.source in judged.folder_of
    ]


def timed(way: Callable[[Array], Reading], scene: Scene) -> Result:
    """What one way of reading tells of a scene, and the CPU time it takes."""
    image = scene.picture()
    began = process_time()
    reading = way(image)
    spent = (process_time() - began) * 1000
    result = judge(scene, reading)
    result.ms = spent
    return result


def calibrated(
    judged: Judged, photographs: Iterable[Scene]
) -> tuple[dict[Path, Reader], dict[str, tuple[float, float]]]:
    """Readers with calibrated confidence, and slope and offset by folder.

    Those of a fold are fitted to the readings of all other folds; ``drawn on`` photographs do not count.
    """
    loaded = {folder: models.load(folder) for folder in sorted(set(judged.folder_of.values()))}
    figures = {folder: (m.slope, m.offset) for folder, m in loaded.items()}
    if judged.folds:
        scenes = [scene for scene in photographs if scene.source not in DRAWN_ON]
        plain = read(judged, judged.readers(plain=True), scenes)
        for folder in figures:
            figures[folder] = fit(r for r in plain if judged.folder_of[r.scene.source] != folder)
    readers = {f: Reader(replace(m, slope=figures[f][0], offset=figures[f][1])) for f, m in loaded.items()}
    return readers, {folder.name: (round(s, 4), round(o, 4)) for folder, (s, o) in figures.items()}
