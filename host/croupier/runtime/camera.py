"""The camera above the table: its newest frame, and what happens in it as events for the inbox.

A `LiveCamera` reads a source in a thread of its own and never makes the table wait for a frame. `TableWatch` follows
the discard pile in the frames, reads hands that are laid open, and finds cards that lie where none belongs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from threading import Event as Signal
from threading import Lock
from typing import Final, Protocol

from cardsight.errors import NoFrame, NoMoreFrames
from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Frame, Source
from cardsight.track.blocks import Box
from cardsight.track.cards import CardReader
from cardsight.track.events import CameraFailed, CameraWell
from cardsight.track.events import Event as PileEvent
from cardsight.track.tracker import PileTracker
from cardsight.track.zone import Look, StrayCard, StrayCardDetector, Zone
from croupier.cards import UNREAD
from croupier.devices.protocols import Camera
from croupier.devices.protocols import Frame as CameraFrame
from croupier.events import HandSeen
from croupier.runtime.inbox import Inbox
from croupier.supervisor import Supervisor, until_closed

HOLD_S: Final = 3.0
"""The longest time for which an open question on the pile holds back later events: longer than a hand stays over the
pile to lay a card."""

SETTLE_S: Final = 0.25
READS: Final = 2
"""A hand that is laid open counts when it has lain still for so long and was read alike so often, as on the pile."""

PATIENCE_S: Final = 4.0
"""A hand that lies still for so long is reported as it is read, though the number of its cards is not the expected."""

_MISSED_S: Final = 0.1
"""The pause after a frame that did not come; sources mostly wait themselves."""


@dataclass(frozen=True, slots=True)
class Zones:
    """Where in the picture (px) the discard pile lies and hands are laid open, and the length of a card there (px).

    ``seats_px``: where the people sit, mostly outside of the picture; empty where nobody knows. ``size``: width and
    height of the picture in which all this was measured; None where nobody said."""

    pile: Box
    show: Box
    pile_card_px: float
    show_card_px: float
    seats_px: tuple[tuple[float, float], ...] = ()
    size: tuple[int, int] | None = None

    def misfit(self, width: int, height: int) -> str:
        """Say in one line why the zones do not fit a picture of this size; "" where they do."""
        if self.size is not None and (width, height) != self.size:
            return f"its pictures are {width} x {height}, the calibration was made of {self.size[0]} x {self.size[1]}"
        if any(right > width or bottom > height for _, _, right, bottom in (self.pile, self.show)):
            return f"its pictures are {width} x {height}, and pile or show reach beyond that"
        return ""


class LiveCamera:
    """A `Camera` whose source is read in a thread; a frame that nobody took before the next one is dropped.

    ``wake``: called for each frame. ``now``: the table's clock. ``misfit``: says why frames of a width and height
    cannot be used; "" where they can."""

    def __init__(
        self,
        open_source: Callable[[], Source],
        now: Callable[[], float],
        wake: Callable[[], None],
        misfit: Callable[[int, int], str] = lambda width, height: "",
    ) -> None:
        self._now, self._wake, self._misfit = now, wake, misfit
        self.trouble = ""
        """Why there is no picture, in one line; "" while there is one."""
        self._lock = Lock()
        self._frame: Frame | None = None
        self.is_over = False
        """True when the source was a file and has ended."""
        self._supervisor = Supervisor("camera", open_source, self._miss, use=lambda source: None, stay=self._read)

    def start(self) -> None:
        """Begin to read the source."""
        self._supervisor.start()

    def frame(self) -> Frame:
        """Return the newest frame, once. Raises OSError where no new one has come."""
        with self._lock:
            frame, self._frame = self._frame, None
        if frame is None:
            raise NoFrame("no new picture")
        return frame

    def now(self) -> float:
        """Return the time of the table's clock (s)."""
        return self._now()

    def close(self) -> None:
        """Give the camera back; a source that hangs is left to its thread."""
        self._supervisor.close()

    def _read(self, source: Source, is_closing: Signal) -> str:
        while not is_closing.is_set():
            try:
                frame = source.frame()
            except NoMoreFrames as end:
                self.is_over = True
                self._miss(str(end))
                return until_closed(source, is_closing)
            except NoFrame as err:
                self._miss(str(err))
                is_closing.wait(_MISSED_S)
                continue
            if misfit := self._misfit(frame.image.shape[1], frame.image.shape[0]):
                self._miss(misfit)
                continue
            with self._lock:
                self._frame, self.trouble = frame, ""
            self._wake()
        return ""

    def _miss(self, why: str) -> None:
        self.trouble = why
        self._wake()


