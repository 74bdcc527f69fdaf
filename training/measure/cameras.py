"""Cameras that are set up wrongly: how many photographs, taken as such a camera would, are told, and how many good ones
are suspected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from cardsight import camera_check
from cardsight.geometry import pyramid
from cardsight.model import Model
from cardsight.reader import Reader
from croupier_rules.cards import UNREAD
from training.photometry import Array
from training.photos import Photo


def _torn(picture: Array) -> Array:
    lost = picture.copy()
    lost[len(lost) // 2 :] = (0, 135, 0)
    return lost


ALTERED: Final[Mapping[str, Callable[[Array], Array]]] = {
    "good": lambda picture: picture,
    "colors-exchanged": lambda picture: np.ascontiguousarray(picture[..., ::-1]),
    "mirrored": lambda picture: np.ascontiguousarray(picture[:, ::-1]),
    "torn": _torn,
}


def rows(photos: Sequence[Photo], model: Model) -> list[dict[str, Any]]:
    """Return, for each source and way of altering, the number of pictures, of those with a card that was read, of those
    in which each fault was told, of mended ones, and of those that tell a wrong face in silence."""
    read = Reader(model).read
    found = []
    for source in dict.fromkeys(photo.source for photo in photos):
        for name, alter in ALTERED.items():
            counts = Counter[str]()
            for photo in photos:
                if photo.source != source:
                    continue
                levels = pyramid(alter(photo.picture()))
                reading = read(levels)
                seen = camera_check.checked(levels, reading, model, read)
                wrong = Counter(card.face for card in seen.reading.cards if card.face != UNREAD) - Counter(photo.faces)
                is_silent = seen.fault is None or seen.is_mended
                counts.update({
                    "pictures": 1, "with cards": bool(reading.cards), f"told {seen.fault}": seen.fault is not None,
                    "mended": seen.is_mended, "wrong in silence": is_silent and bool(wrong),
                })  # fmt: skip
            found.append({"source": source, "pictures are": name, **{k: int(n) for k, n in counts.items() if n}})
    return found
