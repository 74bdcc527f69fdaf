"""Models fitted to the readings of the finished networks: how sure the reader is of what it sees.

- The calibrations of free and of occluded cards, and the novelty detector (`training.train_novelty`).
- All are fitted to scenes composed of drawn cards and of cards cut out of the licensed photographs. A licensed source
  is read by networks that have not learned from it: what is known by heart says nothing of what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from cardsight import model as models
from cardsight import novelty
from cardsight.fusion import ConfidenceCalibration
from cardsight.reader import Reader
from training import train_novelty
from training.measure import calibration, sets
from training.measure.judging import Result, Scene
from training.measure.models import PLAIN, Known, read, uncalibrated
from training.parallel import run_parallel
from training.photos import Photo

FREE: Mapping[str, int] = {"oblique": 24, "held": 48}
OCCLUDED: Mapping[str, int] = {"fan": 24, "pile": 24, "covered": 24, "close fan": 24}
"""Number of scenes of each kind, for each material, to which the calibrations are fitted."""


def known(model: Path, without: Mapping[str, Path], photos: Sequence[Photo]) -> list[Known]:
    """Return what the networks are shown: drawn cards, and those of each source of the licensed ``photos``.

    ``without``: for each source, the folder of networks that have not learned from it.
    """
    shown = [Known(model, sets.drawn("beliefs"))]
    for source, folder in without.items():
        own = [photo for photo in photos if photo.source == source]
        if own and (material := sets.photographed(own, photos, "beliefs")):
            tables = [*material.tables, *shown[0].material.tables]
            shown.append(Known(folder, replace(material, tables=tables), own))
    return shown


def fit(model: Path, shown: Sequence[Known], seed: int) -> None:
    """Fit everything, and write it into the folder of the networks. Takes ten minutes."""
    _save(shown, (PLAIN, PLAIN))
    _, known, unlearned = run_parallel(
        [
            partial(_fit_figures, model, shown),
            partial(train_novelty.known, shown, seed),
            partial(train_novelty.unlearned, model, seed),
        ]
    )
    print(f"novelty: {len(known)} known cards, {len(unlearned)} unlearned", flush=True)
    novelty.save(train_novelty.fitted(known, unlearned), model)


def _fit_figures(model: Path, shown: Sequence[Known]) -> None:
    free, poor = _free(shown)
    occluded = _occluded(shown)
    print(f"calibrations: free {free}, poor {poor}, occluded {occluded}", flush=True)
    _save(shown, (free, occluded), poor)


def _save(shown: Sequence[Known], calibrations: Sequence[ConfidenceCalibration], *weights: Mapping[str, float]) -> None:
    for one in shown:
        models.save_figures(one.folder, calibrations, weights)


def _free(shown: Sequence[Known]) -> tuple[ConfidenceCalibration, dict[str, float]]:
    def scenes(one: Known) -> Iterator[Scene]:
        yield from sets.laid(one.material, FREE, "beliefs")
        yield from sets.laid_poorly(one.material, FREE, "beliefs, poorly")
        if one.photos:
            yield from (*sets.photographs(one.photos), *sets.relit(one.photos), *sets.disturbed(one.photos))

    return calibration.fit_free(result for one in shown for result in _read(one, scenes(one)))


def _occluded(shown: Sequence[Known]) -> ConfidenceCalibration:
    return calibration.fit_occluded(
        result for one in shown for result in _read(one, sets.laid(one.material, OCCLUDED, "beliefs"))
    )


def _read(one: Known, scenes: Iterable[Scene]) -> list[Result]:
    return read(Reader(uncalibrated(one.folder)).read, scenes)
