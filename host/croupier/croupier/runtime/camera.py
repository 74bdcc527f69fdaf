"""The camera above the table: its newest frame, and the events in it.

`TableWatch` follows the discard pile, reads open hands, and finds stray cards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from cardsight.card_reader import CardReader
from cardsight.errors import NoFrame
from cardsight.geometry import Image
from cardsight.sighting import CameraFault, Reading, Sighting
from cardsight.sources import Frame
from cardsight.track.appeal import Appeals
from cardsight.track.clip import ClipBuffer
from cardsight.track.events import CameraFailed, CameraWell
from cardsight.track.events import Event as PileEvent
from cardsight.track.tracker import PileTracker
from cardsight.track.zone import StrayCard, StrayCardDetector, Zone
from croupier.pictures.corrections import LearningReader
from croupier.runtime.camera_check import CameraCheck
from croupier.runtime.inbox import Inbox
from croupier.runtime.interpreter import KnownPile
from croupier.runtime.open_hands import CloseLooks, HandScan
from croupier.runtime.table_camera import TableCamera, Zones
from croupier.table_api.live_table import OpenHands
from croupier_rules.referee.observations import Play, Upcard

HOLD_S: Final = 3.0
"""The longest time for which an unsettled pile holds back later events: longer than a hand stays over the pile to lay a
card."""

UNREAD_S: Final = 5.0
"""Time after which something on the pile in which no card was read is reported to people."""


class Pile(KnownPile, Protocol):
    """The discard pile as the table follows it: `cardsight.track.PileTracker`, or `UnseenPile`."""

    unsettled_since: float | None
    """The time (s) since which an unreported card may have touched the pile; None while nothing moves."""

    @property
    def top(self) -> Sighting | None:
        """The top card at the last reading."""

    @property
    def unread_since(self) -> float | None:
        """The time (s) since which something lies there in which no card was read; None if all was read."""

    @property
    def trouble(self) -> str | None:
        """The fault of the camera; None while it sees the table."""

    @property
    def has_read_last_frame(self) -> bool:
        """True if the last frame was worth a reading, which takes as long as all else together."""

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[PileEvent, ...]:
        """Follow the pile in the frame of ``t`` ± ``u`` (s)."""

    def missing(self, now: float) -> tuple[PileEvent, ...]:
        """Note that no frame came."""

    def clear(self) -> None:
        """Set the pile to empty: all cards were collected."""

    def accept_view(self) -> None:
        """Accept the camera's present view as the right one."""

    def expect_top(self, face: str) -> None:
        """Set the top card before the first frame."""


class UnseenPile:
    """The discard pile without a camera."""

    unsettled_since: float | None = None
    has_read_last_frame = False
    top = trouble = unread_since = None

    def push(self, t: float, image: Image, u: float = 0.0) -> tuple[PileEvent, ...]:
        """See nothing."""
        return ()

    def missing(self, now: float) -> tuple[PileEvent, ...]:
        """Miss nothing."""
        return ()

    def _ignore(self, face: str = "") -> None:
        """Do nothing."""

    clear = keep_only_top = accept_view = correct = expect_top = _ignore


def settled_until(seen_until: float, unsettled_since: float | None) -> float:
    """Return the time up to which everything on the pile is reported.

    A card that is being laid may have touched at any moment since something moved there, but it holds back no event for
    longer than `HOLD_S`.
    """
    return seen_until if unsettled_since is None else min(seen_until, max(unsettled_since, seen_until - HOLD_S))


@dataclass(frozen=True, slots=True)
class Readers:
    """The card readers of a table. ``pile`` and ``hands`` read frame after frame; ``another``: makes one for appeals,
    which are read beside play. ``close_looks``: None if open hands are only read at a glance. ``camera_check``: makes
    the check of the camera; None: nobody checks it."""

    pile: CardReader
    hands: CardReader
    another: Callable[[], CardReader]
    close_looks: CloseLooks | None = None
    camera_check: Callable[[Zones], CameraCheck] | None = None


