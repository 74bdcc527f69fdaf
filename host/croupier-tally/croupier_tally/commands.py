"""The commands that look at pictures of cards without a table: read, tally, audit, enroll."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import offer
from croupier.cli.options import AsJson, ConfigFile, PictureOut
from croupier.files import CONFIG
from croupier.i18n import _
from croupier_tally.given_hands import HandSizes, hand_sizes, same_files
from croupier_tally.options import DeckInPlay, DeckOrFile, DeckProfileOption, Images, drawn_on, in_folder, with_folders


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
    from croupier.pictures.table_reader import hand_readers, profile_path
    from croupier_tally.decks import deck_in_play
    from croupier_tally.sources import report_cards

    picture = drawn_on(picture, images)
    in_play = deck_in_play(deck, config)
    cards = None if in_play is None else in_play.shown
    reader, still, _profile = hand_readers(profile_path(deck_profile, config), cards)
    return report_cards(images, reader, still=still, as_json=as_json, picture=picture, config=config)


def _named_with_folders(images: list[str] | None) -> list[str]:
    """As `with_folders`, for pictures with a player's name before them: ``Ann=folder``."""
    named = list[str]()
    for image in images or []:
        name, equals, folder = image.partition("=")
        if equals and not Path(image).exists() and Path(folder).is_dir():
            named += [f"{name}={path}" for path in in_folder(folder)]
        else:
            named += in_folder(image)
    return named


Hands = Annotated[
    list[str],
    typer.Argument(
        metavar="IMAGE",
        help="Pictures, folders of pictures, or videos; - for standard input, camera for the camera of croupier.toml; "
        "NAME=IMAGE names the player.",
        show_default=False,
        callback=_named_with_folders,
    ),
]


def tally(
    images: Hands,
    as_json: AsJson = False,
    picture: PictureOut = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Add what could be read, even if some cards could not.")
    ] = False,
    cards: HandSizes = None,
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
    from croupier.ctrl_c import terminal
    from croupier.pictures.table_reader import hand_readers, profile_path
    from croupier_tally.decks import check_points, deck_in_play
    from croupier_tally.tally import report_points, split_name

    files = [split_name(image)[1] for image in images]
    picture = drawn_on(picture, files)
    expected = hand_sizes(cards, [None] * len(files))
    if not again and (twice := same_files(files)) is not None:
        one, other = twice
        raise typer.BadParameter(
            _("{one} and {other} are the same; give each hand once, or --again to count both", one=one, other=other)
        )
    in_play, path = deck_in_play(deck, config), profile_path(deck_profile, config)
    held = None if in_play is None else in_play.shown
    read, still, profile = hand_readers(path, held)
    check_points(profile, path, in_play)
    return report_points(
        images, read, ruleset, still=still, as_json=as_json, picture=picture, partial=partial, expected=expected,
        held=held, ask=None if as_json else terminal(), config=config, deck=in_play,
    )  # fmt: skip


def audit(
    images: Images,
    deck: DeckOrFile = None,
    as_json: AsJson = False,
    picture: PictureOut = None,
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Check that a deck is complete, and find worn and foreign cards.

    The cards of all pictures are counted together, so no card may be in two pictures. In a video (.mp4, .mov, .mkv,
    .avi, .webm), lay the cards on a pile one by one, or hold each up for a moment.
    """
    from croupier.pictures.table_reader import hand_readers, profile_path
    from croupier_tally.audit import report
    from croupier_tally.condition import Condition
    from croupier_tally.decks import USUAL_DECK, deck_in_play, deck_list

    picture = drawn_on(picture, images)
    held = deck_in_play(deck, config) or deck_list(USUAL_DECK)
    cards = held.shown if held.own else None  # common cards of other decks are told as what they are
    read, still, profile = hand_readers(profile_path(deck_profile, config), cards, is_one_hand=False)
    return report(images, read, held, Condition(profile), still=still, as_json=as_json, picture=picture, config=config)


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
    deck: DeckOrFile = None,
    names: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A list of the cards in each picture, with lines such as table.jpg: red-7 blue-2"
        ),
    ] = None,
    forget: Annotated[list[str], typer.Option(metavar="FACE", help="First forget this face.")] = [],  # noqa: B006  Typer makes a new one for each run
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
    from croupier.ctrl_c import terminal
    from croupier.pictures.table_reader import profile_path, shipped_model
    from croupier_tally.decks import USUAL_DECK, deck_in_play, deck_list
    from croupier_tally.enroll import Names, open_profile, read_names, report

    path = profile_path(deck_profile, config) or Path("my.deck")
    if not images and not (forget or renew):
        raise typer.BadParameter(_("no pictures; expected some of your cards, as in croupier enroll cards/*.jpg"))
    held = deck_in_play(deck, config) or deck_list(USUAL_DECK)
    listed = Names(held) if names is None else read_names(names, held)
    model = shipped_model()
    profile = open_profile(path, model, held, forget, renew=renew)
    read = partial(Reader(model).read, faces=held.shown if held.own else None)
    return report(
        images or [], read, profile, path, held, listed, ask=None if as_json else terminal(),
        as_json=as_json, picture=drawn_on(picture, images or []), config=config,
    )  # fmt: skip


def _app(run: Callable[..., int], *arguments: str) -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)
    offer(app, run, *arguments)
    return app


read_app = _app(read, "table.jpg", "--json *.jpg", "table.jpg --picture seen.png")
tally_app = _app(tally, "anna.jpg ben.jpg --cards 7,4", "hand.jpg --picture hand-scored.png")
audit_app = _app(audit, "deck-1.jpg deck-2.jpg --deck g7942", "run-through.mp4")
enroll_app = _app(enroll, "deck-1.jpg deck-2.jpg --deck-profile ours.deck", "camera")
