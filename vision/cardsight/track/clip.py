"""The last moments of the discard pile, to be shown again.

`ClipBuffer` keeps the part of the frames around the pile, compressed, in memory. A kept frame may show more than it
should: a hand with its cards passes over the pile. So a `Clip` is drawn again from what everybody could see anyway:
pixels of the settled pile, inside the outlines of the cards that were reported on it, where the frame looks like that.
The table around them is a coarse gray mosaic, and whatever else is over the pile one flat tone: its shape, no face.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from threading import Lock
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from cardsight.sighting import Corners
from cardsight.track.blocks import BLOCK, Box, Mask, Part, differs
from cardsight.track.events import Event, Lifted, TakenAway, Touched

KEPT_S: Final = 90.0
MOST_BYTES: Final = 52 << 20
"""Limits of the kept frames at any frame rate: seconds, and bytes when compressed. Drawn clips stay below 60 MB."""

_DRAWN: Final = 4
"""Number of clips that are kept as they were drawn, for the next who asks."""

MOVING_S: Final = 0.05
QUIET_S: Final = 0.5
"""Least time between two kept frames, while something happens on the pile and while nothing does."""

BEFORE_S: Final = 1.5
AFTER_S: Final = 1.5
"""A clip shows this time before and after the touch."""
MOST_S: Final = 5.0
"""The most that a clip shows after the touch, where a later press is asked for."""

MOST_PICTURES: Final = 15
"""The most pictures of a card that an appeal reads again: half a second of work, and far more than are independent."""
_HOVERS_S: Final = 0.25
"""Time before the next contact, or before a card is taken, in which a hand or the next card may be over it."""

_SAME_S: Final = 0.3
"""A time asked for and that of a touch differ by less."""
_QUALITY: Final = 85
_SIDE_PX: Final = 480
"""The longer side of a clip's pictures, at most."""
_CELLS: Final = 3.0
"""Number of cells of the mosaic along a card: too coarse for any symbol."""
_TONE: Final = np.array((110, 120, 130), np.uint8)
"""The tone of hands and of all else that is not of the settled pile (BGR)."""


