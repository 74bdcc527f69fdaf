"""Draws a hand and its arm over the table: capsules with a lighter ridge, softened."""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from croupier.devices.protocols import Image

_Number = TypeVar("_Number", bound=np.generic)

_FINGERS = ((-24.0, 28.0), (-9.0, 40.0), (7.0, 42.0), (22.0, 34.0))
"""Tips of the fingers in mm: sideways and forwards of the middle of the palm."""
_THUMB = (-38.0, 8.0)


def draw_hand(
    image: Image, light: npt.NDArray[np.float32], points_px: npt.NDArray[np.float64], px_per_mm: float,
    skin: tuple[int, int, int], sleeve: tuple[int, int, int],
) -> None:  # fmt: skip
    """Draw into ``image``: fingertips reach just past the first of ``points_px``, the wrist is the second, the arm
    leaves the picture towards the third."""
    tip, wrist, edge = points_px
    forward = (tip - wrist) / max(float(np.hypot(*(tip - wrist))), 1.0)
    side = np.array([-forward[1], forward[0]])
    palm = tip - forward * 34 * px_per_mm

    def place(sideways: float, ahead: float) -> npt.NDArray[np.float64]:
        return np.asarray(palm + (side * sideways + forward * ahead) * px_per_mm)

    bones = [(place(x * 0.8, 4), place(x, ahead), 15.0) for x, ahead in _FINGERS]
    bones += [(place(-18, -22), place(*_THUMB), 17.0), (place(-7, -8), place(7, -8), 52.0), (wrist, palm, 40.0)]
    arm = [(edge, wrist - forward * 6 * px_per_mm, 62.0)]

    ends = np.array([end for bone in bones + arm for end in bone[:2]])
    margin = 40 * px_per_mm
    left, top = np.maximum(ends.min(axis=0) - margin, 0).astype(int)
    right, bottom = np.minimum(ends.max(axis=0) + margin, (image.shape[1], image.shape[0])).astype(int)
    if right - left < 2 or bottom - top < 2:
        return
    layer = np.zeros((bottom - top, right - left, 3), np.uint8)
    mask = np.zeros((bottom - top, right - left), np.uint8)
    for parts, color in ((bones, skin), (arm, sleeve)):
        for shade, width in ((0.72, 1.0), (0.9, 0.82), (1.0, 0.5)):
            paint = tuple(channel * shade for channel in color)
            for a, b, thick in parts:
                ends_px = [tuple(int(v) for v in np.round(end - (left, top))) for end in (a, b)]
                line_px = max(1, round(thick * width * px_per_mm))
                cv2.line(layer, ends_px[0], ends_px[1], paint, line_px, cv2.LINE_AA)
                cv2.line(mask, ends_px[0], ends_px[1], 255, line_px, cv2.LINE_AA)
    layer = np.asarray(cv2.GaussianBlur(layer, (7, 7), 2.0), np.uint8)
    cover = cv2.GaussianBlur(mask, (5, 5), 1.2)[..., None].astype(np.float32) / 255
    shadow = shifted(cv2.blur(mask, (25, 25)), 8, 12)[..., None].astype(np.float32) * (0.4 / 255)
    under = image[top:bottom, left:right]
    lit = layer * light[top:bottom, left:right]
    image[top:bottom, left:right] = (under * (1 - shadow) * (1 - cover) + lit * cover).astype(np.uint8)


def shifted(layer: npt.NDArray[_Number], right: int, down: int) -> npt.NDArray[_Number]:
    """The layer moved; what comes in from outside is 0."""
    moved = np.zeros_like(layer)
    moved[down:, right:] = layer[: max(0, layer.shape[0] - down), : max(0, layer.shape[1] - right)]
    return moved
