"""The scale of the camera's picture, and the places of pile and seats on it, as people drag them.

The scale comes from the printed sheet, from cards that lie anywhere on the table, or from the deck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import cv2
import numpy as np

from cardsight.calibrate import Calibration, Plane
from cardsight.calibrate.plane import LEAST_CARDS, Points, from_cards, from_overhead
from cardsight.camera_check import fault_of, misplaced
from cardsight.card_reader import CardReader
from cardsight.errors import NotCalibrated
from cardsight.geometry import Image
from cardsight.model import Model
from cardsight.sighting import CameraFault, Reading, Sighting
from cardsight.sources import Frame
from cardsight.sources.network import public_address
from croupier import plugins
from croupier.alarms import camera_fault_text
from croupier.config import Config
from croupier.errors import CroupierError
from croupier.i18n import _, from_others, localize, ngettext
from croupier.pictures.calibrate import LENGTH_TOLERANCE, View, cards_on_pile, find_white, view
from croupier.pictures.table_reader import calibration, shipped_model
from croupier.runtime.table_camera import TableCamera
from croupier.table_api.live_table import CameraOrder, CameraView
from croupier_rules.cards import BACK, CARD_MM, UNREAD
from croupier_rules.referee import Explainer, Header

_JPEG_QUALITY: Final = 80
"""A third of the bytes of OpenCV's default without a visible loss."""
_WIDEST_PX: Final = 1280
"""The widest picture that is sent to the page."""
_RIM: Final = 0.05
"""Distance from the rim (fraction of the picture) at which a seat outside the picture is shown."""

PxPoint = tuple[float, float]


def jpeg(image: Image) -> bytes:
    """Encode a picture."""
    _is_encoded, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return encoded.tobytes()


@dataclass(slots=True)
class _Draft:
    """Places that are not saved yet (px). ``plane``: None while the scale is unknown. ``seats``: None: evenly around
    the pile. ``seen``: the picture with the cards that gave the scale. ``is_saved``: nothing was changed since."""

    plane: Plane | None = None
    pile: PxPoint | None = None
    seats: tuple[PxPoint, ...] | None = None
    seen: View | None = None
    is_saved: bool = False

    @property
    def is_measured_at_each_look(self) -> bool:
        """True if the scale is taken from what lies on the table now: until it is saved. Who drags places keeps a saved
        scale."""
        return not self.is_saved and (self.plane is None or self.seen is not None)

    def calibration(self, size: tuple[int, int], n: int) -> Calibration | None:
        """The calibration of a picture of ``size`` with ``n`` seats; None while the scale is unknown."""
        if self.plane is None:
            return None
        pile = self.pile or (size[0] / 2, size[1] / 2)
        plane = self.plane.upright_at(pile)
        if self.seats is None or len(self.seats) != n:
            return Calibration(size, plane).with_even_seats(n)
        return Calibration(size, plane, seats=tuple((float(x), float(y)) for x, y in plane.to_mm(self.seats)))


