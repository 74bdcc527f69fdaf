"""Legal moves of each seat: the reports that the referee would accept from it, and the changes of players."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from croupier_rules.errors import CannotCorrect
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
from croupier_rules.referee.referee import Referee
from croupier_rules.rules.card_tables import card_tables

_ANSWERS: Final = (Accept, Challenge, Pass, Acted, Decline)
_NUMBERS: Final = range(10)


@dataclass(frozen=True, slots=True)
class SeatMoves:
    """The reports and changes that a seat can make now.

    ``answers``: the ``obs`` of those of the table log that say no more than their seat (``accept``, ``challenge``,
    ``pass``, ``acted``, ``decline``), and ``discarded``. ``colors``: that it may name; ``swaps``: seats with which it
    may swap hands; ``numbers``: for which it may make a house rule; ``jumps_in``: it may lay a card like the up-card.
    ``leaves``, ``joins``, ``changes``: it may leave the game, come back, and change places with these seats.
    """

    answers: frozenset[str] = frozenset()
    colors: tuple[str, ...] = ()
    swaps: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    jumps_in: bool = False
    leaves: bool = False
    joins: bool = False
    changes: tuple[int, ...] = ()


def moves_of(referee: Referee, seat: int) -> SeatMoves:
    """Return the moves that ``seat`` can make now. The state of the referee does not change."""
    position, rules = referee.position(), referee.header.ruleset
    t, phase, top = referee.t, position["phase"], (position["top"] or "").rstrip("*")
    others = [one for one in range(len(referee.header.seats)) if one != seat]
    answers = {kind.name for kind in _ANSWERS if referee.applies(kind(t, seat))}
    if referee.applies(Discarded(t, seat, 0)):
        answers.add(Discarded.name)
    colors = card_tables(rules.deck).colors if phase == "color" else ()
    numbers = _NUMBERS if rules.most_house_rules else ()
    return SeatMoves(
        frozenset(answers),
        tuple(color for color in colors if referee.applies(Color(t, color, seat))),
        tuple(one for one in others if referee.applies(Swap(t, seat, one))) if phase == "swap" else (),
        tuple(number for number in numbers if referee.applies(HouseRule(t, seat, number, "?"))),
        top in rules.faces and referee.applies(Play(t, top, seat)),
        _may_change(referee, PlayerChange("leave", seat)),
        _may_change(referee, PlayerChange("join", seat)),
        tuple(one for one in others if _may_change(referee, PlayerChange("swap", seat, one))),
    )


def _may_change(referee: Referee, change: PlayerChange) -> bool:
    with suppress(CannotCorrect):
        referee.changed_by(change)
        return True
    return False
