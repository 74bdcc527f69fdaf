"""Calibration: finds the plane, the pile, the seats and white in a picture of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from cardsight import light
from cardsight.calibrate import Calibration, Plane, sheet
from cardsight.calibrate.plane import from_cards
from cardsight.calibrate.sheet import LINE_MM, SheetSeen
from cardsight.calibrate.table import PILE_MM, Point
from cardsight.camera_check import fault_of
from cardsight.enroll.outlines import sharpened
from cardsight.errors import NotCalibrated
from cardsight.geometry import Quad, length
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Picture
from croupier.alarms import camera_fault_text
from croupier.i18n import _, ngettext
from croupier.pictures.readings import Read
from croupier.pictures.table_reader import shipped_model

TALLY_MARGIN_MM: Final = 15.0
"""Margin of the area for open hands around the cards at its corners."""
FEWEST_SEATS: Final = 2


@dataclass(slots=True)
class View:
    """A picture of the table with its reference points: the printed sheet, if it lies there, and outlines of cards."""

    picture: Picture
    sheet: SheetSeen | None
    cards: list[Quad]
    card_mm: tuple[float, float]
    findings: list[str] = field(default_factory=list)
    """The results, in words."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in px."""
        return self.picture.shape[1], self.picture.shape[0]

    def middles_mm(self, plane: Plane) -> list[Point]:
        """Return the middles of the cards on the table, in mm."""
        return [(float(x), float(y)) for x, y in (plane.to_mm(quad).mean(axis=0) for quad in self.cards)]


def view(picture: Picture, read: Read, card_mm: tuple[float, float], line_mm: float = LINE_MM) -> View:
    """Find the sheet and the cards in a picture. Raises `NotCalibrated`, also if colors or sides of the picture are
    exchanged."""
    reading = read(picture)
    if (fault := fault_of(picture, reading, shipped_model())) is not None:
        raise NotCalibrated(camera_fault_text(fault))
    quads = [np.array(card.corners_px, np.float32) for card in (*reading.cards, *reading.backs)]
    return View(picture, sheet.find(picture, line_mm), [sharpened(picture, quad) for quad in quads], card_mm)


LENGTH_TOLERANCE: Final = 0.15
"""Deviation of a card's length on the pile (fraction) from which the tracker does not take it for a card."""


def cards_on_pile(reading: Reading, found: Calibration) -> list[tuple[Sighting, float]]:
    """Return the cards of a picture that lie on the discard pile, each with its length as a fraction of the expected
    one."""
    corners, expected = found.pile_px().astype(np.float32), found.card_px(found.pile)
    quads = [(card, np.array(card.corners_px, np.float32)) for card in (*reading.cards, *reading.backs)]
    return [
        (card, length(quad) / expected)
        for card, quad in quads
        if cv2.pointPolygonTest(corners, quad.mean(axis=0).tolist(), measureDist=False) >= 0
    ]


def find_plane(seen: View, found: Calibration | None) -> Calibration:
    """Find the plane of the table by the sheet, else by the cards."""
    if seen.sheet is not None:
        # The result does not depend on the rotation of the sheet.
        plane = seen.sheet.plane.upright_at(seen.sheet.plane.to_px([(0.0, 0.0)])[0])
        what = _("the sheet, {n} of {all} markers", n=len(seen.sheet.markers), all=len(sheet.MARKERS_MM))
    else:
        plane = from_cards(seen.cards, seen.size, seen.card_mm)
        what = ngettext("{n} card", "{n} cards", plane.used)
        if plane.left_out:
            what = _("{cards}, does not fit: {others}", cards=what, others=plane.left_out)
    seen.findings.append(_("plane: from {what}; error {mm} mm on the table", what=what, mm=f"{plane.error_mm:.1f}"))
    if found is not None and seen.sheet is not None:
        return found.on(plane)  # the sheet lies on the pile; the other places keep their distance to it
    if found is not None:
        dropped = _("pile, tally and seats were dropped: without the sheet their places are unknown")
        seen.findings.append(f"  {dropped}")
    return Calibration(seen.size, plane, white=None if found is None else found.white)


