"""Contact time and seat of a card: computed from the stored frames once its final place is known.

While a hand brings the card, it is elsewhere in each frame. From the contact on it stays, and every visible part of it
matches the final frame. The fraction of its blocks that match is therefore near 0 before the contact and rises from one
frame to the next. The card is hardly displaced just before the contact, so blocks are compared by the measured noise of
these frames, also in dim light.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atan2, degrees, exp
from typing import Final

import numpy as np
import numpy.typing as npt

from cardsight.sighting import Corners
from cardsight.track.background_model import edges_differ
from cardsight.track.blocks import Mask, Part, Small, differs, grown, noise_between

_VISIBLE: Final = 0.12
"""Fraction of a card that shows between the fingers of any hand."""
_SUDDEN: Final = 0.4
"""At the contact the fraction of matching blocks reaches this part of its value in the next frames."""
_RISES: Final = 1.5
"""At the contact the fraction of matching blocks is this many times its value in the frames before."""
_NOTHING: Final = 0.05
"""A fraction of matching blocks below this counts as none: some blocks of any picture match by chance."""
_STAYS: Final = 0.6
"""After the contact the fraction of matching blocks does not fall below this part of its value again."""
_JUST: Final = 4
_FEWEST: Final = 2
_JUST_S: Final = 0.133
"""Frames before and after a contact that are compared: those within this time (s), at most 4 and at least 2."""
_CLEAR_RISE: Final = 2.2
"""Factor of a rise at which a card touched, or in the next frame."""
_REACHED: Final = 0.9
"""Part of its largest value in the next frames that the fraction of matching blocks has reached at the contact."""
_LEAST_BLOCKS: Final = 8
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
    noise = noise_between(pictures[-2:][0], end)
    new = blocks[rows, columns] & differs(end, was)
    informative = new & end.textured(noise)
    has_edges = informative.sum() >= _LEAST_BLOCKS
    if not has_edges:
        informative = new
    if not informative.any():
        return frames[-1].t, frames[-1].u
    shares = _shares_at_rest(pictures, informative, noise, edges_differ if has_edges else differs)
    was_free = bool(differs(pictures[0], was)[new].mean() <= _FREE)
    just = _frames_just_after(frames)
    at = _largest_step(shares, just, may_be_first=not was_free)
    if at == 0:
        return frames[0].t, frames[0].u
    if end.play and at < len(shares) and frames[at].t - frames[at - 1].t <= _UNSEEN_S:
        at = _end_of_rise(shares, at, just)
    since = at - 1 if at < len(shares) else 0
    at = min(at, len(shares) - 1)
    if frames[at].t - frames[since].t > _UNSEEN_S:
        while since > 0 and differs(pictures[since], was)[new].mean() > _FREE:
            since -= 1
    begin, end_t = frames[since].t, frames[at].t
    return (begin + end_t) / 2, (end_t - begin) / 2 + frames[at].u


def removal_time_of(frames: Sequence[StoredFrame], outline: Corners, part: Part, before: Small) -> tuple[float, float]:
    """Return when the card that lay there in ``before`` was last moved; it is gone in the last of the ``frames``."""
    backwards = [StoredFrame(-one.t, one.u, one.small) for one in reversed(frames)]
    t, u = contact_time_of(
        [*backwards, StoredFrame(-frames[0].t, frames[0].u, before)], outline, part, frames[-1].small
    )
    return -t, u


def _shares_at_rest(
    pictures: Sequence[Small], informative: Mask, noise: float, differ: Callable[[Small, Small, float], Mask]
) -> list[float]:
    """Per frame, return the fraction (0…1) of informative blocks that match the final frame.

    Going backwards from the final frame, slow changes of light and glare are followed, up to a limit.
    """
    shares, followed = [], pictures[-1]
    for one in reversed(pictures):
        same = ~(differ(one, followed, noise) | differ(one, pictures[-1], _WANDERS * noise))
        shares.append(float(same[informative].mean()))
        followed = followed.with_blocks_of(one, same)
    return shares[::-1]


def _frames_just_after(frames: Sequence[StoredFrame]) -> int:
    """Return how many frames are compared with those before a contact: a slow camera sees hands leave in a few."""
    times = [one.t for one in frames]
    gap = float(np.median(np.diff(times))) if len(times) > 1 else _JUST_S
    return max(_FEWEST, min(_JUST, round(_JUST_S / max(gap, 1e-3))))


def _largest_step(shares: Sequence[float], just: int, *, may_be_first: bool) -> int:
    """Return the frame at which the fraction rises by the largest factor, in the ``just`` next frames.

    Returns the first frame if it is large at once and ``may_be_first``, and the number of frames if it never rises so.
    Some blocks of a card that slides in slowly, or in a dim light, match too early.
    """
    if may_be_first and shares[0] >= _SUDDEN:
        return 0
    rises = [_rise(shares, at, just) for at in range(1, len(shares))]
    largest = max(rises, default=0.0)
    return 1 + rises.index(largest) if largest > 0 else len(shares)


def _end_of_rise(shares: Sequence[float], at: int, just: int) -> int:
    """Return the frame from ``at`` on in which the fraction is as large as in the next ones. Before a swaying camera a
    card that is about to touch matches already in part, and more from frame to frame."""
    last = at + 1 if _rise(shares, at, just) >= _CLEAR_RISE else len(shares) - 1
    while at < min(last, len(shares) - 1) and shares[at] < _REACHED * max(shares[at + 1 : at + 1 + just]):
        at += 1
    return at


def _rise(shares: Sequence[float], at: int, just: int) -> float:
    """Return the factor by which the fraction rises at this frame; 0 where it is no contact."""
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
    rim = np.ones(part.shape, np.bool_)
    rim[2:-2, 2:-2] = False
    rim &= ~grown(part.inside(outline), 2)
    way, arms = np.zeros(2), 0
    for one in near[:: max(1, len(near) // _HAND_LOOKS)]:
        arm = np.nonzero(differs(one.small, before) & rim)
        if len(arm[0]) >= _LEAST_ARM:
            towards = part.to_frame(*arm).mean(axis=0) - middle
            arms += 1
            way += towards / max(float(np.hypot(*towards)), 1e-6)
    if arms < _ARMS:
        return None, 0.0
    weights = [exp(-((_angle(way, np.array(seat) - middle) / _AIM_DEG) ** 2) / 2) for seat in seats_px]
    best = int(np.argmax(weights))
    return best, weights[best] / (sum(weights) + _NOBODY)


def _angle(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    between = degrees(atan2(a[1], a[0]) - atan2(b[1], b[0]))
    return (between + 180) % 360 - 180