class TableWatch:
    """Watches the table during one game: events of the discard pile and of open hands go into the inbox.

    ``zones``: None without a camera, and before it is calibrated; people then report laid cards. ``faces``: the faces
    of the deck in play.
    """

    def __init__(
        self,
        camera: TableCamera,
        zones: Zones | None,
        readers: Readers,
        faces: Collection[str],
    ) -> None:
        self._camera, self.zones, self._pile_reader = camera, zones, readers.pile
        self.pile: Pile = UnseenPile()
        self.frame: Frame | None = None
        """The last frame."""
        self.misfit = ""
        """Why the last frame is of no use, in one line: it does not fit the zones; "" if it does."""
        self.stray_cards: tuple[StrayCard, ...] = ()
        """Stray cards that lie open."""
        self.clips: ClipBuffer | None = None
        """The last moments of the pile; None without a calibrated camera."""
        self.appeals: Appeals | None = None
        self._check: CameraCheck | None = None
        self._zone: Zone | None = None
        self._strays: StrayCardDetector | None = None
        self._scan = HandScan(readers.close_looks)
        self._is_hand_due = self._is_blind = False
        if zones is not None:
            self.pile = PileTracker(
                zones.pile, zones.pile_card_px, readers.pile, seats_px=zones.seats_px, faces=faces,
                may_freeze=not getattr(camera, "is_film", False),
            )  # fmt: skip
            self._check = None if readers.camera_check is None else readers.camera_check(zones)
            self.clips = ClipBuffer(zones.pile, zones.pile_card_px)
            self.appeals = Appeals(self.clips, readers.another, faces)
            self._zone = Zone(zones.show, zones.show_card_px, readers.hands, pile=zones.pile, faces=faces)
            self._strays = StrayCardDetector(zones.pile, zones.show, zones.pile_card_px, readers.hands, faces=faces)

    @property
    def has_camera(self) -> bool:
        """True if there is a calibrated camera."""
        return self._zone is not None

    @property
    def is_uncalibrated(self) -> bool:
        """True if a camera is configured and the place of the pile in its pictures is unknown."""
        return self._zone is None and self._camera.is_wanted

    @property
    def has_unread_card(self) -> bool:
        """True if something has been lying on the pile for `UNREAD_S`, and no card was read in it."""
        since = self.pile.unread_since
        return since is not None and self.frame is not None and self.frame.t - since >= UNREAD_S

    @property
    def is_seeing(self) -> bool:
        """True while frames come and show the table."""
        return self.frame is not None and self.pile.trouble is None

    @property
    def camera_fault(self) -> CameraFault | None:
        """Fault of the camera that the cards show, if any."""
        return None if self._check is None else self._check.fault

    def check_camera(self, *, is_playing: bool) -> None:
        """Check the camera by the cards that lie still in the last frame."""
        pile, frame = self.pile, self.frame
        if self._check is None or frame is None or pile.trouble is not None or pile.unsettled_since is not None:
            return
        cards = (*((pile.top,) if pile.top else ()), *(stray.card for stray in self.stray_cards))
        self._check.push(frame.t, frame.image, cards, awaits_card=is_playing and pile.top is None)

    def expect_hands(self, hands: Sequence[tuple[int, int]]) -> None:
        """Expect the hands of (seat, number of cards), the one that was asked for first; none: no hand."""
        self._is_hand_due = bool(hands)
        self._scan.expect(hands)

    def open_hands(self, due: tuple[int, ...]) -> OpenHands:
        """Return the hands that are ``due``, with what is seen of the first."""
        return OpenHands(due, self._scan.cards, self._scan.must_be_taken_up)

    def accept_view(self) -> None:
        """Accept the present view of a camera that was reported as moved; open hands are looked for in it again."""
        if self._zone is not None and self.pile.trouble == "moved":
            self._zone.forget()
        self.pile.accept_view()

    def clear(self) -> None:
        """Set the pile to empty, and drop its clips: the round is over."""
        self.pile.clear()
        self.forget_clips()

    def learn(self, reported: Play | Upcard, face: str) -> None:
        """Teach the reader that a card that it ``reported`` is a ``face``, if it learns and the picture is kept.

        Raises `CannotWrite`.
        """
        kept = None if self.clips is None else self.clips.reported_picture(reported.t, reported.card)
        if kept is not None and isinstance(self._pile_reader, LearningReader):
            self._pile_reader.learn(*kept, face)

    def forget_clips(self) -> None:
        """Drop what is kept of the pile."""
        if self.clips is not None:
            self.clips.clear()

    def poll(self, inbox: Inbox) -> None:
        """Take in the newest frame; put its events and the camera's watermark into the inbox."""
        seen_until = self._look(inbox)
        inbox.mark("camera", settled_until(seen_until, None if self._is_blind else self.pile.unsettled_since))

    def find_stray_cards(self, *, is_playing: bool) -> str:
        """Search for stray cards if the phase allows it. Returns their faces as text."""
        if self._strays is None or self.frame is None:
            return ""
        if not is_playing:
            self._strays.forget()
        elif not self.pile.has_read_last_frame:  # not twice in one turn of the loop, in which presses wait
            self._strays.look(self.frame.t, self.frame.image)
        self.stray_cards = self._strays.cards
        return ", ".join(stray.card.face for stray in self.stray_cards)

    def reading(self, image: Image) -> Reading:
        """Return the cards that were read in the last frame, ``image``: up-card, open hand, and stray cards."""
        top = self.pile.top
        hand = self._zone.reading_in(image) if self._zone is not None else None
        cards = (*((top,) if top else ()), *(hand.cards if hand else ()), *(stray.card for stray in self.stray_cards))
        return Reading(size=(image.shape[1], image.shape[0]), cards=cards)

    def _look(self, inbox: Inbox) -> float:
        """Take in the newest frame. Returns the time up to which the table was seen."""
        try:
            frame = self._fitting_frame()
        except OSError:
            now = self._camera.now()
            self._put(inbox, self.pile.missing(now))
            # A working camera will still show what was laid since its last frame.
            return self.frame.t if self.has_camera and self.frame is not None and self.pile.trouble is None else now
        if self._zone is None or self.clips is None:
            self.frame = frame
            return self._camera.now()
        events = self.pile.push(frame.t, frame.image, frame.u)
        is_settled = self.pile.unsettled_since is None and self.pile.trouble is None
        self.clips.push(frame.t, frame.image, events, is_settled=is_settled)
        self._put(inbox, events)
        if self.pile.trouble is None and (self.frame is None or self._is_hand_due):
            hand = self._scan.push(self._zone.look(frame.t, frame.image), self._zone.close_look(frame.image))
            if hand is not None:
                inbox.put(hand)
        self.frame = frame
        return frame.t

    def _fitting_frame(self) -> Frame:
        frame = self._camera.frame()
        height, width = frame.image.shape[:2]
        self.misfit = "" if self.zones is None else self.zones.misfit(width, height)
        if self.misfit:
            raise NoFrame(self.misfit)
        return frame

    def _put(self, inbox: Inbox, events: Sequence[PileEvent]) -> None:
        for event in events:
            if isinstance(event, CameraFailed | CameraWell):
                self._is_blind = isinstance(event, CameraFailed)
        if events:
            inbox.put(*events)