class CameraPlaces:
    """Scale, pile and seats on the picture of the camera that ``config`` names, until they are saved.

    ``cameras``: sources and names of the cameras that are connected; ``reader``: makes the reader of cards. It has one
    of its own: a network is not for two threads.
    """

    def __init__(
        self, config: Config, reader: Callable[[Config], CardReader], cameras: Collection[tuple[str, str]] = ()
    ) -> None:
        self.config, self._new_reader, self._cameras = config, reader, tuple(cameras)
        self._reader: CardReader | None = None
        self._model: Model | None = None
        self._draft: _Draft | None = None
        self._found: Calibration | None = None

    def use(self, config: Config) -> None:
        """Begin anew with what this configuration has saved."""
        self.config, self._draft, self._found = config, None, None

    @property
    def unsaved(self) -> Calibration | None:
        """Return the calibration to save; None if nothing was changed, or while the scale is unknown."""
        draft, found = self._draft, self._found
        if draft is None or found is None or draft.is_saved:
            return None
        if draft.seen is not None:
            with suppress(NotCalibrated):
                found = find_white(draft.seen, found)
        return found

    def note_saved(self, config: Config) -> None:
        """Note that `unsaved` was saved, and is named in this configuration."""
        self.config = config
        if self._draft is not None:
            self._draft.is_saved, self._draft.seen = True, None

    def look(
        self, order: CameraOrder, camera: TableCamera, frame: Frame | None, header: Header, notes: list[str],
        save: Callable[[], None] = lambda: None,
    ) -> CameraView:  # fmt: skip
        """Take in the places and the scale of an order, and look at the last frame. ``notes``: what is wrong so
        far. ``save``: called if the order says so and something is to be saved; may raise `CroupierError`, which
        becomes a note, as what goes wrong here."""
        draft = self._draft = self._draft or self._saved()
        _take_places(draft, order)
        reading = None
        if frame is not None:
            with noted(notes):
                self._reader = self._reader or self._new_reader(self.config)
                reading = self._reader.read(frame.image)
        if frame is None or reading is None:
            return self._view(camera, header, draft, notes)
        fault = self._fault_of(frame.image, reading)
        if fault is None and (order.measures or draft.is_measured_at_each_look):
            self._measure(draft, frame.image, reading, notes)
        height, width = frame.image.shape[:2]
        if fault is None and draft.plane is not None and draft.is_saved:
            saved = draft.calibration((width, height), len(header.seats))
            assert saved is not None
            fault = misplaced(reading, saved.pile_px(), saved.card_px(saved.pile), saved.size)
        if fault is not None:
            notes.append(camera_fault_text(fault))
        found = self._found = draft.calibration((width, height), len(header.seats))
        if order.saves and found is not None:
            with noted(notes):
                save()
        explainer = Explainer(header, order.language)
        notes += self._notes(draft, found, reading, explainer)
        cards = tuple((_name(card, explainer), card) for card in (*reading.cards, *reading.backs))
        return self._view(camera, header, draft, notes, frame, found, cards)

    def _fault_of(self, image: Image, reading: Reading) -> CameraFault | None:
        """Return what the cards show to be wrong with the camera; of an edition of one's own only what needs none."""
        if self._model is None and self.config.deck.profile is None:
            self._model = shipped_model()
        return fault_of(image, reading, self._model)

    def _saved(self) -> _Draft:
        """The places by which the table plays."""
        path = self.config.camera.calibration
        if path is None:
            return _Draft()
        with suppress(CroupierError):
            saved = calibration(path)
            pile, *seats = saved.plane.to_px([saved.pile, *saved.seats])
            places = tuple((float(x), float(y)) for x, y in seats)
            return _Draft(saved.plane, (float(pile[0]), float(pile[1])), places or None, is_saved=True)
        return _Draft()

    def _measure(self, draft: _Draft, image: Image, reading: Reading, notes: list[str]) -> None:
        """Take the scale from the sheet, or from the cards."""
        try:
            seen = view(image, lambda picture: reading, CARD_MM)
            if seen.sheet is not None:
                plane = seen.sheet.plane
                draft.pile = draft.pile or _point(plane.to_px([(0.0, 0.0)])[0])
            elif len(seen.cards) >= LEAST_CARDS:
                plane = from_cards(seen.cards, seen.size)
            else:
                plane = from_overhead(seen.cards, seen.size)
        except NotCalibrated as err:
            if reading.cards or reading.backs:
                notes.append(from_others(str(err)))
            return
        draft.plane, draft.seen, draft.is_saved = plane, seen, False

    def _notes(self, draft: _Draft, found: Calibration | None, reading: Reading, explainer: Explainer) -> list[str]:
        if found is None:
            return [_("Lay three cards flat on the table, or the deck: their size gives the scale.")]
        notes = []
        if (used := found.plane.used) and draft.seen is not None:
            if draft.seen.sheet is not None:
                notes.append(_("The scale comes from the printed sheet."))
            elif used < LEAST_CARDS:
                notes.append(_("The scale comes from one place only: the camera must look straight down. Three cards "
                               "also show from which side it looks."))  # fmt: skip
            else:
                notes.append(ngettext("The scale comes from {n} card.", "The scale comes from {n} cards.", used))
        on_pile = cards_on_pile(reading, found)
        if not on_pile:
            return [*notes, _("On the pile: nothing. Lay a card there, and see whether it is read.")]
        notes.append(_("On the pile: {cards}.", cards=", ".join(_name(card, explainer) for card, _share in on_pile)))
        share = on_pile[0][1]
        if abs(share - 1) > LENGTH_TOLERANCE:
            notes.append(_("This card is {percent} % as long as expected there: take the scale again.",
                           percent=round(100 * share)))  # fmt: skip
        return notes

    def _view(
        self, camera: TableCamera, header: Header, draft: _Draft, notes: Collection[str], frame: Frame | None = None,
        found: Calibration | None = None, cards: Collection[tuple[str, Sighting]] = (),
    ) -> CameraView:  # fmt: skip
        invitation = camera.invitation
        image, size = b"", (0, 0)
        if frame is not None:
            height, width = frame.image.shape[:2]
            size = width, height
            shrink = min(1.0, _WIDEST_PX / width)
            shown = cv2.resize(frame.image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
            image = jpeg(np.asarray(shown, np.uint8))
        elif invitation is None and (camera.trouble or not notes):
            notes = [*notes, from_others(camera.trouble) or _("There is no picture yet.")]
        source, cameras = self.config.camera.source, dict(self._cameras)
        cameras.setdefault(source, _without_password(source))
        kinds = plugins.loaded(plugins.CAMERAS)
        cameras |= {name: _(kind.title) for name, kind in kinds.items() if kind.title} | {"none": ""}
        return CameraView(
            jpeg=image,
            size=size,
            cards=tuple((name, tuple(map(_point, np.array(card.corners_px)))) for name, card in cards),
            pile=() if found is None else tuple(map(_point, found.pile_px())),
            seats=() if found is None else tuple(zip(header.seats, _shown_seats(found), strict=True)),
            cameras=tuple(cameras.items()),
            source=source,
            notes=tuple(notes),
            is_saved=draft.is_saved,
            invitation=invitation,
        )


def _take_places(draft: _Draft, order: CameraOrder) -> None:
    points = [*([] if order.pile is None else [order.pile]), *(order.seats or ())]
    if not points or not all(map(math.isfinite, sum(points, ()))):
        return
    draft.pile = order.pile or draft.pile
    draft.seats = order.seats or draft.seats
    draft.is_saved = False


@contextmanager
def noted(notes: list[str]) -> Iterator[None]:
    """Note what cannot be done; the table is looked at nevertheless."""
    try:
        yield
    except CroupierError as err:
        notes += localize(err)


def _name(card: Sighting, explainer: Explainer) -> str:
    return "?" if card.face == UNREAD else _("a card face down") if card.face == BACK else explainer.card(card.face)


def _without_password(source: str) -> str:
    return public_address(urlsplit(source)) if "://" in source else source


def _point(xy: Points) -> PxPoint:
    return float(xy[0]), float(xy[1])


def _shown_seats(found: Calibration) -> Iterator[PxPoint]:
    """Yield where each seat is shown: where the line from the pile to it leaves the picture, if it is outside."""
    size = np.array(found.size, np.float64)
    pile, *seats = found.plane.to_px([found.pile, *found.seats])
    low, high = size * _RIM, size * (1 - _RIM)
    for seat in seats:
        way = seat - pile
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(way > 0, (high - pile) / way, np.where(way < 0, (low - pile) / way, np.inf))
        yield _point(pile + way * min(1.0, max(0.0, float(reach.min()))))
