"""The commands that look at pictures of cards: read, tally, audit, enroll, calibrate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import filled
from croupier.cli.options import (
    AsJson,
    ConfigFile,
    Deck,
    DeckInPlay,
    DeckProfileOption,
    Hands,
    Images,
    PictureOut,
    one_of,
    with_folders,
)  # fmt: skip
from croupier.cli.same_files import same_files
from croupier.files import CONFIG
from croupier.i18n import _
from croupier_rules.cards import BACK, is_face


def drawn_on(picture: str | None, images: Sequence[str]) -> str | None:
    """Return ``picture``; reject it for videos, which have many pictures."""
    from croupier.pictures.video import is_video

    if picture is not None and any(map(is_video, images)):
        raise typer.BadParameter(_("--picture is for pictures only; leave it out for a video or the camera"))
    return picture


def read(
    images: Images,
    as_json: AsJson = False,
    picture: PictureOut = None,
    deck: DeckInPlay = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """List the cards in each picture, with confidence and position.

    In a video (.mp4, .mov, .mkv, .avi, .webm), or with the table's camera (IMAGE camera), each card is listed as soon
    as it lies still.
    """
    from croupier.pictures.table_reader import cards_in_play, hand_readers, profile_path
    from croupier.pictures.tally import report_cards

    picture = drawn_on(picture, images)
    reader, still, _profile = hand_readers(profile_path(deck_profile, config), cards_in_play(deck, config))
    return report_cards(images, reader, still=still, as_json=as_json, picture=picture, config=config)


def tally(
    images: Hands,
    as_json: AsJson = False,
    picture: PictureOut = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Add what could be read, even if some cards could not.")
    ] = False,
    cards: Annotated[
        str | None,
        typer.Option(
            metavar="N[,N…]",
            help="How many cards each hand has: exactly so many must be read, and a ? beside them does not count.",
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Count a picture that is given twice, twice.")] = False,
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="The ruleset: one that `croupier rules` lists.")
    ] = "g7942-en",
    deck: DeckInPlay = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Add the points of the cards: each picture or video is one hand.

    Ann=hand.jpg names the player of a hand. In a video, or with the table's camera (IMAGE camera), the cards are shown
    one by one. If a card cannot be read or is cut off by the picture's edge, or a hand has no card, there is no total,
    unless you give --partial.
    """
    from croupier.pictures.enroll import terminal
    from croupier.pictures.table_reader import cards_in_play, hand_readers, profile_path
    from croupier.pictures.tally import report_points, split_name

    files = [split_name(image)[1] for image in images]
    picture = drawn_on(picture, files)
    expected = _hand_sizes(cards, len(files))
    if not again and (twice := same_files(files)) is not None:
        one, other = twice
        raise typer.BadParameter(
            _("{one} and {other} are the same; give each hand once, or --again to count both", one=one, other=other)
        )
    read, still, _profile = hand_readers(profile_path(deck_profile, config), cards_in_play(deck, config))
    return report_points(
        images, read, ruleset, still=still, as_json=as_json, picture=picture, partial=partial, expected=expected,
        ask=None if as_json else terminal(), config=config,
    )  # fmt: skip


def audit(
    images: Images,
    deck: Deck = "g7942",
    as_json: AsJson = False,
    picture: PictureOut = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Check that a deck is complete, and find worn and foreign cards.

    The cards of all pictures are counted together, so no card may be in two pictures. In a video (.mp4, .mov, .mkv,
    .avi, .webm), lay the cards on a pile one by one, or hold each up for a moment.
    """
    from croupier.pictures.audit import report
    from croupier.pictures.condition import Condition
    from croupier.pictures.table_reader import hand_readers, profile_path

    picture = drawn_on(picture, images)
    read, still, profile = hand_readers(profile_path(deck_profile, config), is_one_hand=False)
    return report(images, read, deck, Condition(profile), still=still, as_json=as_json, picture=picture, config=config)


def _hand_sizes(text: str | None, hands: int) -> list[int]:
    """Return the number of cards of each hand as it was given; nothing if it was not."""
    if text is None:
        return []
    if not re.fullmatch(r"[1-9]\d{0,2}(,[1-9]\d{0,2})*", text) or len(sizes := text.split(",")) != hands:
        example = ",".join(["7"] * hands)
        raise typer.BadParameter(
            _("--cards {cards}: expected a number for each hand, as in --cards {example}", cards=text, example=example)
        )
    return [int(size) for size in sizes]


def _known_faces(faces: list[str]) -> list[str]:
    for face in faces:
        if not is_face(face) and face != BACK:
            raise typer.BadParameter(_("unknown card {face}; expected such as red-7, green-skip or back", face=face))
    return faces


def enroll(
    images: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="IMAGE",
            show_default=False,
            callback=with_folders,
            help="Pictures of the cards, folders of pictures, or videos; camera for the camera of croupier.toml.",
        ),
    ] = None,
    deck_profile: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The file of the deck; by default that of croupier.toml, else my.deck."),
    ] = None,
    deck: Deck = "g7942",
    names: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A list of the cards in each picture, with lines such as table.jpg: red-7 blue-2"
        ),
    ] = None,
    forget: Annotated[
        list[str], typer.Option(metavar="FACE", help="First forget this face.", callback=_known_faces)
    ] = [],  # noqa: B006  Typer makes a new one for each run
    renew: Annotated[
        bool, typer.Option("--renew", help="Learn the profile again after an update of the card reader.")
    ] = False,
    as_json: AsJson = False,
    picture: PictureOut = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Learn your own deck, so that any edition can be read.

    Show each face once: lay the cards out in a few pictures, or take one picture of each. Name the cards by file name
    (red-7.jpg, red-7_2.jpg, back.jpg) or in a list (--names); otherwise the reader names them if it is sure, and at a
    terminal you are asked about the rest. With a video or the table's camera, show the cards one by one. Run the
    command again to add more pictures.
    """
    from cardsight.reader import Reader
    from croupier.pictures.enroll import Names, open_profile, read_names, report, terminal
    from croupier.pictures.table_reader import profile_path, shipped_model

    path = profile_path(deck_profile, config) or Path("my.deck")
    if not images and not (forget or renew):
        raise typer.BadParameter(_("no pictures; expected some of your cards, as in croupier enroll cards/*.jpg"))
    model = shipped_model()
    profile = open_profile(path, model, forget, renew=renew)
    listed = Names() if names is None else read_names(names)
    return report(
        images or [], Reader(model).read, profile, path, deck, listed, ask=None if as_json else terminal(),
        as_json=as_json, picture=drawn_on(picture, images or []), config=config,
    )  # fmt: skip


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
    from croupier.pictures.calibrate import report, step_by_step, write_sheet
    from croupier.pictures.enroll import terminal
    from croupier.pictures.readings import drawing_paths
    from croupier.pictures.table_reader import reader_of
    from croupier.pictures.video import CAMERA

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
