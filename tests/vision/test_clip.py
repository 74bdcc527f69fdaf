"""What is kept of the pile: it is bounded, forgotten in time, and shows no face that nobody laid."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import pytest

from cardsight.reader import Reader
from cardsight.sighting import Corners
from cardsight.track.clip import AFTER_S, BEFORE_S, KEPT_S, MOVING_S, QUIET_S, Clip, ClipBuffer
from cardsight.track.events import Touched
from tests.vision.laid import Image, Lying, picture

SIZE, ZONE = (640, 480), (80, 40, 560, 440)
FPS = 15
FIRST, LAID = Lying("blue-5", 320, 240, 10), Lying("red-7", 315, 246, -15)
SHOWN = Lying("green-2", 440, 240, 4)
"""Held beside and over both, its face up: nothing of it is hidden from the camera."""
CARD_PX = FIRST.width * 88 / 56
OUTLINE: Corners = ((10.0, 10.0), (50.0, 10.0), (50.0, 72.0), (10.0, 72.0))


def corners(card: Lying) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in card.quad())
    return a, b, c, d


def lying_at(t: float) -> tuple[Lying, ...]:
    """A blue 5 is laid at 2 s, a red 7 onto it at 5 s; a green 2 is held over the pile before and after that."""
    laid = (*((FIRST,) if t >= 2 else ()), *((LAID,) if t >= 5 else ()))
    return (*laid, SHOWN) if 4 <= t < 4.8 or 6 <= t < 7 else laid


def filmed() -> ClipBuffer:
    buffer, reported = ClipBuffer(ZONE, CARD_PX), 0
    for number in range(9 * FPS):
        t = number / FPS
        cards = lying_at(t)
        due = [card for at, card in ((2.2, FIRST), (5.2, LAID)) if t >= at][reported:]
        events = [Touched(t=t - 0.2, u=0.05, face=card.face, corners_px=corners(card)) for card in due]
        is_settled = reported == len([card for card in cards if card is not SHOWN]) and SHOWN not in cards
        buffer.push(t, picture(cards, "wood", SIZE, number % 4), events, is_settled=is_settled)
        reported += len(due)
    return buffer


def faces_in(pictures: Iterable[Image]) -> set[str]:
    reader = Reader()
    read = [reader.read(picture).cards for picture in pictures]
    return {face for cards in read for card in cards for face in (card.face, *dict(card.candidates))} - {"?"}


def pictures_of(clip: Clip, begin: float, end: float) -> list[Image]:
    found = [
        cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) for t, jpeg in clip.frames if begin < t < end
    ]
    assert found
    assert {one.shape[1::-1] for one in found if one is not None} == {clip.size}
    return [np.asarray(one, np.uint8) for one in found][::3]


def test_a_clip_shows_the_card_that_was_laid_and_none_that_passed_over_the_pile() -> None:
    clip = filmed().clip(5.0, until=8.0)
    assert clip is not None
    left, top, right, bottom = ZONE
    assert "green-2" in faces_in([picture(lying_at(6.5), "wood", SIZE)[top:bottom, left:right]]), "the camera sees it"
    assert faces_in(pictures_of(clip, 3.5, 3.95)) == {"blue-5"}
    assert not {"green-2", "red-7"} & faces_in(pictures_of(clip, 4.0, 4.8))
    assert faces_in(pictures_of(clip, 5.1, 5.95)) == {"red-7"}
    assert "green-2" not in faces_in(pictures_of(clip, 6.0, 7.0))
    assert faces_in(pictures_of(clip, 7.0, 8.0)) == {"red-7"}
    share = clip.size[0] / (right - left)
    assert np.allclose(clip.outline, (LAID.quad() - (left, top)) * share, atol=1e-3)


def test_a_clip_is_of_one_touch_and_gone_when_its_time_or_its_round_is_over() -> None:
    buffer = filmed()
    clip = buffer.clip(2.1)
    assert clip is not None
    assert (clip.t, clip.u) == pytest.approx((2.0, 0.05))
    assert clip.t - BEFORE_S <= clip.frames[0][0] < clip.t < clip.frames[-1][0] <= clip.t + AFTER_S
    assert buffer.clip(3.5) is None
    assert buffer.clip(2.0, now=2.0 + KEPT_S + 1) is None
    assert buffer.clip(5.0) is not None
    buffer.clear()
    assert (buffer.clip(5.0), buffer.n_bytes) == (None, 0)


def noisy(seed: int) -> Image:
    return np.random.default_rng(seed).integers(0, 256, (120, 160, 3), np.uint8)


def test_the_buffer_never_holds_more_than_its_limit_or_longer_than_its_time() -> None:
    limit = 200_000
    buffer = ClipBuffer((0, 0, 160, 120), 62.0, most_bytes=limit)
    touch = Touched(t=1.0, u=0.01, face="red-7", corners_px=OUTLINE)
    for number in range(400):
        buffer.push(number * MOVING_S, noisy(number), [touch] if number == 21 else [], is_settled=number < 20)
        assert buffer.n_bytes <= limit
    assert buffer.clip(1.0) is not None, "fewer pictures of it, and some"
    buffer.push(KEPT_S * 2, noisy(0), [], is_settled=True)
    assert 0 < buffer.n_bytes < 50_000


def test_a_quiet_pile_is_kept_at_a_low_rate() -> None:
    quiet, busy = (ClipBuffer((0, 0, 160, 120), 62.0) for _ in range(2))
    for number in range(60):
        quiet.push(number / 30, noisy(0), [], is_settled=True)
        busy.push(number / 30, noisy(0), [], is_settled=False)
    assert busy.n_bytes > 0.8 * quiet.n_bytes * QUIET_S / (2 / 30)
