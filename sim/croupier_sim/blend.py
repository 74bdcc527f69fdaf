"""Lays one drawing over another. All is kept in bytes, 0…255, where OpenCV is quickest."""

from __future__ import annotations

import cv2
import numpy as np

from croupier.devices.protocols import Image


def lay_over(under: Image, drawing: Image, cover: Image, shadow: Image) -> Image:
    """``drawing``, already cut out and lit, over ``under`` (height x width x 3 both), which is hidden where ``cover``
    is 255 and dark where ``shadow`` is (height x width both)."""
    left = times(255 - shadow, 255 - cover)
    return np.asarray(cv2.add(times(under, three(left)), drawing), np.uint8)


def times(a: Image, b: Image, part: float = 1.0) -> Image:
    """Both multiplied, 255 being one, and by ``part``."""
    return np.asarray(cv2.multiply(a, b, scale=part / 255), np.uint8)


def part_of(layer: Image, part: float) -> Image:
    """The layer, weaker."""
    return np.asarray(cv2.convertScaleAbs(layer, alpha=part), np.uint8)


def three(layer: Image) -> Image:
    """One layer as all three colors."""
    return np.asarray(cv2.cvtColor(layer, cv2.COLOR_GRAY2BGR), np.uint8)


def softened(layer: Image, side: int) -> Image:
    """The layer blurred twice over squares of ``side`` pixels: nearly a bell, and much quicker than one."""
    return np.asarray(cv2.blur(cv2.blur(layer, (side, side)), (side, side)), np.uint8)


def shifted(layer: Image, right: int, down: int) -> Image:
    """The layer moved; what comes in from outside is 0."""
    moved = np.zeros_like(layer)
    moved[down:, right:] = layer[: max(0, layer.shape[0] - down), : max(0, layer.shape[1] - right)]
    return moved
