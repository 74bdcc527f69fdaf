"""Rulings: the decisions of the referee.

One class for each ``ruling`` of the table log, with its fields. Every one has ``basis``: the rule it rests on with
its sentence, and the proposed reading where the document does not settle the case.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar, Final, cast

from croupier_rules.referee.checks import snake_case, value
from croupier_rules.referee.fields import RulingFields
from croupier_rules.rules import Basis


@value
class Ruling:
    """The referee's word. ``name`` is its ``ruling`` in the table log."""

    name: ClassVar[str]

    basis: Basis

    def __init_subclass__(cls) -> None:
        """Take the name from the class, unless it says another."""
        if "name" not in vars(cls):
            cls.name = snake_case(cls.__name__)

    @property
    def rule(self) -> str | None:
        """The id of the rule it rests on; ``None`` where no document speaks."""
        return self.basis.rule

    @property
    def is_proposed(self) -> bool:
        """True if it rests on a proposed reading of a document that does not settle the case."""
        return self.basis.proposed is not None

    def to_json(self) -> RulingFields:
        """The ruling as in the table log; fields that say nothing are left out."""
        line: dict[str, Any] = {"ruling": self.name, "rule": self.basis.rule}
        if self.basis.proposed is not None:
            line["reading"] = "proposed"
        for item in fields(self)[1:]:
            word = getattr(self, item.name)
            if word is not None:
                line[item.name.rstrip("_")] = list(word) if isinstance(word, tuple) else word
        return cast("RulingFields", line)


@value
class Dealer(Ruling):
    """This seat deals."""

    seat: int


@value
class PickAgain(Ruling):
    """These seats pick again."""

    seats: tuple[int, ...]


@value
class Turn(Ruling):
    """The turn is now this seat's; ``direction`` is ``left`` or ``right``."""

    seat: int
    direction: str


@value
class ColorIs(Ruling):
    """The color to match from now on."""

    name = "color"
    color: str


@value
class ChooseColor(Ruling):
    """This seat must name a color."""

    seat: int


@value
class ReturnCard(Ruling):
    """A card turned up at the start does not count; ``to`` is ``deck``, ``bottom`` or ``aside``."""

    card: str
    to: str


@value
class Draw(Ruling):
    """The seat takes ``n`` cards now, because of ``why``."""

    seat: int
    n: int
    why: str


@value
class Skip(Ruling):
    """The seat misses its turn."""

    seat: int


@value
class Illegal(Ruling):
    """Not allowed: the card goes back and nothing changed. Where it is not the time for it, ``waits`` is the phase of
    the table, ``on`` the seat on turn, ``n`` the number of cards that a stack makes draw."""

    seat: int
    why: str
    card: str | None = None
    waits: str | None = None
    on: int | None = None
    n: int | None = None


@value
class Warn(Ruling):
    """The document does not grant this, but names no consequence."""

    seat: int
    why: str


@value
class Void(Ruling):
    """A press, a challenge or a named color has no effect."""

    seat: int
    why: str


@value
class UnoStands(Ruling):
    """The seat's call stands."""

    name = "uno"
    seat: int


@value
class Caught(Ruling):
    """The seat failed to call and was caught."""

    seat: int
    by: int


@value
class MayChallenge(Ruling):
    """Seats that may challenge the Wild Draw Four."""

    seats: tuple[int, ...]


@value
class ShowHand(Ruling):
    """The hand of ``seat`` is to be shown to ``to``."""

    seat: int
    to: int


@value
class ChallengeOutcome(Ruling):
    """The accused ``seat`` was guilty or not."""

    name = "challenge"
    seat: int
    by: int
    guilty: bool


@value
class Recycle(Ruling):
    """The draw pile ran out: shuffle the discard pile, less its top card, into it."""


@value
class Short(Ruling):
    """No cards are left to draw; the ``owed`` rest is waived."""

    seat: int
    owed: int


@value
class Redeal(Ruling):
    """Shuffle Hands: ``counts`` cards for each seat, dealt one by one, beginning with ``from_``."""

    from_: int
    counts: tuple[int, ...]


@value
class HouseRuleIs(Ruling):
    """A house rule was ``added``, ``changed``, ``run`` or ``refused``."""

    name = "house_rule"
    number: int
    state: str
    text: str | None = None


@value
class ChooseSeat(Ruling):
    """This seat names another, to swap hands with it."""

    seat: int


@value
class ChooseTarget(Ruling):
    """This seat names another, which draws the cards."""

    seat: int


@value
class MayStack(Ruling):
    """This seat may answer a draw card with another, or takes the ``n`` cards of all of them."""

    seat: int
    n: int


@value
class HandsMoved(Ruling):
    """Hands went to other seats: how many cards each seat holds now."""

    hands: tuple[int, ...]


@value
class DiscardAll(Ruling):
    """This seat lays all other cards of the color under the card that it laid."""

    seat: int


@value
class TurnUp(Ruling):
    """This seat turns up cards until one of the color comes, and takes them."""

    seat: int


@value
class CannotTell(Ruling):
    """The reports are too close in time, or too unsure, to decide: nobody is penalised."""

    about: str
    seats: tuple[int, ...]


@value
class RoundOver(Ruling):
    """This seat went out."""

    seat: int


@value
class Score(Ruling):
    """Points for a seat, or for a team (its number)."""

    seat: int | None
    team: int | None
    points: int
    total: int


@value
class Eliminated(Ruling):
    """The seat is out of the game."""

    seat: int


@value
class GameOver(Ruling):
    """Winner: a seat, a team, or several seats where the document leaves a tie."""

    seat: int | None = None
    team: int | None = None
    seats: tuple[int, ...] | None = None


@value
class Mismatch(Ruling):
    """Record and table disagree on a ``hand``, a ``card`` or a ``pile``; a person decides."""

    what: str
    expected: int
    seen: int


Rulings = tuple[Ruling, ...]
"""The rulings of one observation, in the order of the table log; often none."""

_FOUND: Final = (Illegal, Void, Warn, UnoStands, Caught, ChallengeOutcome, ReturnCard, ColorIs, HouseRuleIs)
_SAID_THEN: Final = (CannotTell, Mismatch, Draw, Skip, Recycle, Short, RoundOver, Score, Eliminated, GameOver)
_AWAITED: Final = (
    *(
        ChooseColor,
        ChooseSeat,
        ChooseTarget,
        DiscardAll,
        TurnUp,
        MayChallenge,
        MayStack,
        ShowHand,
        Redeal,
        HandsMoved,
        Turn,
    ),
)
_ORDER: Final[dict[type[Any], int]] = {
    kind: place for place, kind in enumerate((*_FOUND, *_SAID_THEN, *_AWAITED), start=1)
}


def in_order(*rulings: Ruling) -> Rulings:
    """The rulings of one observation in the order of the table log: found, drawn, over, awaited."""
    return tuple(sorted(rulings, key=_place)) if len(rulings) > 1 else rulings


def _place(ruling: Ruling) -> int:
    return _ORDER.get(type(ruling), 0)
