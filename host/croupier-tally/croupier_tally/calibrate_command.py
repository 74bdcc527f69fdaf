"""`croupier calibrate`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import filled, offer
from croupier.cli.options import AsJson, ConfigFile, PictureOut, one_of
from croupier.files import CONFIG
from croupier.i18n import _

_PARTS = ("plane", "white", "pile", "tally", "seats")


def _size(text: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)?x\d+(\.\d+)?", text) or not 20 <= min(map(float, text.split("x"))) <= 200:
        raise typer.BadParameter(_("{size} is no size; expected width x length in mm, as 56x88", size=text))
    return text


def calibrate(
    image: Annotated[
        str | None,
        typer.Argument(
            metavar="IMAGE",
            show_default=False,
            help="A picture from the table's camera; or camera to take one with the camera of croupier.toml.",
        ),
    ] = None,
    calibration: Annotated[str, typer.Option(metavar="FILE", help="The file of the result.")] = "table.toml",
    sheet: Annotated[
        str | None, typer.Option(metavar="OUT.pdf", help="Only write the sheet to print (.pdf or .png).")
    ] = None,
    only: Annotated[
        list[str],
        typer.Option(
            metavar="STEP",
            help=filled("Redo only this step: {names}.", names=", ".join(_PARTS)),
            callback=one_of(_PARTS),
        ),
    ] = [],  # noqa: B006  Typer makes a new one for each run
    seats: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, max=10, help="Number of seats, evenly around the pile; by default 4."),
    ] = None,
    card_mm: Annotated[
        str, typer.Option(metavar="WIDTHxLENGTH", help="The size of your cards.", callback=_size)
    ] = "56x88",
    line_mm: Annotated[
        float, typer.Option(metavar="MM", min=50, max=150, help="The length of the sheet's 100 mm line in your print.")
    ] = 100.0,
    steps: Annotated[
        bool, typer.Option("--steps", help="Guide me step by step, and take each picture with the camera.")
    ] = False,
    as_json: AsJson = False,
    picture: PictureOut = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Find the table's plane, pile, area for open hands, seats and white in a picture.

    Print the sheet (--sheet), lay it on the place of the discard pile, and take a picture with the table's camera. Or
    spread at least three cards over the table instead, one of them on the place of the pile. Check the result with
    --picture, and redo what is wrong: for --only pile lay a card on its place, for --only tally lay cards at the
    corners of the area, for --only seats lay one before each seat. --steps guides you through all of this, and writes
    --picture anew after each step.
    """
    from croupier.ctrl_c import terminal
    from croupier.pictures.readings import drawing_paths
    from croupier.pictures.table_reader import reader_of
    from croupier.pictures.video import CAMERA
    from croupier_tally.calibration import report, step_by_step, write_sheet

    if sheet is not None:
        return write_sheet(sheet)
    if image is None and not steps:
        raise typer.BadParameter(
            _("no picture; expected one of the table, or --sheet sheet.pdf for the sheet to print")
        )
    width, length = (float(side) for side in card_mm.split("x"))
    by = partial(
        report, image or CAMERA, reader_of(None).read, Path(calibration), card_mm=(width, length), line_mm=line_mm,
        as_json=as_json, config=config,
    )  # fmt: skip
    if not steps:
        return by(only=only, seats=seats, picture=picture)
    if only or seats or as_json:
        text = _("--steps goes through all steps at a terminal; leave out --only, --seats and --json")
        raise typer.BadParameter(text)
    if (ask := terminal()) is None:
        text = _("--steps asks at a terminal, and there is none; take pictures and name them instead")
        raise typer.BadParameter(text)
    if picture is not None:
        drawing_paths(picture, [CAMERA])
    return step_by_step(lambda parts: by(only=parts, picture=picture, redraws=True), ask)


calibrate_app = typer.Typer(rich_markup_mode=None)
offer(
    calibrate_app, calibrate, "--sheet sheet.pdf", "table.jpg --picture seen.png", "seats.jpg --only seats", "--steps"
)
