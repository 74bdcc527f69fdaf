"""Novelty detection: does a card show a face that the networks have never learned?

Such a card is named by the reader network all the same, often with certainty: a face with three cards becomes a 4. Its
embedding and its printed corners tell otherwise. A small network of two layers weighs both: the embedding, of length 1,
and what the corner network says of the sign that was read. It was fitted to drawn cards, to drawn signs that no deck
has, and to photographs (`training/train_novelty.py`).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardsight.classify import EMBEDDING, Probabilities

FILE: Final = "novelty.npz"
SEEMING: Final = 2.0
"""Log odds below those of a decision from which a card is looked at again."""
_LEAST: Final = 1e-4
"""Smallest probability of a corner that counts: smaller ones say nothing more."""


class NoveltyDetector(NamedTuple):
    """The two layers: a ReLU of ``inner`` · features + ``inner_bias``, then ``outer`` · that + ``bias``."""

    inner: NDArray[np.float32]
    inner_bias: NDArray[np.float32]
    outer: NDArray[np.float32]
    bias: NDArray[np.float32]

    def log_odds(self, seen: NDArray[np.float64]) -> float:
        """Return the log odds that a card with these `features` is of an unlearned face, if every second card is."""
        hidden = np.maximum(seen @ self.inner + self.inner_bias, 0)
        return float(hidden @ self.outer + self.bias[0])

    def is_unlearned(self, embedding: Probabilities, sign: int, corners: Probabilities, prior: float) -> bool:
        """True if a card is rather of a face that was never learned. ``prior``: log odds of such a card in the deck;
        the other arguments are those of `features`."""
        return self.log_odds(features(embedding, corners, sign)) + prior > 0

    def may_be_unlearned(self, embedding: Probabilities, sign: int, corners: Probabilities, prior: float) -> bool:
        """True if a card with these ``corners`` (n, 19; n is 0 or 1) may be of an unlearned face, depending on what its
        other printed corners show."""
        shown = _ANY_CORNERS
        if len(corners):
            seen = np.repeat(corners[:, [sign + 1, 0]], len(_ANYTHING), axis=0)
            shown = _of_corners(np.stack([seen, _ANYTHING], axis=1)).reshape(len(_ANYTHING), -1)
        inner = _of_print(embedding) @ self.inner[:EMBEDDING] + self.inner_bias
        hidden = np.maximum(inner + shown @ self.inner[EMBEDDING:], 0)
        return bool((hidden @ self.outer > -self.bias[0] - prior).any())


_ANYTHING: Final = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.0, 0.0]])
"""Classes of a corner: the sign that was read, nothing, either of them, another sign."""


def features(embedding: Probabilities, corners: Probabilities, sign: int) -> NDArray[np.float64]:
    """Return the features (132,) of a card: its embedding, and of both printed corners the logs of the probabilities
    that they show the sign that was read, and that they show none.

    ``corners``: of `corners.classify_corners`. ``sign``: index in `classify.SIGNS`.
    """
    return np.concatenate([_of_print(embedding), _of_corners(corners[:, [sign + 1, 0]]).ravel()]).astype(np.float64)


def _of_print(embedding: Probabilities) -> Probabilities:
    return embedding / (np.linalg.norm(embedding) + 1e-9)


def _of_corners(shown: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the features of both corners (…, 2, 2); their order does not matter."""
    return np.sort(np.log(shown + _LEAST), axis=-2)[..., ::-1, :]


_ANY_CORNERS: Final = _of_corners(np.array([*product(_ANYTHING, repeat=2)])).reshape(-1, 4)
"""The features of both corners before one was looked at."""


def load(folder: Path) -> NoveltyDetector:
    """Load the detector of a model. Raises `FileNotFoundError` if there is none."""
    with np.load(folder / FILE) as parts:
        return NoveltyDetector(*(parts[field] for field in NoveltyDetector._fields))


def save(detector: NoveltyDetector, folder: Path) -> None:
    """Write the detector into the folder of the networks."""
    np.savez_compressed(folder / FILE, **detector._asdict())
