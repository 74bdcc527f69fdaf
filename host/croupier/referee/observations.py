"""Observations: what somebody or something at the table reported.

One class for each ``obs`` of the table log, with its fields. Every observation has ``t``, the seconds on the table's
monotonic clock, and ``u``, the uncertainty of ``t`` in seconds. Seats count from 0 clockwise; a card is a face of
`croupier.cards`, ``back`` or ``?``; ``seat=None`` is the seat on turn. Observations are never edited: an `Overrule`
answers a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform

from croupier.cards import COLORS, KIND_SEEN
from croupier.errors import BadLog
from croupier.referee import checks

ROUNDING: Final = 1e-9
"""Times are decimal fractions of a second; 2.3 - 2.2 must not count as more than 0.1."""


def _cards(value: object, what: str) -> tuple[str, ...]:
    cards = value if isinstance(value, tuple) else checks.array(value, what)
    return tuple(checks.card(card, what) for card in cards)


# By field, whatever the observation: the check of its value. How many seats there are only the referee knows.
_CHECKS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "t": checks.seconds,
    "u": checks.uncertainty,
    "seat": checks.whole,
    "n": checks.whole,
    "card": checks.card,
    "cards": _cards,
    "color": checks.color,
    "number": checks.card_number,
    "text": checks.text,
    "device": checks.text,
    "kind": checks.text,
    "undo": partial(checks.whole, least=1),
    "set": checks.mapping,
}

# By field: an expression that is true where a value is out of the ordinary, so that only then it is checked: a check of
# every value would cost half as much as all that the referee does with an ordinary observation.
_UNUSUAL: Final[Mapping[str, str]] = {
    "t": "not -1e15 < t < 1e15",
    "u": "u",
    "seat": "seat < 0",
    "n": "n < 0",
    "card": "card not in FACES_SEEN",
    "cards": "cards and (not FACES_SEEN.issuperset(cards) or {n} < len(cards))",
    "color": "color not in COLORS",
}

OBSERVATIONS: Final[dict[str, type[Observation]]] = {}
"""By the ``obs`` of the table log."""

_T = TypeVar("_T", bound="Observation")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def observed(cls: type[_T]) -> type[_T]:
    """A `value` whose constructor raises `BadLog` where a field says what cannot be."""
    made: type[_T] = dataclass(slots=True, unsafe_hash=True, init=False)(cls)
    t, u, *others = fields(made)
    given = [item.name if item.default is MISSING else f"{item.name}={item.default!r}" for item in others]
    every = [item.name for item in (t, u, *others)]
    unusual = " or ".join(map(_unusual, (t, u, *others))).format(n="n" if "n" in every else "len(cards)")
    source = "\n    ".join([
        f"def __init__(self, {', '.join(['t', *given])}, *, u=0.0):",
        f"if {unusual}:",
        f"    check(type(self), {', '.join(f'{name}={name}' for name in every)})",
        *(f"self.{name} = {name}" for name in every),
    ])  # fmt: skip
    scope: dict[str, Any] = {"check": _check, "FACES_SEEN": frozenset(KIND_SEEN), "COLORS": COLORS}
    exec(source, scope)
    made.__init__ = scope["__init__"]  # type: ignore[method-assign]
    if "name" in vars(made):
        OBSERVATIONS[made.name] = made
    return made


def _unusual(item: Field[Any]) -> str:
    expression = _UNUSUAL.get(item.name, "True")
    return f"{item.name} is not None and {expression}" if item.default is None and expression != "True" else expression


def _check(cls: type[Observation], /, **said: Any) -> None:
    """Raise `BadLog` where a field, or the fields together, cannot be."""
    name = cls.name
    for item in fields(cls):
        if said[item.name] is not None or item.default is MISSING:
            _CHECKS[item.name](said[item.name], f"{name}: {item.name}")
    if "n" in said and len(said.get("cards", ())) > said["n"]:
        raise BadLog(f"{name}: {len(said['cards'])} cards, but n is {said['n']}")
    if cls is Overrule and (said["undo"] is None) == (said["set"] is None):
        raise BadLog("overrule: expected either undo or set")


@observed
class Observation:
    """Something that was reported at ``t`` ± ``u`` seconds; ``name`` is its ``obs`` in the table log.

    Raises:
        BadLog: a field says what cannot be; with what was expected.
    """

    name: ClassVar[str]

    t: float
    u: float = field(default=0.0, kw_only=True)


@observed
class Pick(Observation):
    """A card drawn to choose the dealer."""

    name = "pick"
    seat: int
    card: str


@observed
class Dealt(Observation):
    """``n`` cards of the opening deal reached a seat; ``cards`` where they were seen."""

    name = "dealt"
    seat: int
    n: int
    cards: tuple[str, ...] = ()


@observed
class Upcard(Observation):
    """A card was turned up to start the discard pile."""

    name = "upcard"
    card: str


@observed
class Lift(Observation):
    """The seat took a card out of its hand to play it."""

    name = "lift"
    seat: int


@observed
class Play(Observation):
    """A card touched the discard pile."""

    name = "play"
    card: str
    seat: int | None = None


@observed
class Drew(Observation):
    """The seat took ``n`` cards from the draw pile: its turn's draw, or what it owes."""

    name = "drew"
    seat: int
    n: int
    cards: tuple[str, ...] = ()


