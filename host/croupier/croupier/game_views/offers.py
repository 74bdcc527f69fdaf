"""What the player of a seat may do now: nothing else is offered on the page of the seat.

The referee itself is asked whether it would accept a report. The UNO key is always there during a round: a call may be
due before the page knows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from croupier.errors import CannotCorrect
from croupier.game_views.story import Story
from croupier.game_views.view import TableView
from croupier.table_api.live_table import LiveTableState
from croupier_rules.cards import COLORS
from croupier_rules.referee.observations import (
    Accept,
    Acted,
    Challenge,
    Color,
    Decline,
    Discarded,
    HouseRule,
    Pass,
    Play,
    PlayerChange,
    Swap,
)

_PRESSES: Final = {"accept": Accept, "challenge": Challenge, "pass": Pass, "acted": Acted, "decline": Decline}
_NUMBERS: Final = range(10)

SHORTCUTS: Final = {
    "uno": "U", "draw": "D", "pass": "P", "accept": "T", "challenge": "C", "go": "G", "acted": "N", "decline": "X",
    "dealer": "B", "lay": "L", "red": "1", "yellow": "2", "green": "3", "blue": "4", "hand": "H", "standing": "S",
}  # fmt: skip
"""The key of a keyboard for each key of the page. These letters lie at one place on the keyboards of our languages."""


@dataclass(frozen=True, slots=True)
class Offers:
    """``keys``: as in `croupier.commands.Key`, and ``dealer``, ``under``, ``lay``, ``show``; ``swaps``: the seats with
    which it may swap hands; ``rulable``: the numbers for which it may make or change a house rule; ``jump_in``: the
    face that it may lay out of turn; ``leaves``, ``joins``, ``changes``: it may leave the game, come back, and change
    places with these seats."""

    keys: frozenset[str]
    swaps: tuple[int, ...] = ()
    rulable: tuple[int, ...] = ()
    jump_in: str | None = None
    leaves: bool = False
    joins: bool = False
    changes: tuple[int, ...] = ()

    @property
    def is_asked(self) -> bool:
        """Whether the table waits for the player."""
        return bool(self.keys - {"uno"} or self.swaps or self.rulable)

    @classmethod
    def of(cls, story: Story, view: TableView, table: LiveTableState, seat: int) -> Offers:
        """What the player of ``seat`` may do at the live table, which ``view`` shows as it is now."""
        others, t = [one for one in range(len(view.seats)) if one != seat], view.moment.t
        top = (view.moment.position["top"] or "?").rstrip("*")
        may_jump = not table.has_camera and view.is_played and view.on_turn is not view.seats[seat]
        numbers = _NUMBERS if story.header.ruleset.most_house_rules else ()
        return cls(
            frozenset(_keys(story, view, table, seat)),
            tuple(one for one in others if story.applies(Swap(t, seat, one))),
            tuple(number for number in numbers if story.applies(HouseRule(t, seat, number, "?"))),
            top if may_jump and top in story.header.ruleset.faces and story.applies(Play(t, top, seat)) else None,
            _may_change(story, PlayerChange("leave", seat)),
            _may_change(story, PlayerChange("join", seat)),
            tuple(one for one in others if _may_change(story, PlayerChange("swap", seat, one))),
        )


def _keys(story: Story, view: TableView, table: LiveTableState, number: int) -> Iterator[str]:
    position, seat, t = view.moment.position, view.seats[number], view.moment.t
    phase = position["phase"]
    yield from (key for key, press in _PRESSES.items() if story.applies(press(t, number)))
    if phase == "color":
        yield from (color for color in COLORS if story.applies(Color(t, color, number)))
    if view.is_played and not seat.is_out:
        yield "uno"
    is_left = view.draw_pile > 0 or view.discard_pile > 1
    # Without a shoe the key also says that the cards which are owed were taken.
    if (seat.owes and not table.has_shoe) or (seat.is_on_turn and view.may_draw and not seat.owes and is_left):
        yield "draw"
    if phase == "pick" and not seat.is_out:
        yield "dealer"
    if story.applies(Discarded(t, number, 0)):
        yield "under"
    if _goes_on(story, view, table):
        yield "go"
    if table.has_camera:
        return
    if phase == "upcard" or (seat.is_on_turn and phase in ("turn", "drawn", "stack")):
        yield "lay"
    if number in story.hands_to_show or (view.duel is not None and number == view.duel[0]):
        yield "show"


def _goes_on(story: Story, view: TableView, table: LiveTableState) -> bool:
    """Whether the table waits for somebody to press go."""
    position = view.moment.position
    match position["phase"]:
        case "paused" | "redeal" | "game_over":
            return True
        case "round_over":
            return not (story.hands_to_show or position["owed"])
        case "deal":
            return not table.has_shoe
        case _:
            is_seen = table.has_camera and not table.has_shoe
            return position["draw_pile"] == 0 and position["discard_pile"] > 1 and not is_seen


def _may_change(story: Story, change: PlayerChange) -> bool:
    with suppress(CannotCorrect):
        story.check(change)
        return True
    return False
