"""Reading of scenes by a model under measurement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path
from time import process_time

from cardsight import Reading
from cardsight import model as models
from cardsight.explanation import explained
from cardsight.fusion import ConfidenceCalibration
from cardsight.layout import LayoutModel
from cardsight.reader import Reader
from cardsight.still import completed
from training.measure.judging import Result, Scene, judge
from training.photometry import Array
from training.photos import GROUPS

PLAIN = ConfidenceCalibration(1.0, 0.0)
"""Identity: the network's own confidence, to which calibrations are fitted."""
SOURCES = tuple(source for sources in GROUPS for source in sources)


def unseen(learned: Collection[str]) -> list[str]:
    """Return the sources of photographs that measure a model which has learned from others."""
    return [source for source in SOURCES if source not in learned]


def uncalibrated(folder: Path) -> models.Model:
    """Return the model in a folder without what is fitted to its readings.

    Without the corner network, too, since its evidence comes after the calibration.
    """
    if not (folder / models.FIGURES).exists():
        models.save_figures(folder, [PLAIN] * len(models.CALIBRATIONS))
    plain = replace(models.load(folder), calibration=PLAIN, occluded=PLAIN)
    return replace(plain, corner=None, novelty=None, poor={})


def still(model: models.Model, fitted: LayoutModel | None = None) -> Callable[[Array], Reading]:
    """Return the way in which `croupier tally` reads a picture: with ``?`` for each card that it cannot read.

    ``fitted``: the layout then takes the place of the searches of `tally`.
    """
    reader = Reader(model)

    def read_still(image: Array) -> Reading:
        if fitted is not None:
            return explained(image, reader.read(image), model, fitted)
        return completed(image, reader.read(image), model)

    return read_still


def read(way: Callable[[Array], Reading], scenes: Iterable[Scene]) -> list[Result]:
    """Read the scenes with a method."""
    return [timed(way, scene) for scene in scenes]


def timed(way: Callable[[Array], Reading], scene: Scene) -> Result:
    """Read a scene with a method; measure its CPU time."""
    image = scene.picture()
    began = process_time()
    reading = way(image)
    spent = (process_time() - began) * 1000
    result = judge(scene, reading)
    result.ms = spent
    return result
