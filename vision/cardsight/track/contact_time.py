"""Contact time and seat of a card: computed from the stored frames once its final place is known.

While a hand brings the card, it is elsewhere in each frame. From the contact on it stays, and every visible part of it
looks as in the final frame: more so than as the place without the card, and than as the card a little beside its place.
The visible fraction is therefore near 0 before the contact and rises from one frame to the next. It is measured by a
likelihood ratio over all blocks: in the noise of a cheap camera single blocks match by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, degrees, exp, pi, sin
from typing import Final

import numpy as np
import numpy.typing as npt

from cardsight.sighting import Corners
from cardsight.track.blocks import CLEARLY, Fit, Mask, Part, Small, connected, differs, grown, noise_between
from cardsight.track.registration import moved_back

_VISIBLE: Final = 0.06
"""Fraction of a card that shows between the fingers of any hand."""
_SUDDEN: Final = 0.4
"""At the contact the visible fraction reaches this part of its value in the next frames."""
_RISES: Final = 1.5
"""At the contact the visible fraction is this many times its value in the frames before."""
_NOTHING: Final = 0.05
"""A visible fraction below this counts as none: in noise any picture looks a little like another."""
_STAYS: Final = 0.6
"""After the contact the visible fraction does not fall below this part of its value again."""
_JUST: Final = 4
_FEWEST: Final = 2
_JUST_S: Final = 0.133
"""Frames before and after a contact that are compared: those within this time (s), at most 4 and at least 2."""
_LIKELY: Final = 0.7
"""Part of the largest rise from which another one may be the contact, too."""
_BESIDE_PX: Final = 3.0
"""Distance (px of the shrunk picture, 4 mm) by which a card is displaced just before the contact."""
_OUTLIER: Final = 8.0
"""Limit of a block's squared error, in multiples of that of the noise: what lies over a card tells nothing."""
_WANDERS: Final = 3.0
"""Limit of a block's change by light, in multiples of its change from frame to frame."""
_UNSEEN_S: Final = 0.1
"""Between two frames with a longer gap (s), a hand can cover a whole card and leave again."""
_FREE: Final = 0.2
"""A place of which at most this fraction differs has nothing over it."""

