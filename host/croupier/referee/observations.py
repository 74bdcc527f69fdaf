"""Observations: what somebody or something at the table reported.

One class for each ``obs`` of the table log, with its fields. Every observation has ``t``, the seconds on the table's
monotonic clock, and ``u``, the uncertainty of ``t`` in seconds. Seats count from 0 clockwise; a card is a face of
`croupier.cards`, ``back`` or ``?``; ``seat=None`` is the seat on turn. Observations are never edited: an `Overrule`
answers a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from functools import partial
from typing import Any, Final

from croupier.errors import BadLog
from croupier.referee import checks
from croupier.referee.checks import value

ROUNDING: Final = 1e-9
"""Times are decimal fractions of a second; 2.3 - 2.2 must not count as more than 0.1."""


@value
class Observation:
    """Something that was reported at ``t``, give or take ``u`` seconds."""

    t: float
    u: float = field(default=0.0, kw_only=True)


@value
class Pick(Observation):
    """A card drawn to choose the dealer."""

    seat: int
    card: str


@value
class Dealt(Observation):
    """``n`` cards of the opening deal reached a seat; ``cards`` where they were seen."""

    seat: int
    n: int
    cards: tuple[str, ...] = ()


@value
class Upcard(Observation):
    """A card was turned up to start the discard pile."""

    card: str


@value
class Lift(Observation):
    """The seat took a card out of its hand to play it."""

    seat: int


@value
class Play(Observation):
    """A card touched the discard pile."""

    card: str
    seat: int | None = None


@value
class Drew(Observation):
    """The seat took ``n`` cards from the draw pile: its turn's draw, or what it owes."""

    seat: int
    n: int
    cards: tuple[str, ...] = ()


@value
class Pass(Observation):
    """The seat ends its turn after drawing."""

    seat: int


@value
class Color(Observation):
    """A color was named; ``seat=None``: by the seat that has to."""

    color: str
    seat: int | None = None


@value
class Uno(Observation):
    """The seat pressed its UNO button; what the press means is the referee's to say."""

    seat: int


@value
class Accept(Observation):
    """The seat takes the Wild Draw Four."""

    seat: int


@value
class Challenge(Observation):
    """The seat challenges the Wild Draw Four."""

    seat: int


@value
class Shown(Observation):
    """A hand was shown to the camera: all its cards."""

    seat: int
    cards: tuple[str, ...]


@value
class Redealt(Observation):
    """Cards dealt to a seat after Shuffle Hands."""

    seat: int
    n: int


@value
class Recycled(Observation):
    """The discard pile, less its top card, was shuffled into the draw pile."""


@value
class HouseRule(Observation):
    """A seat makes, or with the house wild changes, a rule for a number."""

    seat: int
    number: int
    text: str


@value
class Decline(Observation):
    """A seat makes no rule."""

    seat: int


@value
class Acted(Observation):
    """A seat did what the house rule asks."""

    seat: int


@value
class Hint(Observation):
    """A seat told another what to play."""

    seat: int


@value
class Fault(Observation):
    """The machine reports trouble: ``device`` and ``kind`` are its words. Play is paused."""

    device: str
    kind: str

    @property
    def is_simulation(self) -> bool:
        """Whether it says no more than that the game is a simulation."""
        return (self.device, self.kind) == ("table", "simulation")


@value
class Resumed(Observation):
    """Play goes on."""


@value
class Overrule(Observation):
    """A person corrects the record: takes back the last ``undo`` observations, or sets fields of the position."""

    undo: int | None = None
    set: Mapping[str, Any] | None = field(default=None, hash=False)


@value
class Tick(Observation):
    """Time passed."""


SIMULATED: Final = (Fault(0.0, device="table", kind="simulation"), Resumed(0.0))
"""The first lines of a simulated game: wherever its log goes, they say that nothing of it is real."""

OBSERVATIONS: Final[Mapping[str, type[Observation]]] = {
    "pick": Pick,
    "dealt": Dealt,
    "upcard": Upcard,
    "lift": Lift,
    "play": Play,
    "drew": Drew,
    "pass": Pass,
    "color": Color,
    "uno": Uno,
    "accept": Accept,
    "challenge": Challenge,
    "shown": Shown,
    "redealt": Redealt,
    "recycled": Recycled,
    "house_rule": HouseRule,
    "decline": Decline,
    "acted": Acted,
    "hint": Hint,
    "fault": Fault,
    "resumed": Resumed,
    "overrule": Overrule,
    "tick": Tick,
}
"""By the ``obs`` of the table log."""

NAMES: Final = {kind: name for name, kind in OBSERVATIONS.items()}


def to_json(observation: Observation) -> dict[str, Any]:
    """The observation as in the table log; fields that say nothing are left out."""
    said: dict[str, Any] = {"obs": NAMES[type(observation)], "t": observation.t}
    for item in fields(observation):
        value = getattr(observation, item.name)
        if item.name != "t" and value != item.default:
            said[item.name] = list(value) if isinstance(value, tuple) else value
    return said


_EXAMPLE: Final = '{"obs": "play", "t": 12.5, "card": "red-7"}'


def _cards(value: object, what: str) -> tuple[str, ...]:
    return tuple(checks.card(card, what) for card in checks.array(value, what))


def _house_number(value: object, what: str) -> int:
    number = checks.whole(value, what)
    if number > 9:
        raise BadLog(f"{what} {number}: expected the number of a card, 0 to 9")
    return number


# How each field is looked at, whatever the observation; a seat also needs to know how many there are.
_LOOK: Final[Mapping[str, Callable[[object, str], object]]] = {
    "t": checks.seconds,
    "u": checks.uncertainty,
    "n": checks.whole,
    "card": checks.card,
    "cards": _cards,
    "color": checks.color,
    "number": _house_number,
    "text": checks.text,
    "device": checks.text,
    "kind": checks.text,
    "undo": partial(checks.whole, least=1),
    "set": checks.mapping,
}

_SHAPES: Final = {
    name: [(item.name, item.default is MISSING) for item in fields(kind)] for name, kind in OBSERVATIONS.items()
}


def parse_observation(line: str | Mapping[str, Any], seats: int) -> Observation:
    """An observation from its line, or from the JSON object that was on it; ``seats`` is how many seats there are.

    Fields that the table log does not know are passed over, so that a source may write down more than it must.

    Raises:
        BadLog: it is none, with what was expected.
    """
    data = checks.mapping(checks.loaded(line, _EXAMPLE), "observation")
    name = data.get("obs")
    if not isinstance(name, str) or name not in OBSERVATIONS:
        raise BadLog(f"unknown obs {name!r}: expected one of {', '.join(OBSERVATIONS)}")
    said: dict[str, Any] = {}
    for item, is_needed in _SHAPES[name]:
        what = f"{name}: {item}"
        if data.get(item) is not None:
            said[item] = checks.seat(data[item], what, seats) if item == "seat" else _LOOK[item](data[item], what)
        elif is_needed:
            needed = ", ".join(item for item, is_needed in _SHAPES[name] if is_needed)
            raise BadLog(f"{what} is missing: expected {needed}")
    observation = OBSERVATIONS[name](**said)
    _look_at_whole(observation)
    return observation


def _look_at_whole(observation: Observation) -> None:
    cards, n = getattr(observation, "cards", ()), getattr(observation, "n", None)
    if n is not None and len(cards) > n:
        raise BadLog(f"{NAMES[type(observation)]}: {len(cards)} cards, but n is {n}")
    if isinstance(observation, Overrule) and (observation.undo is None) == (observation.set is None):
        raise BadLog("overrule: expected either undo or set")
