"""Observations from the lines of a table log."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from croupier.errors import BadLog
from croupier.referee import checks
from croupier.referee.observations import NAMES, OBSERVATIONS, Observation, Overrule


def _seat(value: object, what: str, seats: int) -> int:
    return checks.seat(value, what, seats)


def _cards(value: object, what: str, seats: int) -> tuple[str, ...]:
    return tuple(checks.card(card, what) for card in checks.array(value, what))


def _house_number(value: object, what: str, seats: int) -> int:
    if checks.whole(value, what) > 9:
        raise BadLog(f"{what} {value}: expected the number of a card, 0 to 9")
    return checks.whole(value, what)


# How each field is looked at, whatever the observation.
_LOOK: Final[Mapping[str, Callable[[object, str, int], object]]] = {
    "t": lambda value, what, seats: checks.seconds(value, what),
    "u": lambda value, what, seats: checks.uncertainty(value, what),
    "seat": _seat,
    "n": lambda value, what, seats: checks.whole(value, what),
    "card": lambda value, what, seats: checks.card(value, what),
    "cards": _cards,
    "color": lambda value, what, seats: checks.color(value, what),
    "number": _house_number,
    "text": lambda value, what, seats: checks.text(value, what),
    "device": lambda value, what, seats: checks.text(value, what),
    "kind": lambda value, what, seats: checks.text(value, what),
    "undo": lambda value, what, seats: checks.whole(value, what, 1),
    "set": lambda value, what, seats: checks.mapping(value, what),
}

_SHAPES: Final = {
    name: [(item.name, item.default is MISSING, _LOOK[item.name]) for item in fields(kind)]
    for name, kind in OBSERVATIONS.items()
}


def parse_observation(line: str | Mapping[str, Any], seats: int) -> Observation:
    """An observation from its line, or from the JSON object that was on it; ``seats`` is how many seats there are.

    Fields that the table log does not know are passed over, so that a source may write down more than it must.

    Raises:
        BadLog: it is none, with what was expected.
    """
    data = checks.mapping(_loaded(line), "observation")
    name = data.get("obs")
    if not isinstance(name, str) or name not in OBSERVATIONS:
        raise BadLog(f"unknown obs {name!r}: expected one of {', '.join(OBSERVATIONS)}")
    said: dict[str, Any] = {}
    for item, is_needed, look in _SHAPES[name]:
        if data.get(item) is not None:
            said[item] = look(data[item], f"{name}: {item}", seats)
        elif is_needed:
            raise BadLog(f"{name}: {item} is missing")
    observation = OBSERVATIONS[name](**said)
    _look_at_whole(observation)
    return observation


def _look_at_whole(observation: Observation) -> None:
    cards, n = getattr(observation, "cards", ()), getattr(observation, "n", None)
    if n is not None and len(cards) > n:
        raise BadLog(f"{NAMES[type(observation)]}: {len(cards)} cards, but n is {n}")
    if isinstance(observation, Overrule) and (observation.undo is None) == (observation.set is None):
        raise BadLog("overrule: expected either undo or set")


def _loaded(line: object) -> object:
    if not isinstance(line, str):
        return line
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as err:
        raise BadLog('expected a JSON object, such as {"obs": "play", "t": 12.5, "card": "red-7"}') from err
