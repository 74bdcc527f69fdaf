"""Observations from the lines of a table log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from typing import Any, Final

from croupier.errors import BadLog
from croupier.referee import checks
from croupier.referee.observations import NAMES, OBSERVATIONS, Observation, Overrule

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
