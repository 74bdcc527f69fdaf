"""Training of the weights of `cardsight.unexplained`.

Samples are what the detector proposes around the cards that were read, where the truth is known: in close fans, piles
and fans, and in pictures in which no card covers another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cardsight import model as models
from cardsight.edges import with_cards_at_edge
from cardsight.geometry import Outline, pyramid, quad_of
from cardsight.indices import with_indices
from cardsight.reader import Reader
from cardsight.sighting import Reading
from cardsight.table_colors import uncovered
from cardsight.unexplained import FEATURES, Unexplained, angle_between, unexplained
from training.measure import sets
from training.measure.calibration import regression
from training.measure.judging import Card, Scene
from training.photos import Photo

COVERED: Mapping[str, int] = {"close fan": 40, "hand": 30, "pile": 16}
FREE: Mapping[str, int] = {"oblique": 20, "held": 30}
"""Number of scenes of each kind, for each material: with cards under others, and without."""
PHOTOGRAPHS = 30
"""Maximum number of photographs of each source."""
VISIBLE = 0.06
"""Visible fraction from which a card can be seen at all."""
SAME_PLACE, SAME_ANGLE = 0.18, 0.16
"""Distance between centers (card lengths) and angle (rad) up to which an outline that was read is that of a card."""
MOSTLY, PARTLY = 0.5, 0.2
"""Fraction of the uncovered part of an outline that shows a card, from which it is right, and up to which it is
wrong. Its place need not be exact: it is a question."""
FALSE_WEIGHT = 4.0
"""Weight of an outline in a picture without cards under others: a false question costs more than one of several that a
heap gives."""


class Known(NamedTuple):
    """The folder of networks, and what shows what they know: cards that they have not learned, and, if these were
    photographed, the photographs."""

    folder: Path
    material: sets.Material
    photos: Sequence[Photo] = ()

    def model(self) -> models.Model:
        """Return the model in the folder, without the novelty detector, which is fitted to other cards."""
        return replace(models.load(self.folder), novelty=None)


def fit(shown: Sequence[Known]) -> dict[str, float]:
    """Return the weights by feature."""
    x, y, weight = [], [], []
    for scene, found, reading in samples(shown):
        is_free = scene.kind not in COVERED
        for one in found:
            right = False if is_free else is_card(one, scene.cards, reading)
            if right is not None:
                x.append(one.features)
                y.append(float(right))
                weight.append(FALSE_WEIGHT if is_free else 1.0)
    print(f"unexplained: {len(y)} outlines, {int(sum(y))} of them cards", flush=True)
    weights = regression(np.reshape(x, (-1, len(FEATURES))), np.array(y), np.array(weight))
    return dict(zip(FEATURES, weights.tolist(), strict=True))


def samples(shown: Sequence[Known]) -> Iterator[tuple[Scene, list[Unexplained], Reading]]:
    """Yield each scene, what may be a card there, and the reading."""
    for one in shown:
        model = one.model()
        reader = Reader(model)
        step = max(1, len(one.photos) // PHOTOGRAPHS)
        laid = sets.laid(one.material, {**COVERED, **FREE}, "unexplained")
        for scene in [*sets.photographs(one.photos[::step]), *laid]:
            image = scene.picture()
            levels = pyramid(image)
            reading = with_cards_at_edge(levels, reader.read(image), model.detector)
            reading = with_indices(levels, reading, model)
            yield scene, list(unexplained(levels, reading, model)), reading


def is_card(one: Outline, cards: Sequence[Card], reading: Reading) -> bool | None:
    """True if the uncovered part of an outline shows a card that was not read; ``None`` if it does so in part."""
    read = [Outline(quad_of(card.corners_px)) for card in (*reading.cards, *reading.backs)]
    free, most = float(uncovered(one.quad, read, reading.size).sum()), 0.0
    for card in cards:
        if card.quad is not None and card.seen >= VISIBLE:
            outline = Outline(np.asarray(card.quad, np.float32))
            if not any(_is_same(outline, other) for other in read):
                others = float(uncovered(one.quad, [outline, *read], reading.size).sum())
                most = max(most, 1 - others / max(1.0, free))
    return True if most > MOSTLY else None if most > PARTLY else False


def _is_same(one: Outline, other: Outline) -> bool:
    near = one.distance_to(other) < SAME_PLACE * other.long
    return near and angle_between(one.quad, other.quad) < SAME_ANGLE
