"""Training of the novelty detector, on what the finished networks say of cards.

Known: drawn cards and the licensed photographs, also of fewer pixels or without color. Unlearned: drawn cards with
random signs (`training.strange`), and the own faces of the deck files. `python -m training.train_novelty` measures the
shipped detector on photographs of other sources, on other prints of these faces, and on an invented deck.
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
from croupier_rules.cards import COLORS, FACES, LEARNED, STARRED, UNREAD
from croupier_sim.drawing import card_mask, draw_face
from training import card, cards, strange
from training.backgrounds import background
from training.measure import sets
from training.measure.judging import Scene
from training.measure.models import Known, uncalibrated, unseen
from training.photometry import Array, Random, lit, shot
from training.photos import Photo, load

HIDDEN: Final = 32
STEPS: Final = 2500
BATCH: Final = 256
RATE: Final = 3e-3
DECAY: Final = 1e-3
"""Size of the hidden layer, and settings of Adam (Kingma and Ba 2015)."""
NOISE: Final = 0.01
"""Standard deviation of what is added to each value of the embeddings: those of other prints differ a little."""
PRINTS: Final = 32
"""Drawn cards of each known face."""
STRANGE_PRINTS: Final = 2800
OWN_PRINTS: Final = 40
"""Drawn cards with random signs, and of each own face of a deck file."""
WIDTH, HEIGHT = 1280, 720
COVERED: Final = 0.17
GRAY: Final = 0.05
"""Fractions of the drawn cards with something over a part, and of the pictures without color."""
_THINGS: Final = ((125, 165, 215), (85, 125, 180), (55, 80, 120), (60, 55, 50))


class Sample(NamedTuple):
    """A card as the reader saw it.

    ``features``: (2, 132), at first and when it looks again. ``is_right``: its sign was. ``is_unread``: it is ``?``
    without the detector. ``is_unlearned``: the detector says so, if there is one. ``source``: of the photograph, "" if
    it is drawn.
    """

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
        again = self._embeddings(levels, [one.card for one in up])
        self.seen = []
        for one, corners, embedding in zip(up, shown, again, strict=True):
            sign = int(SIGN_OF[believed(one, deck).argmax()])
            both = [features(print_, corners, sign) for print_ in (one.card.classification.embedding, embedding)]
            self.seen.append((one, np.array(both)))

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
            found += reader.samples(image, _shown(photo, scale), photo.source)
    return found


def _shown(photo: Photo, scale: float = 1.0) -> list[tuple[str, Quad | None]]:
    one = len(photo.faces) == 1
    return [(photo.faces[0], None)] if one else [(face, quad * scale) for face, quad in photo.outlines]


def _known(scene: Scene) -> list[tuple[str, Quad | None]]:
    return [(card.face, card.quad if len(scene.cards) > 1 else None) for card in scene.cards]


def drawn(reader: Watched, faces: Sequence[tuple[str, Array]], rng: Random) -> list[Sample]:
    """Return the samples of drawn cards, eight in a picture. A card that the reader does not see is left out."""
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
    right = [look for sample in known if sample.is_right for look in sample.features]
    seen = np.array(right + [look for sample in unlearned for look in sample.features])
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
    bias = weights[3] + np.log(len(right) / (len(seen) - len(right)))
    parts = (inner, weights[1] - mean @ inner, weights[2], bias)
    return NoveltyDetector(*(np.asarray(part, np.float32) for part in parts))


def known(shown: Sequence[Known], seed: int) -> list[Sample]:
    """Return the samples of drawn cards, and of photographs that the networks have not learned from."""
    rng, reader = np.random.default_rng(seed), Watched(shown[0].folder)
    plain = [(face, cards.drawn(rng, face, 240)) for _ in range(PRINTS) for face in cards.FACES]
    found = drawn(reader, plain, rng)
    for one in shown:
        found += photographed(Watched(one.folder), one.photos, rng) if one.photos else []
    return found


def unlearned(folder: Path, seed: int) -> list[Sample]:
    """Return the samples of drawn cards of faces that no network has learned."""
    rng = np.random.default_rng((seed, 1))
    signs = [("", strange.drawn(rng)) for _ in range(STRANGE_PRINTS)]
    return drawn(Watched(folder), [*signs, *_own(rng, OWN_PRINTS)], rng)


def _own(rng: Random, count: int) -> list[tuple[str, Array]]:
    """Draw ``count`` prints of each own face of the deck files."""
    own = [face for face in FACES if face not in LEARNED + STARRED]
    return [(face, draw_face(face, cards.style(rng))) for _ in range(count) for face in own]


def measured(seen: Mapping[str, Sequence[Sample]]) -> Iterator[tuple[str, int, float, float]]:
    """Yield rows: what, cards, fraction that is ``?`` without and with the detector."""
    for name, samples in seen.items():
        if samples:
            told = (one.is_unread or one.is_unlearned for one in samples)
            yield name, len(samples), sum(one.is_unread for one in samples) / len(samples), sum(told) / len(samples)


def main() -> int:
    """Measure the shipped detector."""
    rng, reader = np.random.default_rng(2), Watched(detector=load_detector(models.FOLDER))
    seen = {
        f"photographs of {source}": [
            one
            for photo in load()
            if photo.source == source
            for one in reader.samples(photo.picture(), _shown(photo))
            if one.is_right
        ]
        for source in unseen(card.learned())
    }
    plain = [(face, cards.drawn(rng, face, 240)) for _ in range(PRINTS // 2) for face in cards.FACES]
    seen["drawn cards of known faces"] = [one for one in drawn(reader, plain, rng) if one.is_right]
    seen["unlearned: the deck files' own"] = drawn(reader, _own(rng, 20), rng)
    invented = [
        (name, strange.invented(rng, name, color))
        for _ in range(4) for name in strange.INVENTED for color in (*COLORS, "wild")
    ]  # fmt: skip
    seen["unlearned: an invented deck"] = drawn(reader, invented, rng)
    for row in measured(seen):
        print("{:36s} {:>6d} cards, `?` {:>6.1%} without, {:>6.1%} with the detector".format(*row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