class NullCamera:
    """A `Camera` where there is none; ``now``: the table's clock."""

    is_over = False
    trouble = ""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def start(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def frame(self) -> Frame:
        """Raise OSError, always."""
        raise NoFrame("there is no camera")

    def now(self) -> float:
        """Return the time of the table's clock (s)."""
        return self._now()


class PacedFile:
    """A `Source` that gives out the frames of a file at their own times on the table's clock, as a camera would."""

    def __init__(self, file: Source, now: Callable[[], float], sleep: Callable[[float], None] = time.sleep) -> None:
        self._file, self._now, self._sleep = file, now, sleep

    def frame(self) -> Frame:
        """Wait until the next frame is due, and return it."""
        frame = self._file.frame()
        self._sleep(max(0.0, frame.t - self._now()))
        return frame

    def now(self) -> float:
        """Return the time of the table's clock (s)."""
        return self._now()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class HandScan:
    """Reads the cards of one hand that is laid open, in one picture or in several.

    All cards at once, or some, then the zone cleared, then the others: they add up. Cards that are moved about without
    clearing the zone are read anew. Between two hands the zone must be seen to be clear."""

    def __init__(self) -> None:
        self._expected: tuple[int, int] | None = None
        self._is_clear = True
        self._before: tuple[str, ...] = ()
        self._lying: tuple[str, ...] = ()
        self._last: tuple[str, ...] = ()
        self._alike = 0
        self._still_since = 0.0

    def expect(self, hand: tuple[int, int] | None) -> None:
        """Expect the hand of (seat, number of cards); the same hand again changes nothing. None: no hand is to be
        shown, and cards in the zone belong to nobody."""
        if hand != self._expected:
            self._expected = hand
            self._begin_hand()

    def push(self, look: Look) -> HandSeen | None:
        """Take in one look at the zone; returns the whole hand once it is read."""
        if look.is_unchanged:
            self._put_aside()
            if self._expected is not None and self._expected[1] == 0:
                # Who went out with a Wild Draw Four may be challenged, and has nothing to lay open.
                seat, self._expected = self._expected[0], None
                return HandSeen(look.t, seat, ())
        if not look.is_changed or self._expected is None or not self._is_clear:
            self._alike, self._still_since = 0, look.t
            return None
        faces = tuple(sorted(card.face for card in look.cards))
        self._alike = self._alike + 1 if faces == self._last else 1
        self._last = faces
        waited = look.t - self._still_since
        if self._alike < READS or waited < SETTLE_S:
            return None
        if UNREAD not in faces:
            self._lying = faces
        seat, n = self._expected
        whole = faces if len(faces) == n else self._before + faces
        if (UNREAD in faces or len(whole) != n) and waited < PATIENCE_S:
            return None
        self._is_clear = False
        self._begin_hand()
        return HandSeen(look.t, seat, whole)

    def _put_aside(self) -> None:
        """The zone is clear: what was read there counts, unless the hand is complete without it."""
        self._is_clear = True
        self._before += self._lying
        self._lying = ()
        if self._expected is not None and len(self._before) >= self._expected[1]:
            self._before = ()

    def _begin_hand(self) -> None:
        self._before = self._lying = self._last = ()
        self._alike = 0


class Pile(Protocol):
    """The discard pile as the table follows it: `cardsight.track.PileTracker`, or `UnseenPile`."""

    unsettled_since: float | None
    """Since when (s) a card may have been touching the pile that is not reported yet; None while nothing moves."""

    @property
    def top(self) -> Sighting | None:
        """The top card as it was read last."""

    @property
    def trouble(self) -> str | None:
        """What is wrong with the camera; None while it sees the table."""

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[PileEvent, ...]:
        """Follow the pile in the frame of ``t`` ± ``u`` (s)."""

    def missing(self, now: float) -> tuple[PileEvent, ...]:
        """Take note that no frame came."""

    def clear(self) -> None:
        """Take the pile as empty: all cards were collected."""

    def bare(self) -> None:
        """Take the top card as the only one: the others became the draw pile."""

    def stays(self) -> None:
        """Take the camera's present view as the right one."""

    def correct(self, face: str) -> None:
        """Take the card that a person named as the top card."""

    def lies(self, face: str) -> None:
        """Take this card as the top card, before a frame was seen."""


class UnseenPile:
    """The discard pile where no camera looks at it."""

    unsettled_since: float | None = None
    top = trouble = None

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[PileEvent, ...]:
        """See nothing."""
        return ()

    def missing(self, now: float) -> tuple[PileEvent, ...]:
        """Miss nothing."""
        return ()

    def _ignore(self, face: str = "") -> None:
        """Do nothing."""

    clear = bare = stays = correct = lies = _ignore


def settled_until(seen_until: float, unsettled_since: float | None) -> float:
    """Return the second up to which everything on the pile is reported: a card that is being laid may have touched at
    any moment since something moved there, but holds back no event for longer than `HOLD_S`."""
    return seen_until if unsettled_since is None else min(seen_until, max(unsettled_since, seen_until - HOLD_S))


class TableWatch:
    """Watches the table during one game: frames in, events of the discard pile and of open hands into the inbox.

    ``zones``: None where there is no camera; people then report what is laid. ``pile_reader`` and ``hand_reader`` read
    the cards; ``faces``: the faces of the deck in play."""

    def __init__(
        self,
        camera: Camera,
        zones: Zones | None,
        pile_reader: CardReader,
        hand_reader: CardReader,
        faces: Collection[str],
    ) -> None:
        self._camera = camera
        self.pile: Pile = UnseenPile()
        self.frame: CameraFrame | None = None
        """The last frame."""
        self.stray_cards: tuple[StrayCard, ...] = ()
        """Cards that lie open where none belongs."""
        self._zone: Zone | None = None
        self._strays: StrayCardDetector | None = None
        self._scan = HandScan()
        self._is_hand_due = self._is_blind = False
        if zones is not None:
            self.pile = PileTracker(zones.pile, zones.pile_card_px, pile_reader, seats_px=zones.seats_px, faces=faces)
            self._zone = Zone(zones.show, zones.show_card_px, hand_reader, pile=zones.pile, faces=faces)
            self._strays = StrayCardDetector(zones.pile, zones.show, zones.pile_card_px, hand_reader, faces=faces)

    @property
    def has_camera(self) -> bool:
        """True where a camera sees the table."""
        return self._zone is not None

    @property
    def is_seeing(self) -> bool:
        """True while frames come and show the table."""
        return self.frame is not None and self.pile.trouble is None

    def expect_hand(self, hand: tuple[int, int] | None) -> None:
        """Expect the hand of (seat, number of cards) to be laid open; None: no hand."""
        self._is_hand_due = hand is not None
        self._scan.expect(hand)

    def poll(self, inbox: Inbox) -> None:
        """Take in the newest frame, and put what it shows, and the camera's watermark, into the inbox."""
        seen_until = self._look(inbox)
        inbox.mark("camera", settled_until(seen_until, None if self._is_blind else self.pile.unsettled_since))

    def find_stray_cards(self, *, is_playing: bool) -> str:
        """Look for cards beside the piles, unless cards lie anywhere now; returns their faces for people to read."""
        if self._strays is None or self.frame is None:
            return ""
        if is_playing:
            self._strays.look(self.frame.t, self.frame.image)
        else:
            self._strays.forget()
        self.stray_cards = self._strays.cards
        return ", ".join(stray.card.face for stray in self.stray_cards)

    def reading(self, image: Image) -> Reading:
        """Return the cards that were read in the last frame, ``image``: up-card, open hand, and stray cards."""
        top = self.pile.top
        hand = self._zone.reading_in(image) if self._zone is not None else None
        cards = (*((top,) if top else ()), *(hand.cards if hand else ()), *(stray.card for stray in self.stray_cards))
        return Reading(size=(image.shape[1], image.shape[0]), cards=cards)

    def _look(self, inbox: Inbox) -> float:
        """Take in the newest frame; returns the second up to which the table was seen."""
        try:
            frame = self._camera.frame()
        except OSError:
            now = self._camera.now()
            self._put(inbox, self.pile.missing(now))
            # A camera that works will still show what has been laid since its last frame.
            return self.frame.t if self.has_camera and self.frame is not None and self.pile.trouble is None else now
        if self._zone is None:
            return frame.t
        self._put(inbox, self.pile.push(frame.t, frame.image, frame.u))
        if self.frame is None or self._is_hand_due:
            hand = self._scan.push(self._zone.look(frame.t, frame.image))
            if hand is not None:
                inbox.put(hand)
        self.frame = frame
        return frame.t

    def _put(self, inbox: Inbox, events: Sequence[PileEvent]) -> None:
        for event in events:
            if isinstance(event, CameraFailed | CameraWell):
                self._is_blind = isinstance(event, CameraFailed)
        if events:
            inbox.put(*events)
