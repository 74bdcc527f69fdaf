"""Fits the weights of `cardsight.unexplained`: `python -m training.train_unexplained`, a few minutes without PyTorch.

Samples are what the detector proposes around the cards that were read: in close fans, piles and fans composed of
photographed cards, where the truth is known, and in the photographs themselves, where no card is covered. The sources
in `FITTED` are used, so that the others can measure it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from cardsight import model
from cardsight.edges import with_cards_at_edge
from cardsight.geometry import Outline
from cardsight.reader import Reader
from cardsight.unexplained import FEATURES, Unexplained, angle_between, unexplained
from training.measure import sets
from training.measure.judging import Card, Scene
from training.photometry import Array
from training.photos import FOLDS, Photo, load

FITTED = ("set-a", "set-c", "set-d", "set-f", "set-k", "table-a")
KINDS = {"close fan": 30, "pile": 8, "fan": 6}
"""Number of composed pictures of each kind for each source."""
PHOTOGRAPHS = 30
"""Maximum number of photographs of each source."""
VISIBLE = 0.06
"""Visible fraction from which a card can be seen at all."""
SAME_PLACE, SAME_ANGLE, SAME_IOU = 0.18, 0.16, 0.6
"""Distance between centers (card lengths) and angle (rad) up to which an outline is that of a card; IoU from which an
outline with another angle is neither right nor wrong."""
FALSE_WEIGHT = 4.0
"""Weight of a photograph's outlines: a false question costs more than one of several that a heap gives."""


def samples(photos: Sequence[Photo]) -> Iterator[tuple[Scene, list[Unexplained], list[Outline]]]:
    """Yield each scene, what may be a card there, and the outlines of the cards that were read."""
    parts = model.load()
    reader = Reader(parts)
    for source in FITTED:
        own = [photo for photo in photos if photo.source == source]
        fold = next(sources for sources in FOLDS if source in sources)
        beside = [photo for photo in photos if photo.source in fold]
        step = max(1, len(own) // PHOTOGRAPHS)
        for scene in [*sets.photographs(own[::step]), *sets.laid(own, beside, KINDS, "unexplained")]:
            image = scene.picture()
            reading = with_cards_at_edge(image, reader.read(image), parts.detectors)
            known = [Outline(np.array(card.corners_px, np.float32)) for card in (*reading.cards, *reading.backs)]
            yield scene, list(unexplained(image, reading, parts)), known


def is_card(one: Outline, cards: Sequence[Card], known: Sequence[Outline]) -> bool | None:
    """True if an outline is that of a visible card that was not read; ``None`` if it is roughly one."""
    roughly = False
    for card in cards:
        if card.quad is None or card.seen < VISIBLE:
            continue
        outline = Outline(np.asarray(card.quad, np.float32))
        if any(_is_same(outline, other) for other in known):
            continue
        if _is_same(one, outline):
            return True
        roughly = roughly or one.iou(outline) > SAME_IOU
    return None if roughly else False


def _is_same(one: Outline, other: Outline) -> bool:
    near = one.distance_to(other) < SAME_PLACE * other.long
    return near and angle_between(one.quad, other.quad) < SAME_ANGLE


def fit(x: Array, y: Array, weight: Array) -> Array:
    """Return the weights of a logistic regression, by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -35, 35)))
        gradient = x.T @ (weight * (p - y)) + 0.1 * w
        curve = (x * (weight * p * (1 - p) + 1e-9)[:, None]).T @ x + 0.1 * np.eye(len(w))
        w -= np.linalg.solve(curve, gradient)
    return w


def main() -> int:
    """Fit, and print the weights."""
    cv2.setNumThreads(1)
    photos = load()
    if not photos:
        print("train_unexplained: no photographs; name their folder in CROUPIER_PHOTOS", file=sys.stderr)
        return 2
    x, y, weight = [], [], []
    for scene, found, known in samples(photos):
        is_photograph = scene.kind == "photographs"
        for one in found:
            right = False if is_photograph else is_card(one, scene.cards, known)
            if right is not None:
                x.append(one.features)
                y.append(float(right))
                weight.append(FALSE_WEIGHT if is_photograph else 1.0)
    fitted = fit(np.array(x), np.array(y), np.array(weight))
    print(f"{len(y)} outlines, {int(sum(y))} of them cards")
    print(dict(zip(FEATURES, fitted.round(3).tolist(), strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
