"""Protocol of card readers, `reader.Reader`, one for a learned deck, one that corrects another, or one of a test; and
the picture that they read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import numpy as np

from cardsight.geometry import Image, pyramid
from cardsight.sighting import Reading


class CardReader(Protocol):
    """Anything that reads the cards in a picture: `cardsight.reader.Reader`."""

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Read all cards in the picture. ``faces``: the deck in play, ``None`` where unknown. ``top_only``: covered
        cards need not be found. ``long_px``: the length of the cards where it is known; other sizes are not
        searched."""


def levels_of(image: Image | list[Image]) -> list[Image]:
    """Return the `pyramid` of a picture (height, width, 3; BGR, uint8), or a pyramid as it is.

    Raises `ValueError` if ``image`` has another form.
    """
    if isinstance(image, list):
        return image
    if not isinstance(image, np.ndarray):  # cv2.imread gives None for a file that it cannot read
        raise ValueError(f"a picture is an array of uint8, height x width x 3, not {type(image).__name__}")
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"a picture is an array of uint8, height x width x 3, not {image.dtype} {image.shape}")
    return pyramid(image)
