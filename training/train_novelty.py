"""Training of the novelty detector, on what the finished networks say of cards.

Known: drawn cards and the licensed photographs, also of fewer pixels or without color. Unlearned: drawn cards with
random signs (`training.strange`). `python -m training.train_novelty` measures the shipped detector on photographs of
other sources, on the own cards of the deck files, and on an invented deck.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight import model as models
from cardsight.classify import EMBEDDING, SIGN_OF, SIGNS, sign_of
from cardsight.corners import classify_corners
from cardsight.decision import Deck, Evidence, believed, decide
from cardsight.geometry import Image, Quad, overlap, rectangle
from cardsight.novelty import NoveltyDetector, features
from cardsight.novelty import load as load_detector
from cardsight.reader import Reader
from croupier.cards import COLORS, FACES, LEARNED, STARRED, UNREAD
from croupier_sim.drawing import card_mask, draw_face
from training import card, cards, strange
from training.backgrounds import background
from training.measure import sets
from training.measure.judging import Scene
from training.measure.models import uncalibrated, unseen
from training.photometry import Array, Random, lit, shot
from training.photos import Photo, load
from training.train_unexplained import Known

HIDDEN: Final = 32
STEPS: Final = 2500
BATCH: Final = 256
RATE: Final = 3e-3
DECAY: Final = 1e-3
"""Size of the hidden layer, and settings of Adam (Kingma and Ba 2015)."""
NOISE: Final = 0.01
"""Standard deviation of what is added to each value of the embeddings: those of other prints differ a little."""
PRINTS: Final = 64
"""Drawn cards of each known face."""
STRANGE_PRINTS: Final = 4000
"""Drawn cards with random signs."""
WIDTH, HEIGHT = 1280, 720
COVERED: Final = 0.17
GRAY: Final = 0.05
"""Fractions of the drawn cards with something over a part, and of the pictures without color."""
_THINGS: Final = ((125, 165, 215), (85, 125, 180), (55, 80, 120), (60, 55, 50))


class Sample(NamedTuple):
    """A card as the reader saw it. ``is_right``: its sign was; ``is_unread``: it is ``?`` without the detector;
    ``is_unlearned``: the detector says so, if there is one; ``source``: of the photograph, "" if it is drawn."""

    features: NDArray[np.float64]
    is_right: bool
    is_unread: bool
    is_unlearned: bool
    source: str = ""


class Watched(Reader):
    """The reader without the calibrations, and without a detector if none is given. ``seen``: the evidence on all cards
    of the last picture, and their features."""

    def __init__(self, folder: Path = models.FOLDER, detector: NoveltyDetector | None = None) -> None:
        self._parts = replace(uncalibrated(folder), corner=models.load(folder).corner, novelty=detector)
        super().__init__(self._parts)
        self.seen: list[tuple[Evidence, NDArray[np.float64]]] = []

    def _add_corners(self, levels: list[Image], seen: Sequence[Evidence], deck: Deck) -> None:
        super()._add_corners(levels, seen, deck)
        up = [one for one in seen if not one.card.is_back]
        assert self._parts.corner is not None
        shown = classify_corners(self._parts.corner, levels, [one.card.quad for one in up])
        self.seen = [
            (one, features(one.card.classification.embedding, corners, int(SIGN_OF[believed(one, deck).argmax()])))
            for one, corners in zip(up, shown, strict=True)
        ]

    def samples(self, image: Image, known: Sequence[tuple[str, Quad | None]], source: str = "") -> Iterator[Sample]:
        """Read a picture. ``known``: its faces and outlines; ``None``: it shows one card."""
        self.read(image)
        for one, values in self.seen:
            for face, quad in known:
                if quad is None or overlap(np.asarray(quad, np.float32), one.card.quad) > 0.7:
                    is_right = SIGNS[SIGN_OF[believed(one, Deck()).argmax()]] == sign_of(face)
                    is_unread = decide(replace(one, is_unlearned=False), Deck()).face == UNREAD
                    yield Sample(values, is_right, is_unread, one.is_unlearned, source)
                    break


def photographed(reader: Watched, photos: Sequence[Photo], rng: Random) -> list[Sample]:
    """Return the samples of all photographs, as they are, with fewer pixels or without color, and each disturbed in all
    ways: with these, a fifth as many cards of a source that it has not seen seem unlearned."""
    found, all_of_them = list[Sample](), float(len(photos))
    for scene in (*sets.relit(photos, all_of_them), *sets.disturbed(photos, all_of_them)):
        found += reader.samples(scene.picture(), _known(scene), scene.source)
    for photo in photos:
        picture = photo.picture()
        size = float(rng.choice([1.0, 0.5, 0.7]))
        if size == 1:
            other = cv2.merge([cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)] * 3)
        else:
            other = cv2.resize(picture, None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
        for image, scale in ((picture, 1.0), (shot(rng, other.astype(np.float32) / 255), size)):
            one = len(photo.faces) == 1
            known = [(face, quad * scale) for face, quad in photo.outlines]
            found += reader.samples(image, [(photo.faces[0], None)] if one else known, photo.source)
    return found


def _known(scene: Scene) -> list[tuple[str, Quad | None]]:
    return [(card.face, card.quad if len(scene.cards) > 1 else None) for card in scene.cards]


def drawn(reader: Watched, faces: Sequence[tuple[str, Array]], rng: Random) -> list[Sample]:
    """Return the samples of drawn cards, eight in a picture. A card that the reader does not see is none."""
    found = list[Sample]()
    for begin in range(0, len(faces), 8):
        image = 255 * background(rng, HEIGHT, WIDTH)
        width, known = float(rng.uniform(60, 180)), list[tuple[str, Quad | None]]()
        for place, (face, drawing) in enumerate(faces[begin : begin + 8]):
            x, y = 160 + 320 * (place % 4), 185 + 350 * (place // 4)
            quad = rectangle(*rng.normal((x, y), 10), width * 88 / 56, width, float(rng.uniform(0, 2 * np.pi)))
            known.append((face, quad))
            _lay(image, quad, drawing)
            if rng.random() < COVERED:
                at = quad[int(rng.integers(4))] * 0.8 + quad.mean(0) * 0.2
                axes = (round(width * rng.uniform(0.1, 0.3)), round(width * rng.uniform(0.2, 0.5)))
                thing = _THINGS[int(rng.integers(len(_THINGS)))]
                cv2.ellipse(
                    image,
                    (round(float(at[0])), round(float(at[1]))),
                    axes,
                    float(rng.uniform(0, 180)),
                    0,
                    360,
                    thing,
                    -1,
                )
        if rng.random() < GRAY:
            image = cv2.merge([cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)] * 3)
        found += reader.samples(shot(rng, lit(rng, np.float32(image / 255).clip(0, 1))), known)
    return found


def _lay(image: Array, quad: Quad, drawing: Array) -> None:
    height, width = drawing.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, quad)
    alpha = cv2.warpPerspective(card_mask(width), matrix, (WIDTH, HEIGHT)).astype(np.float32)[..., None] / 255
    soft = cv2.GaussianBlur(drawing, (0, 0), 0.8).astype(np.float32)
    image += alpha * (cv2.warpPerspective(soft, matrix, (WIDTH, HEIGHT)) - image)


def fitted(known: Sequence[Sample], unlearned: Sequence[Sample]) -> NoveltyDetector:
    """Fit the detector by Adam to the cross entropy. Known cards whose sign was not read right do not count.

    The bias is corrected to as many unlearned cards as known ones.
    """
    rng = np.random.default_rng(1)
    right = [sample.features for sample in known if sample.is_right]
    seen = np.array(right + [sample.features for sample in unlearned])
    truth = np.arange(len(seen)) >= len(right)
    mean, spread = seen.mean(0), seen.std(0) + 0.01
    width = seen.shape[1]
    weights = [rng.normal(0, width**-0.5, (width, HIDDEN)), np.zeros(HIDDEN)]
    weights += [rng.normal(0, HIDDEN**-0.5, HIDDEN), np.zeros(1)]
    first, second = ([np.zeros_like(part) for part in weights] for _ in range(2))
    for step in range(1, STEPS + 1):
        chosen = rng.integers(0, len(seen), BATCH)
        batch = seen[chosen]
        batch[:, :EMBEDDING] += rng.normal(0, NOISE, (BATCH, EMBEDDING))
        batch = (batch - mean) / spread
        inside = np.maximum(batch @ weights[0] + weights[1], 0)
        error = (1 / (1 + np.exp(-inside @ weights[2] - weights[3])) - truth[chosen]) / BATCH
        back = np.outer(error, weights[2]) * (inside > 0)
        slopes = (
            batch.T @ back + DECAY * weights[0], back.sum(0),
            inside.T @ error + DECAY * weights[2], error.sum(keepdims=True),
        )  # fmt: skip
        rate = RATE * min(1.0, 4 * (1 - step / STEPS) + 0.02)
        for part, slope, m, v in zip(weights, slopes, first, second, strict=True):
            m += 0.1 * (slope - m)
            v += 0.001 * (slope * slope - v)
            part -= rate * m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    inner = weights[0] / spread[:, None]
    parts = (inner, weights[1] - mean @ inner, weights[2], weights[3] + np.log(len(right) / len(unlearned)))
    return NoveltyDetector(*(np.asarray(part, np.float32) for part in parts))


def fit(shown: Sequence[Known], seed: int) -> NoveltyDetector:
    """Fit the detector to what the networks say of drawn cards, and of photographs that they have not learned from."""
    rng, reader = np.random.default_rng(seed), Watched(shown[0].folder)
    plain = [(face, cards.drawn(rng, face, 240)) for _ in range(PRINTS) for face in cards.FACES]
    known = drawn(reader, plain, rng)
    for one in shown:
        known += photographed(Watched(one.folder), one.photos, rng) if one.photos else []
    unlearned = drawn(reader, [("", strange.drawn(rng)) for _ in range(STRANGE_PRINTS)], rng)
    print(f"novelty: {len(known)} known cards, {len(unlearned)} unlearned", flush=True)
    return fitted(known, unlearned)


def measured(seen: Mapping[str, Sequence[Sample]]) -> Iterator[tuple[str, int, float, float]]:
    """Yield rows: what, cards, fraction that is ``?`` without and with the detector."""
    for name, samples in seen.items():
        if samples:
            told = (one.is_unread or one.is_unlearned for one in samples)
            yield name, len(samples), sum(one.is_unread for one in samples) / len(samples), sum(told) / len(samples)


def main() -> int:
    """Measure the shipped detector."""
    rng, reader = np.random.default_rng(2), Watched(detector=load_detector(models.FOLDER))
    by_source = {source: [photo for photo in load() if photo.source == source] for source in unseen(card.learned())}
    seen = {
        f"photographs of {source}": [one for one in photographed(reader, photos, rng) if one.is_right]
        for source, photos in by_source.items()
    }
    plain = [(face, cards.drawn(rng, face, 240)) for _ in range(PRINTS // 2) for face in cards.FACES]
    seen["drawn cards of known faces"] = [one for one in drawn(reader, plain, rng) if one.is_right]
    own = [(face, draw_face(face, cards.style(rng))) for _ in range(20) for face in FACES if face in _OWN]
    seen["unlearned: the deck files' own"] = drawn(reader, own, rng)
    invented = [
        (name, strange.invented(rng, name, color))
        for _ in range(4) for name in strange.INVENTED for color in (*COLORS, "wild")
    ]  # fmt: skip
    seen["unlearned: an invented deck"] = drawn(reader, invented, rng)
    for row in measured(seen):
        print("{:36s} {:>6d} cards, `?` {:>6.1%} without, {:>6.1%} with the detector".format(*row), flush=True)
    return 0


_OWN: Final = {face for face in FACES if face not in LEARNED + STARRED}


if __name__ == "__main__":
    sys.exit(main())
