"""Compares pictures of a part of the table, block by block, whatever the lamp does.

The part is shrunk by a whole number until a card is about `CARD_PX` long, which takes most of the sensor's noise away,
and cut into blocks of `BLOCK` x `BLOCK` pixels. Two blocks show the same if one is the other, lighter or darker: a
shadow, a flickering or switched lamp scales all its pixels and channels alike, while an edge that moved or another
color does not. So what is tested is the error that remains after the best gain, against noise. The color of the lamp
may change too: where much differs, the whole picture is compared once more with each channel scaled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from cardsight.sighting import Corners

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the frame."""
Mask = npt.NDArray[np.bool_]
"""One value for each block: rows x columns."""
Light = npt.NDArray[np.float32]
"""How many times as light as before each block is."""

CARD_PX: Final = 66
BLOCK: Final = 4
"""A pixel is then about 1.3 mm of the table, a block about 5 mm: as wide as the border of a card."""

_NOISE: Final = 5.0
_NOISE_SHARE: Final = 0.03
"""Gray levels that remain of the sensor's noise, and what comes on top in bright places."""
_CLEARLY: Final = 1.7
"""Where the noise was measured, a block differs that differs by so many times as much …"""
_LEAST_NOISE: Final = 1.5
"""… as this, in gray levels, at least: a film repeats what hardly changes, and that is no noise."""
_DARKER: Final = 0.5
_LIGHTER: Final = 1.5
"""Shadow and light change a place within these factors, beside what the whole picture does; ink changes it by more."""
_DARKEST: Final = 0.12
"""In less light than this part of what it was nothing can be told to be the same."""
_SOME: Final = 0.02
"""Where more of the blocks differ, the color of the light may have changed …"""
_OTHER_TINT: Final = 0.03
"""… by more than this part of what a channel was."""
_AT_ONCE: Final = 0.7
"""From one frame to the next a shadow that comes or goes changes a place within this factor …"""
_DEEP: Final = 2.7
"""… and in all within this one. What seems to change the light more is an arm."""
_DARK: Final = 90.0
"""Gray levels: where nothing is lighter, a hand may stand out by less than the noise of the worst camera."""
_SMOOTH_PX: Final = 1.0
_AROUND: Final = np.ones((3, 3), np.uint8)
_TEXTURE: Final = 9.0
"""Spread (gray levels) within a block from which it shows an edge that would be seen to move …"""
_STANDS_OUT: Final = 4.0
"""… if it is so many times the noise."""


