"""The log of a round for a replay: its lines, grouped by turns, each with the cards that it tells of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from croupier.game_views.story import Moment, MomentText, Story
from croupier.game_views.view import Card, card_view
from croupier_rules.cards import BACK
from croupier_rules.referee.observations import Dealt, Drew, Redealt
from croupier_rules.referee.rulings import (
    CannotTell,
    Caught,
    ChallengeOutcome,
    Eliminated,
    GameOver,
    Illegal,
    Mismatch,
    RoundOver,
    Turn,
    UnoStands,
    Void,
    Warn,
)  # fmt: skip

_DECISIONS: Final = (
    Illegal, Void, Warn, UnoStands, Caught, ChallengeOutcome, CannotTell, Mismatch, RoundOver, Eliminated, GameOver
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A report with its rulings, except whose turn it is then. ``is_undone``: somebody has taken it back."""

    text: MomentText
    cards: tuple[Card, ...]
    is_undone: bool


@dataclass(slots=True)
class TurnLog:
    """Reports during the turn of the player ``name`` at ``seat``; "" and None: before and between turns."""

    name: str
    seat: int | None
    lines: list[Line] = field(default_factory=list)


def timeline(story: Story) -> dict[str, list[Any]]:
    """Return the data of a script that goes through a game. ``t`` (s), ``round``: of each moment; ``decisions``: the
    moments at which the referee decided more than what comes next."""
    decided = (one.n for one in story.moments if any(isinstance(ruling, _DECISIONS) for ruling in one.rulings))
    return {
        "t": [one.t for one in story.moments], "round": [one.round for one in story.moments], "decisions": [*decided],
    }  # fmt: skip


def end_of_round(story: Story, moment: Moment) -> int:
    """The number of the last line, so far, of the round of a moment."""
    return next((one.n - 1 for one in story.moments[moment.n + 1 :] if one.round > moment.round), len(story))


def turns(story: Story, moment: Moment) -> list[TurnLog]:
    """The log of the round of a moment up to that moment."""
    standing = {one.n for one in story.standing} | {one.n for one in story.moments if one.obs == "overrule"}
    found: list[TurnLog] = []
    begins = True
    for one in story.moments[1 : moment.n + 1]:
        if one.round != moment.round:
            continue
        name = "" if one.on_turn is None else one.names[one.on_turn]
        if begins or name != found[-1].name:
            found.append(TurnLog(name, one.on_turn))
        text = story.describe(one)
        rulings = tuple(ruling for ruling in text.rulings if ruling.name != Turn.name)
        cards = tuple(card_view(face, story) for face in _faces(one))
        found[-1].lines.append(Line(replace(text, rulings=rulings), cards, one.n not in standing))
        begins = any(isinstance(ruling, Turn) for ruling in one.rulings)
    return found


def _faces(moment: Moment) -> Iterator[str]:
    card, cards = (getattr(moment.reported, name, None) for name in ("card", "cards"))
    if card is not None:
        yield card
    elif cards:
        yield from cards
    elif isinstance(moment.reported, Dealt | Drew | Redealt):
        yield BACK
