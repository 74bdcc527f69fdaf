"""`croupier tally`: the points of the cards in each picture, and their total."""

from __future__ import annotations

from typing import Annotated

import typer

from croupier.cli.read import AsJson, DeckProfileOption, Images, PictureOut
from croupier.cli.run_table import ConfigFile
from croupier.files import CONFIG


def tally(
    images: Images,
    as_json: AsJson = False,
    picture: PictureOut = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Count what could be read, although cards are missing.")
    ] = False,
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="Whose points the cards have: one that `croupier rules` lists.")
    ] = "g7942-en",
    deck_profile: DeckProfileOption = None,
    config: ConfigFile = CONFIG,
) -> int:
    """Score each picture as one hand, and add them up.

    Where a card cannot be read there is no score, unless --partial is given: a score is never silently short.
    """
    from croupier.pictures.own_deck import deck_reader
    from croupier.pictures.tally import report

    read = deck_reader(deck_profile, config)
    return report(images, read, ruleset, as_json=as_json, picture=picture, partial=partial)
