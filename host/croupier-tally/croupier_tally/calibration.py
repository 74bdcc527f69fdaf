"""What `croupier calibrate` does at a terminal: reports, the sheet to print, one step after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import cv2

from cardsight.annotate import annotate_calibration
from cardsight.calibrate import Calibration, sheet, table
from cardsight.calibrate.sheet import LINE_MM
from cardsight.errors import NoCamera, NotACalibration, NotAPicture, NotCalibrated
from cardsight.sources import Picture, load_picture
from croupier.config import CONFIG
from croupier.ctrl_c import Ask
from croupier.errors import BadCalibration, CannotWrite, one_line
from croupier.i18n import _, from_others, marked
from croupier.optional_dependencies import PAPER, requires_extra
from croupier.output_files import write_new, write_over
from croupier.pictures.calibrate import calibrated, view
from croupier.pictures.readings import Read, drawing_paths
from croupier.pictures.video import first_still_frame, is_video, open_frames


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
