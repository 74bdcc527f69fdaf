"""Models under measurement: each source is read by a model that was not trained on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import NamedTuple

from cardsight import Reading
from cardsight import model as models
from cardsight.fusion import ConfidenceCalibration
from cardsight.reader import Reader
from training.measure.calibration import fit
from training.measure.judging import Result, Scene, judge
from training.photometry import Array
from training.photos import DRAWN_ON, FOLDS, ROOT

WORK = ROOT / "out" / "training"
"""Folder of the trained models and intermediate weights. It can be deleted; training it again takes an hour or two."""


@dataclass(frozen=True)
class Judged:
    """A model under measurement: its name, and for each source the folder of a model not trained on it."""

    name: str
    folder_of: Mapping[str, Path]


class Calibrations(NamedTuple):
    """The calibrations of a model, for free and for occluded cards."""

    free: ConfidenceCalibration
    occluded: ConfidenceCalibration


PLAIN = Calibrations(ConfidenceCalibration(1.0, 0.0), ConfidenceCalibration(1.0, 0.0))
"""Identity calibrations: the network's own confidence, to which calibrations are fitted."""


def fold(number: int, work: Path = WORK) -> Path:
    """Return the folder of the model trained without fold ``number``."""
    return work / f"fold-{number}"


def folds(work: Path = WORK) -> Judged:
    """Return the models of the five folds in the folder ``work``."""
    return Judged("folds", {source: fold(number, work) for number, sources in enumerate(FOLDS) for source in sources})


def is_there(folder: Path) -> bool:
    """True if the folder contains the networks of a model."""
    return all((folder / f"{name}.onnx.gz").exists() for name in models.NETWORKS)


def one(spec: str) -> Judged:
    """Parse ``FOLDER[:source,source…]``: one model for all sources except those it was trained on. Raises
    `ValueError`."""
    folder, _, seen = spec.partition(":")
    known = [source for sources in FOLDS for source in sources]
    wrong = sorted(set(filter(None, seen.split(","))) - set(known))
    if wrong:
        raise ValueError(f"{spec}: no such source {', '.join(wrong)}; there are {', '.join(known)}")
    return Judged(Path(folder).name, {s: Path(folder) for s in known if s not in seen.split(",")})


def readers(
    judged: Judged, calibrations: Mapping[str, Calibrations] | None = None, *, alone: bool = False
) -> dict[str, Reader]:
    """Return a reader for each source, with the calibrations of that source or `PLAIN`.

    ``alone``: without the corner network, since its evidence comes after the calibration.
    """
    loaded: dict[tuple[Path, Calibrations], Reader] = {}
    by_source = {}
    for source, folder in judged.folder_of.items():
        known = (calibrations or {}).get(source, PLAIN)
        if (folder, known) not in loaded:
            model = _loaded(folder, known)
            loaded[folder, known] = Reader(replace(model, corner=None) if alone else model)
        by_source[source] = loaded[folder, known]
    return by_source


def calibrated(
    judged: Judged, photographs: Sequence[Scene], heaps: Sequence[Scene]
) -> tuple[dict[str, Reader], dict[str, Calibrations], Calibrations]:
    """Fit the calibrations: of free cards to ``photographs``, of occluded cards to ``heaps`` (`sets.heaps`).

    Returns readers, each calibrated on the readings of the other folds; the calibrations of each source; and the
    calibrations fitted to all folds, for a model that ships.
    """
    plain = readers(judged, alone=True)
    free, occluded = (
        read(plain, [scene for scene in scenes if scene.source not in DRAWN_ON]) for scenes in (photographs, heaps)
    )

    def fitted(left_out: Collection[str]) -> Calibrations:
        return Calibrations(
            fit(result for result in free if result.scene.source not in left_out),
            fit((result for result in occluded if result.scene.source not in left_out), occluded=True),
        )

    of = {source: one for sources in FOLDS for one in (fitted(sources),) for source in sources}
    of = {source: one for source, one in of.items() if source in judged.folder_of}
    return readers(judged, of), of, fitted(())


def _loaded(folder: Path, calibrations: Calibrations) -> models.Model:
    if not (folder / models.FIGURES).exists():  # its own calibration is fitted last
        models.save_calibrations(folder, *PLAIN)
    free, occluded = calibrations
    return replace(models.load(folder), calibration=free, occluded=occluded)


def read(by_source: Mapping[str, Reader], scenes: Iterable[Scene]) -> list[Result]:
    """Read the scenes; those of sources without a reader are skipped."""
    return [timed(by_source[scene.source].read, scene) for scene in scenes if scene.source in by_source]


def timed(way: Callable[[Array], Reading], scene: Scene) -> Result:
    """Read a scene with a method; measure its CPU time."""
    image = scene.picture()
    began = process_time()
    reading = way(image)
    spent = (process_time() - began) * 1000
    result = judge(scene, reading)
    result.ms = spent
    return result
