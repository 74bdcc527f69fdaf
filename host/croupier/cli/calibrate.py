"""`croupier calibrate`: where things are on the table."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.read import PictureOut
from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG

PARTS = ("plane", "white", "pile", "tally", "seats")


def _known_parts(only: list[str]) -> list[str]:
    for part in only:
        if part not in PARTS:
            raise typer.BadParameter(f"there is no step {part!r}; expected one of {', '.join(PARTS)}")
    return only


def _size(text: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)?x\d+(\.\d+)?", text) or not 20 <= min(map(float, text.split("x"))) <= 200:
        raise typer.BadParameter(f"{text!r} is no size; expected width x length in mm, as 56x88")
    return text


def calibrate(
    image: Annotated[
        str | None,
        typer.Argument(
            metavar="IMAGE",
            help="A picture of the table, from its camera; or camera: that of croupier.toml.",
            show_default=False,
        ),
    ] = None,
    calibration: Annotated[str, typer.Option(metavar="FILE", help="Where the result is kept.")] = "table.toml",
    sheet: Annotated[
        str | None, typer.Option(metavar="OUT.pdf", help="Write the sheet to print (.pdf or .png), and do no more.")
    ] = None,
    only: Annotated[
        list[str],
        typer.Option(metavar="STEP", help=f"Redo only this: {', '.join(PARTS)}.", callback=_known_parts),
    ] = [],  # noqa: B006  Typer makes a new one for each run
    seats: Annotated[
        int | None, typer.Option(metavar="N", min=2, max=10, help="So many seats, evenly round the pile.  [default: 4]")
    ] = None,
    card_mm: Annotated[
        str, typer.Option(metavar="WIDTHxLENGTH", help="Size of a card, where it is unusual.", callback=_size)
    ] = "56x88",
    line_mm: Annotated[
        float,
        typer.Option(metavar="MM", min=50, max=150, help="What the sheet's line of 100 mm measures in your print."),
    ] = 100.0,
    steps: Annotated[
        bool, typer.Option("--steps", help="Say what to lay, step by step, and take each picture with the camera.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line with all that was found.")] = False,
    picture: PictureOut = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Find plane, pile, open hands, seats and light in a picture.

    Print the sheet (--sheet), lay it where the discard pile will lie, and take a picture with the table's camera. Or
    spread at least three cards over the table instead, one of them on the place of the pile. Check what was found
    with --picture, and redo what is wrong: with --only pile lay a card there, with --only tally lay cards at the
    corners of the area, with --only seats one before each seat. With --steps you are told what to lay when, and
    --picture is drawn anew after each step.
    """
    from croupier.pictures.calibrate import report, write_sheet
    from croupier.pictures.calibrate_steps import step_by_step
    from croupier.pictures.enroll import terminal
    from croupier.pictures.live import CAMERA
    from croupier.pictures.pictures import card_reader, drawing_paths

    if sheet is not None:
        return write_sheet(sheet)
    if image is None and not steps:
        raise typer.BadParameter("no picture; expected one of the table, or --sheet OUT.pdf for the sheet to print")
    width, length = (float(side) for side in card_mm.split("x"))
    by = partial(
        report,
        image or CAMERA,
        card_reader(),
        Path(calibration),
        card_mm=(width, length),
        line_mm=line_mm,
        as_json=as_json,
        config=config,
    )
    if not steps:
        return by(only=only, seats=seats, picture=picture)
    if only or seats or as_json:
        raise typer.BadParameter("--steps goes through all steps at a terminal; leave out --only, --seats and --json")
    if (ask := terminal()) is None:
        raise typer.BadParameter("--steps asks at a terminal, and there is none; take pictures and name them instead")
    if picture is not None:
        drawing_paths(picture, [CAMERA])
    return step_by_step(lambda parts: by(only=parts, picture=picture, redraws=True), ask)
