"""Observations: reports by people and devices at the table.

One class for each ``obs`` of the table log, with its fields. Every observation has ``t``, the seconds on the table's
monotonic clock, and ``u``, the uncertainty of ``t`` in seconds. Seats count from 0 clockwise; a card is a face of
`croupier_rules.cards`, ``back`` or ``?``; ``seat=None`` is the seat on turn. Observations are never edited: an
`Overrule` answers a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar, cast, dataclass_transform

from croupier_rules.cards import DECK_COLORS, KIND_SEEN
from croupier_rules.errors import BadLog
from croupier_rules.referee import checks
from croupier_rules.referee.fields import ObservationFields, PlayerFields

_ROUNDING: Final = 1e-9
"""Times are decimal fractions of a second; 2.3 - 2.2 must not count as more than 0.1."""


class Clock(NamedTuple):
    """The clock that stamped a report, such as a Pico's, and the uncertainty of the stamp on that clock (s)."""

    name: str
    uc: float


DOES: Final = ("leave", "join", "swap", "rename")


@checks.value
class PlayerChange:
    """A change of players. ``does``: ``leave`` the seat, ``join`` at the seat as ``name``, ``swap`` seats with
    ``with_``, or ``rename`` the player to ``name``.

    ``name``: of the player at the seat from then on; None where it stays.
    """

    does: str
    seat: int
    with_: int | None = None
    name: str | None = None

    def to_json(self) -> PlayerFields:
        """The change as in the table log."""
        line: PlayerFields = {"does": self.does, "seat": self.seat}
        if self.with_ is not None:
            line["with"] = self.with_
        if self.name is not None:
            line["name"] = self.name
        return line

    def names(self, seats: tuple[str, ...]) -> tuple[str, ...]:
        """The names of the players by seat after it, where they were ``seats``."""
        names = list(seats)
        if self.with_ is not None:
            names[self.seat], names[self.with_] = seats[self.with_], seats[self.seat]
        elif self.name is not None:
            names[self.seat] = self.name
        return tuple(names)


def _player(value: object, what: str) -> PlayerChange:
    data = checks.mapping(value.to_json() if isinstance(value, PlayerChange) else value, what)
    checks.known_fields(data, ("does", "seat", "with", "name"), what)
    does, with_, name = checks.one_of(data.get("does"), DOES, f"{what}: does"), data.get("with"), data.get("name")
    if (with_ is None) == (does == "swap"):
        raise BadLog(f"{what}: with {checks.shorten(with_)}: expected a seat with swap, and with nothing else")
    if does == "rename" and name is None:
        raise BadLog(f"{what}: name: expected one with rename")
    return PlayerChange(
        does,
        checks.whole(data.get("seat"), f"{what}: seat"),
        None if with_ is None else checks.whole(with_, f"{what}: with"),
        None if name is None else checks.text(name, f"{what}: name"),
    )


def _is_rename(player: PlayerChange | Mapping[str, Any] | None) -> bool:
    return isinstance(player, PlayerChange) and player.does == "rename"


def _cards(value: object, what: str) -> tuple[str, ...]:
    cards = value if isinstance(value, tuple) else checks.array(value, what)
    return tuple(checks.card(card, what) for card in cards)


def _clock(value: Clock, what: str) -> Clock:
    return Clock(checks.text(value.name, what), checks.uncertainty(value.uc, f"{what}: uc"))


# By field, whatever the observation: the check of its value. How many seats there are only the referee knows.
_CHECKS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "t": checks.seconds,
    "u": checks.uncertainty,
    "clock": _clock,
    "seat": checks.whole,
    "with_": checks.whole,
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
    "player": _player,
}

# By field: an expression that is true where a value is out of the ordinary, so that only then it is checked: a check of
# every value would cost half as much as all that the referee does with an ordinary observation. A time that is not
# finite times 0 is not 0; neither is an uncertainty that is given. A card is looked up in any case (`kind`).
_UNUSUAL: Final[Mapping[str, str]] = {
    "t": "t * 0.0 != u",
    "clock": "clock is not None",
    "seat": "seat < 0",
    "with_": "with_ < 0",
    "n": "n < 0",
    "cards": "cards and (not FACES_SEEN.issuperset(cards) or {n} < len(cards))",
    "color": "color not in COLORS",
}
_NEVER_UNUSUAL: Final = ("u", "card")

OBSERVATIONS: Final[dict[str, type[Observation]]] = {}
"""By the ``obs`` of the table log."""