_AIM_DEG: Final = 18.0
"""Standard deviation of an arm's direction from the seat it belongs to (degrees)."""
_NOBODY: Final = 0.05
"""Prior weight of a hand that belongs to none of the seats."""
_HAND_S: Final = 0.4
_HAND_LOOKS: Final = 6
_ARMS: Final = 5
"""Number of frames from which an arm is not that of somebody passing by; a slow camera never sees as many."""
_ARMS_AT_CARD: Final = 3
"""The same for an arm that reaches to the card: nobody passes by there."""
_AGREE: Final = 0.8
"""Least length of the mean of unit vectors towards an arm. It is shorter where there are two arms."""
_LEAST_ARM: Final = 3
"""Minimum number of blocks at the picture's edge that an arm covers."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredFrame:
    """A stored frame."""

    t: float
    u: float
    small: Small


def contact_time_of(frames: Sequence[StoredFrame], outline: Corners, part: Part, before: Small) -> tuple[float, float]:
    """Return when the card with this outline came to rest, and the uncertainty (s). The card lies there in the last
    of the ``frames``. ``before``: the place without the card."""
    return rest_time_of(frames, grown(part.inside(outline)), before)


def rest_time_of(frames: Sequence[StoredFrame], blocks: Mask, before: Small) -> tuple[float, float]:
    """Return when what lies in these ``blocks`` came to rest, as `contact_time_of`."""
    rows, columns = _bounds(blocks)
    end, was = frames[-1].small.cropped(rows, columns), before.cropped(rows, columns)
    pictures = [one.small.cropped(rows, columns) for one in frames]
    new = blocks[rows, columns] & differs(end, was)
    if not new.any() or len(frames) == 1:
        return frames[-1].t, frames[-1].u
    shares = _shares_at_rest(pictures, was, new)
    was_free = bool(differs(pictures[0], was)[new].mean() <= _FREE)
    if not was_free and shares[0] >= _SUDDEN:
        return frames[0].t, frames[0].u
    first, last = _likely_contacts(shares, _frames_just_after(frames))
    since = first - 1
    if frames[first].t - frames[since].t > _UNSEEN_S:
        while since > 0 and differs(pictures[since], was)[new].mean() > _FREE:
            since -= 1
    begin, end_t = frames[since].t, frames[last].t
    return (begin + end_t) / 2, (end_t - begin) / 2 + frames[last].u


def removal_time_of(frames: Sequence[StoredFrame], outline: Corners, part: Part, before: Small) -> tuple[float, float]:
    """Return when the card that lay there in ``before`` was last moved; it is gone in the last of the ``frames``."""
    backwards = [StoredFrame(-one.t, one.u, one.small) for one in reversed(frames)]
    t, u = contact_time_of(
        [*backwards, StoredFrame(-frames[0].t, frames[0].u, before)], outline, part, frames[-1].small
    )
    return -t, u


def _shares_at_rest(pictures: Sequence[Small], was: Small, new: Mask) -> list[float]:
    """Per frame, return the visible fraction (0…1): of the ``new`` blocks, those that show the card in its final place.

    ``was``: the place without the card. Going backwards from the final frame, slow changes of light and glare are
    followed, up to a limit.
    """
    end = pictures[-1]
    noise = max((CLEARLY * noise_between(pictures[-2], end)) ** 2, end.grain)
    limit = _OUTLIER * noise

    def misfit(error: npt.NDArray[np.float32]) -> float:
        return float(np.minimum(error[new], limit).sum())

    others = [was, *_beside(end)]
    apart = [misfit(_errors(other, end)) for other in others]
    shares, followed = [], end
    for one in reversed(pictures):
        errors = _errors(one, followed)
        own, least = misfit(errors), [1.0, 1.0]
        for other, most in zip(others, apart, strict=True):
            least = sorted((*least, (misfit(_errors(one, other)) - own) / max(most, 1e-6)))[:2]
            if least[1] < _NOTHING:
                break
        # Of one displacement the visible part may tell nothing: along its only edges.
        shares.append(max(0.0, least[1]))
        is_same = (errors <= noise) & (_errors(one, end) <= _WANDERS**2 * noise)
        followed = followed.with_blocks_of(one, is_same)
    return shares[::-1]


def _errors(now: Small, before: Small) -> npt.NDArray[np.float32]:
    """Return the squared error of each block that light does not explain."""
    fit = Fit.of(now, before)
    return np.full(now.power.shape, np.inf, np.float32) if fit is None else fit.error.clip(0)


def _beside(small: Small) -> list[Small]:
    """Return the picture displaced in eight directions."""
    offsets = [(-_BESIDE_PX * cos(angle), -_BESIDE_PX * sin(angle)) for angle in np.arange(8) * pi / 4]
    return [Small.of(moved_back(small.pixels, offset)).with_noise(small.play, small.grain) for offset in offsets]


def _frames_just_after(frames: Sequence[StoredFrame]) -> int:
    """Return how many frames are compared with those before a contact: a slow camera sees hands leave in a few."""
    gap = float(np.median(np.diff([one.t for one in frames])))
    return max(_FEWEST, min(_JUST, round(_JUST_S / max(gap, 1e-3))))


def _likely_contacts(shares: Sequence[float], just: int) -> tuple[int, int]:
    """Return the first and the last frame at which the card may have touched: where the visible fraction rises by about
    the largest factor, in the ``just`` next frames. All frames are likely if it never rises so."""
    lasting = [min(pair) for pair in pairwise([*shares, shares[-1]])]
    rises = [_rise(lasting, at, just) for at in range(1, len(lasting))]
    least = _LIKELY * max(rises)
    likely = [at for at, rise in enumerate(rises, 1) if rise > 0 and rise >= least]
    return (likely[0], likely[-1]) if likely else (1, len(shares) - 1)


def _rise(shares: Sequence[float], at: int, just: int) -> float:
    """Return the factor by which the visible fraction rises at this frame; 0 where it is no contact."""
    before, after = shares[max(0, at - just) : at], shares[at : at + just]
    lasting = min(shares[at], min(after) / _STAYS)
    is_touch = lasting >= max(_VISIBLE, _SUDDEN * max(after), _RISES * max(before))
    return min(after) / max(_NOTHING, max(before)) if is_touch else 0.0


def _bounds(blocks: Mask) -> tuple[slice, slice]:
    rows, columns = (np.flatnonzero(blocks.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return slice(0, blocks.shape[0]), slice(0, blocks.shape[1])
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def seat_of_hand(
    frames: Sequence[StoredFrame], t: float, outline: Corners, part: Part, before: Small,
    seats_px: Sequence[tuple[float, float]],
) -> tuple[int | None, float]:  # fmt: skip
    """Return the seat from whose side the hand at ``outline`` came at time ``t``, and the confidence 0…1.

    ``seats_px``: the seats in px of the frame, mostly outside of it. An arm enters the part at its edge; the
    direction from the card to that edge points at its owner.
    """
    near = [one for one in frames if abs(one.t - t) <= _HAND_S]
    if not seats_px or not near:
        return None, 0.0
    middle = np.array(outline).mean(axis=0)
    place = grown(part.inside(outline), 2)
    looks = near[:: max(1, len(near) // _HAND_LOOKS)]
    arms = [arm for one in looks for arm in _arms(differs(one.small, before), place, middle, part)]
    way = _common_way(arms)
    if way is None:  # of two people at once, the arm that reaches to the card
        way = _common_way([arm for arm in arms if arm.reaches_card], _ARMS_AT_CARD)
    if way is None:
        return None, 0.0
    weights = [exp(-((_angle(way, np.array(seat) - middle) / _AIM_DEG) ** 2) / 2) for seat in seats_px]
    best = int(np.argmax(weights))
    return best, weights[best] / (sum(weights) + _NOBODY)


@dataclass(frozen=True, slots=True)
class _Arm:
    """An arm at the edge of the part in one frame. ``way``: from the card to it, shorter than 1 where it is wide."""

    way: npt.NDArray[np.float64]
    reaches_card: bool


def _arms(changed: Mask, place: Mask, middle: npt.NDArray[np.float64], part: Part) -> list[_Arm]:
    """Return the arms among the ``changed`` blocks of a frame. ``place``: the blocks of the card and around it.
    ``middle``: of the card (px)."""
    rim = np.ones(part.shape, np.bool_)
    rim[2:-2, 2:-2] = False
    rim &= changed & ~place
    labels, arms = connected(changed), []
    for label in range(1, labels.max() + 1):
        arm = np.nonzero(rim & (labels == label))
        if len(arm[0]) >= _LEAST_ARM:
            towards = part.to_frame(*arm) - middle
            way = (towards / np.maximum(np.hypot(*towards.T), 1e-6)[:, None]).mean(axis=0)
            arms.append(_Arm(way, bool((place & (labels == label)).any())))
    return arms


def _common_way(arms: Sequence[_Arm], least: int = _ARMS) -> npt.NDArray[np.float64] | None:
    """Return the direction in which these arms lie; None where they are few or lie in different ones."""
    if len(arms) < least:
        return None
    way = np.mean([arm.way for arm in arms], axis=0)
    return way if np.hypot(*way) >= _AGREE else None


def _angle(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    between = degrees(atan2(a[1], a[0]) - atan2(b[1], b[0]))
    return (between + 180) % 360 - 180
