"""What is fitted to the readings of the finished networks: how sure the reader is of what it sees.

- The calibrations of free and of occluded cards, the weights of `cardsight.indices`, the novelty detector
  (`training.train_novelty`), and the weights of `cardsight.unexplained` (`training.train_unexplained`).
- All are fitted to scenes composed of drawn cards and of cards cut out of the licensed photographs. A licensed source
  is read by networks that have not learned from it: what is known by heart says nothing of what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from cardsight import model as models
from cardsight import novelty
from cardsight.classify import FACES
from cardsight.fusion import ConfidenceCalibration
from cardsight.geometry import Outline, length, pyramid
from cardsight.indices import FEATURES, Index, own_corners, unread
from cardsight.reader import Reader
from croupier_rules.cards import CARD_MM
from training import train_novelty, train_unexplained
from training.measure import calibration, sets
from training.measure.judging import Result, Scene
from training.measure.models import PLAIN, read, uncalibrated
from training.parallel import run_parallel
from training.photometry import Array
from training.photos import Photo
from training.train_unexplained import Known

FREE: Mapping[str, int] = {"oblique": 24, "held": 48}
OCCLUDED: Mapping[str, int] = {"fan": 24, "pile": 24, "covered": 24, "close fan": 24}
BY_INDEX: Mapping[str, int] = {"hand": 48, "close fan": 24, "pile": 24}
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
    _save(shown, (free, occluded), poor)
    _save(shown, (free, occluded), poor, index := _by_index(shown))
    print(f"calibrations: free {free}, poor {poor}, occluded {occluded}, index {index}", flush=True)
    models.save_figures(model, (free, occluded), (poor, index, train_unexplained.fit(shown)))


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


def _by_index(shown: Sequence[Known]) -> dict[str, float]:
    """Fit the weights of the features of a card that is named by its index."""
    features, right = list[Array](), list[bool]()
    for one in shown:
        model = one.model()
        reader = Reader(model)
        for scene in sets.laid(one.material, BY_INDEX, "beliefs"):
            image = scene.picture()
            for one in unread(pyramid(image), reader.read(image), model):
                at = length(one.quad) / CARD_MM[1]
                there = [c.face for c in scene.cards if c.quad is not None and _is_at(one.corner, c.quad, at)]
                features.append(one.features)
                right.append(FACES[int(one.faces.argmax())] in there)
    rows = np.reshape(features, (-1, len(FEATURES)))  # a trial may see none
    weights = calibration.regression(rows, np.array(right, float), np.ones(len(right)))
    return dict(zip(FEATURES, weights.tolist(), strict=True))


def _is_at(index: Index, quad: Array, px_per_mm: float) -> bool:
    corners = own_corners(Outline(np.asarray(quad, np.float32)))
    return any(index.is_at(corner, index.sign, px_per_mm) for corner in corners)
