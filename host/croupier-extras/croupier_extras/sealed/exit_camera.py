"""The driver of the camera at the card exit: from its pictures to the cards that passed.

The camera runs freely and exposes nearly all the time; the hood is dark but for the flash that the light barrier fires
at both edges of a card. So each edge lights one picture, and no picture needs to be asked for in time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from threading import Event as Signal
from typing import Final, Protocol

from cardsight.errors import NoFrame
from cardsight.exit_corner import CornerReading, ExitReader, part_of
from cardsight.geometry import Image
from cardsight.sources import Frame, Source
from croupier.config import Config
from croupier.config.sections import Camera
from croupier.devices.protocols import DeviceEvent, ExitCamera
from croupier.pictures import table_reader
from croupier.supervisor import Supervisor

SIZE: Final = "1280x800"
FPS: Final = 60.0
"""Picture size and rate of the camera: each flash has a picture of its own."""
SILENT_S: Final = 1.0
"""Time without a picture after which the table no longer waits for the camera."""
SAME_S: Final = 0.03
"""A report of the shoe and the picture of its last card differ by up to this (s)."""
_MISSED_S: Final = 0.05


class CornerReader(Protocol):
    """Reads the printed corners of a card; `cardsight.exit_corner.ExitReader` does."""

    def read(self, upright: Image) -> CornerReading | None:
        """Read the picture of a front, or of a tail turned by 180°."""

    def both(self, front: CornerReading | None, tail: CornerReading | None) -> tuple[str, ...]:
        """Return the face of a card, or two faces."""


class Flashes:
    """Puts the pictures of flashes together to the cards that passed: each has a front and a tail, in this order."""

    def __init__(self, reader: CornerReader) -> None:
        self._reader = reader
        self._front: tuple[float, CornerReading | None] | None = None
        self._passed: list[tuple[float, tuple[str, ...]]] = []

    def see(self, t: float, image: Image) -> None:
        """Take in a picture of time ``t`` (s) with a flash."""
        part = part_of(image)
        if part == "front":
            self._end(t)
            self._front = t, self._reader.read(image)
        elif part == "tail":
            front = self._front[1] if self._front is not None else None
            self._front = None
            self._passed.append((t, self._reader.both(front, self._reader.read(turned(image)))))

    def take(self, until: float) -> tuple[tuple[str, ...], ...]:
        """As `ExitCamera.take`."""
        if self._front is not None and self._front[0] <= until:
            self._end(until)
        due = tuple(faces for t, faces in self._passed if t <= until)
        self._passed = [one for one in self._passed if one[0] > until]
        return due

    def _end(self, t: float) -> None:
        """The tail of a card was missed."""
        if self._front is not None:
            self._passed.append((t, self._reader.both(self._front[1], None)))
            self._front = None


def turned(image: Image) -> Image:
    """Return the picture turned by 180°."""
    return image[::-1, ::-1].copy()


class LiveExitCamera:
    """An `ExitCamera` whose ``open_source`` is read in a thread; dark pictures are dropped there.

    ``new_reader``: makes a reader for the faces of a deck, on the thread that polls. ``now``: the table's clock;
    ``wake``: called for each flash.
    """

    def __init__(
        self,
        open_source: Callable[[], Source],
        new_reader: Callable[[Collection[str]], CornerReader],
        now: Callable[[], float],
        wake: Callable[[], None],
    ) -> None:
        self._new_reader, self._now, self._wake = new_reader, now, wake
        self._faces: Collection[str] = ()
        self._flashes: Flashes | None = None
        self._is_seeing = False
        self._lit: deque[Frame] = deque()
        self._seen_until = now()
        self.trouble = ""
        self._supervisor = Supervisor("exit camera", open_source, self._miss, stay=self._read)

    def start(self) -> None:
        """As `ExitCamera.start`."""
        self._supervisor.start()

    def close(self) -> None:
        """As `ExitCamera.close`."""
        self._supervisor.close()

    def expect(self, faces: Collection[str]) -> None:
        """As `ExitCamera.expect`."""
        self._faces, self._flashes = faces, None

    def watermark(self) -> float:
        """As `EventSource.watermark`; the table does not wait for a camera that is silent."""
        now = self._now()
        return max(self._seen_until - SAME_S, now - SILENT_S) if self._is_seeing else now

    def poll(self) -> Sequence[DeviceEvent]:
        """As `EventSource.poll`: read the flashes."""
        self._flashes = self._flashes or Flashes(self._new_reader(self._faces))
        while self._lit:
            frame = self._lit.popleft()
            self._flashes.see(frame.t, frame.image)
        return ()

    def take(self, until: float) -> tuple[tuple[str, ...], ...]:
        """As `ExitCamera.take`."""
        return self._flashes.take(until + SAME_S) if self._flashes is not None else ()

    def _read(self, source: Source, is_closing: Signal) -> str:
        while not is_closing.is_set():
            try:
                frame = source.frame()
            except NoFrame as err:
                self._miss(str(err))
                is_closing.wait(_MISSED_S)
                continue
            if part_of(frame.image) is not None:
                self._lit.append(frame)
                self._wake()
            self._seen_until, self._is_seeing, self.trouble = frame.t, True, ""
        return ""

    def _miss(self, why: str) -> None:
        self._is_seeing, self.trouble = False, why


def open_camera(config: Config, now: Callable[[], float], wake: Callable[[], None]) -> ExitCamera:
    """Make the camera at the card exit that ``config`` names. It exposes as long as a picture lasts.

    Raises:
        ModelNotFound: the card reader has no model.
    """
    assert config.shoe.exit_camera is not None
    section = Camera(source=config.shoe.exit_camera, size=SIZE, fps=FPS, exposure_ms=1000 / FPS)
    net = table_reader.corner_network()

    def open_source() -> Source:
        source = table_reader.camera(section, now)
        assert source is not None
        return source

    return LiveExitCamera(open_source, lambda faces: ExitReader(net, faces), now, wake)