_T = TypeVar("_T", bound="Observation")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def observed(cls: type[_T]) -> type[_T]:
    """A `value` whose constructor raises `BadLog` where a field has an impossible value; its ``name`` is the
    class's."""
    made: type[_T] = dataclass(slots=True, unsafe_hash=True, init=False)(cls)
    items = _given(made)
    names = [item.name for item in items]
    others = [item for item in items if item.name not in ("t", "u", "clock")]
    given = [item.name if item.default is MISSING else f"{item.name}={item.default!r}" for item in others]
    unusual = [_unusual(item) for item in items if item.name not in _NEVER_UNUSUAL]
    check = f"check(type(self), {', '.join(f'{name}={name}' for name in names)})"
    card = ["try:", "    self.kind = KIND[card]", "except (KeyError, TypeError):", f"    {check}"]
    # `u` and `clock` are passed by name; a parameter that may only be passed by name is slower to leave out.
    source = "\n    ".join([
        f"def __init__(self, {', '.join(['t', *given])}, u=0.0, clock=None):",
        f"if {' or '.join(unusual).format(n='n' if 'n' in names else 'len(cards)')}:",
        f"    {check}",
        *(card if "card" in names else ()),
        *(f"self.{name} = {name}" for name in names),
    ])  # fmt: skip
    scope: dict[str, Any] = {"check": _check, "FACES_SEEN": frozenset(KIND_SEEN), "COLORS": frozenset(DECK_COLORS)}
    scope["KIND"] = dict(KIND_SEEN)
    exec(source, scope)
    made.__init__ = scope["__init__"]  # type: ignore[method-assign]
    if made.__base__ is not object:
        made.name = checks.snake_case(made.__name__)
        OBSERVATIONS[made.name] = made
    return made


def _given(cls: type[Observation]) -> list[Field[Any]]:
    """The fields of the table log: those that the constructor takes."""
    return [item for item in fields(cls) if item.init]


def _unusual(item: Field[Any]) -> str:
    expression = _UNUSUAL.get(item.name, "True")
    is_optional = item.default is None and item.name != "clock" and expression != "True"
    return f"{item.name} is not None and {expression}" if is_optional else expression


def _check(cls: type[Observation], /, **values: Any) -> None:
    """Raise `BadLog` where a field, or the fields together, cannot be."""
    name = cls.name
    for item in _given(cls):
        if values[item.name] is not None or item.default is MISSING:
            _CHECKS[item.name](values[item.name], f"{name}: {item.name}")
    if "n" in values and len(values.get("cards", ())) > values["n"]:
        raise BadLog(f"{name}: {len(values['cards'])} cards, but n is {values['n']}")
    if cls is Overrule and (values["undo"] is None) == (values["set"] is None):
        raise BadLog("overrule: expected either undo or set")
    if cls is Overrule and values["player"] is not None and values["set"] is None:
        raise BadLog("overrule: player: expected with it set")
    if cls is Overrule and values["set"] and _is_rename(values["player"]):
        raise BadLog("overrule: player: rename: expected with it an empty set")


@observed
class Observation:
    """Something that was reported at ``t`` ± ``u`` seconds; ``name`` is its ``obs`` in the table log.

    ``clock``: the clock that stamped the report; ``None`` for the table's own.

    Raises:
        BadLog: a field has an impossible value; with what was expected.
    """

    name: ClassVar[str]

    t: float
    u: float = field(default=0.0, kw_only=True)
    clock: Clock | None = field(default=None, kw_only=True)

    def is_tied_with(self, other: Observation | None) -> bool:
        """True if this report and ``other`` have no order: their times differ by no more than both uncertainties.

        Two stamps of one clock are compared with the uncertainty of that clock: what maps it onto the table's clock
        moves both alike.
        """
        if other is None:
            return False
        if self.clock is not None and other.clock is not None and self.clock.name == other.clock.name:
            return abs(self.t - other.t) <= self.clock.uc + other.clock.uc + _ROUNDING
        return abs(self.t - other.t) <= self.u + other.u + _ROUNDING

    def at(self, t: float, scale: float = 1.0) -> Self:
        """The same report at another time ``t``; ``scale``: the factor for its uncertainties."""
        clock = None if self.clock is None else Clock(self.clock.name, self.clock.uc * scale)
        return replace(self, t=t, u=self.u * scale, clock=clock)


@observed
class Pick(Observation):
    """A card drawn to choose the dealer. ``kind``: the kind of ``card`` in `croupier_rules.cards`."""

    seat: int
    card: str
    kind: int = field(init=False, repr=False, compare=False)


@observed
class Dealt(Observation):
    """``n`` cards of the opening deal reached a seat; ``cards`` where they were seen."""

    seat: int
    n: int
    cards: tuple[str, ...] = ()


@observed
class Upcard(Observation):
    """A card was turned up to start the discard pile. ``kind`` as in `Pick`."""

    card: str
    kind: int = field(init=False, repr=False, compare=False)


@observed
class Lift(Observation):
    """The seat took a card out of its hand to play it."""

    seat: int


@observed
class Play(Observation):
    """A card touched the discard pile. ``kind`` as in `Pick`."""

    card: str
    seat: int | None = None
    kind: int = field(init=False, repr=False, compare=False)


@observed
class Drew(Observation):
    """The seat took ``n`` cards from the draw pile, for its turn or as a debt."""

    seat: int
    n: int
    cards: tuple[str, ...] = ()


@observed
class Pass(Observation):
    """The seat ends its turn after drawing."""

    seat: int


@observed
class Color(Observation):
    """A color was named; ``seat=None``: by the seat that has to."""

    color: str
    seat: int | None = None


