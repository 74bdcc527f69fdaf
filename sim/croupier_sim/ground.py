"""Table tops and light, made by rule: wood, cloth, paper under a lamp that is warm or cold, bright or dim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from croupier.devices.protocols import Image

Ground = Literal["wood", "cloth", "paper"]
GROUNDS: Final[tuple[Ground, ...]] = ("wood", "cloth", "paper")

_WOODS: Final = ((70, 105, 150), (50, 75, 110), (95, 135, 175))
_CLOTHS: Final = ((70, 90, 45), (85, 50, 45), (60, 60, 62))
_PAPERS: Final = ((150, 158, 160), (140, 150, 140))


@dataclass(frozen=True, slots=True)
class Lamp:
    """``tint``: gain of blue, green, red; ``level``: brightness 0…1; ``fall``: loss towards the corners 0…1."""

    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    level: float = 0.95
    fall: float = 0.25

    def map(self, size: tuple[int, int]) -> npt.NDArray[np.float32]:
        """The light at every pixel, height x width x 3, 0…1."""
        width, height = size
        y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
        vignette = 1 - self.fall * (x * x + y * y) / 2
        return np.asarray(vignette[..., None] * np.array(self.tint, np.float32) * self.level, np.float32)


def random_lamp(rng: np.random.Generator) -> Lamp:
    """A lamp as it hangs above kitchen tables: from warm to cold, from dim to bright."""
    warmth = float(rng.uniform(-0.12, 0.12))
    return Lamp((1.0 - max(warmth, 0) * 1.6, 1.0 - abs(warmth) * 0.4, 1.0 + min(warmth, 0) * 1.6),
                float(rng.uniform(0.6, 1.0)), float(rng.uniform(0.1, 0.35)))  # fmt: skip


def draw_ground(kind: Ground, size: tuple[int, int], rng: np.random.Generator) -> Image:
    """A table top, ``size`` = (width, height) px, unlit."""
    palette = {"wood": _WOODS, "cloth": _CLOTHS, "paper": _PAPERS}[kind]
    base = np.array(palette[int(rng.integers(len(palette)))], np.float32)
    if kind == "wood":
        grain = (
            0.05 * _noise(size, (60, 2), rng) + 0.06 * _noise(size, (240, 9), rng) + 0.04 * _noise(size, (500, 60), rng)
        )
    elif kind == "cloth":
        grain = 0.05 * _noise(size, (2, 2), rng) + 0.04 * _noise(size, (120, 120), rng)
    else:
        grain = 0.012 * _noise(size, (3, 3), rng) + 0.025 * _noise(size, (300, 300), rng)
    return np.asarray(np.clip(base * (1 + grain[..., None]), 0, 255), np.uint8)


def _noise(size: tuple[int, int], grain_px: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Smooth noise of about unit spread whose spots are ``grain_px`` wide and high."""
    spots = rng.normal(0, 1, (size[1] // grain_px[1] + 3, size[0] // grain_px[0] + 3)).astype(np.float32)
    return np.asarray(cv2.resize(spots, size, interpolation=cv2.INTER_CUBIC), np.float32)
