"""Made-up answers of the reader network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardsight.classify import FACES
from croupier_rules.cards import COLORED, COLORS, SYMBOLS

Probabilities = npt.NDArray[np.floating]


def belief(**chances: float) -> Probabilities:
    """Probabilities of faces, named like ``red_7``; what is left is shared by all others."""
    given = {name.replace("_", "-"): chance for name, chance in chances.items()}
    rest = (1 - sum(given.values())) / (len(FACES) - len(given))
    return np.array([given.get(face, rest) for face in FACES])


def signs_of(faces: Probabilities) -> Probabilities:
    """What is known of the symbol alone, where the faces are as likely as that."""
    by_symbol = [sum(faces[FACES.index(f"{color}-{symbol}")] for color in COLORS) for symbol in SYMBOLS]
    return np.array([*by_symbol, *faces[len(COLORED) :]])
