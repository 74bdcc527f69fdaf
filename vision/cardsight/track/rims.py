"""Rims: whether a card shows beside the one that was laid on it, when two cards are laid as one.

Of a card that came with another one, only a rim beside that one shows. A small network sees a strip along each side of
the card that was laid, now and before, and tells whether a second card came with it, and where that one lies. A card
that lay there before shows the same rim in both pictures, and one that was pushed has lost its old one. The network is
trained on drawn piles (``python -m training.train_rims``).
"""

from __future__ import annotations

import gzip
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.networks import Network
from cardsight.sighting import Corners
from cardsight.track.blocks import Part, Small
from croupier_rules.cards import CARD_MM

NETWORK: Final = Path(__file__).with_name("rims.onnx.gz")
WINDOW: Final = (80, 112)
PX_PER_MM: Final = 0.76
"""Width and height (px) of the part around the card that was laid, and its scale: that of the shrunk picture."""
FROM_MM: Final = -6.0
TO_MM: Final = 22.6
BEYOND_MM: Final = 10.0
STEP_MM: Final = (1.3, 3.5)
"""A strip along each side of this card, across it and along it: how far it reaches, and its steps. Cards that lie
farther are read."""
ELSEWHERE: Final = 0.02
"""Fraction of the zone beside both cards up to which it may have changed: rims are compared in the same light and with
the same things around. In clips of two cards laid as one up to .008 has (`croupier bench track --hard`); where glare or
a thing came meanwhile .05 and more, and single cards are taken for two.
"""
MISFIT_MM: Final = 2.5
"""Deviation of the outline that was read from that of a card (root of the mean square over its corners) up to which the
strips lie along its sides. It is 2.1 at most in 99 of 100 drawn plays (``python -m training.train_rims --judge``); an
outline that has taken in edges of a pile of many cards deviates by 4 and more, and has other cards' rims beside it.
"""
UNITS: Final = (10.0, 10.0, 0.2)
"""Units in which the network tells the place of the second card (mm, mm, rad)."""

_CARD: Final = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(CARD_MM) / 2
_MIDDLE: Final = (np.array(WINDOW) - 1) / 2

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HiddenCard:
    """A card that may lie under the one that was laid: its outline (px of the frame) and the log odds."""

    outline: Corners
    odds: float


def hidden_card(part: Part, now: Small, before: Small, laid: Corners) -> HiddenCard | None:
    """Return the likeliest second card under the one ``laid`` since ``before``; ``None`` if the outline of that one is
    too inexact to tell."""
    view = View(part, laid)
    if view.misfit_mm > MISFIT_MM:
        return None
    (answers,) = load().run_each(network_input(strips(view.seen(now, before))[None]))
    odds, *place = answers[0].tolist()
    x, y, angle = (value * unit for value, unit in zip(place, UNITS, strict=True))
    return HiddenCard(view.outline(x, y, angle), odds)


@cache
def load() -> Network:
    """Load the network. Raises `FileNotFoundError`."""
    return Network(gzip.decompress(NETWORK.read_bytes()))


def _strips() -> Points:
    """Return the places of the samples (across, along, 2) in mm from the middle of the card: the upper side, then
    clockwise."""
    across = np.arange(FROM_MM, TO_MM + 0.1, STEP_MM[0])
    found = []
    for normal, long, half in zip(((0, -1), (1, 0), (0, 1), (-1, 0)), CARD_MM * 2, CARD_MM[::-1] * 2, strict=True):
        number = round((long + 2 * BEYOND_MM) / STEP_MM[1])
        along = (np.arange(number) - (number - 1) / 2) * STEP_MM[1]
        tangent = np.array([-normal[1], normal[0]])
        found.append((half / 2 + across)[:, None, None] * normal + along[None, :, None] * tangent)
    return np.concatenate(found, 1)


STRIPS: Final = _strips()


def strips(seen: NDArray[np.float32], x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> NDArray[np.float32]:
    """Return the strips (6, across, along) of a `View`. ``x``, ``y``, ``angle``: of the card, if it lies otherwise than
    it was read (mm, rad)."""
    at = ((STRIPS @ _turn(angle) + (x, y)) * PX_PER_MM + _MIDDLE).astype(np.float32)
    planes = (cv2.remap(one, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for one in seen)
    return np.stack(list(planes))


def network_input(some: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return strips (N, 6, across, along) as the network takes them: 0…1, (N, 6 · across, 1, along)."""
    return some.reshape(len(some), -1, 1, some.shape[-1]) / np.float32(255)


class View:
    """Return the surroundings of a card with the outline ``laid`` (px of the frame), upright and in one scale."""

    def __init__(self, part: Part, laid: Corners) -> None:
        self._part = part
        quad, to = self._shrunk(laid), _CARD * PX_PER_MM + _MIDDLE
        (z, w), (from_, onto) = ((one - one.mean(0)) @ (1, 1j) for one in (quad, to)), (quad.mean(0), to.mean(0))
        k = (w * z.conj()).sum() / (np.abs(z) ** 2).sum()  # the similarity of least squares
        turn = np.array([[k.real, -k.imag], [k.imag, k.real]])
        self._way = np.column_stack([turn, onto - turn @ from_])
        self.misfit_mm = math.sqrt((np.abs(k * z - w) ** 2).mean()) / PX_PER_MM
        """Deviation of the outline from that of a card (mm): the root of the mean square over its corners."""

    def seen(self, now: Small, before: Small) -> NDArray[np.float32]:
        """Return the `WINDOW` of both pictures, the earlier one in the light of the later one: (6, height, width),
        0…255."""
        gain = np.median((now.means + 1) / (before.means + 1), axis=(0, 1))
        pictures = now.pixels, before.pixels * gain.astype(np.float32)
        warped = [
            cv2.warpAffine(one, self._way, WINDOW, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for one in pictures
        ]
        return np.asarray(np.concatenate(warped, 2).transpose(2, 0, 1).clip(0, 255), np.float32)

    def place_of(self, outline: Corners) -> tuple[float, float, float]:
        """Return how another card lies relative to this one: to the right and down (mm), and its angle (rad,
        clockwise)."""
        quad = (self._shrunk(outline) @ self._way[:, :2].T + self._way[:, 2] - _MIDDLE) / PX_PER_MM
        right, down = (quad[2] + quad[3] - quad[0] - quad[1]).tolist()
        angle = (math.atan2(-right, down) + math.pi / 2) % math.pi - math.pi / 2
        x, y = quad.mean(0).tolist()
        return x, y, angle

    def outline(self, x: float, y: float, angle: float) -> Corners:
        """Return the outline (px of the frame) of a card that lies so."""
        places = (_CARD @ _turn(angle) + (x, y)) * PX_PER_MM + _MIDDLE
        quad = (places - self._way[:, 2]) @ np.linalg.inv(self._way[:, :2]).T
        a, b, c, d = ((float(x), float(y)) for x, y in (quad + 0.5) * self._part.px + self._part.box[:2])
        return a, b, c, d

    def _shrunk(self, outline: Corners) -> Points:
        return np.asarray((np.array(outline) - self._part.box[:2]) / self._part.px - 0.5, np.float64)


def _turn(angle: float) -> Points:
    """Return the matrix that turns rows of points clockwise."""
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
