"""Pictures, videos and the table's camera, as commands take them; `croupier read`.

In a video or before the camera, people lay one card on another, or hold each up. Only frames in which nothing moves are
read, and a card counts when two of them agree. A card that lies like one of the last few reported, or one of those seen
lying last, with the same face, is the same card: a hand passed over it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from cardsight.decision import limited
from cardsight.errors import NoCamera
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Frame
from cardsight.sources.frames import VideoFile
from croupier.files import CONFIG
from croupier.i18n import _
from croupier.pictures import table_reader
from croupier.pictures.readings import Read, Seen, Still, draw, drawing_paths, picture_read
from croupier.pictures.video import is_camera, is_video, open_frames, sampled
from croupier.progress import progress
from croupier_rules.cards import UNREAD
from croupier_tally.readings import Unreadable, called, may_hide_text, print_cards, see, unseen

MOVED: Final = 0.06
"""Distance of corners, as a fraction of a card's length, above which the card has moved."""
RECENT: Final = 5
"""Number of cards reported last that are remembered."""


def read_sources(
    images: Sequence[str], read: Read, command: str, config: Path = CONFIG, *, still: Still | None = None,
    numbers: Sequence[int] = (), held: Mapping[str, int] | None = None,
) -> Iterator[tuple[int, Seen | Unreadable]]:  # fmt: skip
    """Read pictures, videos and the camera of the file ``config``; yield each with the index of its source.

    Each card shown in a video or to the camera is a picture of its own. ``still``: reads pictures, if not ``read``;
    it is told the number of cards of each source, where people counted them (``numbers``). ``held``: how many cards of
    each face a video can show, if its deck is known; what is read more often is ``?``.
    """
    for place, image in enumerate(images):
        look = partial(still, number=numbers[place]) if still is not None and numbers else still or read
        name = called(image) if len(images) == 1 else f"{place + 1}/{len(images)} {called(image)}"
        with progress() as shown:
            begin = partial(shown.step, name)
            if is_video(image):
                found = _shown_in(image, read, command, config, held, begin)
            else:
                begin()
                found = see([image], look, command)
            for seen in found:
                # Whoever takes it prints, and may ask.
                if shown.bars is not None:
                    shown.bars.stop()
                yield place, seen
                if shown.bars is not None:
                    shown.bars.start()


def _shown_in(
    image: str,
    read: Read,
    command: str,
    config: Path,
    held: Mapping[str, int] | None,
    begin: Callable[[float | None], Callable[[float], None]],
) -> Iterator[Seen | Unreadable]:
    """The cards in a video, or before the camera."""
    try:
        with open_frames(image, config) as frames:
            if is_camera(image):
                print(
                    _("camera: lay one card on top of the other, or hold them up one by one; press Ctrl-C when done"),
                    file=sys.stderr,
                )
                frames = in_white_light(frames, config)
            else:
                frames = _watched(frames, begin(_length_s(image)))
            yield from new_cards(image, frames, read, held)
    except NoCamera as fault:
        yield unseen(image, NoCamera(str(fault).removeprefix(f"{image}: ")), command)


def _length_s(video: str) -> float | None:
    with closing(VideoFile(video)) as opened:
        return opened.length_s


def _watched(frames: Iterable[Frame], done: Callable[[float], None]) -> Iterator[Frame]:
    last_t = 0.0
    for frame in frames:
        yield frame
        done(frame.t - last_t)
        last_t = frame.t


def report_cards(
    images: Sequence[str], read: Read, *, still: Still | None = None, as_json: bool = False,
    picture: str | None = None, config: Path = CONFIG,
) -> int:  # fmt: skip
    """Print the cards of each picture, and each card shown in a video, as soon as they are read. ``still``: reads
    pictures, if not ``read``.

    Return the exit status: 0, or 2 if one of the files is not a picture.
    """
    drawings = [] if picture is None else drawing_paths(picture, images)
    status = 0
    for place, seen in read_sources(images, read, "read", config, still=still):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Unreadable):
            status = 2
            continue
        if not as_json:
            print_cards(seen)
            if seen.reading.may_hide:
                print(f"  {may_hide_text()}")
        if drawings:
            draw(seen, drawings[place])
    return status


def new_cards(image: str, frames: Iterable[Frame], read: Read, held: Mapping[str, int] | None = None) -> Iterator[Seen]:
    """Yield a picture of the new cards each time that cards come to rest. ``held``: as in `read_sources`. Raises
    `NoCamera` if none ever do."""
    found = False
    for frame, lying, new in settled_cards(frames, read):
        others = tuple(card for card in (*lying.cards, *lying.backs) if card not in new.cards)
        if held is not None:
            (new,) = limited([new], held)
            named = Counter(card.face.removesuffix("*") for card in new.cards)
            held = {face: n - named[face.removesuffix("*")] for face, n in held.items()}
        yield picture_read(f"{image} at {frame.t:.1f} s", frame.image, new, others)
        found = True
    if not found:
        raise NoCamera(_("no card was still for long enough; lay or hold up each card for half a second"))


def in_white_light(frames: Iterator[Frame], config: Path = CONFIG) -> Iterator[Frame]:
    """Balance frames of that camera to white light, as `croupier run` does, if its calibration has the table's white.

    Raises `BadCalibration` or `BadConfig`.
    """
    from cardsight.light import balanced
    from croupier.config import load

    white = table_reader.white(load(config).camera)
    return frames if white is None else (replace(frame, image=balanced(frame.image, white)) for frame in frames)


def settled_cards(frames: Iterable[Frame], read: Read) -> Iterator[tuple[Frame, Reading, Reading]]:
    """Yield the frame, its reading and the reading of the new cards alone, each time that cards come to rest."""
    recent: deque[Sighting] = deque(maxlen=RECENT)
    lying: tuple[Sighting, ...] = ()
    last: tuple[Sighting, ...] | None = None
    is_settled = False
    for frame, is_still in sampled(frames):
        if not is_still:
            last, is_settled = None, False
            continue
        if is_settled:
            continue
        reading = read(frame.image)
        if last is None or not _same_cards(last, reading.cards):
            last = reading.cards
            continue
        is_settled = True
        new = [card for card in reading.cards if not any(_is_same_card(card, other) for other in (*recent, *lying))]
        recent.extend(new)
        lying = reading.cards
        if new:
            yield frame, reading, replace(reading, cards=tuple(new), backs=())


def _same_cards(one: Sequence[Sighting], other: Sequence[Sighting]) -> bool:
    return len(one) == len(other) and all(any(_is_same_card(card, b) for b in one) for card in other)


def _is_same_card(card: Sighting, other: Sighting) -> bool:
    """True if both are one card at one place. Corners may begin at either end of a card."""
    if card.face != other.face and UNREAD not in (card.face, other.face):
        return False
    here, there = np.array(card.corners_px), np.array(other.corners_px)
    length = float(np.linalg.norm(here[1] - here[2]))
    off = min(float(np.abs(here - np.roll(there, turn, axis=0)).max()) for turn in (0, 2))
    return off < MOVED * length