@dataclass(frozen=True, slots=True)
class ClipFrame:
    """A compressed frame (JPEG) of the pile. ``is_settled``: nothing lies there that was not reported."""

    t: float
    jpeg: bytes
    is_settled: bool

    def image(self) -> Image:
        """The picture."""
        return np.asarray(cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@dataclass(slots=True)
class _Touch:
    """A reported card, what lay on top ``before`` it, and the frame in which it was reported, its hand gone. ``until``:
    when the next card came onto it, or it was taken (s)."""

    card: Touched
    before: Corners | None
    seen: ClipFrame
    until: float = inf


@dataclass(frozen=True, slots=True)
class Clip:
    """A touch at ``t`` ± ``u`` (s), the ``outline`` of the card in px of the pictures of ``size`` (width, height), and
    the ``frames``: time (s) and JPEG."""

    t: float
    u: float
    size: tuple[int, int]
    outline: Corners
    frames: tuple[tuple[float, bytes], ...]


class ClipBuffer:
    """Keeps the part ``zone`` of the frames, in which a card is ``card_px`` long. Thread-safe.

    Where more than ``most_bytes`` come together, every second frame of the older half is dropped.
    """

    def __init__(self, zone: Box, card_px: float, most_bytes: int = MOST_BYTES) -> None:
        self._part, self._card_px, self._most_bytes = Part(zone, card_px), card_px, most_bytes
        self._frames: deque[ClipFrame] = deque()
        self._touches: deque[_Touch] = deque()
        self._top: Corners | None = None
        self._drawn: deque[Clip] = deque(maxlen=_DRAWN)
        self._lock, self._drawing = Lock(), Lock()
        self.n_bytes = 0
        """Size of all kept frames."""

    def push(self, t: float, image: Image, events: Sequence[Event], *, is_settled: bool) -> None:
        """Take in a frame, and the ``events`` that the tracker reported in it."""
        last = self._frames[-1] if self._frames else None
        due = MOVING_S if not is_settled or (last is not None and not last.is_settled) else QUIET_S
        if not events and last is not None and t - last.t < due:
            return
        _is_encoded, jpeg = cv2.imencode(".jpg", self._part.crop(image), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        frame = ClipFrame(t, jpeg.tobytes(), is_settled)
        with self._lock:
            self._frames.append(frame)
            self.n_bytes += len(frame.jpeg)
            for event in events:
                self._end_last(event)
                if isinstance(event, Touched):
                    self._touches.append(_Touch(event, self._top, frame))
                    self._top = event.corners_px
            self._forget(t - KEPT_S)
            if self.n_bytes > self._most_bytes:
                self._thin()

    def clear(self) -> None:
        """Drop everything: the round is over."""
        with self._lock:
            self._frames.clear()
            self._touches.clear()
            self._drawn.clear()
            self.n_bytes, self._top = 0, None

    def pictures_of(self, t: float, now: float | None = None) -> tuple[Part, Corners, list[Image]] | None:
        """Return at most `MOST_PICTURES` kept pictures of the card that touched at ``t`` (s) while it was the top card,
        the part that they show, and the card's outline in them; None if they are not kept. ``now``: as in `clip`."""
        with self._lock:
            touch = self._touch_at(t, now)
            if touch is None:
                return None
            # The frame of its report shows the card, however unsure the time of its contact is.
            since = min(touch.card.t + touch.card.u, touch.seen.t)
            lies = [one for one in self._frames if since <= one.t < touch.until]
        settled, others = ([one for one in lies if one.is_settled is which] for which in (True, False))
        chosen = _spread(settled, MOST_PICTURES)
        chosen += _spread(others, MOST_PICTURES - len(chosen))
        return (self._local, self._at(touch.card.corners_px), [one.image() for one in chosen]) if chosen else None

    def reported_picture(self, t: float, face: str) -> tuple[Image, Corners] | None:
        """Return the picture in which the card that touched at ``t`` (s) was reported as ``face``, its hand gone, and
        its outline in it; None if it is not kept, or shows another card on this one."""
        with self._lock:
            touch = self._touch_at(t, None)
        if touch is None or touch.card.face != face or touch.card.is_covered:
            return None
        return touch.seen.image(), self._at(touch.card.corners_px)

    def clip(self, t: float, until: float = 0.0, now: float | None = None) -> Clip | None:
        """Draw the clip of the card that touched at ``t``, at least to ``until``; None if it is not kept. ``now``: the
        time, where frames may have ceased to come."""
        with self._drawing:
            return self._clip(t, until, now)

    def _clip(self, t: float, until: float, now: float | None) -> Clip | None:
        with self._lock:
            touch = self._touch_at(t, now)
            if touch is None:
                return None
            begin = touch.card.t - BEFORE_S
            end = min(max(touch.card.t + AFTER_S, until), touch.card.t + MOST_S)
            frames = [one for one in self._frames if begin <= one.t <= end]
            settled = [one for one in self._frames if one.is_settled and one.t <= touch.card.t - touch.card.u]
        if not settled or not frames:
            return None
        last = frames[-1].t
        for clip in self._drawn:
            if (clip.t, clip.u, clip.frames[-1][0]) == (touch.card.t, touch.card.u, last):
                return clip
        clip = self._draw(touch, settled[-1], frames)
        with self._lock:
            if touch in self._touches:  # the round may have ended meanwhile
                self._drawn.append(clip)
        return clip

    def _touch_at(self, t: float, now: float | None) -> _Touch | None:
        if now is not None:
            self._forget(now - KEPT_S)
        touch = min(self._touches, key=lambda one: abs(one.card.t - t), default=None)
        return None if touch is None or abs(touch.card.t - t) > _SAME_S else touch

    def _end_last(self, event: Event) -> None:
        """Note that the last card is covered or gone. Of a pile that was taken only the last settled frame is sure."""
        if not self._touches or not isinstance(event, Touched | Lifted | TakenAway):
            return
        until = event.t - event.u - _HOVERS_S
        if isinstance(event, TakenAway):
            until = max((one.t for one in self._frames if one.is_settled and one.t < event.t), default=0.0)
        last = self._touches[-1]
        last.until = min(last.until, until)

    def _forget(self, before: float) -> None:
        while self._frames and self._frames[0].t < before:
            self.n_bytes -= len(self._frames.popleft().jpeg)
        while self._touches and self._touches[0].card.t < before:
            self._touches.popleft()
        while self._drawn and self._drawn[0].t < before:
            self._drawn.popleft()

    def _thin(self) -> None:
        frames = list(self._frames)
        half = len(frames) // 2
        self._frames = deque([*frames[:half:2], *frames[half:]])
        self.n_bytes = sum(len(one.jpeg) for one in self._frames)

    def _draw(self, touch: _Touch, before: ClipFrame, frames: Sequence[ClipFrame]) -> Clip:
        part = self._local
        was, then = before.image(), touch.seen.image()
        settled = self._ground(was)
        if touch.before is not None:
            settled = np.where(self._inside(touch.before)[..., None], was, settled)
        was_small, then_small, card = part.shrunk(was), part.shrunk(then), touch.card.corners_px
        place, inner = part.inside(self._at(card)), self._inside(card)
        height, width = was.shape[:2]
        share = min(1.0, _SIDE_PX / max(height, width))
        size = (round(width * share), round(height * share))
        drawn = []
        for frame in frames:
            small = part.shrunk(frame.image())
            is_free = ~differs(small, was_small)
            is_laid = place & ~differs(small, then_small) & (frame.t >= touch.card.t - touch.card.u)
            picture = np.where(self._fine(is_free, was.shape), settled, _TONE)
            picture = np.where(self._fine(is_laid, was.shape) & inner[..., None], then, picture)
            picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
            _is_encoded, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            drawn.append((frame.t, jpeg.tobytes()))
        a, b, c, d = ((float(x) * share, float(y) * share) for x, y in self._at(card))
        return Clip(touch.card.t, touch.card.u, size, (a, b, c, d), tuple(drawn))

    @property
    def _local(self) -> Part:
        """The part in px of the kept frames."""
        left, top, right, bottom = self._part.box
        return Part((0, 0, right - left, bottom - top), self._card_px)

    def _at(self, outline: Corners) -> Corners:
        left, top = self._part.box[:2]
        a, b, c, d = ((x - left, y - top) for x, y in outline)
        return a, b, c, d

    def _inside(self, outline: Corners) -> Mask:
        left, top, right, bottom = self._part.box
        filled = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillConvexPoly(filled, np.round(self._at(outline)).astype(np.int32), 1)
        return filled > 0

    def _ground(self, image: Image) -> Image:
        """The table as a gray mosaic."""
        height, width = image.shape[:2]
        cell = max(1.0, self._card_px / _CELLS)
        coarse = (max(1, round(width / cell)), max(1, round(height / cell)))
        gray = cv2.resize(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), coarse, interpolation=cv2.INTER_AREA)
        return np.asarray(
            cv2.cvtColor(cv2.resize(gray, (width, height), interpolation=cv2.INTER_LINEAR), cv2.COLOR_GRAY2BGR)
        )

    def _fine(self, blocks: Mask, shape: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Blocks as px of the kept frames; the rest at the right and lower edge counts as its neighbors."""
        side = self._part.px * BLOCK
        fine = np.kron(blocks, np.ones((side, side), np.bool_))[: shape[0], : shape[1]]
        fine = np.pad(fine, ((0, shape[0] - fine.shape[0]), (0, shape[1] - fine.shape[1])), "edge")
        return fine[..., None]


def _spread(frames: Sequence[ClipFrame], most: int) -> list[ClipFrame]:
    """At most ``most`` of the frames, evenly spread."""
    n = min(len(frames), max(most, 0))
    return [frames[round(place * (len(frames) - 1) / max(n - 1, 1))] for place in range(n)]