@observed
class Pass(Observation):
    """The seat ends its turn after drawing."""

    name = "pass"
    seat: int


@observed
class Color(Observation):
    """A color was named; ``seat=None``: by the seat that has to."""

    name = "color"
    color: str
    seat: int | None = None


@observed
class Uno(Observation):
    """The seat pressed its UNO button; what the press means is the referee's to say."""

    name = "uno"
    seat: int


@observed
class Accept(Observation):
    """The seat takes the Wild Draw Four."""

    name = "accept"
    seat: int


@observed
class Challenge(Observation):
    """The seat challenges the Wild Draw Four."""

    name = "challenge"
    seat: int


@observed
class Shown(Observation):
    """A hand was shown to the camera: all its cards."""

    name = "shown"
    seat: int
    cards: tuple[str, ...]


@observed
class Redealt(Observation):
    """Cards dealt to a seat after Shuffle Hands."""

    name = "redealt"
    seat: int
    n: int


@observed
class Recycled(Observation):
    """The discard pile, less its top card, was shuffled into the draw pile."""

    name = "recycled"


@observed
class HouseRule(Observation):
    """A seat makes, or with the house wild changes, a rule for a number."""

    name = "house_rule"
    seat: int
    number: int
    text: str


@observed
class Decline(Observation):
    """A seat makes no rule."""

    name = "decline"
    seat: int


@observed
class Acted(Observation):
    """A seat did what the house rule asks."""

    name = "acted"
    seat: int


@observed
class Hint(Observation):
    """A seat told another what to play."""

    name = "hint"
    seat: int


@observed
class Fault(Observation):
    """The machine reports trouble: ``device`` and ``kind`` are its words. Play is paused."""

    name = "fault"
    device: str
    kind: str

    @property
    def is_simulation(self) -> bool:
        """Whether it says no more than that the game is a simulation."""
        return (self.device, self.kind) == ("table", "simulation")


@observed
class Resumed(Observation):
    """Play goes on."""

    name = "resumed"


@observed
class Overrule(Observation):
    """A person corrects the record: takes back the last ``undo`` observations, or sets fields of the position."""

    name = "overrule"
    undo: int | None = None
    set: Mapping[str, Any] | None = field(default=None, hash=False)


@observed
class Tick(Observation):
    """Time passed."""

    name = "tick"


SIMULATED: Final = (Fault(0.0, device="table", kind="simulation"), Resumed(0.0))
"""The first lines of a simulated game: wherever its log goes, they say that nothing of it is real."""


def to_json(observation: Observation) -> dict[str, Any]:
    """The observation as in the table log; fields that say nothing are left out."""
    said: dict[str, Any] = {"obs": observation.name, "t": observation.t}
    for item in fields(observation):
        value = getattr(observation, item.name)
        if item.name != "t" and value != item.default:
            said[item.name] = list(value) if isinstance(value, tuple) else value
    return said


_EXAMPLE: Final = '{"obs": "play", "t": 12.5, "card": "red-7"}'

_SHAPES: Final = {
    name: [(item.name, item.default is MISSING) for item in fields(kind)] for name, kind in OBSERVATIONS.items()
}


def parse_observation(line: str | Mapping[str, Any], seats: int) -> Observation:
    """Read an observation from its line, or from the JSON object on the line; ``seats``: how many seats there are.

    Unknown fields are ignored, so that a source may write more than the table log asks for.

    Raises:
        BadLog: the line is not an observation; with what was expected.
    """
    data = checks.mapping(checks.loaded(line, _EXAMPLE), "observation")
    name = data.get("obs")
    if not isinstance(name, str) or name not in OBSERVATIONS:
        raise BadLog(f"unknown obs {name!r}: expected one of {', '.join(OBSERVATIONS)}")
    said: dict[str, Any] = {}
    for item, is_needed in _SHAPES[name]:
        what = f"{name}: {item}"
        if data.get(item) is not None:
            said[item] = checks.seat(data[item], what, seats) if item == "seat" else _CHECKS[item](data[item], what)
        elif is_needed:
            needed = ", ".join(item for item, is_needed in _SHAPES[name] if is_needed)
            raise BadLog(f"{what} is missing: expected {needed}")
    return OBSERVATIONS[name](**said)
