"""Background model: the settled picture of a part of the table, and the light that has fallen on it since.

Glare adds light to a place but leaves its edges in place. A change in which the edges stay is therefore no event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from cardsight.track.blocks import Compared, Fit, Light, Mask, Small, differs, grown, noise_between

_BLIND: Final = 240.0
"""From this gray level in all channels on, a block is saturated and shows nothing."""
_FEW_EDGES: Final = 8
_MOVED: Final = 0.5
"""Fraction of a place's edges that must lie elsewhere when another card is seen there."""


def ignore_glare(changed: Mask, now: Small, before: Small) -> Mask:
    """Return the ``changed`` blocks without those whose edges are still in place.

    Blocks without edges, and saturated blocks, follow the blocks they are connected with.
    """
    fit = Fit.of(now, before, is_offset_free=True)
    if fit is None:
        return changed
    is_same = fit.is_same(now)
    is_blind = np.maximum(now.means, before.means).min(axis=2) >= _BLIND
    is_plain = ~(now.textured() | before.textured())
    has_changed = changed & ~is_same & ~is_blind
    may_have = changed & (is_blind | (is_same & is_plain))
    _, labels = cv2.connectedComponents((has_changed | may_have).astype(np.uint8))
    return np.asarray((has_changed | may_have) & np.isin(labels, np.unique(labels[has_changed])))


def edges_differ(now: Small, before: Small, noise: float) -> Mask:
    """Return the blocks in which edges lie elsewhere. ``noise``: gray levels."""
    fit = Fit.of(now, before, is_offset_free=True)
    return np.ones(now.power.shape, np.bool_) if fit is None else fit.differs(noise)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The blocks that have an edge in one of two pictures (``some``), and those of them in which the edge lies
    elsewhere in the other picture (``moved``)."""

    some: Mask
    moved: Mask

    @classmethod
    def of(cls, now: Small, before: Small) -> Edges:
        """Compare two pictures of the same part, under lamps of any color."""
        compared = Compared.of(now, before)
        before, dimmed = before.tinted(compared.tint), min(1.0, float(np.median(compared.light)))
        noise = noise_between(now, before)
        # In weaker light, an edge may be there and not stand out any more.
        some = now.textured(noise) | before.textured(noise / dimmed)
        return cls(some, some & edges_differ(now, before, noise))

    def have_moved(self, where: Mask, least: float = _MOVED) -> bool:
        """True if something else is seen there: ``least`` of the edges lie elsewhere, or too few are left to decide."""
        some = self.some & where
        return bool(some.sum() < _FEW_EDGES or self.moved[some].mean() >= least)


QUIET: Final = 0.004
"""Fraction of the part that may differ while the part counts as unchanged: less than a digit of a card."""
_SLOWLY: Final = 0.8
"""A slow change of the light alters less than this fraction of the part per second."""
_RIM_BLOCKS: Final = 3
"""Width of the soft rim of a shadow or of glare, in blocks."""
_NEAR_BLOCKS: Final = 7
"""Distance, in blocks, up to which the light under a hand is interpolated from its neighborhood."""


class BackgroundModel:
    """The settled picture of a part of the table. Differences from it that the light does not explain are events.

    A deep shadow is followed block by block as it comes; glare is not part of the picture.
    """

    def __init__(self, small: Small, light: Light | None = None) -> None:
        self.small = small
        self._light = np.ones(small.power.shape, np.float32) if light is None else light
        self._tint = np.ones(3, np.float32)
        self._glare: Mask = np.zeros(small.power.shape, np.bool_)

    def differs(self, now: Small) -> Mask:
        """Return the blocks of the next frame that do not show the same."""
        found = Compared.of(now, self.small, light=self._light)
        self._light, self._tint = _spread(found.light, ~found.changed, self._light), found.tint
        changed = self.without_glare(found.changed, now) if found.changed.mean() > QUIET else found.changed
        self._glare = found.changed & ~changed
        return changed

    def differs_faintly(self, now: Small) -> Mask:
        """Return the blocks that differ by more than this camera's noise."""
        return differs(now, self.small.tinted(self._tint), noise_between(now, self.small))

    def without_glare(self, changed: Mask, now: Small) -> Mask:
        """Return these blocks without those on which only glare lies."""
        return ignore_glare(changed, now, self.small.tinted(self._tint))

    def renewed(self, now: Small, where: Mask) -> BackgroundModel:
        """Return the model with these blocks as they are ``now``, and all others in the color of the new light."""
        light = np.where(where, np.float32(1), self._light)
        return BackgroundModel(self.small.tinted(self._tint).with_blocks_of(now, where), light)

    def adapted(self, now: Small) -> BackgroundModel:
        """Return the model in the light of ``now``, which shows the same scene, except where a shadow, a lamp or
        glare crosses.

        A picture from better light is kept. Where everything is lighter, nothing crosses.
        """
        light = self._light / max(1.0, float(np.median(self._light)))
        crossed = self._glare | (light < _SLOWLY) | (light > 1 / _SLOWLY)
        return self.renewed(now, ~grown(crossed, _RIM_BLOCKS))


def _spread(light: Light, known: Mask, usual: Light) -> Light:
    """Return the light where it is ``known``, elsewhere that of the neighborhood; ``usual`` where there is none."""
    if known.all():
        return light
    weight = cv2.blur(known.astype(np.float32), (_NEAR_BLOCKS, _NEAR_BLOCKS))
    near = cv2.blur(np.where(known, light, np.float32(0)), (_NEAR_BLOCKS, _NEAR_BLOCKS))
    return np.where(known, light, np.where(weight > 0, near / np.maximum(weight, 1e-6), usual))
