"""Field checks for table logs, and the decorator for immutable values.

Each check returns the value, or raises `BadLog` with one line that says what was expected.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from croupier_rules.cards import BACK, DECK_COLORS, KIND, UNREAD
from croupier_rules.errors import BadLog, decoded

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_T]) -> type[_T]:
    """A dataclass that the type checker keeps immutable.

    A dataclass that is frozen when it runs takes three times as long to make, and a table makes a hundred values in
    a round; so mypy guards it instead (``docs/decisions.md``).
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


def snake_case(name: str) -> str:
    """The name of a class as the table log writes it: ``HouseRule`` is ``house_rule``."""
    return re.sub(r"\B(?=[A-Z])", "_", name).lower()


def loaded(line: object, example: str) -> object:
    """The JSON on a line of text; anything else is taken as loaded already. Raises as `json_object`."""
    return decoded(line, example) if isinstance(line, str) else line


def mapping(value: object, what: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise BadLog(f"{what}: expected a JSON object, not {shorten(value)}")
    return value


def known_fields(value: Mapping[str, Any], fields: Collection[str], what: str) -> None:
    """No field but these."""
    for name in value:
        if name not in fields:
            raise BadLog(f"{what}: unknown field {shorten(name)}: expected one of {', '.join(fields)}")


def whole(value: object, what: str, least: int = 0) -> int:
    """A whole number, ``least`` or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise BadLog(f"{what} {shorten(value)}: expected a whole number, {least} or more")
    return value


def seconds(value: object, what: str) -> float:
    """A finite number of seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)
    raise BadLog(f"{what} {shorten(value)}: expected a number of seconds")


def uncertainty(value: object, what: str) -> float:
    """A number of seconds, 0 or more."""
    if (time := seconds(value, what)) < 0:
        raise BadLog(f"{what} {shorten(value)}: expected 0 or more seconds")
    return time


def text(value: object, what: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise BadLog(f"{what} {shorten(value)}: expected a text")
    return value


def truth(value: object, what: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadLog(f"{what} {shorten(value)}: expected true or false")
    return value


def one_of(value: object, words: Collection[str], what: str) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in words:
        raise BadLog(f"{what} {shorten(value)}: expected one of {', '.join(words)}")
    return value


def color(value: object, what: str) -> str:
    """A color of the cards."""
    return one_of(value, DECK_COLORS, what)


def seat(value: object, what: str, seats: int) -> int:
    """The number of a seat."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < seats:
        raise BadLog(f"{what} {shorten(value)}: expected a seat, 0 to {seats - 1}")
    return value


def face(value: object, what: str) -> str:
    """A printed face."""
    if not isinstance(value, str) or value not in KIND:
        raise BadLog(f"{what}: unknown card {shorten(value)}: expected a card such as red-7, blue-skip or wild-draw4")
    return value


def card(value: object, what: str) -> str:
    """A printed face, ``back`` or ``?``."""
    return value if value in (BACK, UNREAD) and isinstance(value, str) else face(value, what)


def card_number(value: object, what: str) -> int:
    """The number on a card."""
    if (number := whole(value, what)) > 9:
        raise BadLog(f"{what} {number}: expected the number of a card, 0 to 9")
    return number


def array(value: object, what: str, length: int | None = None) -> list[Any]:
    """A JSON array, of ``length`` items where that is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise BadLog(f"{what} {shorten(value)}: expected a list" + (f" of {length}" if length is not None else ""))
    return value


def shorten(value: object) -> str:
    """The value for an error text, cut at 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