@observed
class Uno(Observation):
    """The seat pressed its UNO button. The referee decides whether the press is a call, a catch, or neither."""

    seat: int


@observed
class Accept(Observation):
    """The seat takes the Wild Draw Four."""

    seat: int


@observed
class Challenge(Observation):
    """The seat challenges the Wild Draw Four."""

    seat: int


@observed
class Shown(Observation):
    """A hand was shown to the camera: all its cards."""

    seat: int
    cards: tuple[str, ...]


@observed
class Redealt(Observation):
    """Cards dealt to a seat after Shuffle Hands."""

    seat: int
    n: int


@observed
class Recycled(Observation):
    """The discard pile, less its top card, was shuffled into the draw pile."""


@observed
class HouseRule(Observation):
    """A seat makes, or with the house wild changes, a rule for a number."""

    seat: int
    number: int
    text: str


@observed
class Decline(Observation):
    """A seat makes no rule."""

    seat: int


@observed
class Acted(Observation):
    """A seat obeyed the house rule."""

    seat: int


@observed
class Hint(Observation):
    """A seat told another what to play."""

    seat: int


@observed
class Fault(Observation):
    """The machine reports trouble: ``device`` and ``kind`` are its words. Play is paused."""

    device: str
    kind: str

    @property
    def is_simulation(self) -> bool:
        """True if it says no more than that the game is a simulation."""
        return (self.device, self.kind) == ("table", "simulation")


@observed
class Resumed(Observation):
    """Play goes on."""


@observed
class Swap(Observation):
    """The seat that laid a card to swap hands chooses the seat ``with_``: a seven by the table's own rule, or a card
    of the deck."""

    seat: int
    with_: int


@observed
class Target(Observation):
    """The seat that laid the card chooses the seat ``with_``, which draws."""

    seat: int
    with_: int


@observed
class Discarded(Observation):
    """The seat laid ``n`` other cards of the color under its Discard All; ``cards`` where they were seen."""

    seat: int
    n: int
    cards: tuple[str, ...] = ()


@observed
class Overrule(Observation):
    """A person corrects the record: takes back the last ``undo`` observations, or sets fields of the position.

    ``player``: who left, joined, swapped seats or goes by another name, where that is why the position is set.
    """

    undo: int | None = None
    set: Mapping[str, Any] | None = field(default=None, hash=False)
    player: PlayerChange | None = None


@observed
class Tick(Observation):
    """Time passed."""


SIMULATED: Final = (Fault(0.0, device="table", kind="simulation"), Resumed(0.0))
"""The first lines of a simulated game: wherever its log goes, they say that nothing of it is real."""


def to_json(observation: Observation) -> ObservationFields:
    """The observation as in the table log, without fields that have their default."""
    line: dict[str, Any] = {"obs": observation.name, "t": observation.t}
    for item in _given(type(observation)):
        value = getattr(observation, item.name)
        if isinstance(value, Clock):
            line |= {"clock": value.name, "uc": value.uc}
        elif isinstance(value, PlayerChange):
            line["player"] = value.to_json()
        elif item.name != "t" and value != item.default:
            line[item.name.rstrip("_")] = list(value) if isinstance(value, tuple) else value
    return cast("ObservationFields", line)


_EXAMPLE: Final = '{"obs": "play", "t": 12.5, "card": "red-7"}'

# By ``obs``: its fields as on the line and here (``with_``: a name that Python keeps for itself), how an error names
# each, and whether it must be given.
_SHAPES: Final = {
    name: [
        (key, item.name, f"{name}: {key}", item.default is MISSING)
        for item in _given(kind)
        if (key := item.name.rstrip("_")) != "clock"
    ]
    for name, kind in OBSERVATIONS.items()
}


def parse_observation(line: str | Mapping[str, Any], seats: int) -> Observation:
    """Read an observation from its line, or from the JSON object on the line; ``seats``: how many seats there are.

    Unknown fields are ignored, so that a source may write more than the table log asks for.

    Raises:
        BadLog: the line is not an observation; with what was expected.
    """
    data = checks.mapping(checks.loaded(line, _EXAMPLE), "observation")
    name = checks.one_of(data.get("obs"), OBSERVATIONS, "unknown obs")
    values: dict[str, Any] = {}
    for item, attribute, what, is_needed in _SHAPES[name]:
        if (value := data.get(item)) is not None:
            is_seat = item in ("seat", "with")
            values[attribute] = checks.seat(value, what, seats) if is_seat else _CHECKS[item](value, what)
        elif is_needed:
            needed = ", ".join(item for item, _, _, is_needed in _SHAPES[name] if is_needed)
            raise BadLog(f"{what} is missing: expected {needed}")
    clock, uc = data.get("clock"), data.get("uc")
    if (clock is None) != (uc is None):
        raise BadLog(f"{name}: clock {checks.shorten(clock)}, uc {checks.shorten(uc)}: expected both or neither")
    if clock is not None:
        values["clock"] = Clock(checks.text(clock, f"{name}: clock"), checks.uncertainty(uc, f"{name}: uc"))
    return OBSERVATIONS[name](**values)
