"""An edition that nobody sells and no network has seen: a white diamond on full color, serif numerals, other colors."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tests.vision.laid import Image, Lying, grained, lay

INKS = {
    "red": (90, 40, 200),
    "yellow": (60, 170, 240),
    "green": (150, 160, 30),
    "blue": (150, 70, 90),
    "wild": (60, 60, 60),
}
SIGNS = {"skip": "X", "reverse": "R", "draw2": "D", "": "W", "draw4": "F"}
PALE = (235, 240, 242)
WIDTH = 240


def draw(face: str, border: bool = True) -> Image:
    """A straight picture of the face; without its white border the reader takes it for no card."""
    length = round(WIDTH * 88 / 56)
    card = np.full((length, WIDTH, 3), PALE, np.uint8)
    color, _, symbol = face.partition("-")
    edge = 16 if border else 0
    cv2.rectangle(card, (edge, edge), (WIDTH - edge, length - edge), INKS[color], cv2.FILLED)
    diamond = np.array([(0.5, 0.14), (0.88, 0.5), (0.5, 0.86), (0.12, 0.5)]) * (WIDTH, length)
    cv2.fillPoly(card, [diamond.astype(np.int32)], PALE, cv2.LINE_AA)
    sign = SIGNS.get(symbol, symbol)
    for x, y, size, ink in ((0.5, 0.5, 4.5, INKS[color]), (0.17, 0.12, 1.8, PALE)):
        (wide, high), _ = cv2.getTextSize(sign, cv2.FONT_HERSHEY_TRIPLEX, size, 5)
        at = (round(x * WIDTH - wide / 2), round(y * length + high / 2))
        cv2.putText(card, sign, at, cv2.FONT_HERSHEY_TRIPLEX, size, ink, 5, cv2.LINE_AA)
    return card


def picture(cards: Sequence[Lying], border: bool = True, size: tuple[int, int] = (1280, 720), seed: int = 0) -> Image:
    """These cards on wood, in this edition."""
    image = np.full((size[1], size[0], 3), (70, 110, 150), np.float32)
    for card in cards:
        lay(image, card, draw(card.face, border))
    return grained(image, seed)
