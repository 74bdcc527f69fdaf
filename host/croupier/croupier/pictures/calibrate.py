"""`croupier calibrate`: finds the plane, the pile, the seats and white in a picture of the table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from cardsight import light
from cardsight.annotate import annotate_calibration
from cardsight.calibrate import Calibration, Plane, sheet, table
from cardsight.calibrate.plane import from_cards
from cardsight.calibrate.sheet import LINE_MM, SheetSeen
from cardsight.calibrate.table import PILE_MM, Point
from cardsight.camera_check import fault_of
from cardsight.enroll.outlines import sharpened
from cardsight.errors import NoCamera, NotACalibration, NotAPicture, NotCalibrated
from cardsight.geometry import Quad, length
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Picture, load_picture
from croupier.alarms import camera_fault_text
from croupier.config import CONFIG
from croupier.ctrl_c import Ask
from croupier.errors import BadCalibration, CannotWrite, one_line
from croupier.i18n import _, from_others, marked, ngettext
from croupier.optional_dependencies import PAPER, requires_extra
from croupier.output_files import write_new, write_over
from croupier.pictures.readings import Read, drawing_paths
from croupier.pictures.table_reader import shipped_model
from croupier.pictures.video import first_still_frame, is_video, open_frames

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


def report(
    image: str,
    read: Read,
    path: Path,
    *,
    only: Sequence[str] = (),
    seats: int | None = None,
    card_mm: tuple[float, float],
    line_mm: float = LINE_MM,
    as_json: bool = False,
    picture: str | None = None,
    redraws: bool = False,
    config: Path = CONFIG,
) -> int:
    """Calibrate by a picture, write the result to ``path`` and print it.

    ``picture``: the file of the drawing; ``redraws``: replace a drawing of an earlier step.

    Raises `BadCalibration` or `CannotWrite`.
    """
    if picture is not None and not redraws:
        drawing_paths(picture, [image])
    try:
        before = table.load(path) if only and path.exists() else None
    except NotACalibration as fault:
        raise BadCalibration(f"{path}: {from_others(str(fault))}") from fault
    if only and before is None and "plane" not in only:
        raise BadCalibration(f"{path}: " + _("no such file; calibrate the whole table first, without --only"))
    try:
        seen = view(_take_picture(image, config), read, card_mm, line_mm)
        if before is not None and before.size != seen.size:
            was = "{} x {}".format(*before.size)
            raise NotCalibrated(
                _(
                    "it is {size} px, but {file} was made with {before} px; use the same camera",
                    size="{} x {}".format(*seen.size),
                    file=path,
                    before=was,
                )
            )
        found = calibrated(seen, before, only, seats)
    except (NoCamera, NotAPicture, NotCalibrated) as fault:
        why = from_others(str(fault).removeprefix(f"{image}: "))
        raise BadCalibration(f"{image}: {why}") from fault
    write_over(path, found.to_toml().encode(), "--calibration")
    if picture is not None:
        drawing = cv2.imencode(Path(picture).suffix, annotate_calibration(seen.picture, found))[1].tobytes()
        (write_over if redraws else write_new)(Path(picture), drawing, "--picture")
    if as_json:
        print(json.dumps(to_json(found, path)))
    else:
        option = f'[camera] calibration = "{path}"'
        print(_("{file} written. To use it, set in croupier.toml: {option}", file=one_line(str(path)), option=option))
        for line in seen.findings:
            print(f"  {line}")
    return 0


def _take_picture(image: str, config: Path) -> Picture:
    """Load a picture, or the first still frame of a video or of the camera that the file ``config`` names.

    Raises `NotAPicture` or `NoCamera`.
    """
    if not is_video(image):
        return load_picture(image)
    with open_frames(image, config) as frames:
        frame = first_still_frame(frames)
    if frame is None:
        raise NotAPicture(_("it holds no picture"))
    return frame.image


def to_json(found: Calibration, path: Path) -> dict[str, Any]:
    """Return the line of `croupier calibrate --json`."""
    return {
        "calibration": str(path),
        "size": list(found.size),
        "homography": (found.plane.homography / found.plane.homography[2, 2]).tolist(),
        "error_mm": round(found.plane.error_mm, 3),
        "pile": list(found.pile),
        "tally": found.tally,
        "seats": found.seats,
        "white_bgr": found.white,
        "pile_px": found.pile_px().round(1).tolist(),
        "tally_px": found.tally_px().round(1).tolist(),
    }


def sheet_pdf() -> bytes:
    """Return the sheet as a PDF page of its true size. Raises `CannotWrite` if fpdf2 is not installed."""
    with requires_extra(PAPER):
        from fpdf import FPDF
        from fpdf.prefs import ViewerPreferences
    width, height = sheet.PAPER_MM
    pdf = FPDF("landscape", "mm", (height, width))
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    pdf.set_auto_page_break(False)
    pdf.set_font("Helvetica", size=9)
    pdf.add_page()
    for box in sheet.boxes():
        pdf.set_fill_color(round(box.gray * 255))
        pdf.rect(width / 2 + box.left, height / 2 + box.top, box.right - box.left, box.bottom - box.top, "F")
    for y, text in sheet.WORDS:
        pdf.text(width / 2 - sheet.LINE_MM / 2, height / 2 + y, text)
    return bytes(pdf.output())


def write_sheet(out: str) -> int:
    """Write the sheet to print, as PDF or PNG. Raises `CannotWrite`."""
    path = Path(out)
    if path.suffix.lower() == ".pdf":
        data = sheet_pdf()
    elif path.suffix.lower() == ".png":
        data = cv2.imencode(".png", sheet.as_picture())[1].tobytes()
    else:
        raise CannotWrite(f"--sheet {out}: " + _("expected a name that ends in {kinds}", kinds=".pdf, .png"))
    write_new(path, data, "--sheet")
    how = _("print it at 100 %, lay it flat where the discard pile will be, and photograph the table.")
    print(f"{one_line(out)}: {how}")
    return 0


STEPS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        (),
        marked("Lay the printed sheet where the discard pile will be, or spread three cards with one of them there."),
    ),
    (("tally",), marked("The area for open hands: lay a card at each of its corners.")),
    (("seats",), marked("The seats: lay a card in front of each of them.")),
)
"""By step: the parts that it renews (none: the whole calibration), and the instruction for people."""


def step_by_step(calibrate: Callable[[Sequence[str]], int], ask: Ask) -> int:
    """Go through `STEPS`, all but the first of which can be skipped. Return the exit status.

    ``calibrate``: takes a picture and renews the parts that it is given.
    """
    for number, (only, words) in enumerate(STEPS, 1):
        print(_("{number} of {all}. {words}", number=number, all=len(STEPS), words=_(words)))
        while (answer := _answer(ask, can_skip=bool(only))) != "s":
            if answer == "q":
                return 0 if only else 1
            try:
                calibrate(only)
            except BadCalibration as fault:
                print(f"  {fault}")
                continue
            again = _asked(ask, _("Is this right? Press Enter for the next step, r to do it again:"))
            if again == "q":
                return 0
            if again != "r":
                break
    return 0


def _answer(ask: Ask, *, can_skip: bool) -> str:
    when = _("Press Enter when it is in place and no hand is in the picture, q to stop:")
    if can_skip:
        when = _("Press Enter when it is in place and no hand is in the picture, s to skip, q to stop:")
    while True:
        answer = _asked(ask, when)
        if answer in ("", "q") or (answer == "s" and can_skip):
            return answer


def _asked(ask: Ask, question: str) -> str:
    """Ask, and return the answer; the end of the input (Ctrl-D) means stop."""
    try:
        return ask(f"  {question} ").strip().lower()
    except EOFError:
        print()
        return "q"
