"""Pictures of cards whose place is known: drawn faces laid onto a plain ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from croupier_sim.drawing import STYLES, card_mask, draw_back, draw_face

Image = npt.NDArray[np.uint8]
Quad = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float32]

GROUNDS = {"wood": (70, 110, 150), "black": (14, 13, 12), "paper": (225, 228, 230), "green cloth": (60, 90, 40)}


@dataclass(frozen=True)
class Lying:
    """A card (or ``back``) whose middle lies at ``x``, ``y`` px, turned clockwise by ``turn`` degrees."""

    face: str
    x: float
    y: float
    turn: float = 0.0
    width: float = 120.0
    style: str = "modern"

    def quad(self) -> Quad:
        """Its outline in px, from the top-left corner of the print, clockwise."""
        length = self.width * 88 / 56
        box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (self.width / 2, length / 2)
        a = np.radians(self.turn)
        turned = box @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        return np.asarray(turned + (self.x, self.y), np.float32)


def picture(
    cards: Sequence[Lying], ground: str | Image = "wood", size: tuple[int, int] = (1280, 720), seed: int = 0
) -> Image:
    """The cards, the first one lowest, with a little grain, as BGR. ``ground``: of `GROUNDS`, or a picture of it."""
    if isinstance(ground, str):
        image = _as_before(tuple(cards), ground, size, draw_face).copy()
    else:
        image = _drawn(cards, ground, size, draw_face)
    image += np.random.default_rng(seed).normal(0, 3, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def _drawn(cards: Sequence[Lying], ground: str | Image, size: tuple[int, int], draw: Callable[..., Image]) -> Floats:
    """The same without the grain, 0…255; ``draw``: what draws a face."""
    image = np.empty((size[1], size[0], 3), np.float32)
    image[:] = GROUNDS[ground] if isinstance(ground, str) else ground
    for card in cards:
        style = STYLES[card.style]
        face = draw_back(style, width_px=240) if card.face == "back" else draw(card.face, style, width_px=240)
        height, width = face.shape[:2]
        shrink = max(1.0, 240 / card.width)
        soft = cv2.GaussianBlur(face, (0, 0), 0.4 * shrink).astype(np.float32)
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(corners, card.quad())
        alpha = cv2.warpPerspective(card_mask(240), matrix, size).astype(np.float32)[..., None] / 255
        image += alpha * (cv2.warpPerspective(soft, matrix, size) - image)
    return image


_as_before = lru_cache(maxsize=4)(_drawn)
"""In a video most frames show what the one before did."""
