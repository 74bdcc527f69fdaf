"""Reading of scenes by a model under measurement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import NamedTuple

from cardsight import Reading
from cardsight import model as models
from cardsight.explanation import Explanation
from cardsight.fusion import ConfidenceCalibration
from cardsight.geometry import pyramid
from cardsight.layout import LayoutModel
from cardsight.reader import Reader
from training.measure import sets
from training.measure.judging import Result, Scene, judge
from training.photometry import Array
from training.photos import GROUPS, Photo

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


class Known(NamedTuple):
    """The folder of networks, and what shows what they know: cards that they have not learned, and, if these were
    photographed, the photographs."""

    folder: Path
    material: sets.Material
    photos: Sequence[Photo] = ()

    def model(self) -> models.Model:
        """Return the model in the folder, without the novelty detector, which is fitted to other cards."""
        return replace(models.load(self.folder), novelty=None)


def still(model: models.Model, fitted: LayoutModel) -> Callable[..., Reading]:
    """Return the way in which `croupier tally` reads a picture, with the ``number`` of its cards if it is told."""
    reader = Reader(model)

    def read_still(image: Array, number: int | None = None) -> Reading:
        levels = pyramid(image)
        return Explanation(levels, reader.read(levels), model, fitted).reading(number)

    return read_still


def read_counted(way: Callable[..., Reading], scenes: Iterable[Scene]) -> list[Result]:
    """Read the scenes as `still` does, without the number of their cards, and with it."""
    results = read(way, scenes)
    for result in results:
        result.counted = way(result.scene.picture(), number=len(result.scene.cards))
    return results


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
