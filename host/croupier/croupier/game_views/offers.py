"""Offers to the player of a seat: the page of the seat offers nothing else.

The referee of the table says which reports it would accept (`croupier_rules.referee.moves`). The UNO key is always
there during a round: a call may be due before the page knows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from croupier.game_views.open_hands import hands_due
from croupier.game_views.story import Story
from croupier.game_views.view import TableView
from croupier.table_api.live_table import LiveTableState
from croupier_rules.cards import KEYS
from croupier_rules.referee.moves import SeatMoves

SHORTCUTS: Final = {
    "uno": "U", "draw": "D", "pass": "P", "accept": "T", "challenge": "C", "go": "G", "acted": "N", "decline": "X",
    "dealer": "B", "lay": "L", "open": "O", "red": "1", "yellow": "2", "green": "3", "blue": "4", "hand": "H",
    "standing": "S",
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
        """True if the table waits for the player."""
        return bool(self.keys - {"uno"} or self.swaps or self.rulable)

    @classmethod
    def of(cls, story: Story, view: TableView, table: LiveTableState, seat: int) -> Offers:
        """Return the offers to the player of ``seat`` at the live table, which ``view`` shows as it is now."""
        moves, top = story.moves(seat, table.offers), (view.moment.position["top"] or "?").rstrip("*")
        may_jump = not table.has_camera and view.is_played and view.on_turn is not view.seats[seat]
        return cls(
            frozenset(_keys(story, view, table, moves, seat)),
            moves.swaps,
            moves.numbers,
            top if may_jump and moves.jumps_in else None,
            moves.leaves,
            moves.joins,
            moves.changes,
        )


def _keys(story: Story, view: TableView, table: LiveTableState, moves: SeatMoves, number: int) -> Iterator[str]:
    position, seat = view.moment.position, view.seats[number]
    phase = position["phase"]
    yield from moves.answers - {"discarded"}
    yield from (KEYS[color] for color in moves.colors)
    if view.is_played and not seat.is_out:
        yield "uno"
    may_draw = moves.draws if view.draw_pile else view.discard_pile > 1  # which are shuffled then
    # Without a shoe the key also says that the cards which are owed were taken.
    if (seat.owes and not table.has_shoe) or (seat.is_on_turn and view.may_draw and not seat.owes and may_draw):
        yield "draw"
    if phase == "pick" and not seat.is_out:
        yield "dealer"
    if "discarded" in moves.answers:
        yield "under"
    if _goes_on(story, view, table):
        yield "go"
    if table.has_camera:
        if number in hands_due(story, table)[1:] and not seat.owes:
            yield "open"
        return
    if phase == "upcard" or (seat.is_on_turn and phase in ("turn", "drawn", "stack")):
        yield "lay"
    if number in story.hands_to_show or (view.duel is not None and number == view.duel[0]):
        yield "show"


def _goes_on(story: Story, view: TableView, table: LiveTableState) -> bool:
    """True if the table waits for somebody to press go."""
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
