"""Why the reader doubts a card: blur, an unusual color, other cards or things over it, the lamp, or the edge of the
picture."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.fusion import SOME_COLOR
from cardsight.geometry import CROP_H, CROP_W, Image, Quad, warp_crop
from cardsight.light import COLORED, chroma, colorfulness
from cardsight.sighting import Doubt
from croupier_rules.cards import color_of

SURE: Final = 0.9
"""Confidence from which a face is not doubted."""
SHARP: Final = 0.45
"""Sharpness that photographed cards exceed in all sources but one, which is soft; motion blur of a tenth of a card's
width halves it."""
TINTED: Final = 0.45
"""Second brightest of the channels of a card's white, as a fraction of the brightest, below which the lamp has one
color: the reader network corrects no more (`classify.normalize_crops`)."""
POOR: Final = ("blur", "tint")
FAIRLY_SURE: Final = 0.89
"""Highest confidence in a card whose picture is blurred or tinted, since networks are sure of what such a picture
hides; in a card of an unusual color; and in one that only its index names."""
HUES: Final = {"red": 28.0, "yellow": 92.0, "green": 136.0, "blue": -88.0}
"""Hue (degrees, in the plane of CIELAB's a and b) of each color on the photographs that the reader has learned."""
OTHER_HUE_DEG: Final = 70.0
"""Distance from the hue of a color from which a card is hardly of that color: green is 136 from blue."""
FLAT: Final = 8.0
"""Contrast (gray levels) below which a crop has no edges but noise."""


def why(levels: list[Image], quad: Quad, face: str, *, is_covered: bool, is_gray: bool) -> tuple[Doubt, ...]:
    """Return what makes the card along ``quad`` hard to read, if anything.

    ``levels``: the picture as a `pyramid`. ``face``: the likeliest. ``is_covered``: the reader found it among others.
    ``is_gray``: the picture has one color only.
    """
    crop = warp_crop(levels, quad)
    height, width = levels[0].shape[:2]
    is_cut = bool((quad < 0).any() or (quad > (width, height)).any())
    blur, tint = poorness(crop)
    is_lamp = is_gray or tint > 0 or colorfulness(crop[None])[0] < SOME_COLOR
    found: dict[Doubt, bool] = {
        "cut": is_cut, "covered": is_covered, "blur": blur > 0, "lamp": is_lamp,
        "color": not is_lamp and not is_covered and has_other_hue(crop, face),
    }  # fmt: skip
    return tuple(name for name, is_so in found.items() if is_so)


def poorness(crop: Image) -> NDArray[np.float64]:
    """Return how poor the picture of a card is, in the order of `POOR`, each 0 or more: the logs of how much less sharp
    it is than `SHARP`, and of how much more tinted than `TINTED`."""
    white = sorted(_white(crop))
    measured = np.array([sharpness(crop) / SHARP, white[1] / max(white[2], 1.0) / TINTED])
    return np.asarray(np.maximum(0.0, -np.log(np.maximum(measured, 0.05))), np.float64)


def has_other_hue(crop: Image, face: str) -> bool:
    """True if a card has another hue than the color of its ``face``, in the light of a lamp of any color."""
    if (usual := HUES.get(color_of(face) or "")) is None or (hue := panel_hue(crop)) is None:
        return False
    return abs((hue - usual + 180) % 360 - 180) > OTHER_HUE_DEG


def panel_hue(crop: Image) -> float | None:
    """Return the hue (degrees, in the plane of CIELAB's a and b) of the colored part of a card, relative to its white;
    None if it shows no color."""
    return _hue(crop[::3, ::3] / np.maximum(_white(crop), 1.0))


def panel_hues(crop: Image, own: NDArray[np.bool_]) -> tuple[float | None, float | None]:
    """Return the `panel_hue` of a card, and that which it would have if red and blue were exchanged in the picture.
    ``own``: the px of the crop that no other card can cover."""
    relative = (crop[::3, ::3] / np.maximum(_white(crop), 1.0))[own[::3, ::3]][None]
    return _hue(relative), _hue(np.ascontiguousarray(relative[..., ::-1]))


def _hue(relative: NDArray[np.floating]) -> float | None:
    """Return the hue of the colored part of the pixels of a card, relative to its white."""
    colors = chroma(relative)
    strength = np.abs(colors)
    place = int(0.95 * strength.size)
    strong = float(np.partition(strength, place, axis=None)[place])
    panel = colors[strength > max(COLORED, strong / 2)]
    return float(np.angle(panel.mean(), deg=True)) if panel.size else None


def sharpness(crop: Image) -> float:
    """Return the steepest step between neighboring pixels of a card, as a fraction of its contrast, in the direction
    in which it is smaller: a moving camera blurs the edges across its way only."""
    inner = crop[CROP_H // 12 : -CROP_H // 12, CROP_W // 12 : -CROP_W // 12]
    gray = np.asarray(cv2.cvtColor(inner, cv2.COLOR_BGR2GRAY), np.uint8)
    steps = (np.asarray(cv2.absdiff(*two), np.uint8) for two in ((gray[1:], gray[:-1]), (gray[:, 1:], gray[:, :-1])))
    return min(_level(step, 0.98) for step in steps) / max(_level(gray, 0.95) - _level(gray, 0.05), FLAT)


def _white(crop: Image) -> list[float]:
    """Return the level (0…255) of white in each channel: that of the brightest parts."""
    return [_level(crop[::2, ::2, channel], 0.95) for channel in range(3)]


def _level(values: Image, share: float) -> float:
    """Return the level (0…255) that a ``share`` (0…1) of the values does not exceed."""
    counts = cv2.calcHist([values], [0], None, [256], [0, 256]).ravel().cumsum()
    return float(counts.searchsorted(share * values.size))
