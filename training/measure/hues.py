"""Which hues the panels of good cards have, by color: ``python -m training.measure.hues``.

`cardsight.doubts.HUE_RANGES` is fitted to the photographs of the licensed sources and to drawn prints, whose inks vary
more than those on sale. The other sources measure it: how many of their good cards lie outside.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from cardsight.doubts import HUE_RANGES, is_of_no_color, poorness
from cardsight.geometry import Image, pyramid, warp_crop
from cardsight.light import panel_color
from croupier_rules.cards import COLORED, color_of
from training import cards
from training.measure import own_deck
from training.photometry import lit, shot
from training.photos import DRAWN_ON, LICENSED, load

PRINTS: Final = 30
"""Drawn prints, each with eight cards under a lamp of its own."""


def photographed() -> Iterator[tuple[str, str, Image]]:
    """Yield the source, the face and the crop of each colored card whose outline is known."""
    for photo in load():
        if photo.outlines and photo.source not in DRAWN_ON:
            levels = pyramid(photo.picture())
            for face, quad in photo.outlines:
                if face in COLORED:
                    yield photo.source, face, warp_crop(levels, np.float32(quad))


def drawn(*, is_harsh: bool) -> Iterator[tuple[str, Image]]:
    """Yield the face and the crop of drawn cards, under kitchen lamps, or in the light that networks are trained in."""
    rng = np.random.default_rng((45, is_harsh))
    for _print in range(PRINTS):
        style = cards.style(rng)
        faces = [str(face) for face in rng.choice(COLORED, own_deck.EACH, replace=False)]
        for table in own_deck.laid(faces, (style, style), rng):
            picture = table.picture
            if is_harsh:
                picture = shot(rng, lit(rng, picture.astype(np.float32) / 255))
            levels = pyramid(picture)
            for face, quad in table.cards:
                yield face, warp_crop(levels, np.float32(quad))


def main() -> int:
    """Print the hues of each color, and how many cards of each source have none of them."""
    cv2.setNumThreads(1)
    hues, outside = defaultdict[str, list[float]](list), defaultdict[str, list[bool]](list)
    sources = [(source, face, crop) for source, face, crop in photographed()]
    sources += [("drawn", face, crop) for face, crop in drawn(is_harsh=False)]
    for source, face, crop in sources:
        color, panel = str(color_of(face)), panel_color(crop)
        if panel is not None and (source == "drawn" or source in LICENSED):
            middle = sum(HUE_RANGES[color]) / 2
            hues[color].append(middle + (float(np.angle(panel, deg=True)) - middle + 180) % 360 - 180)
        outside[source].append(is_of_no_color(crop, face))
    for face, crop in drawn(is_harsh=True):
        if not poorness(crop[None]).any():
            outside["drawn, harsh light"].append(is_of_no_color(crop, face))
    for color, some in hues.items():
        low, first, last, high = np.quantile(some, [0, 0.02, 0.98, 1])
        hues_in_use = "{:.0f} to {:.0f}".format(*HUE_RANGES[color])
        most = f"{first:.0f} to {last:.0f}"
        print(f"{color:7s} {len(some)} cards, {low:.0f} to {high:.0f}, 96 % {most}; in use {hues_in_use}")
    for source, told in sorted(outside.items()):
        print(f"{source:20s} {sum(told)} of {len(told)} outside{' (fitted)' if source in (*LICENSED, 'drawn') else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
