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


def fan(
    faces: Sequence[str], turn: float, step: float, reach: float, *,
    at: tuple[float, float] = (640, 360), width: float = 130.0,
) -> list[Lying]:  # fmt: skip
    """Cards fanned so that their indices show, each ``step`` degrees further round a point ``reach`` px below ``at``.
    The middle one is turned by ``turn`` degrees."""
    turns = [turn + (place - (len(faces) - 1) / 2) * step for place in range(len(faces))]
    angles = np.radians(turns)
    x, y = at[0] - reach * np.sin(np.radians(turn)), at[1] + reach * np.cos(np.radians(turn))
    return [
        Lying(face, x + reach * np.sin(a), y - reach * np.cos(a), one, width)
        for face, a, one in zip(faces, angles, turns, strict=True)
    ]


def picture(
    cards: Sequence[Lying], ground: str | Image = "wood", size: tuple[int, int] = (1280, 720), seed: int = 0
) -> Image:
    """The cards, the first one lowest, with a little grain, as BGR. ``ground``: of `GROUNDS`, or a picture of it."""
    if isinstance(ground, str):
        image = _as_before(tuple(cards), ground, size, draw_face).copy()
    else:
        image = _drawn(cards, ground, size, draw_face)
    return grained(image, seed)


def grained(image: Floats, seed: int) -> Image:
    """``image``, which is changed, with a little grain."""
    image += _grain(image.shape, seed)
    return np.clip(image, 0, 255, out=image).astype(np.uint8)


def lay(image: Floats, card: Lying, face: Image) -> None:
    """Draw ``face``, 240 px wide, onto ``image`` where ``card`` lies."""
    height, width = face.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    quad = card.quad()
    left, top = np.maximum(np.floor(quad.min(axis=0)) - 2, 0).astype(int)
    right, bottom = np.minimum(np.ceil(quad.max(axis=0)) + 3, (image.shape[1], image.shape[0])).astype(int)
    if left >= right or top >= bottom:
        return
    below = image[top:bottom, left:right]
    matrix = cv2.getPerspectiveTransform(corners, quad - np.array((left, top), np.float32))
    size = (int(right - left), int(bottom - top))
    alpha = cv2.warpPerspective(card_mask(width), matrix, size).astype(np.float32)[..., None] / 255
    soft = cv2.GaussianBlur(face, (0, 0), 0.4 * max(1.0, width / card.width)).astype(np.float32)
    below += alpha * (cv2.warpPerspective(soft, matrix, size) - below)


def _drawn(cards: Sequence[Lying], ground: str | Image, size: tuple[int, int], draw: Callable[..., Image]) -> Floats:
    """The same without the grain, 0…255; ``draw``: what draws a face."""
    image = np.empty((size[1], size[0], 3), np.float32)
    image[:] = GROUNDS[ground] if isinstance(ground, str) else ground
    for card in cards:
        lay(image, card, _printed(card.face, card.style, draw))
    return image


@lru_cache(maxsize=128)
def _printed(face: str, style: str, draw: Callable[..., Image]) -> Image:
    return draw_back(STYLES[style], width_px=240) if face == "back" else draw(face, STYLES[style], width_px=240)


@lru_cache(maxsize=4)
def _grain(shape: tuple[int, ...], seed: int) -> Floats:
    return np.random.default_rng(seed).normal(0, 3, shape).astype(np.float32)


_as_before = lru_cache(maxsize=4)(_drawn)
"""In a video most frames show what the one before did."""