@dataclass(frozen=True, eq=False)
class Small:
    """A shrunk picture, in float32, and of each block the means of its channels and the mean of all squares.

    ``play``: the squared error that a trembling camera leaves in a block, as a fraction of its squared gradient."""

    pixels: npt.NDArray[np.float32]
    means: npt.NDArray[np.float32]
    power: npt.NDArray[np.float32]
    play: float = 0.0

    @classmethod
    def of(cls, pixels: npt.NDArray[np.uint8] | npt.NDArray[np.float32]) -> Small:
        """Of pixels that are whole blocks."""
        values = pixels.astype(np.float32)
        return cls(values, block_means(values), _mean_channel(block_means(values * values)))

    def cropped(self, rows: slice, columns: slice) -> Small:
        """The blocks in these rows and columns."""
        fine = (slice(rows.start * BLOCK, rows.stop * BLOCK), slice(columns.start * BLOCK, columns.stop * BLOCK))
        return Small(self.pixels[fine], self.means[rows, columns], self.power[rows, columns], self.play)

    def with_play(self, play: float) -> Small:
        """This picture, of a camera that trembles."""
        return replace(self, play=play)

    def tinted(self, tint: npt.NDArray[np.float32]) -> Small:
        """This picture with each channel so many times as light."""
        return self if (tint == 1).all() else Small.of(self.pixels * tint).with_play(self.play)

    def with_blocks_of(self, other: Small, where: Mask) -> Small:
        """This picture with some blocks of another."""
        fine = np.kron(where, np.ones((BLOCK, BLOCK), np.bool_))
        return Small(
            np.where(fine[..., None], other.pixels, self.pixels),
            np.where(where[..., None], other.means, self.means),
            np.where(where, other.power, self.power),
            max(self.play, other.play),
        )

    def textured(self, noise: float | None = None) -> Mask:
        """Blocks that hold an edge which stands out from this noise (gray levels)."""
        return np.asarray(self.power - self.evenly > (_TEXTURE if noise is None else _STANDS_OUT * noise) ** 2)

    @property
    def is_dark(self) -> bool:
        """Whether there is so little light that the white of a card is gray."""
        return float(_mean_channel(self.means).max()) < _DARK

    @property
    def evenly(self) -> npt.NDArray[np.float32]:
        """The power of each block if it had no edges in it."""
        return _mean_channel(self.means * self.means)

    @cached_property
    def gray(self) -> npt.NDArray[np.float32]:
        """The mean of the channels, smoothed."""
        return np.asarray(cv2.GaussianBlur(_mean_channel(self.pixels), (0, 0), _SMOOTH_PX), np.float32)

    @cached_property
    def detail(self) -> npt.NDArray[np.float32]:
        """`gray` less what is even around each pixel."""
        return np.asarray(self.gray - cv2.blur(self.gray, (9, 9)), np.float32)

    @cached_property
    def gradient(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The steps of `gray` from pixel to pixel, to the right and down."""
        x, y = (cv2.Sobel(self.gray, cv2.CV_32F, *way, ksize=1, scale=0.5) for way in ((1, 0), (0, 1)))
        return np.asarray(x, np.float32), np.asarray(y, np.float32)

    @cached_property
    def tensor(self) -> tuple[npt.NDArray[np.float32], ...]:
        """Of each block the means of the products of its gradient: xx, xy, yy."""
        x, y = self.gradient
        return tuple(block_means(product) for product in (x * x, x * y, y * y))

    @cached_property
    def edges(self) -> npt.NDArray[np.float32]:
        """The largest mean squared gradient, over all channels, in each block and those around it."""
        x, y = (cv2.Sobel(self.pixels, cv2.CV_32F, *way, ksize=1, scale=0.5) for way in ((1, 0), (0, 1)))
        squares = np.asarray(x * x + y * y, np.float32)
        return np.asarray(cv2.dilate(_mean_channel(block_means(squares)), _AROUND), np.float32)


class Part:
    """A part of the frame in which a card is ``card_px`` long, and its blocks."""

    def __init__(self, box: Box, card_px: float) -> None:
        self.box = box
        left, top, right, bottom = box
        self.px = max(1, round(card_px / CARD_PX))
        """So many px of the frame are one of the shrunk picture."""
        self.shape = tuple(max(1, side // (self.px * BLOCK)) for side in (bottom - top, right - left))
        self._size = (self.shape[1] * BLOCK, self.shape[0] * BLOCK)
        self.card_blocks = 0.64 * (card_px / (self.px * BLOCK)) ** 2
        """How many blocks a card covers; it is 0.64 times as wide as long."""

    def crop(self, image: Image) -> Image:
        """This part of a frame."""
        left, top, right, bottom = self.box
        return image[top:bottom, left:right]

    @property
    def shape_px(self) -> tuple[int, int]:
        """Rows and columns of the shrunk picture."""
        return self._size[::-1]

    def shrunk(self, image: Image, offset_px: tuple[float, float] = (0.0, 0.0)) -> Small:
        """This part of a frame, for comparison. ``offset_px``: how far the frame has moved to the right and down."""
        width, height = self._size[0] * self.px, self._size[1] * self.px
        if offset_px == (0.0, 0.0):
            whole = self.crop(image)[:height, :width]
        else:
            left, top = self.box[:2]
            middle = left + (width - 1) / 2 + offset_px[0], top + (height - 1) / 2 + offset_px[1]
            whole = np.asarray(cv2.getRectSubPix(image, (width, height), middle), np.uint8)
        return Small.of(np.asarray(cv2.resize(whole, self._size, interpolation=cv2.INTER_AREA), np.uint8))

    def inside(self, outline: Corners, margin_px: float = 0.0) -> Mask:
        """The blocks at least half of which lie inside an outline (px of the frame) made wider by a margin."""
        corners = widened(outline, margin_px)
        points = (corners - self.box[:2]) / self.px - 0.5
        fine = np.zeros((self._size[1], self._size[0]), np.uint8)
        cv2.fillConvexPoly(fine, np.round(points * 16).astype(np.int32), 255, shift=4)
        return np.asarray(cv2.resize(fine, self.shape[::-1], interpolation=cv2.INTER_AREA) >= 128)

    def reaches_beyond(self, outline: Corners, px: float) -> bool:
        """Whether an outline reaches so far out of this part."""
        left, top, right, bottom = self.box
        return any(max(left - x, top - y, x - right, y - bottom) > px for x, y in outline)

    def card_of(self, small: Small, outline: Corners) -> npt.NDArray[np.float32]:
        """A card out of a shrunk picture, straight and all cards in one size."""
        width, height = round(0.64 * CARD_PX), CARD_PX
        corners = ((np.array(outline) - self.box[:2]) / self.px - 0.5).astype(np.float32)
        straight = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - np.float32(0.5)
        matrix = cv2.getPerspectiveTransform(corners, straight)
        return np.asarray(cv2.warpPerspective(small.pixels, matrix, (width, height)), np.float32)

    def height_along(self, outline: Corners, values: npt.NDArray[np.float32], where: Mask) -> float:
        """How high ``values`` (pixels of the shrunk picture) are along an outline, where it runs through the blocks
        ``where``: what all but a third of it reaches. Infinite where it does not."""
        corners = (np.array(outline) - self.box[:2]) / self.px - 0.5
        edges = np.roll(corners, -1, axis=0) - corners
        points = (corners[:, None] + edges[:, None] * np.linspace(0, 1, CARD_PX)[None, :, None]).reshape(-1, 2)
        columns, rows = np.clip(points.round().astype(int), 0, (self._size[0] - 2, self._size[1] - 2)).T
        on = where[rows // BLOCK, columns // BLOCK]
        if not on.any():
            return float("inf")
        highest = cv2.dilate(values, np.ones((3, 3), np.uint8))
        return float(np.percentile(highest[rows[on], columns[on]], 33))

    def to_frame(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """The middles of blocks, n x 2, in px of the frame."""
        return np.asarray(np.stack([columns + 0.5, rows + 0.5], axis=1) * self.px * BLOCK + self.box[:2], np.float64)


def differs(now: Small, before: Small, noise: float | None = None) -> Mask:
    """The blocks that do not show the same, light and shadow apart. ``noise``: gray levels, where it was measured; else
    it is taken for what the worst of cameras has."""
    return Compared.of(now, before, noise).changed


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Which blocks have ``changed``, how many times as light each of the others is (``light``), and its other color,
    for each channel, on average 1 (``tint``)."""

    changed: Mask
    light: Light
    tint: npt.NDArray[np.float32]

    @classmethod
    def of(cls, now: Small, before: Small, noise: float | None = None, light: Light | None = None) -> Compared:
        """As `differs`. ``light``: how many times as light as ``before`` it lately was; from there it may have gone
        far, little by little, as a deep shadow makes it."""
        plain = cls(*_compared(now, before, noise, light), np.ones(3, np.float32))
        if plain.changed.mean() <= _SOME:
            return plain
        tint = np.median(now.means / np.maximum(before.means, 1), axis=(0, 1)).astype(np.float32)
        tint /= max(float(tint.mean()), 1e-3)
        if np.abs(tint - 1).max() <= _OTHER_TINT:
            return plain
        tinted = cls(*_compared(now, before.tinted(tint), noise, light), tint)
        return tinted if tinted.changed.mean() < plain.changed.mean() else plain


def noise_between(now: Small, before: Small) -> float:
    """By how many gray levels most blocks of two pictures of the same differ."""
    fit = Fit.of(now, before)
    return _LEAST_NOISE if fit is None else max(_LEAST_NOISE, float(np.sqrt(np.median(fit.error).clip(0))))


def _compared(now: Small, before: Small, noise: float | None, light: Light | None) -> tuple[Mask, Light]:
    fit = Fit.of(now, before, light=light)
    if fit is None:
        shape = now.power.shape
        return np.ones(shape, np.bool_), np.ones(shape, np.float32) if light is None else light
    return ~fit.is_same(now) if noise is None else ~fit.is_same(now) | fit.differs(noise), fit.gain


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How well each block is explained by light alone: the best ``gain``, and the ``error`` that remains, as a mean of
    squares."""

    gain: npt.NDArray[np.float32]
    error: npt.NDArray[np.float32]

    @classmethod
    def of(
        cls, now: Small, before: Small, *, is_offset_free: bool = False, light: Light | None = None
    ) -> Fit | None:  # fmt: skip
        """``None`` where it is too dark to tell. ``is_offset_free``: light may also lie over a place, as glare does.
        ``light``: as `Compared.of` has it."""
        both = _mean_channel(block_means(now.pixels * before.pixels))
        power, power_before = now.power, before.power
        overall = _middle(both / np.maximum(power_before, 1.0))
        if not _DARKEST < overall < 1 / _DARKEST:
            return None
        if is_offset_free:
            both = both - _mean_channel(now.means * before.means)
            power, power_before = power - now.evenly, power_before - before.evenly
        least, most = _DARKER * overall, _LIGHTER * overall
        if light is not None:
            least = np.minimum(least, np.maximum(_AT_ONCE * light, overall / _DEEP))
            most = np.maximum(most, np.minimum(light / _AT_ONCE, overall * _DEEP))
        gain = np.clip(both / np.maximum(power_before, 1.0), least, most)
        error = power - 2 * gain * both + gain * gain * power_before
        if play := max(now.play, before.play):
            error = error - play * np.minimum(now.edges, gain * gain * before.edges)
        return cls(np.asarray(gain, np.float32), np.asarray(error, np.float32))

    def is_same(self, now: Small) -> Mask:
        """Where the error is what even the worst of cameras makes."""
        return np.asarray(self.error <= _NOISE**2 * self._noise_gain + _NOISE_SHARE**2 * now.power)

    def differs(self, noise: float) -> Mask:
        """Where it is clearly more than this noise, in gray levels."""
        return np.asarray(self.error > (_CLEARLY * noise) ** 2 * self._noise_gain)

    @property
    def _noise_gain(self) -> npt.NDArray[np.float32]:
        """A darker picture in a better light has more noise, as a square."""
        return np.maximum(self.gain, 1.0) ** 2


def block_means(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Means over each block, of each channel."""
    size = (pixels.shape[1] // BLOCK, pixels.shape[0] // BLOCK)
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.float32)


def _mean_channel(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.transform(values, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _middle(values: npt.NDArray[np.floating]) -> float:
    """The upper median, in a fraction of the time that numpy takes for its own of so few."""
    flat = values.ravel()
    return float(np.partition(flat, flat.size // 2)[flat.size // 2])


def widened(outline: Corners, margin_px: float) -> npt.NDArray[np.float64]:
    """The corners of an outline, all its edges moved outwards."""
    a, b, c, d = corners = np.array(outline, np.float64)
    along, across = (b + c - a - d) / 2, (c + d - a - b) / 2
    along, across = (side / max(float(np.hypot(*side)), 1e-6) * margin_px for side in (along, across))
    return np.asarray(corners + [-along - across, along - across, along + across, across - along])


def grown(mask: Mask, blocks: int = 1) -> Mask:
    """The mask and the blocks next to it."""
    side = 2 * blocks + 1
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((side, side), np.uint8)) > 0)


def joined_to_rim(mask: Mask) -> Mask:
    """Of the mask what hangs together, over gaps of two blocks, with something at the rim."""
    _, labels = cv2.connectedComponents(grown(mask).astype(np.uint8))
    rim = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    return np.asarray(mask & np.isin(labels, rim[rim > 0]))
