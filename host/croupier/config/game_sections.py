"""What is played, by whom, and where it is kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict

from croupier.config.options import File, NotSo, Section, option
from croupier.i18n import _, marked
from croupier.referee.header import LEAST_SEATS, MOST_SEATS
from croupier.rules.ruleset import names

Language = Literal["en", "fr", "de", "nl", "sv", "it", "es", "pt", "el", "hu", "pl"]


class Table(Section):
    """The table itself."""

    name: str = option("Croupier", "What the table is called: on the page, in the network, aloud.", min_length=1)
    language: Language | None = option(
        None,
        "The language of page, terminal and voice, where a person has not chosen another. Without it: that of the "
        "machine.",
        example="en",
    )


class Rules(Section):
    """Which printed sheet is played by, and what this table plays otherwise. Every rule that
    `croupier rules show SHEET` lists may be chosen here, its id in quotes: `"draw.voluntary" = "warn"`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    base: str = option(
        ..., "The sheet.", expected=marked("a ruleset that `croupier rules` lists"), example="g7942-en", choices=names()
    )


def _unlike(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not name.strip():
            raise NotSo(_("a name is empty: expected one that can be read and called"))
        if names.count(name) > 1:
            raise NotSo(_("{name} is there twice: expected names that can be told apart", name=f'"{name}"'))
    return names


class Seats(Section):
    """Who sits where. Seats are numbered from 0, clockwise."""

    names: Annotated[tuple[str, ...], AfterValidator(_unlike)] = option(
        (),
        "Who plays, seat 0 first. Without names the seats are called by their numbers.",
        expected=marked("a list of two to ten names"),
        example=["Ann", "Ben", "Cat", "Dan"],
        max_length=MOST_SEATS,
    )
    number: int | None = option(
        None, "How many seats there are, where no names are given.", example=4, ge=LEAST_SEATS, le=MOST_SEATS
    )
    dealer: int | None = option(
        None,
        "The seat that deals first. Without it, people choose the dealer at the table.",
        example=0,
        ge=0,
        le=MOST_SEATS - 1,
    )
    teams: tuple[tuple[int, int], ...] = option(
        (),
        "Partners, where the sheet has them: the seats of each team.",
        expected=marked("a list of teams of two seats"),
        example=[[0, 2], [1, 3]],
    )


class Blank(Section):
    """What is written on the blank wilds of the Greek deck."""

    text: str = option("", "What the card says, in your words.", example="Next player draws three and misses a turn.")
    draw: int = option(0, "The next seat takes so many cards.", ge=0, le=20)
    skip: bool = option(False, "The next seat misses its turn.")
    again: bool = option(False, "Who laid the card plays again.")


class Game(Section):
    """What the table agrees on before play."""

    target: int | None = option(None, "The points that end the game. Without it: as the sheet says.", example=500, ge=1)
    scoring: Literal["winner", "lowest"] = option(
        "winner", "Who gets the points: the winner of a round those of the others, or everybody their own."
    )
    limit: int | None = option(None, "The points at which a player is out of the game.", example=500, ge=1)
    deal: Literal["next", "winner", "same"] = option("next", "Who deals the next round.")
    own_penalties: int | bool = option(
        False,
        "House rules: how many cards the last to follow one draws; true where each rule says its own.",
        expected=marked("a whole number, true or false"),
    )
    blank: Blank | None = option(
        None,
        "What is written on the blank wilds.",
        expected=marked("a section [game.blank]"),
        example={"text": "Draw three"},
    )


class JournalFile(Section):
    """Where games are kept."""

    file: File = option("croupier.journal", "The journal.", validate_default=True)
