"""Why the reader doubts a card: blur, an unusual color, other cards or things over it, the lamp, or the edge of the
picture."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.fusion import SOME_COLOR
from cardsight.geometry import CROP_H, CROP_W, Image, Quad, warp_crop
from cardsight.light import COLORED, chroma, colorfulness, hue_difference, panel_color
from cardsight.sighting import Doubt, Sighting
from croupier_rules.cards import UNREAD, color_of

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
UNSURE: Final = 0.79
"""Highest confidence in a card whose color is none of the four: below that from which a face is reported."""
HUES: Final = {"red": 28.0, "yellow": 92.0, "green": 136.0, "blue": -88.0}
"""Hue (degrees, in the plane of CIELAB's a and b) of each color on the photographs that the reader has learned."""
OTHER_HUE_DEG: Final = 70.0
"""Distance from the hue of a color from which a card is hardly of that color: green is 136 from blue."""
HUE_RANGES: Final = {"red": (2.0, 58.0), "yellow": (71.0, 114.0), "green": (105.0, 180.0), "blue": (-140.0, -56.0)}
"""Hues (degrees, of `light.panel_color`) that the panels of good cards have: those of the licensed photographs and of
nearly all drawn prints. `training.measure.hues` prints them, and counts the good cards outside. No other ink lies
between yellow and green, so yellow reaches to the middle between the `HUES` of both."""
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
    ((blur, tint),) = poorness(crop[None])
    is_lamp = is_gray or tint > 0 or colorfulness(crop[None])[0] < SOME_COLOR
    found: dict[Doubt, bool] = {
        "cut": is_cut, "covered": is_covered, "blur": blur > 0, "lamp": is_lamp,
        "color": not (is_lamp or is_covered)
        and (is_other_hue(panel_hues(crop[None])[0], face) or is_of_no_color(crop, face)),
    }  # fmt: skip
    return tuple(name for name, is_so in found.items() if is_so)


def poorness(crops: Image) -> NDArray[np.float64]:
    """Return how poor the pictures of n cards (n, H, W, 3) are, (n, 2) in the order of `POOR`, each 0 or more: the logs
    of how much less sharp each is than `SHARP`, and of how much more tinted than `TINTED`."""
    _, second, most = np.sort(_white(crops), axis=1).T
    measured = np.stack([sharpness(crops) / SHARP, second / np.maximum(most, 1.0) / TINTED], axis=1)
    return np.asarray(np.maximum(0.0, -np.log(np.maximum(measured, 0.05))), np.float64)


def is_other_hue(hue: float | None, face: str) -> bool:
    """True if the `panel_hues` of a card are not those of the color of its ``face``, in the light of a lamp of any
    color."""
    usual = HUES.get(color_of(face) or "")
    return usual is not None and hue is not None and hue_difference(hue, usual) > OTHER_HUE_DEG


def is_of_no_color(crop: Image, face: str) -> bool:
    """True if the panel of a card has another hue than any print of the color of its ``face``: it is teal, orange, pink
    or purple, and the networks named the nearest color that they have learned. The hue is relative to the white of the
    card itself, so it says nothing where the lamp leaves one color only."""
    return color_of(face) in HUE_RANGES and is_no_color(panel_color(crop), face)


def is_no_color(panel: complex | None, face: str) -> bool:
    """Return `is_of_no_color` by the `light.panel_color` of a card."""
    low, high = HUE_RANGES.get(color_of(face) or "", (0.0, 0.0))
    if low == high or panel is None:
        return False
    return hue_difference(float(np.angle(panel, deg=True)), (low + high) / 2) > (high - low) / 2


def is_certain_card(card: Sighting) -> bool:
    """True if a card was read, or is one for certain that only has a color which is none of the four."""
    return card.face != UNREAD or ("color" in card.doubts and round(card.confidence, 2) >= UNSURE)


def panel_hues(crops: Image) -> list[float | None]:
    """Return the hues (degrees, in the plane of CIELAB's a and b) of the colored parts of n cards, relative to the
    white of each; None for one that shows no color."""
    return _hues((crops[:, ::3, ::3] / np.maximum(_white(crops), 1.0)[:, None, None]).reshape(len(crops), -1, 3))


def exchanged_hues(crop: Image, own: NDArray[np.bool_]) -> list[float | None]:
    """Return the hue of a card, and the hue that it would have if red and blue were exchanged in the picture. ``own``:
    the px of the crop that no other card can cover."""
    relative = (crop[::3, ::3] / np.maximum(_white(crop[None])[0], 1.0))[own[::3, ::3]]
    return _hues(np.stack([relative, relative[..., ::-1]]))


def _hues(relative: NDArray[np.floating]) -> list[float | None]:
    """Return the hue of the colored part of the pixels (n, k, 3) of each card, relative to its white."""
    colors = chroma(relative)
    strength = np.abs(colors)
    place = int(0.95 * strength.shape[1])
    strong = np.partition(strength, place, axis=1)[:, place, None]
    panels = np.where(strength > np.maximum(COLORED, strong / 2), colors, 0).sum(1)
    return [float(np.angle(panel, deg=True)) if panel else None for panel in panels]


def sharpness(crops: Image) -> NDArray[np.float64]:
    """Return the steepest steps between neighboring pixels of n cards, each as a fraction of its contrast, in the
    direction in which it is smaller: a moving camera blurs the edges across its way only."""
    inner = crops[:, CROP_H // 12 : -CROP_H // 12, CROP_W // 12 : -CROP_W // 12]
    rows = np.ascontiguousarray(inner).reshape(-1, *inner.shape[2:])
    gray = np.asarray(cv2.cvtColor(rows, cv2.COLOR_BGR2GRAY), np.uint8).reshape(inner.shape[:3])
    steps = (cv2.absdiff(*two) for two in ((gray[:, 1:], gray[:, :-1]), (gray[:, :, 1:], gray[:, :, :-1])))
    steepest = np.minimum(*(_levels(np.asarray(step, np.uint8).reshape(len(crops), -1), 0.98)[0] for step in steps))
    black, white = _levels(gray.reshape(len(crops), -1), 0.05, 0.95)
    return np.asarray(steepest / np.maximum(white - black, FLAT), np.float64)


def _white(crops: Image) -> NDArray[np.float64]:
    """Return the level (0…255) of white in each channel (n, 3): that of the brightest parts."""
    channels = crops[:, ::2, ::2].transpose(0, 3, 1, 2).reshape(3 * len(crops), -1)
    return _levels(channels, 0.95)[0].reshape(-1, 3)


def _levels(values: Image, *shares: float) -> list[NDArray[np.float64]]:
    """Return for each of ``shares`` (0…1) the level (0…255) that so many values in each of n rows do not exceed."""
    places = [math.ceil(share * values.shape[1]) - 1 for share in shares]
    parted = np.partition(values, places, axis=1)
    return [parted[:, place].astype(np.float64) for place in places]