def find_white(seen: View, found: Calibration) -> Calibration:
    """Measure white by the gray patch of the sheet, else by the borders of the cards."""
    if seen.sheet is not None:
        color, what = light.white_from_patch(seen.picture, seen.sheet.patch_px, sheet.GRAY), _("the gray patch")
    else:
        color, what = light.white_from_cards(seen.picture, seen.cards), _("the borders of the cards")
    b, g, r = (100 * channel / max(color) for channel in color)
    parts = {"red": round(r), "green": round(g), "blue": round(b)}
    text = _("white: from {what}; red {red} %, green {green} %, blue {blue} % of the strongest", what=what, **parts)
    seen.findings.append(text)
    return replace(found, white=color)


def find_pile(seen: View, found: Calibration) -> Calibration:
    """Find the discard pile: the place of the sheet, else of the card nearest to the middle of the picture."""
    if seen.sheet is not None:
        x, y = found.plane.to_mm(seen.sheet.plane.to_px([(0.0, 0.0)]))[0].tolist()
        seen.findings.append(_("discard pile: where the sheet lies"))
        return replace(found, pile=(x, y))
    if not seen.cards:
        raise NotCalibrated(_("no card seen; lay one where the discard pile will be"))
    middle = np.array(seen.size) / 2
    nearest = min(range(len(seen.cards)), key=lambda n: float(np.linalg.norm(seen.cards[n].mean(axis=0) - middle)))
    seen.findings.append(_("discard pile: at the card nearest the middle of the picture"))
    return replace(found, pile=seen.middles_mm(found.plane)[nearest])


def find_tally(seen: View, found: Calibration) -> Calibration:
    """Find the area for open hands: the rectangle around all cards of the picture."""
    if len(seen.cards) < 2:
        raise NotCalibrated(
            _("cards seen: {n}; lay cards at the corners of the area for open hands", n=len(seen.cards))
        )
    corners = np.concatenate([found.plane.to_mm(quad) for quad in seen.cards])
    left, top = corners.min(axis=0) - TALLY_MARGIN_MM
    right, bottom = corners.max(axis=0) + TALLY_MARGIN_MM
    area = tuple((float(x), float(y)) for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)))
    size = {"width": round(right - left), "height": round(bottom - top)}
    seen.findings.append(_("open hands: {width} x {height} mm around the cards", **size))
    return replace(found, tally=area)


def find_seats(seen: View, found: Calibration) -> Calibration:
    """Find the seats: the places of all cards that do not lie on the discard pile."""
    half = PILE_MM / 2
    x, y = found.pile
    places = [at for at in seen.middles_mm(found.plane) if max(abs(at[0] - x), abs(at[1] - y)) > half]
    if len(places) < FEWEST_SEATS:
        raise NotCalibrated(
            _("cards seen away from the pile: {n}; lay one in front of each seat, or use --seats N", n=len(places))
        )
    seen.findings.append(_("seats: {n}, clockwise, starting with the lowest in the picture", n=len(places)))
    return found.with_seats_at(places)


FINDERS: Final[dict[str, Callable[[View, Calibration], Calibration]]] = {
    "white": find_white,
    "pile": find_pile,
    "tally": find_tally,
    "seats": find_seats,
}


def calibrated(seen: View, before: Calibration | None, only: Sequence[str], seats: int | None) -> Calibration:
    """Calibrate the whole table by a picture, or renew just the parts ``only`` of the calibration ``before``.

    Raises `NotCalibrated`, which states what the picture lacks.
    """
    if not only:
        found = find_pile(seen, find_plane(seen, None))
        try:
            found = find_white(seen, found)
        except NotCalibrated as fault:
            seen.findings.append(_("white: not measured, {why}", why=fault))
        seen.findings.append(_("open hands: anywhere in the picture; narrow it with --only tally"))
        seats = seats or 4
    else:
        found = find_plane(seen, before) if "plane" in only or before is None else before
        parts = {*only, "pile"} if "plane" in only and seen.sheet is not None else only
        for part, step in FINDERS.items():
            if part in parts and not (part == "seats" and seats):
                found = step(seen, found)
    if seats:
        text = _(
            "seats: {n}, spread evenly around the pile, clockwise, starting with the lowest in the picture", n=seats
        )
        seen.findings.append(text)
        found = found.with_even_seats(seats)
    return found
