"""Legal moves of each seat: the reports that the referee would accept from it, and the changes of players.

`legal` has them as observations, for bots, simulators and searches; `moves_of` as what a page offers.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    Drew,
    HouseRule,
    Observation,
    Pass,
    Play,
    PlayerChange,
    Swap,
    Target,
    Uno,
)
from croupier_rules.referee.referee import Referee
from croupier_rules.rules.card_tables import card_tables

_ANSWERS: Final = (Accept, Challenge, Pass, Acted, Decline)
_CHOICES: Final = {"swap": Swap, "target": Target}
"""By phase: how its seat chooses another."""
_NUMBERS: Final = range(10)


@dataclass(frozen=True, slots=True)
class SeatMoves:
    """The reports and changes that a seat can make now.

    ``answers``: the ``obs`` of those of the table log that say no more than their seat (``accept``, ``challenge``,
    ``pass``, ``acted``, ``decline``), and ``discarded``. ``colors``: that it may name; ``swaps``: seats that it may
    choose, to swap hands with or to make draw; ``numbers``: for which it may make a house rule; ``jumps_in``: it may
    lay a card like the up-card. ``leaves``, ``joins``, ``changes``: it may leave the game, come back, and change places
    with these seats.
    """

    answers: frozenset[str] = frozenset()
    colors: tuple[str, ...] = ()
    swaps: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    jumps_in: bool = False
    draws: bool = False
    leaves: bool = False
    joins: bool = False
    changes: tuple[int, ...] = ()


def legal(referee: Referee, seat: int, hand: Sequence[str] = ()) -> tuple[Observation, ...]:
    """What ``seat`` may decide to do now, as observations one second after the last; none where it has to wait.

    Cards to play are those of ``hand`` that fit, which its player knows even where the referee does not. Without it,
    they are the cards known in the hand, and of hidden cards every face that may be among them. A draw says how many
    cards, not which. The text of a house rule is a person's to fill in. Left out is what only moves
    cards that nobody chooses (deal, redeal, a new draw pile, a hand to show), and what is not allowed but penalized.
    """
    position, t, rules = referee.position(), referee.t + 1.0, referee.header.ruleset
    phase, n_held = position["phase"], position["hands"][seat] if seat not in position["out"] else 0
    found: list[Observation] = []
    if owed := position["owed"].get(str(seat), 0):
        found.append(Drew(t, seat, min(owed, position["draw_pile"])))
    if referee.on_turn == seat:
        held = list(hand) or position["known"].get(str(seat), [])
        faces = dict.fromkeys(held) if len(held) == n_held else dict.fromkeys(sorted(referee.expected_faces()))
        found += [Play(t, face, seat) for face in faces]
        if phase in ("color", "challenge"):  # of a last Wild Draw Four, which is asked about at once, too
            found += [Color(t, color, seat) for color in card_tables(rules.deck).colors]
        if phase == "discard":
            color = [face for face in held if face.startswith(f"{position['color']}-")]
            found += [Discarded(t, seat, len(color) + n) for n in range(n_held - len(held) + 1)]
        if phase in _CHOICES:
            found += [_CHOICES[phase](t, seat, other) for other in range(len(position["hands"])) if other != seat]
        if not owed:
            found.append(_draw(referee, seat, t))
    elif (top := position["top"]) is not None and (not hand or top.rstrip("*") in hand):
        found.append(Play(t, top.rstrip("*"), seat))
    found += [kind(t, seat) for kind in (*_ANSWERS, Uno)]
    if phase == "stack" and not owed:  # a draw says no more than that it is accepted
        found = [one for one in found if not isinstance(one, Drew)]
    if rules.most_house_rules:
        found += [HouseRule(t, seat, number, "…") for number in _NUMBERS]
    return referee.applicable(found)


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
        tuple(one for one in others if referee.applies(_CHOICES[phase](t, seat, one))) if phase in _CHOICES else (),
        tuple(number for number in numbers if referee.applies(HouseRule(t, seat, number, "?"))),
        top in rules.faces and referee.applies(Play(t, top, seat)),
        referee.on_turn == seat and referee.applies(_draw(referee, seat, t)),
        _may_change(referee, PlayerChange("leave", seat)),
        _may_change(referee, PlayerChange("join", seat)),
        tuple(one for one in others if _may_change(referee, PlayerChange("swap", seat, one))),
    )


def _draw(referee: Referee, seat: int, t: float) -> Drew:
    """The draw of a turn."""
    size = referee.header.ruleset.value("turn.must_draw")
    return Drew(t, seat, size if isinstance(size, int) else 1)


def _may_change(referee: Referee, change: PlayerChange) -> bool:
    with suppress(CannotCorrect):
        referee.changed_by(change)
        return True
    return False
