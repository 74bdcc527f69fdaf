"""Draws a hand and its arm over the table: capsules with a lighter ridge, softened."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from croupier.devices.protocols import Image
from croupier_sim.blend import lay_over, part_of, shifted, softened, three, times

_FINGERS = ((-24.0, 28.0), (-9.0, 40.0), (7.0, 42.0), (22.0, 34.0))
"""Tips of the fingers in mm: sideways and forwards of the middle of the palm."""
_THUMB = (-38.0, 8.0)
_SHADOW: Final = 0.4


def draw_hand(
    image: Image, light: Image, points_px: npt.NDArray[np.float64], px_per_mm: float,
    skin: tuple[int, int, int], sleeve: tuple[int, int, int],
) -> None:  # fmt: skip
    """Draw into ``image``: fingertips reach just past the first of ``points_px``, the wrist is the second, the arm
    leaves the picture towards the third. ``light``: at each pixel of ``image``, 255 being all of it."""
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
    layer, cover = softened(layer, 5), softened(mask, 3)
    shadow = part_of(shifted(softened(mask, 15), 8, 12), _SHADOW)
    part = np.s_[top:bottom, left:right]
    image[part] = lay_over(image[part], times(times(layer, light[part]), three(cover)), cover, shadow)
