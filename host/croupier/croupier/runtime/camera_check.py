"""Checks beside play whether the camera shows the table as it is: that red and blue are not exchanged, that it is not
mirrored, does not hang upside down, and is the one that was calibrated.

The cards that were read anyway are enough for colors and sides. The whole picture is read only while a game goes on and
no card was seen on the pile: then it hangs the wrong way round, or is another camera.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import cached_property
from typing import Final

import numpy as np

from cardsight.camera_check import CameraMonitor, misplaced
from cardsight.card_reader import CardReader
from cardsight.geometry import Image, pyramid
from cardsight.sighting import CameraFault, Sighting
from cardsight.sources import Frame
from cardsight.track.cards import is_same_card
from croupier.errors import CroupierError
from croupier.runtime.table_camera import TableCamera, Zones
from croupier.table_api.live_table import CameraInvitation

BLIND_S: Final = 6.0
"""Time (s) in play without a card on the pile after which the whole picture is read, and between two such readings."""
LOOKS: Final = 2
"""Number of readings that must show the same fault of the camera's place: a hand may hold a card before the lens."""

Parts = Callable[[], tuple[CardReader, CameraMonitor]]
"""Makes the reader of whole pictures, and what judges colors and sides; both are for one thread."""


class CameraCheck:
    """Checks the camera of a table with these ``zones``, in the thread of ``executor``, one picture at a time."""

    def __init__(self, zones: Zones, make_parts: Parts, executor: Executor) -> None:
        self._zones, self._make_parts, self._executor = zones, make_parts, executor
        self._job: Future[CameraFault | None] | None = None
        self._is_whole = False
        """True if the job reads a whole picture."""
        self._judged: tuple[Sighting, ...] = ()
        self._blind_since: float | None = None
        self._seen: list[CameraFault | None] = []
        """The results of the last whole pictures."""
        self._fault: CameraFault | None = None

    @property
    def fault(self) -> CameraFault | None:
        """Fault of the camera, if any."""
        return self._fault

    def push(self, t: float, image: Image, cards: Sequence[Sighting], *, awaits_card: bool) -> None:
        """Take in the frame of ``t`` (s) and the cards that are known in it. ``awaits_card``: a game goes on, and no
        card was read on the pile."""
        if self._job is not None:
            if not self._job.done():
                return
            self._take(self._job.result())
            self._job = None
        if not awaits_card:
            self._blind_since, self._seen = None, []
        elif self._blind_since is None:
            self._blind_since = t
        new = [card for card in cards if not any(is_same_card(card, old) for old in self._judged)]
        if new:
            self._judged, self._is_whole = tuple(cards), False
            self._job = self._executor.submit(self._by_cards, image, new)
        elif self._blind_since is not None and t - self._blind_since >= BLIND_S:
            self._blind_since, self._is_whole = t, True
            self._job = self._executor.submit(self._by_picture, image)

    def _take(self, found: CameraFault | None) -> None:
        if not self._is_whole:
            self._fault = found
            return
        self._seen = [*self._seen, found][-LOOKS:]
        if len(self._seen) == LOOKS and len(set(self._seen)) == 1:
            self._fault = found

    @cached_property
    def _parts(self) -> tuple[CardReader, CameraMonitor] | None:
        """Made by the first job, in its thread. None without a model or a profile, which is reported elsewhere."""
        with suppress(CroupierError):
            return self._make_parts()
        return None

    def _by_cards(self, image: Image, cards: Sequence[Sighting]) -> CameraFault | None:
        return None if self._parts is None else self._parts[1].fault_by(pyramid(image), cards)

    def _by_picture(self, image: Image) -> CameraFault | None:
        if self._parts is None:
            return None
        reader, monitor = self._parts
        zones = self._zones
        fault, reading = monitor.fault_of(image, reader.read)
        if fault is not None:
            return fault
        if not reading.cards and not reading.backs:
            return "no-cards"
        left, top, right, bottom = zones.pile
        place = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)
        return misplaced(reading, place, zones.pile_card_px, (image.shape[1], image.shape[0]))


class ColorsPutRight:
    """A `TableCamera` that delivers the pictures of ``camera`` with red and blue exchanged."""

    def __init__(self, camera: TableCamera) -> None:
        self.camera = camera
        self.start, self.close, self.now = camera.start, camera.close, camera.now
        self.is_film = getattr(camera, "is_film", False)

    @property
    def trouble(self) -> str:
        """As that of the camera."""
        return self.camera.trouble

    @property
    def is_wanted(self) -> bool:
        """As that of the camera."""
        return self.camera.is_wanted

    @property
    def invitation(self) -> CameraInvitation | None:
        """As that of the camera."""
        return self.camera.invitation

    def frame(self) -> Frame:
        """Return the camera's frame. Raises OSError as the camera does."""
        frame = self.camera.frame()
        return Frame(frame.t, np.ascontiguousarray(frame.image[..., ::-1]), frame.u)


def colors_put_right(camera: TableCamera) -> TableCamera:
    """Return a camera with red and blue exchanged; the camera itself if they were exchanged already."""
    return camera.camera if isinstance(camera, ColorsPutRight) else ColorsPutRight(camera)
